/// A number that a filter counts: the related objects, the elements of an array, or the characters of a string.
///
///     Person.mapping.where { $0.books.count > 2 && $0.name.length <= 20 }
///
/// The length of no string is no value. It is equal to no value, and `<=` and `>=` are true for two of them. Any other order
/// with no value is false.
///
/// It is compared with an `Int` or with another such number. A comparison with a field is written as text:
/// `try Filter("count(@.books[*]) > @.expected")`.
public struct FilterNumber {
  let term: FilterTerm
}

extension FilterNumber {
  public static func == (a: FilterNumber, b: Int) -> Filter { a.term.comparing(.equal, b) }
  public static func == (a: Int, b: FilterNumber) -> Filter { b.term.compared(a, .equal) }
  public static func == (a: FilterNumber, b: FilterNumber) -> Filter {
    Filter(.compare(a.term, .equal, b.term))
  }

  public static func != (a: FilterNumber, b: Int) -> Filter { a.term.comparing(.notEqual, b) }
  public static func != (a: Int, b: FilterNumber) -> Filter { b.term.compared(a, .notEqual) }
  public static func != (a: FilterNumber, b: FilterNumber) -> Filter {
    Filter(.compare(a.term, .notEqual, b.term))
  }

  public static func < (a: FilterNumber, b: Int) -> Filter { a.term.comparing(.less, b) }
  public static func < (a: Int, b: FilterNumber) -> Filter { b.term.compared(a, .less) }
  public static func < (a: FilterNumber, b: FilterNumber) -> Filter {
    Filter(.compare(a.term, .less, b.term))
  }

  public static func <= (a: FilterNumber, b: Int) -> Filter { a.term.comparing(.lessOrEqual, b) }
  public static func <= (a: Int, b: FilterNumber) -> Filter { b.term.compared(a, .lessOrEqual) }
  public static func <= (a: FilterNumber, b: FilterNumber) -> Filter {
    Filter(.compare(a.term, .lessOrEqual, b.term))
  }

  public static func > (a: FilterNumber, b: Int) -> Filter { a.term.comparing(.greater, b) }
  public static func > (a: Int, b: FilterNumber) -> Filter { b.term.compared(a, .greater) }
  public static func > (a: FilterNumber, b: FilterNumber) -> Filter {
    Filter(.compare(a.term, .greater, b.term))
  }

  public static func >= (a: FilterNumber, b: Int) -> Filter { a.term.comparing(.greaterOrEqual, b) }
  public static func >= (a: Int, b: FilterNumber) -> Filter { b.term.compared(a, .greaterOrEqual) }
  public static func >= (a: FilterNumber, b: FilterNumber) -> Filter {
    Filter(.compare(a.term, .greaterOrEqual, b.term))
  }

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
