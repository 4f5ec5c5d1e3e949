/// Values of `Codable` types.
extension Snapshot {
  /// The values of a mapping or a query, in its order, with all that they contain.
  ///
  ///     let all = try store.read { try $0.values(User.mapping) }
  ///     let some = try store.read { try $0.values(User.mapping.where { $0.age >= 18 }.sorted(by: \.name).limit(20)) }
  ///
  /// Values are decoded from stored objects, level by level, without JSON in between. A list without elements is nil where it is
  /// optional.
  ///
  /// - Throws: `DecodingError` for an object without a value that its type needs, and for objects that contain each other, and as
  ///   ``objects(_:including:depth:unreadable:)``.
  /// - Complexity: O(*n*) in the objects that the query looks at, and in the objects in the values.
  public mutating func values<Value: Decodable>(
    _ query: some QueryConvertible<Mapping<Value>>
  ) throws -> [Value] {
    var values: [Value] = []
    try forEachValue(query) { value in
      values.append(value)
      return true
    }
    return values
  }

  /// The value with a key; nil if there is none.
  ///
  ///     let ada = try store.read { try $0.value(User.mapping, key: 7) }
  ///
  /// - Throws: As ``values(_:)``.
  public mutating func value<Value: Decodable>(
    _ mapping: Mapping<Value>, key: some PrimaryKeyConvertible
  ) throws -> Value? {
    let plan = try mapping.plan()
    return try withReader(of: plan) { reader in
      guard let id = try reader.find(key.primaryKey, of: plan.mappings[0].entity) else { return nil }
      return try reader.values([id], as: Value.self, ValueReading(plan)).first
    }
  }

  /// Calls `body` with the values of a query, one after the other, until it returns false.
  ///
  ///     try snapshot.forEachValue(User.mapping) { user in
  ///       print(user.name)
  ///       return true
  ///     }
  ///
  /// Memory is for one page of them.
  ///
  /// - Throws: Errors of `body`, or as ``values(_:)``.
  public mutating func forEachValue<Value: Decodable>(
    _ query: some QueryConvertible<Mapping<Value>>, _ body: (Value) throws -> Bool
  ) throws {
    let query = query.query
    let plan = try query.source.plan()
    let bound = try query.boundToRoot(in: plan, "which has values")
    try withReader(of: plan) { try $0.forEachValue(of: bound, ValueReading(plan), body) }
  }

  /// The values of a query and the position after the last one.
  ///
  ///     let page = try store.read { try $0.valuePage(User.mapping.sorted(by: \.name).limit(20)) }
  ///     let next = try store.read { try $0.valuePage(User.mapping.sorted(by: \.name).after(page.position).limit(20)) }
  ///
  /// - Throws: As ``values(_:)`` and ``page(_:including:depth:unreadable:)``.
  public mutating func valuePage<Value: Decodable>(
    _ query: some QueryConvertible<Mapping<Value>>
  ) throws -> QueryPage<Value> {
    let query = query.query
    let plan = try query.source.plan()
    _ = try query.boundToRoot(in: plan, "which has values")
    let bound = try query.pageable(in: plan)
    return try withReader(of: plan) { reader in
      let found = try reader.page(of: bound)
      return QueryPage(
        elements: try reader.values(found.ids, as: Value.self, ValueReading(plan)),
        position: try reader.position(behind: found, of: bound, query))
    }
  }
}

/// The parts that one read of values shares.
private struct ValueReading {
  let objects: StoredObjects
  let session: DecodingSession

  init(_ plan: Plan) {
    objects = StoredObjects(plan)
    session = DecodingSession(nil, objects: objects)
  }

  func value<Value: Decodable>(_ type: Value.Type, _ object: StoredObject) throws -> Value {
    try ValueDecoder(session, .object(object)).decodeItself(type)
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func forEachValue<Value: Decodable>(
    of query: BoundQuery, _ reading: ValueReading, _ body: (Value) throws -> Bool
  ) throws {
    var run = QueryRun(query)
    try run.forEachPage(&self) { reader, page in
      for value in try reader.values(page.ids, as: Value.self, reading) {
        if try !body(value) { return false }
      }
      return true
    }
  }

  /// The values of objects of the first mapping, in their order. Objects that are not stored are left out.
  fileprivate mutating func values<Value: Decodable>(
    _ ids: [ObjectID], as type: Value.Type, _ reading: ValueReading
  ) throws -> [Value] {
    let layout = reading.objects.layouts[0]
    var values: [Value] = []
    if layout.links.isEmpty {
      var found = [Value?](repeating: nil, count: ids.count)
      try read(ids, of: layout.entity) { index, row in
        found[index] = try reading.objects.lend(row, ids[index]) { try reading.value(type, $0) }
      }
      return found.compactMap(\.self)
    }
    values.reserveCapacity(ids.count)
    for start in stride(from: 0, to: ids.count, by: 1024) {
      let some = Array(ids[start..<min(start + 1024, ids.count)])
      try reading.objects.gather(some, from: &self)
      for id in some {
        if let object = reading.objects.object(id, of: 0) { values.append(try reading.value(type, object)) }
      }
    }
    return values
  }
}
