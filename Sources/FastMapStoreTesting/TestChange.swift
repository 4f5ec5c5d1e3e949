public import FastMapCore

/// The change of one object, made from values, for the tests of a store.
///
///     try store.write(plan.schema) { writer in
///       let book = TestChange(of: id, isNew: true, values: ["id": .integer(1), "title": .string("Dune")])
///       try ChangeBatch.lend([book], in: plan.schema) { batch in
///         try writer.apply(&batch)
///         try writer.finish(&batch)
///         print(batch.changes[0].isChanged)
///       }
///       return .commit(())
///     }
///
/// An import makes its changes from a payload. A test of one method of a store needs no payload with it.
public struct TestChange {
  /// The number of the object.
  package var id: ObjectID
  /// The number of its entity.
  package var entity: Int
  /// Whether to insert the object.
  package var isNew: Bool
  /// Its attributes, by the names of the fields. `.null` clears one; the others stay as they are.
  package var values: [String: Value]
  /// The targets of its relationships, by the names of the fields. Nil is null; the others stay as they are.
  package var targets: [String: [ObjectID]?]
  /// The fate of the old targets, for all its relationships.
  package var update: ListUpdate
  /// The fingerprint to keep with the object, if the store keeps fingerprints.
  package var fingerprint: Fingerprint?

  /// Makes a change. Arguments that you omit leave the object as it is.
  public init(
    of id: ObjectID, entity: Int = 0, isNew: Bool, values: [String: Value] = [:],
    targets: [String: [ObjectID]?] = [:], update: ListUpdate = .assign,
    fingerprint: Fingerprint? = nil
  ) {
    self.id = id
    self.entity = entity
    self.isNew = isNew
    self.values = values
    self.targets = targets
    self.update = update
    self.fingerprint = fingerprint
  }
}

extension ChangeBatch {
  /// Lends a batch of changes that do not come from an import.
  ///
  /// - Parameters:
  ///   - changes: In the order of a batch: by entity, then changes with a key first, ascending by key.
  ///   - schema: The schema of the write.
  ///   - body: Receives the batch, valid until it returns.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`.
  /// - Precondition: The schema has all entities and fields of the changes.
  public static func lend<R>(
    _ changes: [TestChange], in schema: Schema, to body: (inout ChangeBatch) throws -> R
  ) rethrows -> R {
    let rows = changes.map { TestRow($0, schema) }
    var batch = ChangeBatch(schema: schema)
    batch.changes = rows.map(\.change)
    return try withExtendedLifetime(rows) { try body(&batch) }
  }
}

/// A change with the row that it borrows.
private final class TestRow {
  private var buffer = RowBuffer()
  let change: ObjectChange

  init(_ source: TestChange, _ schema: Schema) {
    let entity = schema.entities[source.entity]
    let names = Set(entity.fields.map(\.name))
    precondition(
      names.isSuperset(of: source.values.keys) && names.isSuperset(of: source.targets.keys),
      "the schema has all fields of a change")
    buffer.reset(count: entity.fields.count)
    for (index, field) in entity.fields.enumerated() {
      switch field.kind {
      case .attribute:
        if let value = source.values[field.name] { buffer.set(value, at: index) }
      case .toOne:
        guard let targets = source.targets[field.name] else { continue }
        precondition(targets?.count ?? 0 <= 1, "a relationship to one has at most one target")
        buffer.setTarget(targets?.first, update: source.update, at: index)
      case .toMany:
        guard let targets = source.targets[field.name] else { continue }
        buffer.setTargets(targets, update: source.update, at: index)
      }
    }
    let keyField = entity.keyField.flatMap { source.values[entity.fields[$0].name] == nil ? nil : $0 }
    change = ObjectChange(
      id: source.id, entity: source.entity, isNew: source.isNew, keyField: keyField, row: buffer.row,
      fingerprint: source.fingerprint)
  }
}
