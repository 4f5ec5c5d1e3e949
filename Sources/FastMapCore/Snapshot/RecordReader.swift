/// A snapshot that speaks of entities by their names and answers with records.
///
///     let people = try store.read(plan) { try $0.records("Person", keys: 100..<200) }
///     let last = try store.read(plan) { try $0.records("Person", descending: true, limit: 10) }
///
/// Its members trap where the plan knows no entity or relationship of that name, as they would for an index
/// beyond an array.
public struct RecordReader {
  /// What it reads with.
  public var reader: any StoreReader

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
  ///   - keys: Only objects with these keys; all, with a key or without, where none are given.
  ///   - descending: Whether they come in the reverse of that order.
  ///   - limit: At most so many, the first ones of the order.
  /// - Complexity: O(log *n* + *k*) for *k* answers among *n* objects, in a store with sorted keys.
  public mutating func records(
    _ entity: String, keys: (some KeyRangeExpression)? = KeyRange?.none, descending: Bool = false,
    limit: Int = .max
  ) throws -> [Record] {
    let number = number(of: entity)
    return try reader.records(of: number, in: schema, keys?.keyRange, descending, limit)
  }

  /// The objects with some keys, found in one go.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: In any order; may have repeats.
  /// - Returns: In the order of `keys`, without those that there are not.
  public mutating func records(_ entity: String, keys: [PrimaryKey]) throws -> [Record] {
    try reader.records(of: number(of: entity), in: schema, keys)
  }

  /// The number of objects of an entity.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: Only objects with these keys, which are not read; all, with a key or without, where none are given.
  /// - Complexity: O(*k*) in the keys of a range, else O(1).
  public mutating func count(
    of entity: String, keys: (some KeyRangeExpression)? = KeyRange?.none
  ) throws -> Int {
    let entity = number(of: entity)
    return try keys.map { try reader.count(of: entity, keys: $0.keyRange) } ?? reader.count(of: entity)
  }

  func number(of name: String) -> Int {
    guard let number = schema.entity(named: name) else {
      preconditionFailure("the plan knows no entity \(quoted(name))")
    }
    return number
  }
}

// A reader of any type is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func records(
    of entity: Int, in schema: Schema, _ keys: KeyRange?, _ isDescending: Bool, _ limit: Int
  ) throws -> [Record] {
    guard limit > 0 else { return [] }
    var records: [Record] = []
    try forEach(of: entity, keys: keys, isDescending: isDescending) { reader, id, key in
      if let record = try reader.record(id, of: entity, in: schema, key: key) { records.append(record) }
      return records.count < limit
    }
    return records
  }

  fileprivate mutating func records(
    of entity: Int, in schema: Schema, _ keys: [PrimaryKey]
  ) throws -> [Record] {
    var records: [Record] = []
    for (key, id) in zip(keys, try find(keys, of: entity)) {
      guard let id, let record = try record(id, of: entity, in: schema, key: key) else { continue }
      records.append(record)
    }
    return records
  }

  /// Calls `body` with objects in their order or its reverse, until it returns false.
  mutating func forEach(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    if isDescending {
      try forEachReversed(of: entity, keys: keys, body)
    } else {
      try forEach(of: entity, keys: keys, body)
    }
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
  public func read<R>(_ plan: Plan, _ body: (inout RecordReader) throws -> R) throws -> R {
    try read(plan.schema) { reader in
      var records = RecordReader(reader: reader, schema: plan.schema)
      return try body(&records)
    }
  }
}
