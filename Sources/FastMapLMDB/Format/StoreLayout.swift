internal import FastMapCore

/// The layouts of all entities, as one transaction sees them.
struct StoreLayout {
  /// The entities, indexed by number.
  var entities: [EntityLayout] = []
  /// The secondary indexes, ascending by number.
  var indexes: [IndexLayout] = []

  /// The format version of the store. Stores of other versions are refused.
  static let version: UInt16 = 2

  static let formatKey = Array("format".utf8)
  private static let layoutPrefix = Array("layout".utf8)
  private static let countPrefix = Array("count".utf8)
  private static let indexPrefix = Array("index".utf8)
  private static let changesKey = Array("changes".utf8)

  private static func key(_ prefix: [UInt8], _ number: UInt16) -> [UInt8] {
    prefix + [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  /// Reads the layouts.
  ///
  /// - Parameter isWriting: Whether the store will be changed.
  /// - Throws: ``LMDBError`` if the store has another format, or features that this FastMap does not know, or is
  ///   damaged.
  init(_ view: TransactionView, _ tables: Tables, isWriting: Bool = false) throws {
    guard let format = try Self.read(Self.formatKey, view, tables) else {
      guard try view.statistics(tables.meta).entries == 0 else {
        throw view.environment.error(.damaged(place: "meta", detail: "the format version is missing"))
      }
      return  // nothing has been written yet
    }
    let header = try FormatHeader(format, path: view.environment.path)
    try header.check(isWriting: isWriting, path: view.environment.path)
    for number in 0..<header.entityCount {
      guard let layout = try Self.read(Self.key(Self.layoutPrefix, number), view, tables),
        let counts = try Self.read(Self.key(Self.countPrefix, number), view, tables),
        let entity = EntityLayout(number: number, layout: layout, counts: counts)
      else {
        throw view.environment.error(
          .damaged(place: "meta, entity \(number)", detail: "the layout is incomplete"))
      }
      entities.append(entity)
    }
    if header.hasIndexes { try readIndexes(view, tables) }
  }

  private mutating func readIndexes(_ view: TransactionView, _ tables: Tables) throws {
    let cursor = try view.unsafeCursor(tables.meta)
    var entry = try Self.indexPrefix.withUnsafeBytes { try cursor.seek(atLeast: $0) }
    while let found = entry, found.key.starts(with: Self.indexPrefix) {
      let value = try Checksum.open(.meta, found.key, found.value, in: view)
      guard let index = Self.index(found.key, value), index.isSound(in: self) else {
        throw Checksum.damaged(.meta, found.key, "not an index", view.environment)
      }
      indexes.append(index)
      entry = try cursor.next()
    }
  }

  /// Removes the declarations of all indexes, also those that cannot be read.
  static func removeIndexes(_ view: TransactionView, _ tables: Tables) throws {
    let cursor = try view.unsafeCursor(tables.meta)
    while let found = try indexPrefix.withUnsafeBytes({ try cursor.seek(atLeast: $0) }),
      found.key.starts(with: indexPrefix)
    {
      try cursor.delete()
    }
  }

  private static func index(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> IndexLayout? {
    guard key.count == indexPrefix.count + 2, key.starts(with: indexPrefix) else { return nil }
    return IndexLayout(number: key.bigEndian(at: indexPrefix.count, as: UInt16.self), value)
  }

  /// Whether a key of the table `meta` is valid in a store with this many entities.
  static func isKnown(_ key: UnsafeRawBufferPointer, _ count: Int) -> Bool {
    if key.elementsEqual(formatKey) || key.elementsEqual(changesKey) { return true }
    if key.count == indexPrefix.count + 2, key.starts(with: indexPrefix) { return true }
    return isOfEntity(key, below: count)
  }

  private static func isOfEntity(_ key: UnsafeRawBufferPointer, below count: Int) -> Bool {
    [layoutPrefix, countPrefix].contains { prefix in
      key.count == prefix.count + 2 && key.prefix(prefix.count).elementsEqual(prefix)
        && Int(key.bigEndian(at: prefix.count, as: UInt16.self)) < count
    }
  }

  /// An empty store.
  init() {}

  /// The entity whose layout has this key in the table `meta`; nil for any other key.
  static func entity(ofLayout key: ArraySlice<UInt8>) -> UInt16? {
    guard key.count == layoutPrefix.count + 2, key.starts(with: layoutPrefix) else { return nil }
    return key.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
  }

  /// The readable layouts and counts of a damaged store, by entity number, its recorded number of entities, and its
  /// indexes.
  static func salvage(
    _ view: TransactionView, _ tables: Tables
  ) throws -> (
    entities: [Int: (layout: EntityLayout?, counts: EntityLayout.Counts?)], count: Int?,
    indexes: [IndexLayout]
  ) {
    var indexes: [IndexLayout] = []
    var found: [Int: (layout: EntityLayout?, counts: EntityLayout.Counts?)] = [:]
    var count: Int?
    let noCounts = EntityLayout(number: 0, name: "").countBytes
    let noLayout = EntityLayout(number: 0, name: "").layoutBytes
    let cursor = try view.unsafeCursor(tables.meta)
    var entry = try cursor.first()
    while let next = entry {
      let bytes = try Checksum.open(.meta, next.key, next.value, in: view)
      if next.key.elementsEqual(formatKey) {
        let header = try FormatHeader(bytes, path: view.environment.path)
        try header.check(isWriting: true, path: view.environment.path)
        count = Int(header.entityCount)
      } else if let index = index(next.key, bytes) {
        indexes.append(index)
      } else if isOfEntity(next.key, below: 0x10000) {
        let number = next.key.bigEndian(at: next.key.count - 2, as: UInt16.self)
        if next.key.starts(with: layoutPrefix) {
          found[Int(number), default: (nil, nil)].layout = noCounts.withUnsafeBytes {
            EntityLayout(number: number, layout: bytes, counts: $0)
          }
        } else {
          found[Int(number), default: (nil, nil)].counts = noLayout.withUnsafeBytes {
            EntityLayout(number: number, layout: $0, counts: bytes)?.counts
          }
        }
      }
      entry = try cursor.next()
    }
    return (found, count, indexes)
  }

  private static func read(
    _ key: [UInt8], _ view: TransactionView, _ tables: Tables
  ) throws -> UnsafeRawBufferPointer? {
    try key.withUnsafeBytes { key in
      guard let value = try view.get(tables.meta, key) else { return nil }
      return try Checksum.open(.meta, key, value, in: view)
    }
  }

  /// Writes the differences from `old`.
  func write(_ writing: WriteView, _ tables: Tables, since old: StoreLayout) throws {
    if entities.count != old.entities.count || indexes.isEmpty != old.indexes.isEmpty {
      try putFormat(writing, tables)
    }
    for index in indexes where !old.indexes.contains(index) {
      try Self.put(Self.key(Self.indexPrefix, index.number), index.bytes, writing, tables)
    }
    for index in old.indexes where !indexes.contains(where: { $0.number == index.number }) {
      _ = try Self.key(Self.indexPrefix, index.number).withUnsafeBytes { try writing.delete(tables.meta, $0) }
    }
    for (index, entity) in entities.enumerated() {
      let known = index < old.entities.count ? old.entities[index] : nil
      if known?.fields != entity.fields || known?.keyKind != entity.keyKind {
        try Self.put(Self.key(Self.layoutPrefix, entity.number), entity.layoutBytes, writing, tables)
      }
      if known?.counts != entity.counts {
        try Self.put(Self.key(Self.countPrefix, entity.number), entity.countBytes, writing, tables)
      }
    }
  }

  // MARK: Changes

  /// The migrations that were applied to the store.
  static func changes(_ view: TransactionView, _ tables: Tables) throws -> [Migration.Mark] {
    guard let value = try read(changesKey, view, tables) else { return [] }
    var bytes = ByteReader(value)
    var changes: [Migration.Mark] = []
    while let kind = bytes.integer(UInt8.self) {
      guard let entity = bytes.nameBytes(), let field = bytes.nameBytes(), let target = bytes.nameBytes()
      else {
        throw view.environment.error(.damaged(place: "meta", detail: "the list of migrations is incomplete"))
      }
      changes.append(.init(kind: kind, entity: Array(entity), field: Array(field), target: Array(target)))
    }
    return changes
  }

  /// Writes all layouts and the list of applied migrations.
  func write(_ writing: WriteView, _ tables: Tables, changes: [Migration.Mark]) throws {
    var bytes = ByteWriter()
    for change in changes {
      bytes.append(change.kind)
      for name in [change.entity, change.field, change.target] { bytes.append(name: name) }
    }
    try Self.put(Self.changesKey, bytes.bytes, writing, tables)
    try putFormat(writing, tables)
    for entity in entities {
      try Self.put(Self.key(Self.layoutPrefix, entity.number), entity.layoutBytes, writing, tables)
      try Self.put(Self.key(Self.countPrefix, entity.number), entity.countBytes, writing, tables)
    }
    for index in indexes {
      try Self.put(Self.key(Self.indexPrefix, index.number), index.bytes, writing, tables)
    }
  }

  private func putFormat(_ writing: WriteView, _ tables: Tables) throws {
    let header = FormatHeader(entityCount: UInt16(entities.count), hasIndexes: !indexes.isEmpty)
    try Self.put(Self.formatKey, header.bytes, writing, tables)
  }

  private static func put(
    _ key: [UInt8], _ bytes: [UInt8], _ writing: WriteView, _ tables: Tables
  ) throws {
    try key.withUnsafeBytes { key in
      var value = ByteWriter()
      value.append(bytes.withUnsafeBytes { Checksum.make(.meta, key, $0) })
      try (value.bytes + bytes).withUnsafeBytes { try writing.put(tables.meta, key, $0) }
    }
  }
}

// MARK: - Schemas

/// The store's numbers for the entities and fields of a schema.
struct Binding {
  struct Entity {
    /// The entity's number in the store; nil if the store does not have it yet.
    var number: UInt16?
    /// For each field of the schema, its number in the store, or -1 if the store does not have it yet.
    var fields: [Int]
    /// For each field of the store, its number in the schema, or -1.
    var schemaFields: [Int]
    /// The indexes that the schema has all fields of, as it numbers them.
    var indexes: [(index: Schema.Index, layout: IndexLayout)] = []
  }

  let schema: Schema
  var entities: [Entity]
  /// For each entity number of the store, its number in the schema, or -1. It ends after the last entity of the
  /// schema.
  var schemaEntities: [Int] = []

  /// The schema's number of an entity of the store; nil if the schema does not have it.
  func entity(ofNumber number: UInt16) -> Int? {
    guard Int(number) < schemaEntities.count, schemaEntities[Int(number)] >= 0 else { return nil }
    return schemaEntities[Int(number)]
  }
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
        binding.entities.append(
          .init(number: nil, fields: entity.fields.map { _ in -1 }, schemaFields: []))
        continue
      }
      if let stored = layout.keyKind, let mapped = entity.keyKind, stored != mapped {
        throw SchemaMismatchError(entity: entity.name, field: nil, stored: stored.noun, mapped: mapped.noun)
      }
      if let stored = layout.keyField.map({ layout.fields[$0].name }) {
        try entity.checkKeyField(stored)
      }
      var fields: [Int] = []
      var schemaFields = layout.fields.map { _ in -1 }
      let fieldNames = NameIndex(layout.fields.map(\.name))
      for (index, field) in entity.fields.enumerated() {
        let number = fieldNames[field.name]
        fields.append(number ?? -1)
        guard let number else { continue }
        schemaFields[number] = index
        try check(layout.fields[number], field, entity.name, schema)
      }
      var entity = Binding.Entity(number: layout.number, fields: fields, schemaFields: schemaFields)
      entity.indexes = indexes(of: entity)
      binding.entities.append(entity)
      while binding.schemaEntities.count <= Int(layout.number) { binding.schemaEntities.append(-1) }
      binding.schemaEntities[Int(layout.number)] = schemaNumber
    }
    return binding
  }

  /// The indexes of an entity that a schema has all fields of.
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

  private func check(
    _ stored: EntityLayout.Field, _ field: Schema.Field, _ entity: String, _ schema: Schema
  ) throws(SchemaMismatchError) {
    let (noun, mapped) = (noun(of: stored.kind), schema.noun(of: field.kind))
    guard noun == mapped else {
      throw SchemaMismatchError(entity: entity, field: field.name, stored: noun, mapped: mapped)
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
      guard entities.count < 0xFFFF, entity.name.utf8.count <= 0xFFFF else {
        throw StoreLimitError(reason: "a store has at most 65535 entities, with names of at most 65535 bytes")
      }
      entities.append(EntityLayout(number: UInt16(entities.count), name: entity.name))
    }
    let names = NameIndex(entities.map(\.name))
    for (entity, bound) in zip(schema.entities, bound.entities) {
      guard let place = names[entity.name] else { continue }
      if entities[place].keyKind == nil { entities[place].keyKind = entity.keyKind }
      added.removeAll()
      for (field, known) in zip(entity.fields, bound.fields)
      where known < 0 && added.insert(ByteName(field.name)).inserted {
        guard entities[place].fields.count < RecordFormat.maxFields, field.name.utf8.count <= 0xFFFF else {
          throw StoreLimitError(
            reason:
              "entity \(escaped(entity.name)): an entity has at most \(RecordFormat.maxFields) fields over time"
          )
        }
        entities[place].fields.append(.init(name: field.name, kind: kind(field.kind, schema, names)))
      }
      if let key = entity.keyField.map({ entity.fields[$0].name }),
        let field = NameIndex(entities[place].fields.map(\.name))[key]
      {
        entities[place].noteKey(field)
      }
    }
    let whole = try bind(schema)
    for (entity, place) in zip(schema.entities, whole.entities) {
      for index in entity.indexes { try add(index, place) }
    }
    return whole
  }

  /// Whether the store has all indexes of an entity.
  private func knowsIndexes(_ entity: Schema.Entity, _ place: Binding.Entity) -> Bool {
    entity.indexes.allSatisfy { index in
      self.index(index, place).map { !index.isUnique || indexes[$0].isUnique } ?? false
    }
  }

  /// The place of a stored index with the same fields.
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
