/// The targets of a to-many relationship in a filter.
///
///     Person.mapping.where { $0.books.contains { $0.title == "Emma" } && $0.phones.count > 1 }
///
/// A closure receives each target as its own object. The object of an outer closure has no meaning in an inner one, and such
/// a filter is an error when the query runs.
public struct FilterObjects<Object> {
  package let path: FilterPath

  /// Whether there is no target.
  public var isEmpty: Filter { Filter(.exists(path)).negated }

  /// The number of targets.
  public var count: FilterValue<Int> { FilterValue(.count(path.appending(.all))) }

  /// Whether a condition is true for at least one target.
  ///
  /// - Parameter condition: About a target; called once, when the filter is written.
  public func contains(where condition: (FilterObject<Object>) -> some FilterConvertible) -> Filter {
    Filter(.exists(path.appending(.filtered(target(condition)))))
  }

  /// Whether a condition is true for all targets, also if there is none.
  ///
  /// - Parameter condition: About a target; called once, when the filter is written.
  public func allSatisfy(_ condition: (FilterObject<Object>) -> some FilterConvertible) -> Filter {
    Filter(.exists(path.appending(.filtered(target(condition).negated)))).negated
  }

  /// The number of targets for which a condition is true.
  ///
  /// - Parameter condition: About a target; called once, when the filter is written.
  public func count(where condition: (FilterObject<Object>) -> some FilterConvertible) -> FilterValue<Int> {
    FilterValue(.count(path.appending(.filtered(target(condition)))))
  }

  /// The first target. Sets keep the order of the payload.
  public var first: FilterObject<Object> { self[0] }

  /// The last target. Sets keep the order of the payload.
  public var last: FilterObject<Object> { self[-1] }

  /// A target by its position; a negative one counts from the end.
  public subscript(position: Int) -> FilterObject<Object> {
    FilterObject(path.appending(.index(Int64(position))))
  }

  private func target(_ condition: (FilterObject<Object>) -> some FilterConvertible) -> Filter {
    FilterScope.filter { condition(FilterObject($0)).filter }
  }
}
