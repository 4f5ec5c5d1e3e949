internal import FastMapStoreKit

/// Maps the entities and fields of one schema to tables and places of a state.
struct Binding: Sendable {
  let schema: Schema
  var entities: [Entity] = []

  /// The table and places of one entity.
  struct Entity: Sendable {
    /// Nil if the state does not have the entity.
    var table: Int?
    /// For each field of the schema; nil if the state does not have the field.
    var fields: [Table.Field?]
    var places: [Int?] = []
    var values: [Place] = []
    var links: [Link] = []
    /// The number of values in the table.
    var valueCount = 0
    var linkCount = 0
  }

  /// An attribute, which is stored among the values of an object.
  struct Place: Sendable {
    var number: Int
    var place: Int
  }

  struct Link: Sendable {
    var number: Int
    var field: Table.Field
  }

  /// For each table, the entity of the schema, or -1 if it has none.
  private(set) var entityOf: [Int] = []

  func table(_ entity: Int) -> Int? { entities[entity].table }

  /// The entity whose objects a table holds; nil if the schema does not have it.
  func entity(ofTable table: Int) -> Int? {
    table < entityOf.count && entityOf[table] >= 0 ? entityOf[table] : nil
  }

  fileprivate mutating func append(_ entity: Entity) {
    if let table = entity.table {
      while entityOf.count <= table { entityOf.append(-1) }
      entityOf[table] = entities.count
    }
    entities.append(entity)
  }
}

extension Binding.Entity {
  func makeObject(key: PrimaryKey?) -> StoredObject {
    StoredObject(key: key, valueCount: valueCount, linkCount: linkCount)
  }

  fileprivate mutating func add(_ field: Table.Field?, _ number: Int) {
    fields.append(field)
    guard let field else { return }
    switch field.kind {
    case .link: links.append(.init(number: number, field: field))
    case .attribute: values.append(.init(number: number, place: field.place))
    }
  }
}

extension MemoryState {
  /// Finds the entities and fields of a schema by name.
  ///
  /// - Throws: ``SchemaMismatchError`` if they are stored with another type.
  func bind(_ schema: Schema) throws(SchemaMismatchError) -> Binding {
    var binding = Binding(schema: schema)
    let names = NameIndex(tables.map(\.name))
    for entity in schema.entities {
      guard let table = names[entity.name] else {
        try entity.checkEarlierName { names[$0] }
        binding.append(.init(fields: entity.fields.map { _ in nil }))
        continue
      }
      try entity.checkKeyKind(tables[table].keyKind)
      if let stored = tables[table].keyField, tables[table].keys.count > 0 {
        try entity.checkKeyField(tables[table].fields[stored].name)
      }
      var bound = Binding.Entity(
        table: table, fields: [], valueCount: tables[table].valueCount, linkCount: tables[table].linkCount)
      let fieldNames = NameIndex(tables[table].fields.map(\.name))
      for (number, field) in entity.fields.enumerated() {
        let place = fieldNames[field.name]
        let stored = place.map { tables[table].fields[$0] }
        bound.places.append(place)
        bound.add(stored, number)
        if let stored {
          try entity.check(field, in: schema, stored: noun(of: stored.kind), stored.kind.attribute)
        } else {
          try entity.checkEarlierName(of: field) { fieldNames[$0] }
        }
      }
      binding.append(bound)
    }
    return binding
  }

  /// Adds tables and fields that the schema has and the state does not have yet. Stored objects get the defaults of new
  /// attributes.
  ///
  /// - Returns: The binding, and whether an object got a default.
  mutating func extend(
    to schema: Schema
  ) throws(SchemaMismatchError) -> (binding: Binding, hasStoredDefaults: Bool) {
    let bound = try bind(schema)
    var hasStoredDefaults = false
    for (entity, known) in zip(schema.entities, bound.entities) where known.table == nil {
      tables.append(Table(name: entity.name))
    }
    let names = NameIndex(tables.map(\.name))
    for (entity, known) in zip(schema.entities, bound.entities) {
      guard let table = names[entity.name] else { continue }
      tables[table].keyKind = tables[table].keyKind ?? entity.keyKind
      var (values, links) = (tables[table].valueCount, tables[table].linkCount)
      for (field, known) in zip(entity.fields, known.fields) where known == nil {
        let kind = kind(of: field, schema, names)
        let isLink = if case .link = kind { true } else { false }
        tables[table].fields.append(.init(name: field.name, kind: kind, place: isLink ? links : values))
        if let value = field.defaultValue, tables[table].count > 0 {
          tables[table].setAll(value, at: values)
          hasStoredDefaults = true
        }
        if isLink { links += 1 } else { values += 1 }
      }
      if tables[table].keyField == nil || tables[table].keys.count == 0, let field = entity.keyField {
        tables[table].keyField = NameIndex(tables[table].fields.map(\.name))[entity.fields[field].name]
      }
    }
    return (try bind(schema), hasStoredDefaults)
  }

  /// Adds the indexes that the schema declares, of fields that the state has by now. One that was not unique becomes so.
  mutating func addIndexes(of schema: Schema) {
    let names = NameIndex(tables.map(\.name))
    for entity in schema.entities {
      guard !entity.indexes.isEmpty, let table = names[entity.name] else { continue }
      let fields = NameIndex(tables[table].fields.map(\.name))
      for index in entity.indexes {
        let parts = index.parts.compactMap { part in
          fields[entity.fields[part.field].name].map {
            TableIndex.Part(field: $0, isDescending: part.isDescending)
          }
        }
        if let known = tables[table].indexes.firstIndex(where: { $0.parts == parts }) {
          if index.isUnique { tables[table].indexes[known].isUnique = true }
        } else {
          tables[table].indexes.append(TableIndex(name: index.name, parts: parts, isUnique: index.isUnique))
        }
      }
    }
  }

  private func kind(of field: Schema.Field, _ schema: Schema, _ names: NameIndex) -> Table.Kind {
    func link(_ entity: Int, isToMany: Bool, isOwned: Bool) -> Table.Kind {
      guard let table = names[schema.entities[entity].name] else {
        preconditionFailure("tables are made before their fields")
      }
      return .link(table: table, isToMany: isToMany, isOwned: isOwned)
    }
    switch field.kind {
    case .attribute(let kind): return .attribute(kind)
    case .toOne(let entity, let isOwned): return link(entity, isToMany: false, isOwned: isOwned)
    case .toMany(let entity, let isOwned): return link(entity, isToMany: true, isOwned: isOwned)
    }
  }

  /// A field's kind for messages: `an integer`, `a to-many relationship to Phone`.
  private func noun(of kind: Table.Kind) -> String {
    switch kind {
    case .attribute(let kind): kind.noun
    case .link(let table, let isToMany, let isOwned):
      Schema.noun(isToMany: isToMany, tables[table].name, isOwned: isOwned)
    }
  }
}
