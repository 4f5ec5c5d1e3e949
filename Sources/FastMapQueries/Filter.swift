public import FastMapCore

extension Filter {
  /// True if both are true.
  public static func && (a: Filter, b: Filter) -> Filter { all([a, b]) }

  /// True if at least one is true.
  public static func || (a: Filter, b: Filter) -> Filter { any([a, b]) }

  /// True if the filter is false.
  public static prefix func ! (a: Filter) -> Filter { a.negated }
}

extension FilterConvertible {
  /// True if both are true.
  public static func && <Other: FilterConvertible>(a: Self, b: Other) -> Filter {
    .all([a.filter, b.filter])
  }

  /// True if at least one is true.
  public static func || <Other: FilterConvertible>(a: Self, b: Other) -> Filter {
    .any([a.filter, b.filter])
  }

  /// True if the condition is false.
  public static prefix func ! (a: Self) -> Filter { a.filter.negated }
}
