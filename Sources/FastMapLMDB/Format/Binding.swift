internal import FastMapStoreKit

/// The store's numbers for the entities and fields of a schema.
struct Binding {
  struct Entity {
    /// The entity's number in the store; nil if the store does not have it yet.
    var number: UInt16?
    /// For each field of the schema, its number in the store, or -1 if the store does not have it yet.
    var fields: [Int]
    /// For each field of the store, its number in the schema, or -1.
    var schemaFields: [Int]
    /// The defaults of attributes that the store does not have yet, by their numbers in the schema.
    var defaults: [(field: Int, value: LiteralSlot)] = []
    /// The indexes that the schema has all fields of, as it numbers them.
    var indexes: [(index: Schema.Index, layout: IndexLayout)] = []
  }

  let schema: Schema
  var entities: [Entity]
  /// By entity, the defaults of attributes that this write has added to an entity of the store.
  var newDefaults: [Int: [(field: Int, value: Value)]] = [:]
  /// For each entity number of the store, its number in the schema, or -1; up to the last entity of the
  /// schema.
  var schemaEntities: [Int] = []

  /// The schema's number of an entity of the store; nil if the schema does not have it.
  func entity(ofNumber number: UInt16) -> Int? {
    guard Int(number) < schemaEntities.count, schemaEntities[Int(number)] >= 0 else { return nil }
    return schemaEntities[Int(number)]
  }
}

extension EntityLayout.Kind {
  /// The kind of an attribute; nil for a relationship.
  var attribute: AttributeKind? { if case .attribute(let kind) = self { kind } else { nil } }
}

extension StoreLayout {
  /// Finds the entities and fields of a schema by name.
  ///
  /// - Throws: ``SchemaMismatchError`` if the store has them with another type.
  func bind(_ schema: Schema) throws(SchemaMismatchError) -> Binding {
    var binding = Binding(schema: schema, entities: [])
    let names = NameIndex(entities.map(\.name))
    for (schemaNumber, entity) in schema.entities.enumerated() {
      guard let layout = names[entity.name].map({ entities[$0] }) else {
        try entity.checkEarlierName { names[$0] }
        binding.entities.append(
          .init(number: nil, fields: entity.fields.map { _ in -1 }, schemaFields: []))
        continue
      }
      try entity.checkKeyKind(layout.keyKind)
      if let stored = layout.keyField.map({ layout.fields[$0].name }) {
        try entity.checkKeyField(stored)
      }
      var fields: [Int] = []
      var schemaFields = layout.fields.map { _ in -1 }
      let fieldNames = NameIndex(layout.fields.map(\.name))
      for (index, field) in entity.fields.enumerated() {
        let number = fieldNames[field.name]
        fields.append(number ?? -1)
        guard let number else {
          try entity.checkEarlierName(of: field) { fieldNames[$0] }
          continue
        }
        schemaFields[number] = index
        let kind = layout.fields[number].kind
        try entity.check(field, in: schema, stored: noun(of: kind), kind.attribute)
      }
      var bound = Binding.Entity(number: layout.number, fields: fields, schemaFields: schemaFields)
      bound.defaults = entity.defaults { fields[$0] < 0 }.map { ($0.field, LiteralSlot($0.value)) }
      bound.indexes = indexes(of: bound)
      binding.entities.append(bound)
      while binding.schemaEntities.count <= Int(layout.number) { binding.schemaEntities.append(-1) }
      binding.schemaEntities[Int(layout.number)] = schemaNumber
    }
    return binding
  }

  func indexes(of entity: Binding.Entity) -> [(index: Schema.Index, layout: IndexLayout)] {
    let fields = entity.schemaFields
    return indexes.compactMap { layout in
      guard layout.entity == entity.number, layout.parts.allSatisfy({ fields[Int($0.field)] >= 0 }) else {
        return nil
      }
      let parts = layout.parts.map {
        Schema.Index.Part(field: fields[Int($0.field)], isDescending: $0.isDescending)
      }
      return (Schema.Index(name: layout.name(in: self), parts: parts, isUnique: layout.isUnique), layout)
    }
  }

  /// A field's kind for messages: `an integer`, `a to-many relationship to Phone`.
  func noun(of kind: EntityLayout.Kind) -> String {
    switch kind {
    case .attribute(let kind):
      return kind.noun
    case .relationship(let isToMany, let isOwned, let number):
      let target = Int(number) < entities.count ? entities[Int(number)].name : "entity \(number)"
      return Schema.noun(isToMany: isToMany, target, isOwned: isOwned)
    }
  }

  /// Adds the entities and fields of a schema that the store does not have yet.
  mutating func extend(to schema: Schema, _ environment: Environment) throws -> Binding {
    let bound = try bind(schema)
    if bound.entities.allSatisfy({ $0.number != nil && !$0.fields.contains(-1) }),
      zip(schema.entities, bound.entities).allSatisfy({ knowsKey($0, $1.number) && knowsIndexes($0, $1) })
    {
      return bound
    }
    var added: Set<ByteName> = []
    for (entity, place) in zip(schema.entities, bound.entities)
    where place.number == nil && added.insert(ByteName(entity.name)).inserted {
      guard entities.count < 0xFFFF else {
        throw StoreLimitError(reason: "a store has at most 65535 entities")
      }
      let name = try StoreLimitError.checked(entity.name)
      entities.append(EntityLayout(number: UInt16(entities.count), name: name))
    }
    let names = NameIndex(entities.map(\.name))
    for (entity, bound) in zip(schema.entities, bound.entities) {
      guard let place = names[entity.name] else { continue }
      if entities[place].keyKind == nil { entities[place].keyKind = entity.keyKind }
      added.removeAll()
      for (field, known) in zip(entity.fields, bound.fields)
      where known < 0 && added.insert(ByteName(field.name)).inserted {
        guard entities[place].fields.count < RecordFormat.maxFields else {
          throw StoreLimitError(
            reason:
              "entity \(escaped(entity.name)): an entity has at most \(RecordFormat.maxFields) fields over time"
          )
        }
        let name = try StoreLimitError.checked(field.name)
        entities[place].fields.append(.init(name: name, kind: kind(field.kind, schema, names)))
      }
      if let key = entity.keyField.map({ entity.fields[$0].name }),
        let field = NameIndex(entities[place].fields.map(\.name))[key]
      {
        entities[place].recordKey(field)
      }
    }
    var whole = try bind(schema)
    for (entity, known) in bound.entities.enumerated() where !known.defaults.isEmpty {
      whole.newDefaults[entity] = schema.entities[entity].defaults { known.fields[$0] < 0 }
    }
    for (entity, place) in zip(schema.entities, whole.entities) {
      for index in entity.indexes { try add(index, place) }
    }
    return whole
  }

  private func knowsIndexes(_ entity: Schema.Entity, _ place: Binding.Entity) -> Bool {
    entity.indexes.allSatisfy { index in
      self.index(index, place).map { !index.isUnique || indexes[$0].isUnique } ?? false
    }
  }

  private func index(_ index: Schema.Index, _ place: Binding.Entity) -> Int? {
    guard let number = place.number else { return nil }
    let parts = Self.parts(index, place)
    return indexes.firstIndex { $0.entity == number && $0.parts == parts }
  }

  private static func parts(_ index: Schema.Index, _ place: Binding.Entity) -> [IndexLayout.Part] {
    index.parts.map { .init(field: UInt16(max(0, place.fields[$0.field])), isDescending: $0.isDescending) }
  }

  private mutating func add(_ index: Schema.Index, _ place: Binding.Entity) throws {
    if let known = self.index(index, place) {
      if index.isUnique { indexes[known].isUnique = true }
      return
    }
    guard let entity = place.number else { return }
    let number = indexes.indices.first { Int(indexes[$0].number) != $0 } ?? indexes.count
    guard number <= 0xFFFF else { throw StoreLimitError(reason: "a store has at most 65536 indexes") }
    indexes.insert(
      IndexLayout(
        number: UInt16(number), entity: entity, parts: Self.parts(index, place), isUnique: index.isUnique),
      at: number)
  }

  /// Whether the store knows the kind and the field of an entity's keys, if the schema specifies them.
  private func knowsKey(_ entity: Schema.Entity, _ number: UInt16?) -> Bool {
    guard let layout = number.map({ entities[Int($0)] }) else { return false }
    if entity.keyKind != nil, layout.keyKind == nil { return false }
    guard let field = entity.keyField else { return true }
    return layout.fields.contains { $0.isKey && $0.name.utf8.elementsEqual(entity.fields[field].name.utf8) }
  }

  private func kind(_ kind: Schema.Kind, _ schema: Schema, _ names: NameIndex) -> EntityLayout.Kind {
    func number(_ entity: Int) -> UInt16 { UInt16(names[schema.entities[entity].name] ?? 0) }
    switch kind {
    case .attribute(let kind):
      return .attribute(kind)
    case .toOne(let entity, let isOwned):
      return .relationship(isToMany: false, isOwned: isOwned, entity: number(entity))
    case .toMany(let entity, let isOwned):
      return .relationship(isToMany: true, isOwned: isOwned, entity: number(entity))
    }
  }
}
