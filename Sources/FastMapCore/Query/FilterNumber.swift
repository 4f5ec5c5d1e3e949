/// A number that a filter counts: the related objects, the elements of an array, or the characters of a string.
///
///     Person.mapping.where { $0.books.count > 2 && $0.name.length <= 20 }
///
/// The length of no string is no value. It is equal to no value, and `<=` and `>=` are true for two of them. Any other order
/// with no value is false.
///
/// The module `FastMapQueries` has the operators.
///
/// It is compared with an `Int` or with another such number. A comparison with a field is written as text:
/// `try Filter("count(@.books[*]) > @.expected")`.
public struct FilterNumber {
  package let term: FilterTerm
}

extension FilterNumber {
  /// Whether the number is in the array.
  public func isIn(_ values: [Int]) -> Filter { term.isOne(of: values) }

  /// Whether the number lies in a range: `$0.books.count.isIn(2..<5)`.
  public func isIn(_ range: Range<Int>) -> Filter {
    term.isBetween(range.lowerBound, range.upperBound, .less)
  }

  /// Whether the number lies in a range: `$0.books.count.isIn(2...5)`.
  public func isIn(_ range: ClosedRange<Int>) -> Filter {
    term.isBetween(range.lowerBound, range.upperBound, .lessOrEqual)
  }
}
