/// A question about the objects of a mapping: a filter, an order and a limit.
///
///     let query = Person.mapping.where { $0.age >= 18 }.sorted(by: \.name).limit(20)
///     let adults = try store.read { try $0.objects(query) }
///
/// It is a value. Nothing is read or checked before a snapshot or a store receives it.
///
/// Objects come in the order of `sorted(by:)`. Equal ones ascend by key, and objects without a key follow in the
/// order of creation.
public struct Query<Source> {
  /// The mapping, or the plan.
  public let source: Source
  /// The condition; nil for all objects.
  public private(set) var filter: Filter?
  /// The fields to sort by, the most important first.
  package private(set) var order: [SortTerm] = []
  /// The most objects; nil for all.
  public private(set) var limit: Int?
  /// The key of the object that the first result follows.
  public private(set) var after: PrimaryKey?
  /// The position that the first result follows.
  public private(set) var position: Position?

  /// Asks for all objects of a mapping or a plan.
  public init(_ source: Source) { self.source = source }

  /// Narrows the query to objects that also fulfil a filter.
  ///
  /// - Complexity: O(*n*) in the terms that the query has already. To add many, join them with ``Filter/all(_:)`` first.
  public func `where`(_ filter: Filter) -> Query {
    var query = self
    query.filter = self.filter.map { .all([$0, filter]) } ?? filter
    return query
  }

  /// At most so many objects.
  ///
  /// - Parameter count: From 0. Less counts as 0. The smallest limit counts.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.limit = min(max(0, count), limit ?? .max)
    return query
  }

  /// Only the objects behind the one with a key, in the order of this query: the next page.
  ///
  /// The object itself need not fulfil the filter. If there is none with the key, running the query throws
  /// ``NoSuchObjectError``. A ``Position`` holds after its object is deleted.
  public func after(_ key: some PrimaryKeyConvertible) -> Query {
    var query = self
    (query.after, query.position) = (key.primaryKey, nil)
    return query
  }

  /// Only the objects behind a position, in the order of this query: the next page.
  ///
  /// It holds after its object has changed or is deleted. A position of another mapping, filter or order makes running the
  /// query throw ``FilterError``.
  ///
  /// - Parameter position: The position of a ``QueryPage``; nil for all objects.
  public func after(_ position: Position?) -> Query {
    var query = self
    (query.after, query.position) = (nil, position)
    return query
  }

  /// Sorts equal objects by one more path.
  package func sorted(by path: FilterPath, isLowercased: Bool = false, descending: Bool) -> Query {
    var query = self
    query.order.append(SortTerm(path: path, isLowercased: isLowercased, isDescending: descending))
    return query
  }
}

extension Query: Sendable where Source: Sendable {}

/// A field that a query sorts by.
///
///     Person.mapping.sorted(by: \.name, descending: true)
public struct SortTerm: Hashable, Sendable {
  /// More are refused: each is another value to keep for each object.
  package static let mostInAQuery = 64

  /// Through to-one relationships to an attribute, or to a to-one relationship, which stands for its key.
  package let path: FilterPath
  /// Whether the text is compared in lower case.
  package let isLowercased: Bool
  /// Whether the greatest comes first and objects without a value last.
  package let isDescending: Bool
}
