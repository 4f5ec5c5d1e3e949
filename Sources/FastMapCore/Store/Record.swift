/// One stored object: a copy that stays as it is.
///
///     let lucas = try store.read(plan) { try $0.record("Person", key: 314) }
///     if case .string(let name)? = lucas?["name"] { print(name) }
///     let phones = lucas?.targets("phones") ?? []
///
/// It has the attributes and relationships that the plan of the read names.
public struct Record: Sendable {
  /// The kind of object.
  public let entity: String

  /// The number by which the store knows it.
  public let id: ObjectID

  /// What tells it from the others of its kind; nil for an object without one.
  public let key: PrimaryKey?

  /// The attributes that have a value, in the order of the schema.
  public let values: [(name: String, value: Value)]

  fileprivate let links: [(name: String, targets: [ObjectID])]

  /// The value of an attribute; nil where it is absent.
  ///
  /// - Complexity: O(*n*) in the attributes.
  public subscript(name: String) -> Value? { values.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  /// The target of a to-one relationship; nil where it has none.
  public func target(_ name: String) -> ObjectID? { targets(name).first }

  /// The targets of a relationship, in their order.
  public func targets(_ name: String) -> [ObjectID] {
    links.first { $0.name.utf8.elementsEqual(name.utf8) }?.targets ?? []
  }
}

extension StoreReader {
  /// A copy of an object; nil where it is not stored.
  ///
  /// - Parameters:
  ///   - id: The object's number.
  ///   - entity: The number of its entity in `schema`.
  ///   - schema: The one of the read.
  ///   - key: Its primary key, where the caller knows it; else it is found out.
  /// - Complexity: O(*n*) in its fields and targets, and a look-up or two for a key that is not given.
  public mutating func record(
    _ id: ObjectID, of entity: Int, in schema: Schema, key: PrimaryKey? = nil
  ) throws -> Record? {
    var buffer = RowBuffer()
    guard try read(id, of: entity, into: &buffer) else { return nil }
    var values: [(name: String, value: Value)] = []
    var links: [(name: String, targets: [ObjectID])] = []
    for (index, field) in schema.entities[entity].fields.enumerated() {
      switch field.kind {
      case .attribute:
        if let value = buffer.row.value(at: index), value != .null { values.append((field.name, value)) }
      case .toOne:
        if let target = buffer.row.target(at: index) { links.append((field.name, [target])) }
      case .toMany:
        links.append((field.name, try targets(of: [id], entity: entity, field: index).first ?? []))
      }
    }
    let foundKey = try key ?? self.key(of: id, entity, among: values)
    return Record(entity: schema.entities[entity].name, id: id, key: foundKey, values: values, links: links)
  }

  /// The value that finds the object as a key.
  private mutating func key(
    of id: ObjectID, _ entity: Int, among values: [(name: String, value: Value)]
  ) throws -> PrimaryKey? {
    for (_, value) in values {
      let key: PrimaryKey
      switch value {
      case .integer(let value): key = .integer(value)
      case .string(let text): key = .string(text)
      default: continue
      }
      if try find(key, of: entity) == id { return key }
    }
    return nil
  }
}

/// A snapshot that speaks of entities by their names and answers with records.
///
///     let people = try store.read(plan) { try $0.records("Person", keys: 100..<200) }
///
/// Its members trap where the plan knows no entity of that name, as they would for an index beyond an array.
public struct RecordReader<Reader: StoreReader> {
  /// What it reads with.
  public var reader: Reader

  /// The numbers of the entities and fields.
  public let schema: Schema

  /// The object with a key; nil where there is none.
  public mutating func record(_ entity: String, key: PrimaryKey) throws -> Record? {
    let entity = number(of: entity)
    guard let id = try reader.find(key, of: entity) else { return nil }
    return try reader.record(id, of: entity, in: schema, key: key)
  }

  /// The objects of an entity: by key, ascending, and then those without a key in the order they were made.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: Only objects with these keys; nil for all, with a key or without.
  ///   - limit: At most so many, the first ones.
  public mutating func records(
    _ entity: String, keys: ClosedKeyRange? = nil, limit: Int = .max
  ) throws -> [Record] {
    let entity = number(of: entity)
    var records: [Record] = []
    guard limit > 0 else { return [] }
    try reader.forEach(of: entity, keys: keys) { [schema] reader, id, key in
      if let record = try reader.record(id, of: entity, in: schema, key: key) { records.append(record) }
      return records.count < limit
    }
    return records
  }

  /// The objects whose keys stand in a range, ascending by key.
  public mutating func records(_ entity: String, keys: Range<PrimaryKey>) throws -> [Record] {
    guard !keys.isEmpty else { return [] }
    let records = try records(entity, keys: ClosedKeyRange(from: keys.lowerBound, to: keys.upperBound))
    return records.last?.key == keys.upperBound ? records.dropLast() : records
  }

  /// The objects whose keys stand in a range, ascending by key.
  public mutating func records(_ entity: String, keys: ClosedRange<PrimaryKey>) throws -> [Record] {
    try records(entity, keys: ClosedKeyRange(from: keys.lowerBound, to: keys.upperBound))
  }

  /// The objects that a relationship of a record has, in their order.
  public mutating func records(_ name: String, of owner: Record) throws -> [Record] {
    let fields = schema.entities[number(of: owner.entity)].fields
    switch fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.kind {
    case .toOne(let entity, _), .toMany(let entity, _):
      return try owner.targets(name).compactMap { try reader.record($0, of: entity, in: schema) }
    default:
      preconditionFailure("\(owner.entity) has no relationship \(quoted(name))")
    }
  }

  /// The number of objects of an entity.
  public mutating func count(of entity: String) throws -> Int { try reader.count(of: number(of: entity)) }

  private func number(of name: String) -> Int {
    guard let number = schema.entity(named: name) else {
      preconditionFailure("the plan knows no entity \(quoted(name))")
    }
    return number
  }
}

extension Store {
  /// Lends one snapshot to `body`, with records for answers.
  ///
  ///     let people = try store.read(plan) { try $0.records("Person") }
  ///
  /// - Parameters:
  ///   - plan: Says which entities and fields there are.
  ///   - body: Reads; what it is lent is valid until it returns, the records that it gets may be kept.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or the store's own error.
  @discardableResult
  public func read<R>(_ plan: Plan, _ body: (inout RecordReader<Reader>) throws -> R) throws -> R {
    try read(plan.schema) { reader in
      var records = RecordReader(reader: reader, schema: plan.schema)
      defer { reader = records.reader }
      return try body(&records)
    }
  }
}
