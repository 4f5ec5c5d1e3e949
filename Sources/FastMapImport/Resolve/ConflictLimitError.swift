/// An import under ``ImportOptions/FaultPolicy/skip`` has left out objects that are not unique, run after run, and others still
/// conflict. Nothing of the transaction is changed, and no error of an object is reported.
///
///     Node: "name" is unique, and more objects conflict after 62 were left out; gave up after 64 runs of the transaction. Import the
///     objects in smaller parts
///
/// An object that is left out keeps its old value, and the next run leaves out an object with this value. So a chain of 62 objects,
/// each with the old value of another, takes 64 runs. More runs follow as long as all together have met at most four million objects.
/// A payload with shorter chains, such as a part of it, can be imported.
public struct ConflictLimitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity of the objects that still conflict.
  package let entity: String
  /// The name of the unique index: `status,-created_at`.
  package let index: String
  /// The objects that the last run has left out.
  package let objectsLeftOut: Int
  /// How often the transaction has run.
  package let runs: Int

  init(entity: String, index: String, objectsLeftOut: Int, runs: Int) {
    self.entity = entity
    self.index = index
    self.objectsLeftOut = objectsLeftOut
    self.runs = runs
  }

  public var description: String {
    "\(escaped(entity)): \(quoted(index)) is unique, and more objects conflict after \(objectsLeftOut) were left out; "
      + "gave up after \(runs) runs of the transaction. Import the objects in smaller parts"
  }
}

extension ConflictLimitError: FastMapError {
  public var code: String { "conflict-limit" }
  public var place: String? { entity }
}
