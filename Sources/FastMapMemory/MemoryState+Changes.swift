internal import FastMapStoreKit

extension MemoryState {
  /// Makes the changes that a schema declares, and adds the entities and fields that the state lacks: see `Schema.changes(of:)`.
  ///
  /// - Returns: The result of `extend`, and a note about each change.
  /// - Throws: ``SchemaMismatchError`` if values do not fit. The state must be dropped then.
  /// - Complexity: O(*n*) in the objects of entities with another type.
  mutating func declare(
    _ schema: Schema
  ) throws(SchemaMismatchError) -> (extended: (binding: Binding, hasStoredDefaults: Bool), notes: [String]) {
    if !schema.changesStore || !schema.hasEarlierNames {
      do throws(SchemaMismatchError) { return (try extend(to: schema), []) } catch {
        if !schema.changesStore { throw error }
      }
    }
    let notes = try makeChanges(of: schema)
    return (try extend(to: schema), notes)
  }

  private mutating func makeChanges(of schema: Schema) throws(SchemaMismatchError) -> [String] {
    let (changes, notes) = try schema.changes(of: self.schema)
    for change in changes {
      switch change {
      case .renameEntity(let table, let name): tables[table].name = name
      case .renameField(let field, let table, let name): tables[table].fields[field].name = name
      case .convert(let conversion): try tables[conversion.entity].convert(conversion)
      }
    }
    if !changes.isEmpty {
      for table in tables.indices { tables[table].renewIndexes() }
    }
    return notes
  }
}

extension Table {
  fileprivate mutating func convert(_ conversion: AttributeConversion) throws(SchemaMismatchError) {
    let place = fields[conversion.field].place
    var misfits = AttributeConversion.Misfits()
    for (id, var object) in objects.all where object.value(at: place) != .null {
      if let value = conversion.converted(object.value(at: place)) {
        object.set(value, at: place)
        objects[id] = object
      } else {
        misfits.add(object.key)
      }
    }
    try conversion.check(misfits)
    fields[conversion.field].kind = .attribute(conversion.kind)
  }

  /// Indexes have the names of their fields, and the order of the new values.
  fileprivate mutating func renewIndexes() {
    indexes = indexes.map { index in
      let names = index.parts.map {
        IndexField(name: fields[$0.field].name, isDescending: $0.isDescending).description
      }
      return TableIndex(name: names.joined(separator: ","), parts: index.parts, isUnique: index.isUnique)
    }
  }
}
