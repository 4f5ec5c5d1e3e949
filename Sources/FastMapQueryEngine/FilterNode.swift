/// A field in a filter that names its fields: of records, or of a plan.
///
///     let people = try mappings.plan(for: "Person")
///     let adults = people.where { $0["age"] >= 18 && $0["author", "name"] == "Ada" }
///
/// The closure's own argument is the object that is asked about, or an element. An unknown name, and a comparison that can
/// never hold, are errors when the query runs.
///
/// The module `FastMapQueries` has the operators.
///
/// Values are compared in the form that the store keeps. Dates are also compared with strings in ISO 8601.
public struct FilterNode {
  package let path: FilterPath

  /// A field by its name, or through to-one relationships by several.
  public subscript(names: String...) -> FilterNode {
    var path = path
    for name in names { path = path.appending(.member(.name(name))) }
    return FilterNode(path: path)
  }

  /// A target or an element by its position; a negative one counts from the end.
  public subscript(position: Int) -> FilterNode { FilterNode(path: path.appending(.index(Int64(position)))) }

  /// The first target or element.
  public var first: FilterNode { self[0] }

  /// The last target or element.
  public var last: FilterNode { self[-1] }

  package var term: FilterTerm { .path(path) }
}

/// Several targets of a relationship, or several elements of a JSON array.
extension FilterNode {
  /// Whether there is no target or element.
  public var isEmpty: Filter { Filter(.compare(count.term, .equal, .literal(.integer(0)))) }

  /// The number of targets or elements.
  public var count: FilterValue<Int> { FilterValue(.count(path.appending(.all))) }

  /// Whether a condition is true for at least one target or element.
  ///
  /// - Parameter condition: About a target or an element; called once, when the filter is written.
  public func contains(where condition: (FilterNode) -> some FilterConvertible) -> Filter {
    Filter(.exists(path.appending(.filtered(Filter(condition)))))
  }

  /// Whether a condition is true for all targets or elements, also if there is none.
  ///
  /// - Parameter condition: About a target or an element; called once, when the filter is written.
  public func allSatisfy(_ condition: (FilterNode) -> some FilterConvertible) -> Filter {
    Filter(.exists(path.appending(.filtered(Filter(condition).negated)))).negated
  }

  /// The number of targets or elements for which a condition is true.
  ///
  /// - Parameter condition: About a target or an element; called once, when the filter is written.
  public func count(where condition: (FilterNode) -> some FilterConvertible) -> FilterValue<Int> {
    FilterValue(.count(path.appending(.filtered(Filter(condition)))))
  }
}

/// Strings. A field without a value passes none of these tests.
extension FilterNode {
  /// Whether the string begins with another. The bytes count.
  public func hasPrefix(_ prefix: String) -> Filter { term.test(.hasPrefix, prefix) }

  /// Whether another string is a part of the string. The bytes count, case included.
  ///
  /// Whether a list has an element is asked with ``contains(where:)``: `$0["tags"].contains { $0 == "swift" }`.
  public func contains(text part: String) -> Filter { term.test(.contains, part) }

  /// Whether the whole string matches a pattern.
  ///
  /// - Parameter pattern: An I-Regexp (RFC 9485). A fault in it is found when the query runs.
  public func matches(_ pattern: String) -> Filter { term.test(.match, pattern) }

  /// Whether a part of the string matches a pattern.
  ///
  /// - Parameter pattern: An I-Regexp (RFC 9485). A fault in it is found when the query runs.
  public func search(_ pattern: String) -> Filter { term.test(.search, pattern) }

  /// The number of Unicode scalars in a string, or of targets or elements.
  public var length: FilterValue<Int> { FilterValue(.length(term)) }

  /// The string in lower case, as ``FilterValue/lowercased``.
  public var lowercased: FilterValue<String?> { FilterValue(.lowercased(term)) }
}
