/// Copies of single objects.
extension Snapshot {
  /// The number of the object with a key, without reading the object; nil if there is none.
  public mutating func find(_ key: some PrimaryKeyConvertible, of entity: String) throws -> ObjectID? {
    let entity = try schema.number(of: entity)
    return try reader.find(key.primaryKey, of: entity)
  }

  /// Whether there is an object with a key, without reading the object.
  public mutating func contains(_ entity: String, key: some PrimaryKeyConvertible) throws -> Bool {
    try find(key, of: entity) != nil
  }

  /// The object with a key; nil if there is none.
  public mutating func record(_ entity: String, key: some PrimaryKeyConvertible) throws -> Record? {
    let (entity, key) = (try schema.number(of: entity), key.primaryKey)
    guard let id = try reader.find(key, of: entity) else { return nil }
    return try reader.record(id, of: entity, in: schema, key: key)
  }

  /// The instance with a number, if the snapshot is one of the caller's instances and not of a store.
  func instance(_ id: ObjectID) -> AnyObject? { (reader as? InstanceReader)?.instance(id) }

  /// The object with a number; nil if it is not stored.
  public mutating func record(_ id: ObjectID, of entity: String) throws -> Record? {
    let entity = try schema.number(of: entity)
    return try reader.record(id, of: entity, in: schema)
  }
}

/// Copies of many objects.
extension Snapshot {
  /// The objects of an entity, ascending by key. Objects without a key follow, in the order of creation.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: The keys to read. By default all objects, with a key or without.
  ///   - descending: Whether to reverse the order.
  ///   - limit: The maximum number of objects.
  /// - Complexity: O(log *n* + *k*) for *k* results among *n* objects, in a store with sorted keys.
  public mutating func records(
    _ entity: String, keys: (any KeyRangeExpression)? = nil, descending: Bool = false, limit: Int = .max
  ) throws -> [Record] {
    let number = try schema.number(of: entity)
    return try reader.records(of: number, in: schema, keys?.keyRange, descending, limit)
  }

  /// The objects with the given keys, looked up together.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: In any order, with or without repeats.
  /// - Returns: The objects in the order of `keys`. Keys without an object are left out.
  public mutating func records(_ entity: String, keys: [PrimaryKey]) throws -> [Record] {
    let entity = try schema.number(of: entity)
    return try reader.records(of: entity, in: schema, keys)
  }

  /// The number of objects of an entity.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: The keys to count, without reading their objects. By default all objects, with a key or without.
  /// - Complexity: O(*k*) in the keys of a range, else O(1).
  public mutating func count(of entity: String, keys: (any KeyRangeExpression)? = nil) throws -> Int {
    let entity = try schema.number(of: entity)
    return try keys.map { try reader.count(of: entity, keys: $0.keyRange) } ?? reader.count(of: entity)
  }
}

/// Following relationships and keys.
extension Snapshot {
  /// The targets of a record's relationship, in order.
  public mutating func records(_ name: String, of owner: Record) throws -> [Record] {
    let entity = try target(of: name, of: owner)
    return try reader.records(owner.targets(name), of: entity, in: schema)
  }

  /// The target of a record's to-one relationship, or the first target of a to-many; nil if it has none.
  public mutating func record(_ name: String, of owner: Record) throws -> Record? {
    let entity = try target(of: name, of: owner)
    return try owner.target(name).flatMap { try reader.record($0, of: entity, in: schema) }
  }

  private mutating func target(of name: String, of owner: Record) throws -> Int {
    let entity = try schema.number(of: owner.entity)
    return try schema.target(of: name, of: entity)
  }

  /// The object with the next key after `key`; nil if there is none.
  public mutating func record(_ entity: String, after key: some PrimaryKeyConvertible) throws -> Record? {
    let key = key.primaryKey
    // The object with the key itself may or may not exist.
    return try records(entity, keys: KeyRange(from: key), limit: 2).first { $0.key != key }
  }

  /// The object with the last key before `key`; nil if there is none.
  public mutating func record(_ entity: String, before key: some PrimaryKeyConvertible) throws -> Record? {
    let key = key.primaryKey
    return try records(entity, keys: KeyRange(to: key), descending: true, limit: 2).first { $0.key != key }
  }

  /// The object with the first key; nil if no object has a key.
  public mutating func first(_ entity: String) throws -> Record? {
    try records(entity, keys: KeyRange(), limit: 1).first
  }

  /// The object with the last key; nil if no object has a key.
  public mutating func last(_ entity: String) throws -> Record? {
    try records(entity, keys: KeyRange(), descending: true, limit: 1).first
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func records(
    of entity: Int, in schema: Schema, _ keys: KeyRange?, _ isDescending: Bool, _ limit: Int
  ) throws -> [Record] {
    guard limit > 0 else { return [] }
    var records: [Record] = []
    let pageSize = min(limit, PageSize.ofNumbers)
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { reader, page in
      let wanted = page.ids.prefix(limit - records.count)
      records += try reader.records(
        Array(wanted), of: entity, in: schema, keys: Array(page.keys.prefix(wanted.count))
      ).compactMap(\.self)
      return records.count < limit
    }
    return records
  }

  fileprivate mutating func records(
    of entity: Int, in schema: Schema, _ keys: [PrimaryKey]
  ) throws -> [Record] {
    let found = zip(keys, try checkedFind(keys, of: entity)).compactMap { key, id in
      id.map { (key: key, id: $0) }
    }
    return try records(found.map(\.id), of: entity, in: schema, keys: found.map(\.key)).compactMap(\.self)
  }

  fileprivate mutating func records(
    _ ids: [ObjectID], of entity: Int, in schema: Schema
  ) throws -> [Record] {
    try records(ids, of: entity, in: schema, keys: ids.map { _ in nil }).compactMap(\.self)
  }
}
