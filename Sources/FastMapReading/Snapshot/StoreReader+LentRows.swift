extension StoreReader {
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
