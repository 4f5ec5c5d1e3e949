internal import FastMapCore

/// Where the entities and fields of one schema stand in a state.
struct Binding: Sendable {
  let schema: Schema
  /// By entity of the schema; nil where the state has no such entity.
  var tables: [Int?] = []
  /// By entity and field of the schema; nil where the state has no such field.
  var fields: [[Table.Field?]] = []
  /// By entity, the attributes that are properties.
  var properties: [[Property]] = []

  /// By entity, how many attributes there are.
  var attributeCounts: [Int] = []

  /// An attribute that is a property of instances.
  struct Property: Sendable {
    var number: Int
    var access: AttributeAccess
  }

  func table(_ entity: Int) -> Int? { tables[entity] }
}

extension MemoryState {
  /// Finds the entities and fields of a schema by their names.
  ///
  /// - Throws: ``SchemaMismatch`` where they are kept otherwise.
  func bind(_ schema: Schema) throws(SchemaMismatch) -> Binding {
    var binding = Binding(schema: schema)
    for entity in schema.entities {
      let table = table(named: entity.name)
      binding.tables.append(table)
      guard let table else {
        binding.properties.append([])
        binding.attributeCounts.append(0)
        binding.fields.append(entity.fields.map { _ in nil })
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
      var fields: [Table.Field?] = []
      for field in entity.fields {
        let stored = tables[table].field(named: field.name)
        fields.append(stored)
        if let stored { try check(stored, field, of: entity.name, schema) }
      }
      binding.fields.append(fields)
      binding.attributeCounts.append(fields.count { $0.map { !$0.isLink } ?? false })
      binding.properties.append(
        fields.enumerated().compactMap { number, field in
          guard case .attribute(let access)? = field?.access else { return nil }
          return Binding.Property(number: number, access: access)
        })
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
