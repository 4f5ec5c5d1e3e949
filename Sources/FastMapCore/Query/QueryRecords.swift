/// The objects of a query as an asynchronous sequence of copies, read a page at a time.
///
///     for try await person in try store.records(of: Person.mapping.where { $0.age >= 18 }) {
///       print(person["name"] ?? .null)
///     }
///
/// No transaction stays open between two pages, so other writes may happen in between. In the order of the keys, each page
/// continues behind the last key and reads the store's current state. With another order, and for objects without a
/// key, the first page decides which objects follow: later pages have their values by then, and leave out deleted ones.
///
/// Pages are read on threads of their own, never on threads that tasks share.
public struct QueryRecords<Base: Store>: AsyncSequence, Sendable {
  public typealias Element = Record

  private let store: Base
  private let query: BoundQuery
  private let pageSize: Int

  init(_ store: Base, _ query: BoundQuery, pageSize: Int) {
    self.store = store
    self.query = query
    self.pageSize = pageSize < 1 ? 1 : pageSize
  }

  public func makeAsyncIterator() -> Iterator { Iterator(store, query, pageSize) }

  /// Reads the pages, one after the other.
  ///
  ///     var iterator = try store.records(of: query).makeAsyncIterator()
  ///     let first = try await iterator.next()
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Base
    private let query: BoundQuery
    private let pageSize: Int
    private var page: ArraySlice<Record> = []
    private var state: PagingState

    fileprivate init(_ store: Base, _ query: BoundQuery, _ pageSize: Int) {
      self.store = store
      self.query = query
      self.pageSize = pageSize
      state = .keys(after: nil, left: query.limit)
    }

    /// The next object; nil after the last.
    ///
    /// - Throws: ``NoSuchObjectError``, the store's own error, and `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> Record? {
      while page.isEmpty {
        try Task.checkCancellation()
        if case .ended = state { return nil }
        let (records, next) = try await OwnThread.value { [store, query, pageSize, state] in
          try store.read(query.plan.schema) { try $0.page(of: query, state, pageSize) }
        }
        (page, state) = (records[...], next)
      }
      return page.popFirst()
    }
  }
}

extension StoreReader {
  /// The next page as records.
  fileprivate mutating func page(
    of query: BoundQuery, _ state: PagingState, _ pageSize: Int
  ) throws -> ([Record], PagingState) {
    let (page, next) = try pageOfObjects(query, state, pageSize)
    let records = try records(page.ids, of: query.entity, in: query.plan.schema, keys: page.keys)
    return (records.compactMap(\.self), next)
  }
}

extension Store {
  /// The objects of a query as an asynchronous sequence of copies, read a page at a time.
  ///
  ///     for try await person in try store.records(of: query) { print(person) }
  ///
  /// - Parameters:
  ///   - query: The objects to read.
  ///   - pageSize: The number of objects of a page, at least 1.
  /// - Throws: ``FilterError``, ``MappingDefinitionError``.
  /// - SeeAlso: ``QueryRecords``, for the effects of other writes.
  public func records<Source: PlanSource>(
    of query: Query<Source>, pageSize: Int = 1000
  ) throws -> QueryRecords<Self> {
    QueryRecords(self, try query.bound(to: query.source.plan()), pageSize: pageSize)
  }
}
