/// A reader whose server answers a question while the caller works.
///
/// Questions are sent ahead and asked as always later, with the same objects. Answers wait until then.
package protocol AnticipatingReader: StoreReader {
  /// Sends the question of a later ``StoreReader/read(_:of:_:)`` with exactly these objects.
  mutating func anticipate(rowsOf ids: [ObjectID], of entity: Int) throws

  /// Sends the question of a later ``StoreReader/targets(of:entity:fields:)`` with exactly these owners and fields.
  mutating func anticipate(targetsOf owners: [ObjectID], entity: Int, fields: [Int]) throws

  /// Consumes the answers received so far without waiting, so that the server can send more.
  mutating func consumeInput() throws

  /// Gives up the questions that were sent ahead and not asked.
  mutating func dropAnticipated() throws
}
