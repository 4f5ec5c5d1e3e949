/// A request for objects of one entity: a ``Query``, or a mapping or a plan, which asks for all of its objects.
///
///     let all = try store.read { try $0.objects(Person.mapping) }
///     let some = try store.read { try $0.objects(Person.mapping.keys(100..<200).limit(20)) }
///     try store.delete(Person.mapping.where { $0.lastSeen < limit })
///
/// Each call below returns a narrowed query, and nothing is read before a snapshot or a store receives it.
public protocol QueryConvertible<Source> {
  /// The mapping or the plan.
  associatedtype Source: PlanSource

  /// The request.
  var query: Query<Source> { get }
}

extension Query: QueryConvertible where Source: PlanSource {
  public var query: Query { self }
}

extension PlanSource {
  /// A query for all objects.
  public var query: Query<Self> { Query(self) }

  /// A query for all objects of an entity that the mapping reaches.
  ///
  ///     let cars = try store.read { try $0.records(plan.query(of: "Car").keys(1...9)) }
  ///
  /// - Parameter entity: The name of an entity. Running a query of an unknown one throws ``FilterError``.
  public func query(of entity: String) -> Query<Self> { Query(self, entity: entity) }
}

extension QueryConvertible {
  /// Narrows the query to the objects whose keys are in a range.
  ///
  ///     Person.mapping.keys(100..<200)
  ///     Person.mapping.keys(KeyRange(from: first, to: last))
  ///
  /// - Complexity: The objects of a range are found in O(log *n*), and no others are looked at.
  public func keys(_ range: any KeyRangeExpression) -> Query<Source> {
    query.with("keys") { $0.keys.append(.range(range.keyRange)) }
  }

  /// Narrows the query to the objects with some keys, looked up together.
  ///
  ///     Person.mapping.keys([7, 314])
  ///
  /// - Parameter keys: In any order, with or without repeats. Keys without an object are left out. The query's order decides
  ///   about the order of the objects.
  public func keys(_ keys: [some PrimaryKeyConvertible]) -> Query<Source> {
    query.with("keys") { $0.keys.append(.list(keys.map(\.primaryKey))) }
  }

  /// Narrows the query to the objects with some keys of any kind: `[7, "a"]`.
  public func keys(_ keys: [PrimaryKey]) -> Query<Source> {
    query.with("keys") { $0.keys.append(.list(keys)) }
  }

  /// Narrows the query to objects that also fulfil a filter.
  ///
  ///     let query = try people.where(Filter("@.age >= 18"))
  ///
  /// - Complexity: O(*n*) in the terms that the query has already. To add many, join them with ``Filter/all(_:)`` first.
  public func `where`(_ filter: Filter) -> Query<Source> {
    query.with("where") { query in query.filter = query.filter.map { .all([$0, filter]) } ?? filter }
  }

  /// Only stubs: objects that have nothing but their key, as a reference by key alone makes them.
  ///
  ///     let missing = try store.read { try $0.keys(Person.mapping.stubs) }
  ///
  /// Each field that the mappings have of the entity decides: a stub has no value, or its default, and no target. Running
  /// the query of a mapping without a key, or with nothing else, throws ``FilterError``.
  public var stubs: Query<Source> { query.with("stubs") { $0.isOfStubs = true } }

  /// At most so many objects of those that the query finds.
  ///
  /// Write the limit last: a query that chooses or sorts objects after it throws ``FilterError`` when it runs.
  ///
  /// - Parameter count: From 0. Less counts as 0. The smallest limit counts.
  public func limit(_ count: Int) -> Query<Source> {
    query.with { $0.most = min(max(0, count), $0.most ?? .max) }
  }

  /// Only the objects after the one with a key, in the order of this query: the next page.
  ///
  /// The object itself need not fulfil the filter. If there is none with the key, running the query throws
  /// ``NoSuchObjectError``. A ``Position`` holds after its object is deleted.
  public func after(key: some PrimaryKeyConvertible) -> Query<Source> {
    query.with { $0.start = .behind(key.primaryKey) }
  }

  /// Only the objects after a position, in the order of this query: the next page.
  ///
  /// A position holds after its object has changed or is deleted, and whatever the keys and the limit of the query. A
  /// position of another mapping, filter or order makes running the query throw ``FilterError``.
  ///
  /// - Parameter position: The position of a ``QueryPage``; nil for all objects.
  public func after(_ position: Position?) -> Query<Source> {
    query.with { $0.start = position.map { .position($0) } }
  }
}
