package import FastMapStoreKit

/// Something that a schema has and a database lacks.
///
///     for addition in try catalog.extend(to: schema, tables: names, columns: columns) { try run(addition) }
package enum SQLAddition: Sendable {
  /// A table for an entity, and its row in the catalog.
  case entity(SQLCatalog.Entity)
  case keyKind(AttributeKind, of: SQLCatalog.Entity)
  /// A column for an attribute or a to-one relationship, or a table of links; and its row in the catalog.
  case field(SQLCatalog.Field, of: SQLCatalog.Entity)
  /// An index of an entity, whose fields it has by now. One that exists has become unique.
  case index(SQLCatalog.Index, of: SQLCatalog.Entity)
}

extension SQLCatalog {
  /// Adds the entities, fields and indexes of a schema that the catalog lacks, with new numbers and names. Nothing is
  /// ever removed: a field that a schema omits keeps its values.
  ///
  /// The store then makes the additions in order. If another process was faster, its catalog has the same number or
  /// name already: the store reads the catalog again and repeats the call.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields of a write.
  ///   - tables: The names that tables may not have. Put in tables of others; the catalog's own names are known.
  ///   - columns: The names that no column of an entity may have.
  /// - Returns: The additions: entities first, so that each target has a table, and indexes last.
  /// - Throws: As ``bind(_:)``. The catalog is unchanged then.
  /// - Complexity: O(*n*) in the entities and fields of catalog and schema.
  package mutating func extend(
    to schema: Schema, tables: SQLNames, columns: SQLNames
  ) throws -> [SQLAddition] {
    _ = try bind(schema)
    var tables = tables
    for entity in entities {
      tables.insert(entity.sqlName)
      for field in entity.fields where field.isToMany { tables.insert(field.sqlName) }
    }
    var grown = self
    var additions: [SQLAddition] = []
    for mapped in schema.entities where grown.entity(named: mapped.name) == nil {
      let entity = Entity(
        number: grown.nextEntity, name: mapped.name, sqlName: tables.makeName(for: mapped.name),
        keyKind: mapped.keyKind)
      try grown.add(entity)
      additions.append(.entity(entity))
    }
    for mapped in schema.entities {
      guard let stored = grown.entity(named: mapped.name) else { continue }
      if stored.keyKind == nil, let kind = mapped.keyKind {
        grown.setKeyKind(kind, of: stored.number)
        additions.append(.keyKind(kind, of: stored))
      }
      let missing = mapped.fields.filter { stored.field(named: $0.name) == nil }
      if missing.isEmpty { continue }
      var columns = columns
      for field in stored.fields where !field.isToMany { columns.insert(field.sqlName) }
      for field in missing {
        let kind = try grown.kind(of: field, schema)
        let name =
          kind.isToMany
          ? tables.makeName(for: "\(stored.sqlName)_\(field.name)") : columns.makeName(for: field.name)
        let field = Field(
          number: grown.nextField, entity: stored.number, name: field.name, sqlName: name, kind: kind)
        try grown.add(field)
        additions.append(.field(field, of: stored))
      }
    }
    for mapped in schema.entities {
      guard let stored = grown.entity(named: mapped.name) else { continue }
      for index in mapped.indexes {
        if let known = stored.index(named: index.name) {
          guard index.isUnique, let unique = grown.makeUnique(known) else { continue }
          additions.append(.index(unique, of: try grown.entity(stored.number)))
          continue
        }
        let new = Index(
          number: grown.nextIndex, entity: stored.number, name: index.name,
          parts: index.parts.compactMap { part in
            stored.field(named: mapped.fields[part.field].name).map {
              Index.Part(field: $0.number, isDescending: part.isDescending)
            }
          }, isUnique: index.isUnique)
        try grown.add(new)
        additions.append(.index(new, of: try grown.entity(stored.number)))
      }
    }
    self = grown
    return additions
  }

  private func kind(of field: Schema.Field, _ schema: Schema) throws(SQLCatalogError) -> Kind {
    func number(_ target: Int) throws(SQLCatalogError) -> Int64 {
      let name = schema.entities[target].name
      guard let entity = entity(named: name) else { throw SQLCatalogError("the entity \(name) has no table") }
      return entity.number
    }
    return switch field.kind {
    case .attribute(let kind): .attribute(kind)
    case .toOne(let target, let isOwned): .toOne(entity: try number(target), isOwned: isOwned)
    case .toMany(let target, let isOwned): .toMany(entity: try number(target), isOwned: isOwned)
    }
  }
}

extension SQLCatalog.Kind {
  var isToMany: Bool {
    if case .toMany = self { true } else { false }
  }
}
