// An optional string without a value passes none of these tests.
extension FilterValue where Value.Unwrapped == String {
  /// Whether the string begins with another. The bytes count: `"é"` and `"e"` with an accent differ.
  public func hasPrefix(_ prefix: String) -> Filter { term.test(.hasPrefix, prefix) }

  /// Whether another string is a part of the string. The bytes count, case included.
  public func contains(_ part: String) -> Filter { term.test(.contains, part) }

  /// Whether the whole string matches a pattern.
  ///
  ///     Person.mapping.where { $0.name.matches("A[a-z]+") }
  ///
  /// - Parameter pattern: An I-Regexp (RFC 9485), a subset of the usual regular expressions: characters, `.`, classes such as
  ///   `[a-z]` and `\p{Lu}`, groups, `|`, `*`, `+`, `?`, `{2,5}`. A fault in it is found when the query runs. Matching takes
  ///   linear time.
  public func matches(_ pattern: String) -> Filter { term.test(.match, pattern) }

  /// Whether a part of the string matches a pattern.
  ///
  /// - Parameter pattern: An I-Regexp, as for ``matches(_:)``.
  public func search(_ pattern: String) -> Filter { term.test(.search, pattern) }

  /// The number of Unicode scalars in the string.
  ///
  /// The length of no string is no value.
  public var length: FilterValue<Int> { FilterValue<Int>(.length(term)) }

  /// The string in lower case.
  ///
  ///     Person.mapping.where { $0.name.lowercased == "ada" }.sorted(by: \.name.lowercased)
  ///
  /// Unicode's default lower case, FastMap's own on every store. The function knows no rules of a language, and no
  /// index serves it. A capital sigma at the end of a word becomes a final sigma, which Swift's `lowercased()` does not do.
  public var lowercased: Self {
    if case .lowercased = term { return self }
    return Self(.lowercased(term))
  }
}

extension FilterValue {
  /// The value as text, for types that are stored as strings.
  ///
  ///     Person.mapping.where { $0.homepage.text.hasPrefix("https://") }
  ///
  /// Text tests of a property that is not stored as a string are an error when the query runs.
  public var text: FilterValue<String?> { FilterValue<String?>(term) }
}
