/// A request for objects of a mapping: keys, a filter, an order and a limit.
///
///     let query = Person.mapping.where { $0.age >= 18 }.sorted(by: \.name).limit(20)
///     let adults = try store.read { try $0.objects(query) }
///
/// Reads, counts, deletions and exports take a query, or a mapping or a plan, which asks for all of its objects. The calls
/// that make a query are those of ``QueryConvertible``.
///
/// A query is a value: nothing is read or checked before a snapshot or a store receives it.
///
/// Objects come in the order of `sorted(by:)`. Equal ones ascend by key, and objects without a key follow in the
/// order of creation.
public struct Query<Source> {
  /// The mapping, or the plan.
  package let source: Source
  /// The name of an entity; nil for the one of the mapping.
  package let entity: String?
  /// The keys to look at, as often as they were narrowed; empty for all objects, with a key or without.
  package var keys: [KeyChoice] = []
  /// The condition; nil for all objects.
  package internal(set) var filter: Filter?
  /// Whether only stubs are results.
  package internal(set) var isOfStubs = false
  /// The fields to sort by, the most important first.
  package internal(set) var order: [SortTerm] = []
  /// The most objects; nil for all.
  package internal(set) var most: Int?
  /// The object that the first result follows.
  package internal(set) var start: QueryStart?
  /// The first call that chose or sorted objects after a limit: `where`.
  private(set) var late: String?

  init(_ source: Source, entity: String? = nil) {
    self.source = source
    self.entity = entity
  }

  /// Whether it asks for all objects of its entity, in the stored order.
  package var isWhole: Bool { keys.isEmpty && filter == nil && !isOfStubs && order.isEmpty && start == nil }

  /// The same query with a part changed.
  ///
  /// - Parameter call: The call that chooses or sorts objects; nil for another one.
  func with(_ call: String? = nil, _ change: (inout Query) -> Void) -> Query {
    var query = self
    if most != nil, late == nil { query.late = call }
    change(&query)
    return query
  }

  /// Sorts equal objects by one more path, or by its text in lower case.
  package func sorted(by term: FilterTerm, descending: Bool) -> Query {
    with("sorted") { $0.order.append(SortTerm(term: term, isDescending: descending)) }
  }
}

/// The object that the first result of a query follows.
package enum QueryStart: Hashable, Sendable {
  case behind(PrimaryKey)
  case position(Position)
}

/// Keys that a query looks at.
package enum KeyChoice: Hashable, Sendable {
  case range(KeyRange)
  case list([PrimaryKey])
}

extension Query: Sendable where Source: Sendable {}

/// A field that a query sorts by.
///
///     Person.mapping.sorted(by: \.name, descending: true)
public struct SortTerm: Hashable, Sendable {
  /// More are refused: each is another value to keep for each object.
  package static let mostInAQuery = 64

  /// A path through to-one relationships to an attribute, or to a to-one relationship, which stands for its key. Or the lower
  /// case of such a path, or the number of objects of a list. Other terms are refused when the query runs.
  package let term: FilterTerm
  /// Whether the greatest comes first and objects without a value last.
  package let isDescending: Bool

  /// The path, if the query can be sorted by the term.
  package var path: FilterPath? {
    switch term {
    case .path(let path), .lowercased(.path(let path)), .count(let path): path
    default: nil
    }
  }

  /// Whether the text is compared in lower case.
  var isLowercased: Bool { if case .lowercased = term { true } else { false } }
}
