/// Objects that are lent without a copy.
extension Snapshot {
  /// Lends the object with a key to `body`. Only fields that `body` reads are decoded, and strings are not copied.
  ///
  ///     let length = try store.read(plan) { snapshot in
  ///       try snapshot.withRow("Person", key: 314) { row in try row["name"].bytes?.count }
  ///     }
  ///
  /// - Returns: The result of `body`; nil if there is no such object.
  public mutating func withRow<R>(
    _ entity: String, key: some PrimaryKeyConvertible, _ body: (Row) throws -> R
  ) throws -> R? {
    let entity = try schema.number(of: entity)
    return try reader.withRow(key.primaryKey, of: entity, in: schema, body)
  }

  /// Lends the objects of an entity to `body`, one after the other, until it returns false.
  ///
  ///     try snapshot.forEachRow("Person") { row, key in
  ///       if try row["age"].integer == 36 { found.append(key) }
  ///       return true
  ///     }
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - keys: The keys to read. By default all objects, with a key or without.
  ///   - descending: Whether to reverse the order, which is by key, then objects without one.
  ///   - body: Receives an object and its key. False ends the iteration.
  public mutating func forEachRow(
    _ entity: String, keys: (any KeyRangeExpression)? = nil, descending: Bool = false,
    _ body: (Row, PrimaryKey?) throws -> Bool
  ) throws {
    let entity = try schema.number(of: entity)
    try reader.forEachRow(of: entity, in: schema, keys?.keyRange, descending, body)
  }
}

extension StoreReader {
  fileprivate mutating func withRow<R>(
    _ key: PrimaryKey, of entity: Int, in schema: Schema, _ body: (Row) throws -> R
  ) throws -> R? {
    guard let id = try find(key, of: entity) else { return nil }
    let fields = schema.entities[entity].fields.count
    return try withRow(id, of: entity) { row in
      try row.check(fields: fields)
      return try body(row.named(by: schema, entity))
    }
  }

  fileprivate mutating func forEachRow(
    of entity: Int, in schema: Schema, _ keys: KeyRange?, _ isDescending: Bool,
    _ body: (Row, PrimaryKey?) throws -> Bool
  ) throws {
    guard prefersSets else {
      let fields = schema.entities[entity].fields.count
      return try forEachObject(of: entity, keys: keys, isDescending: isDescending) { reader, id, key in
        try reader.withRow(id, of: entity) { row in
          try row.check(fields: fields)
          return try body(row.named(by: schema, entity), key)
        } ?? true
      }
    }
    let size = PageSize.ofObjects(in: self)
    let objects = GatheredObjects(schema)
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: size) { reader, page in
      try reader.forEachRow(of: page, entity, in: schema, by: objects, body)
    }
  }

  /// Lends the objects of a page in order, until `body` returns false.
  ///
  /// - Parameter objects: Receives copies, from a store that prefers sets; nil for another.
  /// - Returns: False if `body` did.
  mutating func lendRows(
    of page: ObjectPage, _ entity: Int, in schema: Schema, by objects: GatheredObjects?,
    _ body: (Row, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    if let objects { return try forEachRow(of: page, entity, in: schema, by: objects, body) }
    let fields = schema.entities[entity].fields.count
    for (id, key) in zip(page.ids, page.keys) {
      let isGoingOn = try withRow(id, of: entity) { row in
        try row.check(fields: fields)
        return try body(row.named(by: schema, entity), key)
      }
      if isGoingOn == false { return false }
    }
    return true
  }

  /// Lends the objects of a page in order. They are copied, because a store answers in any order.
  ///
  /// - Parameter objects: Receives as many as fit at a time.
  private mutating func forEachRow(
    of page: ObjectPage, _ entity: Int, in schema: Schema, by objects: GatheredObjects,
    _ body: (Row, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    var next = 0
    while next < page.count {
      objects.removeAll()
      let count = objects.rowCount(of: entity, in: PrefetchingReader.limit / 4)
      let ids = Array(page.ids[next...].prefix(count))
      _ = try gatherRows(of: ids, entity: entity, into: objects)
      for (id, key) in zip(ids, page.keys[next...]) {
        guard let row = objects.row(of: ObjectIdentity(entity: entity, id: id)) else { continue }
        guard try body(row.named(by: schema, entity), key) else { return false }
      }
      next += ids.count
    }
    return true
  }
}
