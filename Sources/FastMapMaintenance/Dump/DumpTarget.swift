extension DumpError {
  /// - Parameters:
  ///   - store: Its name in messages.
  ///   - objectCount: The number of its objects, at least 1.
  package static func notEmpty(_ store: String, _ objectCount: Int) -> DumpError {
    DumpError(
      file: store,
      "the store already has \(objectCount == 1 ? "an object" : "\(objectCount) objects"); "
        + "a dump can only be loaded into an empty store")
  }
}

/// The transaction that loads a dump. ``DumpLoader`` reads and checks the lines, and a store keeps their objects.
package protocol DumpTarget: AnyObject {
  /// The largest string, data, decimal or JSON text that the store takes, in bytes.
  var mostValueBytes: Int { get }

  /// The reason why the store cannot hold a key; nil if it can.
  func refusal(ofKey key: Field) -> String?

  func id(_ number: UInt64, of entity: Int) -> ObjectID

  /// Makes the entities and their fields.
  func begin(_ header: DumpHeader) throws

  /// Stores an object. Objects come entity by entity, in ascending order.
  ///
  /// - Parameter row: Valid until the call returns. To-many fields are missing.
  /// - Returns: False if the store knows another object with its key.
  func insert(_ object: DumpedObject, _ row: Row) throws -> Bool

  /// Appends a target to a list of the last object. Lists come in the order of the fields.
  func append(_ target: ObjectID, to field: Int) throws

  /// Looks for faults that only the whole dump shows, after the last object.
  func firstFault() throws -> DumpFault?

  /// Builds the indexes, and completes the store. The transaction commits after it.
  func finish() throws
}

/// An object of a dump, beside its values.
package struct DumpedObject {
  package let id: ObjectID
  package let entity: Int
  /// The field of its primary key; nil without one.
  package let keyField: Int?
  /// Set if an interrupted import has left the object to delete.
  package let leftover: Leftover?
}

/// A fault of a whole dump. Numbers are those of the dump.
package enum DumpFault {
  /// A relationship refers to an object that is missing.
  case missingTarget(field: Int, owner: UInt64, of: Int, target: UInt64)
  /// Two objects of an entity have the same key.
  case sameKey(String, of: Int, UInt64, UInt64)
}
