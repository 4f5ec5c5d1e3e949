/// Pages of a query, with positions.
extension Snapshot {
  /// The objects of a query and the position behind the last one.
  ///
  ///     let page = try store.read { try $0.page(newest.limit(20)) }
  ///     let next = try store.read { try $0.page(newest.after(page.position).limit(20)) }
  ///
  /// - Parameters:
  ///   - query: A query of a mapping of a class, mostly with a limit.
  ///   - paths: The relationships to load, as in ``objects(_:including:depth:unreadable:)``.
  ///   - depth: The number of levels of all relationships to load.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Throws: As ``objects(_:including:depth:unreadable:)``. ``FilterError`` also for a position of another query, for a mapping without a
  ///   primary key, and if the last object has no key, because there is no position behind it.
  public mutating func page<Source: ClassMapping>(
    _ query: Query<Source>, including paths: PartialKeyPath<RelationshipPath<Source.Object>>...,
    depth: Int = 0, unreadable: UnreadableRule = .fail
  ) throws -> QueryPage<Source.Object> {
    let plan = try query.source.plan()
    let reach = try IncludeDepth(paths, depth: depth, in: plan, unreadable: unreadable)
    let bound = try query.pageable(in: plan)
    return try withAssembler(plan) { assembler, _, reader in
      let found = try reader.results(of: bound)
      let objects = try assembler.objects(found.ids, of: bound.entity, from: &reader, reach)
      return QueryPage(
        elements: objects.compactMap { $0 as? Source.Object },
        position: try reader.position(behind: found, of: bound, query, plan))
    }
  }

  /// Copies of the objects of a query and the position behind the last one.
  ///
  ///     let page = try store.read { try $0.recordPage(Query(plan).limit(20)) }
  ///
  /// - Throws: As ``page(_:including:depth:unreadable:)``.
  public mutating func recordPage<Source: PlanSource>(_ query: Query<Source>) throws -> QueryPage<Record> {
    let plan = try query.source.plan()
    let bound = try query.pageable(in: plan)
    return try withReader(of: plan) { reader in
      let found = try reader.results(of: bound)
      let records = try reader.records(found.ids, of: bound.entity, in: plan.schema, keys: found.keys)
      return QueryPage(
        elements: records.compactMap(\.self),
        position: try reader.position(behind: found, of: bound, query, plan))
    }
  }
}

extension Query {
  /// The checked query, if there are positions in it.
  func pageable(in plan: Plan) throws(FilterError) -> BoundQuery {
    guard plan.root.key != nil else {
      throw FilterError(
        .init(.unknown, "a position needs a primary key; the mapping \(quoted(plan.root.name)) has none"))
    }
    return try bound(to: plan)
  }
}

extension StoreReader {
  /// The numbers and keys of all results.
  fileprivate mutating func results(of query: BoundQuery) throws -> ObjectPage {
    var found = ObjectPage()
    var run = QueryRun(query)
    try run.forEachPage(&self) { _, page in
      for (id, key) in zip(page.ids, page.keys) { found.append(id, key) }
      return true
    }
    return found
  }

  /// The position behind the last of some results; without results, the start of the query.
  mutating func position<Source>(
    behind page: ObjectPage, of bound: BoundQuery, _ query: Query<Source>, _ plan: Plan
  ) throws -> Position? {
    guard let id = page.ids.last, let last = page.keys.last else { return query.position }
    guard let key = last else {
      throw FilterError(
        .init(
          .unknown,
          "there is no position behind an object without a key: the last \(escaped(plan.root.entity)) of the page has none"
        ))
    }
    return Position(query: query.identity(in: plan), values: try sortValues(of: id, bound), key: key)
  }
}
