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
    var layout = stored
    /// The indexes with converted values. All others, and the names of all, follow the layout.
    var stale: Set<UInt16> = []
    for change in changes {
      switch change {
      case .renameEntity(let entity, let name):
        layout.entities[entity].name = try StoreLimitError.checked(name)
      case .renameField(let field, let entity, let name):
        layout.entities[entity].fields[field].name = try StoreLimitError.checked(name)
      case .convert(let conversion):
        let reader = LMDBReader(view: writing.view, tables: tables, layout: layout, lists: lists)
        try RecordConversion(conversion: conversion, writing: writing, reader: reader).run()
        layout.entities[conversion.entity].fields[conversion.field].kind = .attribute(conversion.kind)
        for index in stored.indexes where index.has(conversion.field, of: conversion.entity) {
          stale.insert(index.number)
        }
      }
    }
    if stale.isEmpty { return layout }
    let writer = IndexWriter(
      stored.indexes.filter { !stale.contains($0.number) }, writing.view, tables)
    for index in stored.indexes where stale.contains(index.number) { try writer.remove(index) }
    layout.indexes = try writer.finish(layout.indexes)
    return layout
  }
}

extension IndexLayout {
  fileprivate func has(_ field: Int, of entity: Int) -> Bool {
    Int(self.entity) == entity && parts.contains { Int($0.field) == field }
  }
}
