/// An import under ``ImportOptions/FaultPolicy/skip`` has left out objects that are not unique, run after run, and others still
/// conflict. Nothing of the transaction is changed, and no error of an object is reported.
///
///     Node: "name" is unique, and more objects conflict after 64 were left out, many of them because of another one; gave up
///     after 66 runs, which read 9240 objects: the limit is 8960, in proportion to the payload
///
/// The limit is 64 times the objects of the payload, and four million. It takes a chain of hundreds of objects where the old value of
/// each is the new value of another, and that are nested in others with unique indexes. A payload with shorter chains, such as a part of
/// it, can be imported.
public struct ConflictLimitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity of the objects that still conflict.
  public let entity: String
  /// The name of the unique index: `status,-created_at`.
  public let index: String
  /// The objects that the last run has left out.
  public let objectsLeftOut: Int
  /// How often the transaction has run.
  public let runs: Int
  /// The objects of the payload that all runs have read.
  public let objectsRead: Int
  /// The most objects that all runs may read.
  public let limit: Int

  init(entity: String, index: String, objectsLeftOut: Int, runs: Int, objectsRead: Int, limit: Int) {
    self.entity = entity
    self.index = index
    self.objectsLeftOut = objectsLeftOut
    self.runs = runs
    self.objectsRead = objectsRead
    self.limit = limit
  }

  public var description: String {
    "\(escaped(entity)): \(quoted(index)) is unique, and more objects conflict after \(objectsLeftOut) were left out, many of "
      + "them because of another one; gave up after \(runs) runs, which read \(objectsRead) objects: the limit is \(limit), in "
      + "proportion to the payload"
  }
}
