/// Questions about the objects of a query, without copies of them.
extension Snapshot {
  /// Lends the objects of a query to `body`, one after the other, until it returns false.
  ///
  ///     try snapshot.forEachRow(query) { row, key in
  ///       total += try row["price"].number ?? 0
  ///       return true
  ///     }
  ///
  /// - Parameters:
  ///   - query: The query to run.
  ///   - body: Receives an object and its key. False ends the iteration.
  /// - Throws: Errors of `body`, or as ``objects(_:including:depth:unreadable:)``.
  public mutating func forEachRow<Source: PlanSource>(
    _ query: some QueryConvertible<Source>, _ body: (Row, PrimaryKey?) throws -> Bool
  ) throws {
    try withQuery(query) { bound, reader in try reader.forEachRow(of: bound, body) }
  }

  /// The number of objects of a mapping or a query, at most its limit.
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  /// - Complexity: O(1) without a filter, else O(*n*) in the objects that the query looks at.
  public mutating func count<Source: PlanSource>(_ query: some QueryConvertible<Source>) throws -> Int {
    try withQuery(query) { bound, reader in try reader.count(of: bound).found }
  }

  /// Whether a mapping or a query has at least one object.
  ///
  ///     let isKnown = try store.read { try $0.exists(Person.mapping.keys([314])) }
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  public mutating func exists<Source: PlanSource>(_ query: some QueryConvertible<Source>) throws -> Bool {
    try withQuery(query.limit(1)) { bound, reader in try reader.exists(bound) }
  }

  /// Groups of the objects of a mapping or a query with equal values of some fields, and numbers about each group.
  ///
  ///     let rows = try snapshot.groups(orders, by: ["status", "customer.city"], [.count, .sum("total")])
  ///
  /// A field may be a path through to-one relationships. A relationship stands for the key of its target. No value is a group of its
  /// own.
  ///
  /// - Parameters:
  ///   - query: Its order does not matter, unless it has a limit.
  ///   - fields: Named as in ``QueryConvertible/sorted(by:descending:)-(String,_)``. Without any, all objects are one group.
  ///   - columns: The numbers.
  /// - Returns: For each group, ascending, the values of `fields` and then of `columns`; ``Value/null`` for none.
  /// - Throws: ``FilterError`` for a list or JSON, which do not group, and for a sum of other values than numbers. An error for a sum
  ///   that is too large for its type. Others as ``objects(_:including:depth:unreadable:)``.
  /// - Complexity: O(*n*) in the objects that the query looks at. Memory grows with the groups, not with the objects.
  public mutating func groups<Source: PlanSource>(
    _ query: some QueryConvertible<Source>, by fields: [String] = [], _ columns: [Aggregate]
  ) throws -> [[Value]] {
    let groups = try groups(
      query, by: fields.map { FilterTerm(name: $0) }, columns.map { GroupColumn(aggregate: $0) })
    return try groups.sorted(by: []).map { try groups.row($0) }
  }

  /// The groups of any terms.
  package mutating func groups<Source: PlanSource>(
    _ query: some QueryConvertible<Source>, by fields: [FilterTerm], _ columns: [GroupColumn]
  ) throws -> Groups {
    try withQuery(query) { bound, reader in try reader.groups(of: bound, by: fields, columns) }
  }

  /// The keys of the objects of a query, in its order. Objects without a key are left out.
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  public mutating func keys<Source: PlanSource>(_ query: some QueryConvertible<Source>) throws -> [PrimaryKey]
  {
    try withQuery(query) { bound, reader in try reader.keys(of: bound) }
  }

  /// The numbers of the objects of a query, in its order.
  ///
  ///     ToMany("tags", \.tags, Tag.mapping, policy: .custom { change in
  ///       try change.new + change.store.ids(Tag.mapping.where(Filter("@.isPinned == true")))
  ///     })
  ///
  /// A custom policy returns such numbers. The policy sees all changes that its import has written so far.
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  public mutating func ids<Source: PlanSource>(_ query: some QueryConvertible<Source>) throws -> [ObjectID] {
    try withQuery(query) { bound, reader in try reader.ids(of: bound) }
  }

  /// Calls `body` with the keys of the objects of a query, in its order.
  package mutating func forEachKey<Source: PlanSource>(
    _ query: some QueryConvertible<Source>, _ body: (PrimaryKey) throws -> Void
  ) throws {
    try withQuery(query) { bound, reader in try reader.forEachKey(of: bound, body) }
  }

  /// Runs a query and reports how it was answered, without copying its objects.
  ///
  ///     print(try store.read { try $0.explain(query) })
  ///     // scan of Person: 1000 objects looked at, 12 found
  ///
  /// - Throws: As ``objects(_:including:depth:unreadable:)``.
  public mutating func explain<Source: PlanSource>(_ query: some QueryConvertible<Source>) throws
    -> QueryExplanation
  {
    try withQuery(query) { bound, reader in try reader.explain(bound) }
  }

  /// Lends the reader to `body`, with the numbers of the query's plan.
  mutating func withQuery<Source: PlanSource, R>(
    _ query: some QueryConvertible<Source>, _ body: (BoundQuery, inout any StoreReader) throws -> R
  ) throws -> R {
    let query = query.query
    let plan = try query.source.plan()
    let bound = try query.bound(to: plan)
    return try withReader(of: plan) { try body(bound, &$0) }
  }

  /// Lends the reader to `body`, with the numbers of a plan.
  package mutating func withReader<R>(of plan: Plan, _ body: (inout any StoreReader) throws -> R) throws -> R
  {
    try use(plan.schema)
    let result = Result { try body(&base) }
    if !schema.entities.isEmpty { try use(schema) }
    return try result.get()
  }
}

// The existential reader is opened once for many objects, not for each of them.
extension StoreReader {
  /// The numbers of the results, in order.
  package mutating func ids(of query: BoundQuery) throws -> [ObjectID] {
    var ids: [ObjectID] = []
    var run = QueryRun(query)
    try run.forEachPage(&self) { _, page in
      ids += page.ids
      return true
    }
    return ids
  }

  mutating func records(of query: BoundQuery) throws -> [Record] {
    var records: [Record] = []
    var run = QueryRun(query)
    try run.forEachPage(&self) { reader, page in
      records += try reader.records(page.ids, of: query.entity, in: query.plan.schema, keys: page.keys)
        .compactMap(\.self)
      return true
    }
    return records
  }

  fileprivate mutating func forEachRow(
    of query: BoundQuery, _ body: (Row, PrimaryKey?) throws -> Bool
  ) throws {
    let schema = query.plan.schema
    if !prefersSets, let keys = query.wholeRange {
      // A store that goes on from object to object need not search for them.
      let fields = schema.entities[query.entity].fields.count
      return try forEachObject(of: query.entity, keys: keys, isDescending: false) { reader, id, key in
        try reader.withRow(id, of: query.entity) { row in
          try row.check(fields: fields)
          return try body(row.named(by: schema, query.entity), key)
        } ?? true
      }
    }
    var run = QueryRun(query)
    let objects = prefersSets ? GatheredObjects(schema) : nil
    try run.forEachPage(&self) { reader, page in
      try reader.lendRows(of: page, query.entity, in: schema, by: objects, body)
    }
  }

  fileprivate mutating func count(of query: BoundQuery) throws -> (found: Int, lookedAt: Int) {
    var run = QueryRun(query)
    let found = try run.count(&self)
    return (found, run.lookedAt)
  }

  fileprivate mutating func exists(_ query: BoundQuery) throws -> Bool {
    try count(of: query).found > 0
  }

  fileprivate mutating func keys(of query: BoundQuery) throws -> [PrimaryKey] {
    var keys: [PrimaryKey] = []
    try forEachKey(of: query) { keys.append($0) }
    return keys
  }

  fileprivate mutating func forEachKey(
    of query: BoundQuery, _ body: (PrimaryKey) throws -> Void
  ) throws {
    var run = QueryRun(query)
    try run.forEachPage(&self) { _, page in
      for case let key? in page.keys { try body(key) }
      return true
    }
  }

  fileprivate mutating func explain(_ query: BoundQuery) throws -> QueryExplanation {
    var found = 0
    var run = QueryRun(query)
    try run.forEachPage(&self) { _, page in
      found += page.count
      return true
    }
    var indexes: [String] = []
    if case .scan = run.access, let pushed = run.pushed, var server = self as? any PlanningReader {
      indexes = try server.indexes(
        usedFor: query.entity, keys: nil, where: pushed.taken, pageSize: query.limit)
    }
    return QueryExplanation(
      entity: query.plan.schema.entities[query.entity].name, access: run.access, serverIndexes: indexes,
      lookedAt: run.lookedAt,
      found: found, isSorted: run.isSorted, isSortedByStore: run.isSortedByStore,
      conditions: run.pushed.map { ($0.count.parts, $0.count.taken) } ?? (0, 0))
  }
}
