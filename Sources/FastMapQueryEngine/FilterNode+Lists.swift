extension FilterNode {
  /// Whether the field has one of some values.
  ///
  /// - Parameter values: The filter is false if there are none.
  public func isIn(_ values: [some AttributeValue]) -> Filter { term.isOne(of: values) }

  /// Whether the target of a relationship has one of some keys.
  public func isIn(_ keys: [PrimaryKey]) -> Filter { Filter(.isOne(term, of: keys.map(\.literal))) }

  /// Whether the value lies in a range: `$0["age"].isIn(18..<65)`. No value lies in none.
  public func isIn(_ range: Range<some AttributeValue>) -> Filter {
    term.isBetween(range.lowerBound, range.upperBound, .less)
  }

  /// Whether the value lies in a range: `$0["age"].isIn(18...64)`. No value lies in none.
  public func isIn(_ range: ClosedRange<some AttributeValue>) -> Filter {
    term.isBetween(range.lowerBound, range.upperBound, .lessOrEqual)
  }
}
