internal import FastMapStoreKit

extension LMDBStore {
  /// Makes the changes that a schema declares, and adds the entities and fields that a store lacks: see `Schema.changes(of:)`.
  ///
  /// - Parameter stored: The layout of the transaction.
  /// - Returns: The layout with the changes, the same with the additions, its binding, and a note about each change. No layout is
  ///   written yet.
  /// - Throws: `SchemaMismatchError`.
  func declare(
    _ schema: Schema, _ stored: StoreLayout, _ writing: WriteView
  ) throws -> (old: StoreLayout, new: StoreLayout, Binding, changes: [String]) {
    if !schema.changesStore || !schema.hasEarlierNames {
      do {
        var layout = stored
        let binding = try layout.extend(to: schema, environment)
        return (stored, layout, binding, [])
      } catch let error as SchemaMismatchError {
        if !schema.changesStore { throw error }
      }
    }
    let (changes, notes) = try schema.changes(of: stored.schema)
    let changed = try changes.isEmpty ? stored : environment.whole { try change(stored, changes, writing) }
    var layout = changed
    let binding = try layout.extend(to: schema, environment)
    return (changed, layout, binding, notes)
  }

  private func change(
    _ stored: StoreLayout, _ changes: [SchemaChange], _ writing: WriteView
  ) throws -> StoreLayout {
    var migrator = Migrator(writing: writing, tables: tables, lists: lists, layout: stored)
    for change in changes {
      switch change {
      case .renameEntity(let entity, let name): migrator.layout.entities[entity].name = name
      case .renameField(let field, let entity, let name):
        migrator.layout.entities[entity].fields[field].name = name
      case .convert(let conversion): try migrator.convert(conversion)
      }
    }
    try migrator.rebuildIndexes()
    return migrator.layout
  }
}

extension Migrator {
  fileprivate mutating func convert(_ change: AttributeConversion) throws {
    let conversion = Migration.Conversion(kind: change.kind, isBuiltIn: false) { value in
      guard let new = change.converted(value) else { throw Refusal(detail: "") }
      return new
    }
    let misfits = try convert(change.field, of: change.entity, conversion, findsMisfits: true)
    try change.check(misfits)
  }
}
