internal import FastMapCore

/// Where the entities and fields of one schema stand in a state.
struct Binding: Sendable {
  let schema: Schema
  var entities: [Entity] = []

  /// Where one entity of the schema stands.
  struct Entity: Sendable {
    /// Nil where the state has no such entity.
    var table: Int?
    /// By field of the schema; nil where the state has no such field.
    var fields: [Table.Field?]
    /// The attributes that are properties.
    var properties: [Property] = []
    /// The other attributes.
    var values: [Place] = []
    var links: [Link] = []
    /// Makes an instance; nil for records.
    var make: (@Sendable () -> AnyObject)?
    /// Of the table.
    var valueCount = 0
    var linkCount = 0
  }

  /// An attribute that is a property of instances.
  struct Property: Sendable {
    var number: Int
    var access: AttributeAccess
  }

  /// An attribute that is kept among the values of an object.
  struct Place: Sendable {
    var number: Int
    var place: Int
  }

  struct Link: Sendable {
    var number: Int
    var field: Table.Field
  }

  func table(_ entity: Int) -> Int? { entities[entity].table }
}

extension Binding.Entity {
  func makeObject(key: PrimaryKey?) -> StoredObject {
    StoredObject(
      key: key, instance: make.map { Instance(object: $0()) }, valueCount: valueCount, linkCount: linkCount)
  }

  fileprivate mutating func note(_ field: Table.Field?, _ number: Int) {
    fields.append(field)
    guard let field else { return }
    switch (field.kind, field.access) {
    case (.link, _): links.append(.init(number: number, field: field))
    case (.attribute, .attribute(let access)): properties.append(.init(number: number, access: access))
    case (.attribute, _): values.append(.init(number: number, place: field.place))
    }
  }
}

extension MemoryState {
  /// Finds the entities and fields of a schema by their names.
  ///
  /// - Throws: ``SchemaMismatch`` where they are kept otherwise.
  func bind(_ schema: Schema) throws(SchemaMismatch) -> Binding {
    var binding = Binding(schema: schema)
    for entity in schema.entities {
      let table = table(named: entity.name)
      guard let table else {
        binding.entities.append(.init(fields: entity.fields.map { _ in nil }))
        continue
      }
      if let stored = tables[table].keyKind, let mapped = entity.keyKind, stored != mapped {
        throw SchemaMismatch(
          entity: entity.name, field: nil, stored: schema.noun(of: .attribute(stored)),
          mapped: schema.noun(of: .attribute(mapped)))
      }
      if let stored = tables[table].objectAccess, let mapped = entity.objects, stored.type != mapped.type {
        throw SchemaMismatch(
          entity: entity.name, stored: "instances of \(stored.typeName)",
          mapped: "instances of \(mapped.typeName)")
      }
      var bound = Binding.Entity(
        table: table, fields: [], make: tables[table].objectAccess?.make,
        valueCount: tables[table].valueCount, linkCount: tables[table].linkCount)
      for (number, field) in entity.fields.enumerated() {
        let stored = tables[table].field(named: field.name)
        bound.note(stored, number)
        if let stored { try check(stored, field, of: entity.name, schema) }
      }
      binding.entities.append(bound)
    }
    return binding
  }

  /// Makes tables and fields for what a schema has and the state has not yet met.
  mutating func extend(to schema: Schema) throws(SchemaMismatch) -> Binding {
    _ = try bind(schema)
    for entity in schema.entities where table(named: entity.name) == nil {
      tables.append(Table(name: entity.name))
    }
    for entity in schema.entities {
      guard let table = table(named: entity.name) else { continue }
      tables[table].keyKind = tables[table].keyKind ?? entity.keyKind
      for field in entity.fields where tables[table].field(named: field.name) == nil {
        let kind = kind(of: field, schema)
        let isLink = if case .link = kind { true } else { false }
        let place = isLink ? tables[table].linkCount : tables[table].valueCount
        tables[table].fields.append(.init(name: field.name, kind: kind, place: place))
      }
    }
    bindInstances(schema)
    return try bind(schema)
  }

  func table(named name: String) -> Int? {
    tables.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
  }

  private func kind(of field: Schema.Field, _ schema: Schema) -> Table.Kind {
    func link(_ entity: Int, isToMany: Bool, isOwned: Bool) -> Table.Kind {
      guard let table = table(named: schema.entities[entity].name) else {
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

  private func check(
    _ stored: Table.Field, _ field: Schema.Field, of entity: String, _ schema: Schema
  ) throws(SchemaMismatch) {
    let noun =
      switch stored.kind {
      case .attribute(let kind): schema.noun(of: .attribute(kind))
      case .link(let table, let isToMany, let isOwned):
        Schema.noun(isToMany: isToMany, tables[table].name, isOwned: isOwned)
      }
    let mapped = schema.noun(of: field.kind)
    if noun != mapped {
      throw SchemaMismatch(entity: entity, field: field.name, stored: noun, mapped: mapped)
    }
  }
}

extension Table {
  func field(named name: String) -> Field? { index(of: name).map { fields[$0] } }

  func index(of name: String) -> Int? { fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } }
}
