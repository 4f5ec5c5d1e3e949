/// A value in a filter: of a property, its length or lower case, or a number of related objects.
///
///     Person.mapping.where { $0.age >= 18 && $0.email != nil && $0.books.count > 2 }
///
/// A closure's object has one for each property whose type is an ``AttributeValue``. `==` and `!=` take a value of the
/// property's type, or another property of the same type. `<`, `<=`, `>` and `>=` do so for an ``OrderedAttributeValue``. The
/// value is compared in its stored form, as the property would write it. So an enum or a type with a transform finds
/// imported values.
///
/// A store keeps the number of a payload with all digits of a `Double`. A `Float` is written with fewer, so `==` finds a
/// number only if it was written like that: 3.1415927 does not find 3.14159265. Ask for a range instead.
///
/// The module `FastMapQueries` has the operators.
///
/// An ``AttributeValueWithFallback`` is compared by its shown value: `$0.status == .other` finds every value without a
/// case of its own. An index serves comparisons with other cases, but no comparison with the fallback, `<` or order.
///
/// No value is equal to no value, and `<=` and `>=` are true for two of them. Any other order with no value is false.
public struct FilterValue<Value: AttributeValue> {
  package let term: FilterTerm

  init(_ term: FilterTerm) { self.term = term }

  init(path: FilterPath) { term = .path(path) }

  func comparing(_ comparison: BoundFilter.Comparison, _ literal: FilterLiteral) -> Filter {
    term.comparing(comparison, literal)
  }
}

extension FilterValue {
  /// Whether the property has one of some values.
  ///
  ///     Task.mapping.where { $0.status.isIn([.open, .late]) }
  ///
  /// - Parameter values: The filter is false without any. For an optional property, they may contain nil for no value.
  public func isIn(_ values: some Sequence<Value>) -> Filter { term.isOne(of: Array(values)) }
}

extension FilterValue where Value.Unwrapped: OrderedAttributeValue & Comparable {
  /// Whether the value lies in a range: `$0.age.isIn(18..<65)`. No value lies in none. A range without an end is written
  /// `$0.age >= 18`.
  public func isIn(_ range: Range<Value.Unwrapped>) -> Filter {
    term.isBetween(range.lowerBound, range.upperBound, .less)
  }

  /// Whether the value lies in a range: `$0.age.isIn(18...64)`. No value lies in none.
  public func isIn(_ range: ClosedRange<Value.Unwrapped>) -> Filter {
    term.isBetween(range.lowerBound, range.upperBound, .lessOrEqual)
  }
}
