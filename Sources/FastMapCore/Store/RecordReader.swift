/// A snapshot that speaks of entities by their names and answers with records.
///
///     let people = try store.read(plan) { try $0.records("Person", keys: 100..<200) }
///     let last = try store.read(plan) { try $0.records("Person", descending: true, limit: 10) }
///
/// Its members trap where the plan knows no entity or relationship of that name, as they would for an index
/// beyond an array.
public struct RecordReader<Reader: StoreReader> {
  /// What it reads with.
  public var reader: Reader

  /// The numbers of the entities and fields.
  public let schema: Schema

  // MARK: One

  /// The object with a key; nil where there is none.
  public mutating func record(_ entity: String, key: PrimaryKey) throws -> Record? {
    let entity = number(of: entity)
    guard let id = try reader.find(key, of: entity) else { return nil }
    return try reader.record(id, of: entity, in: schema, key: key)
  }

  /// Whether there is an object with a key. It is not read.
  public mutating func contains(_ entity: String, key: PrimaryKey) throws -> Bool {
    try reader.find(key, of: number(of: entity)) != nil
  }

  // MARK: Many

  /// The objects of an entity: by key, ascending, and then those without a key in the order they were made.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: Only objects with these keys; nil for all, with a key or without.
  ///   - descending: Whether they come in the reverse of that order.
  ///   - limit: At most so many, the first ones of the order.
  /// - Complexity: O(log *n* + *k*) for *k* answers among *n* objects, in a store with sorted keys.
  public mutating func records(
    _ entity: String, keys: ClosedKeyRange? = nil, descending: Bool = false, limit: Int = .max
  ) throws -> [Record] {
    var records: [Record] = []
    try forEach(entity, keys, descending, limit) { reader, schema, entity, id, key in
      guard let record = try reader.record(id, of: entity, in: schema, key: key) else { return false }
      records.append(record)
      return true
    }
    return records
  }

  /// The objects whose keys stand in a range, by key.
  public mutating func records(
    _ entity: String, keys: Range<PrimaryKey>, descending: Bool = false, limit: Int = .max
  ) throws -> [Record] {
    guard !keys.isEmpty else { return [] }
    var records: [Record] = []
    let closed = ClosedKeyRange(from: keys.lowerBound, to: keys.upperBound)
    try forEach(entity, closed, descending, limit) { reader, schema, entity, id, key in
      if key == keys.upperBound { return false }
      guard let record = try reader.record(id, of: entity, in: schema, key: key) else { return false }
      records.append(record)
      return true
    }
    return records
  }

  /// The objects whose keys stand in a range, by key.
  public mutating func records(
    _ entity: String, keys: ClosedRange<PrimaryKey>, descending: Bool = false, limit: Int = .max
  ) throws -> [Record] {
    try records(entity, keys: ClosedKeyRange(keys), descending: descending, limit: limit)
  }

  /// The objects with some keys, found in one go.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: In any order; may have repeats.
  /// - Returns: In the order of `keys`, without those that there are not.
  public mutating func records(_ entity: String, keys: [PrimaryKey]) throws -> [Record] {
    let entity = number(of: entity)
    var records: [Record] = []
    for (key, id) in zip(keys, try reader.find(keys, of: entity)) {
      guard let id, let record = try reader.record(id, of: entity, in: schema, key: key) else { continue }
      records.append(record)
    }
    return records
  }

  /// The number of objects of an entity.
  public mutating func count(of entity: String) throws -> Int { try reader.count(of: number(of: entity)) }

  /// The number of objects whose keys stand in a range. They are not read.
  ///
  /// - Complexity: O(*k*) in the keys of the range.
  public mutating func count(of entity: String, keys: ClosedKeyRange) throws -> Int {
    try reader.count(of: number(of: entity), keys: keys)
  }

  /// The number of objects whose keys stand in a range. They are not read.
  public mutating func count(of entity: String, keys: ClosedRange<PrimaryKey>) throws -> Int {
    try count(of: entity, keys: ClosedKeyRange(keys))
  }

  /// The number of objects whose keys stand in a range. They are not read.
  public mutating func count(of entity: String, keys: Range<PrimaryKey>) throws -> Int {
    guard !keys.isEmpty else { return 0 }
    let closed = ClosedKeyRange(from: keys.lowerBound, to: keys.upperBound)
    return try count(of: entity, keys: closed) - (contains(entity, key: keys.upperBound) ? 1 : 0)
  }

  /// Calls `body` with objects in an order, until it has taken `limit` of them.
  private mutating func forEach(
    _ name: String, _ keys: ClosedKeyRange?, _ descending: Bool, _ limit: Int,
    _ body: (inout Reader, Schema, Int, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    let entity = number(of: name)
    var count = 0
    guard limit > 0 else { return }
    let visit = { [schema] (reader: inout Reader, id: ObjectID, key: PrimaryKey?) throws -> Bool in
      if try body(&reader, schema, entity, id, key) { count += 1 }
      return count < limit
    }
    if descending {
      try reader.forEachReversed(of: entity, keys: keys, visit)
    } else {
      try reader.forEach(of: entity, keys: keys, visit)
    }
  }

  func number(of name: String) -> Int {
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
