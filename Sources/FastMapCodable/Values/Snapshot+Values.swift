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
  @inlinable
  public mutating func values<Value: Decodable>(
    _ query: some QueryConvertible<Mapping<Value>>
  ) throws -> [Value] {
    var values: [Value] = []
    try forEachDecoder(of: query.query) { decoder in
      values.append(try Value(from: decoder))
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
      var value: Value?
      try reader.forEachDecoder([id], ValueReading(plan)) {
        value = try Value(from: $0)
        return true
      }
      return value
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
  @inlinable
  public mutating func forEachValue<Value: Decodable>(
    _ query: some QueryConvertible<Mapping<Value>>, _ body: (Value) throws -> Bool
  ) throws {
    try forEachDecoder(of: query.query) { try body(try Value(from: $0)) }
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
      var values: [Value] = []
      try reader.forEachDecoder(found.ids, ValueReading(plan)) {
        values.append(try Value(from: $0))
        return true
      }
      return QueryPage(elements: values, position: try reader.position(behind: found, of: bound, query))
    }
  }
}

extension Snapshot {
  /// Lends decoders of the objects of a query to `body`, one after the other, until it returns false.
  @usableFromInline
  mutating func forEachDecoder<Value>(
    of query: Query<Mapping<Value>>, _ body: (any Decoder) throws -> Bool
  ) throws {
    let plan = try query.source.plan()
    let bound = try query.boundToRoot(in: plan, "which has values")
    try withReader(of: plan) { try $0.forEachDecoder(of: bound, ValueReading(plan), body) }
  }
}

/// The parts that one read of values shares.
private struct ValueReading {
  let objects: StoredObjects
  let session: DecodingSession
  /// The layout of the first mapping.
  let layout: ValueLayout

  init(_ plan: Plan) {
    objects = StoredObjects(plan)
    session = DecodingSession(nil, objects: objects)
    layout = objects.layouts[0]
  }

  func lend<R>(_ object: StoredObject, to body: (any Decoder) throws -> R) throws -> R {
    defer { session.endValue() }
    return try body(ValueDecoder(session, .object(object)))
  }

  func lend<R>(_ row: Row, _ id: ObjectID, to body: (any Decoder) throws -> R) throws -> R {
    try row.check(fields: layout.fieldCount)
    return try lend(StoredObject(slots: row.slots, layout: layout, id: id), to: body)
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  fileprivate mutating func forEachDecoder(
    of query: BoundQuery, _ reading: ValueReading, _ body: (any Decoder) throws -> Bool
  ) throws {
    var buffer = RowBuffer()
    if !prefersSets, reading.layout.links.isEmpty, let keys = query.wholeRange {
      // A store that goes on from object to object need not search for them.
      return try forEachObject(of: query.entity, keys: keys, isDescending: false) { reader, id, _ in
        guard try reader.read(id, of: query.entity, into: &buffer) else { return true }
        return try reading.lend(buffer.row, id, to: body)
      }
    }
    var run = QueryRun(query)
    try run.forEachPage(&self) { reader, page in
      try reader.forEachDecoder(page.ids, reading, body)
    }
  }

  /// Lends decoders of objects of the first mapping, in their order. Objects that are not stored are left out.
  ///
  /// - Returns: False if `body` did.
  @discardableResult
  fileprivate mutating func forEachDecoder(
    _ ids: [ObjectID], _ reading: ValueReading, _ body: (any Decoder) throws -> Bool
  ) throws -> Bool {
    if !prefersSets, reading.layout.links.isEmpty {
      var buffer = RowBuffer()
      for id in ids where try read(id, of: reading.layout.entity, into: &buffer) {
        if try !reading.lend(buffer.row, id, to: body) { return false }
      }
      return true
    }
    for start in stride(from: 0, to: ids.count, by: 1024) {
      let some = Array(ids[start..<min(start + 1024, ids.count)])
      try reading.objects.gather(some, from: &self)
      for case let object? in some.lazy.map({ reading.objects.object($0, of: 0) }) {
        if try !reading.lend(object, to: body) { return false }
      }
    }
    return true
  }
}
