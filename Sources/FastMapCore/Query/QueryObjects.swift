/// The instances of a query as an asynchronous sequence, read a page at a time.
///
///     for try await person in try store.objects(of: Person.mapping.where { $0.age >= 18 }) {
///       print(person.name)
///     }
///
/// Pages are read on threads of their own, never on threads that tasks share. Each page is one snapshot, as for
/// ``QueryRecords``: other writes may happen between two pages, and an object that two pages reach has an instance in
/// each. The instances are made where the loop runs, so they may be used there like any other.
public struct QueryObjects<Base: Store, Object: AnyObject>: AsyncSequence, Sendable {
  public typealias Element = Object

  private let store: Base
  private let query: BoundQuery
  private let pageSize: Int
  private let reach: IncludeDepth

  init(_ store: Base, _ query: BoundQuery, pageSize: Int, _ reach: IncludeDepth) {
    self.store = store
    self.query = query
    self.pageSize = pageSize < 1 ? 1 : pageSize
    self.reach = reach
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, query: query, pageSize: pageSize, reach)
  }

  /// Reads the pages, one after the other.
  ///
  ///     var iterator = try store.objects(of: query).makeAsyncIterator()
  ///     let first = try await iterator.next()
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Base
    private let query: BoundQuery
    private let pageSize: Int
    private let reach: IncludeDepth
    private var page: ArraySlice<Object> = []
    private var state: PagingState

    fileprivate init(store: Base, query: BoundQuery, pageSize: Int, _ reach: IncludeDepth) {
      self.store = store
      self.query = query
      self.pageSize = pageSize
      self.reach = reach
      state = .keys(after: nil, left: query.limit)
    }

    /// The next instance; nil after the last.
    ///
    /// - Throws: ``NoSuchObjectError``, ``UnreadableValueError``, the store's own error, and `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> Object? { try await next(isolation: nil) }

    /// The next instance, made in the isolation of the caller; nil after the last.
    ///
    /// - Throws: ``NoSuchObjectError``, ``UnreadableValueError``, the store's own error, and `CancellationError` if the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Object? {
      while page.isEmpty {
        try Task.checkCancellation()
        if case .ended = state { return nil }
        let schema = query.plan.schema
        let (ids, gathered, next) = try await OwnThread.value { [store, query, pageSize, state, reach] in
          try store.read(schema) { reader in
            let (page, next) = try reader.pageOfObjects(query, state, pageSize)
            let gathered = try GatheredReader(page.ids, of: query.entity, schema, from: &reader, reach)
            return (page.ids, gathered, next)
          }
        }
        var reader = gathered
        let objects = try ObjectAssembler(schema).objects(ids, of: query.entity, from: &reader, reach)
        (page, state) = (objects.compactMap { $0 as? Object }[...], next)
      }
      return page.popFirst()
    }
  }
}

extension Store {
  /// The instances of a query as an asynchronous sequence, read a page at a time.
  ///
  ///     for try await person in try store.objects(of: query) { print(person.name) }
  ///
  /// Classes of the main actor have ``objects(_:keys:descending:limit:including:depth:unreadable:)`` instead.
  ///
  /// - Parameters:
  ///   - query: The objects to read.
  ///   - pageSize: The number of objects of a page, at least 1.
  ///   - paths: The relationships to load, and relationships of their targets, as for a ``Snapshot``.
  ///   - depth: The number of levels of all relationships to load, `Int.max` for everything reachable. Circles of such copies are
  ///     yours to break.
  ///   - unreadable: The rule for objects with a value that a property cannot hold.
  /// - Throws: ``FilterError``, ``ContextError`` for a path without a relationship, ``MappingDefinitionError``.
  /// - SeeAlso: ``QueryObjects``, for the effects of other writes.
  public func objects<Object: AnyObject>(
    of query: Query<Mapping<Object>>, pageSize: Int = 1000,
    including paths: PartialKeyPath<RelationshipPath<Object>>..., depth: Int = 0,
    unreadable: UnreadableRule = .fail
  ) throws -> QueryObjects<Self, Object> {
    let plan = try query.source.plan()
    return QueryObjects(
      self, try query.bound(to: plan), pageSize: pageSize,
      try IncludeDepth(paths, depth: depth, in: plan, unreadable: unreadable))
  }
}
