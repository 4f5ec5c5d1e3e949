/// A text in lower case, in a filter or an order.
///
///     Person.mapping.where { $0.name.lowercased == "ada" }.sorted(by: \.name.lowercased)
///
/// Unicode's default lower case, FastMap's own on every store. It knows no rules of a language, and no index serves it. A capital
/// sigma at the end of a word becomes a final sigma, which Swift's `lowercased()` does not do.
///
/// No value is equal to no value, and `<=` and `>=` are true for two of them. Any other order with no value is false.
///
/// The module `FastMapQueries` has the operators.
public struct FilterString {
  package let path: FilterPath

  package var term: FilterTerm { .lower(.path(path)) }
}

// Without a value, none of these tests is passed.
extension FilterString {
  /// Whether the text in lower case is one of some texts.
  public func isIn(_ values: some Sequence<String>) -> Filter { term.isOne(of: Array(values)) }

  /// Whether the text in lower case begins with another. The bytes count.
  public func hasPrefix(_ prefix: String) -> Filter { term.test(.hasPrefix, prefix) }

  /// Whether another text is a part of the text in lower case. The bytes count.
  public func contains(_ part: String) -> Filter { term.test(.contains, part) }

  /// Whether the whole text in lower case matches a pattern.
  ///
  /// - Parameter pattern: An I-Regexp (RFC 9485). A fault in it is found when the query runs.
  public func matches(_ pattern: String) -> Filter { term.test(.match, pattern) }

  /// Whether a part of the text in lower case matches a pattern.
  ///
  /// - Parameter pattern: An I-Regexp (RFC 9485). A fault in it is found when the query runs.
  public func search(_ pattern: String) -> Filter { term.test(.search, pattern) }
}

extension FilterString: SortKey {
  public var sortTerm: SortTerm { SortTerm(path: path, isLowercased: true, isDescending: false) }
}

extension FilterValue where Value.Unwrapped == String {
  /// The string in lower case.
  public var lowercased: FilterString { FilterString(path: path) }
}

extension FilterNode {
  /// The string in lower case.
  public var lowercased: FilterString { FilterString(path: path) }
}
