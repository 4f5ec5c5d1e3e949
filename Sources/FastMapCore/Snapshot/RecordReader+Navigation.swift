/// From one object to others.
extension RecordReader {
  /// The objects that a relationship of a record has, in their order.
  public mutating func records(_ name: String, of owner: Record) throws -> [Record] {
    let entity = target(of: name, of: owner)
    return try owner.targets(name).compactMap { try reader.record($0, of: entity, in: schema) }
  }

  /// The object that a to-one relationship of a record has; the first one of a to-many; nil where it has none.
  public mutating func record(_ name: String, of owner: Record) throws -> Record? {
    let entity = target(of: name, of: owner)
    return try owner.target(name).flatMap { try reader.record($0, of: entity, in: schema) }
  }

  private func target(of name: String, of owner: Record) -> Int {
    let fields = schema.entities[number(of: owner.entity)].fields
    switch fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.kind {
    case .toOne(let entity, _), .toMany(let entity, _): return entity
    default: preconditionFailure("\(owner.entity) has no relationship \(quoted(name))")
    }
  }

  /// The object with the first key behind `key`; nil where there is none.
  public mutating func record(_ entity: String, after key: PrimaryKey) throws -> Record? {
    // The object of the key itself may or may not be there.
    try records(entity, keys: KeyRange(from: key), limit: 2).first { $0.key != key }
  }

  /// The object with the last key before `key`; nil where there is none.
  public mutating func record(_ entity: String, before key: PrimaryKey) throws -> Record? {
    try records(entity, keys: KeyRange(to: key), descending: true, limit: 2).first { $0.key != key }
  }

  /// The object with the first key of all; nil where none has a key.
  public mutating func first(_ entity: String) throws -> Record? {
    try records(entity, keys: KeyRange(), limit: 1).first
  }

  /// The object with the last key of all; nil where none has a key.
  public mutating func last(_ entity: String) throws -> Record? {
    try records(entity, keys: KeyRange(), descending: true, limit: 1).first
  }
}

/// Objects that are lent and not copied.
extension RecordReader {
  /// Lends the object with a key to `body`. What is not asked for is not decoded, and strings are not copied.
  ///
  ///     let length = try store.read(plan) { reader in
  ///       try reader.withRow("Person", key: 314) { row in row.withBytes("name") { $0.count } }
  ///     }
  ///
  /// - Returns: What `body` returns; nil where there is no such object.
  public mutating func withRow<R>(
    _ entity: String, key: PrimaryKey, _ body: (NamedRow) throws -> R
  ) throws -> R? {
    try reader.withRow(key, of: number(of: entity), in: schema, body)
  }

  /// Lends the objects of an entity to `body`, one after the other, until it returns false.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: Only objects with these keys; all, with a key or without, where none are given.
  ///   - descending: Whether they come in the reverse of their order: by key, and then those without one.
  ///   - body: Gets an object and its key; false ends it.
  public mutating func forEachRow(
    _ entity: String, keys: (some KeyRangeExpression)? = KeyRange?.none, descending: Bool = false,
    _ body: (NamedRow, PrimaryKey?) throws -> Bool
  ) throws {
    try reader.forEachRow(of: number(of: entity), in: schema, keys?.keyRange, descending, body)
  }
}

extension StoreReader {
  fileprivate mutating func withRow<R>(
    _ key: PrimaryKey, of entity: Int, in schema: Schema, _ body: (NamedRow) throws -> R
  ) throws -> R? {
    guard let id = try find(key, of: entity) else { return nil }
    return try withRow(id, of: entity) { try body(NamedRow(row: $0, entity: schema.entities[entity])) }
  }

  fileprivate mutating func forEachRow(
    of entity: Int, in schema: Schema, _ keys: KeyRange?, _ isDescending: Bool,
    _ body: (NamedRow, PrimaryKey?) throws -> Bool
  ) throws {
    try forEach(of: entity, keys: keys, isDescending: isDescending) { reader, id, key in
      try reader.withRow(id, of: entity) {
        try body(NamedRow(row: $0, entity: schema.entities[entity]), key)
      } ?? true
    }
  }
}
