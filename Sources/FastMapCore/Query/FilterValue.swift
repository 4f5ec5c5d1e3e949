/// The value of a property in a filter.
///
///     Person.mapping.where { $0.age >= 18 && $0.name == "Ada" && $0.email != nil }
///
/// A closure's object has one for each property whose type is an ``AttributeValue``. `==` and `!=` take a value of the
/// property's type, or another property of the same type. `<`, `<=`, `>` and `>=` do so for an ``OrderedAttributeValue``. The
/// value is compared in its stored form, as the property would write it. So an enum or a type with a transform finds what
/// was imported.
///
/// A store keeps the number of a payload with all digits of a `Double`. A `Float` is written with fewer, so `==` finds a
/// number only if it was written like that: 3.1415927 does not find 3.14159265. Ask for a range instead.
///
/// No value is equal to no value, and `<=` and `>=` are true for two of them. Any other order with no value is false.
public struct FilterValue<Value: AttributeValue> {
  package let path: FilterPath

  var term: FilterTerm { .path(path) }

  func comparing(_ comparison: FilterComparison, _ literal: FilterLiteral) -> Filter {
    term.comparing(comparison, literal)
  }
}

extension FilterValue {
  /// Whether the property has a value.
  public static func == (a: FilterValue, b: Value) -> Filter { a.term.comparing(.equal, b) }
  public static func == (a: Value, b: FilterValue) -> Filter { b.term.compared(a, .equal) }
  public static func == <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .equal, b.term))
  }

  /// Whether the property has another value, or none.
  public static func != (a: FilterValue, b: Value) -> Filter { a.term.comparing(.notEqual, b) }
  public static func != (a: Value, b: FilterValue) -> Filter { b.term.compared(a, .notEqual) }
  public static func != <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .notEqual, b.term))
  }

  /// Whether the property has one of some values.
  ///
  ///     Task.mapping.where { $0.status.isIn([.open, .late]) }
  ///
  /// - Parameter values: Of an optional property, they may contain nil for no value. The filter is false if there are none.
  public func isIn(_ values: [Value]) -> Filter { term.isOne(of: values) }

  /// Whether the property has one of some values, such as those of a set.
  ///
  /// - Parameter values: Of an optional property, they may contain nil for no value. The filter is false if there are none.
  public func isIn(_ values: some Sequence<Value>) -> Filter { term.isOne(of: Array(values)) }
}

extension FilterValue where Value.Unwrapped: OrderedAttributeValue {
  public static func < (a: FilterValue, b: Value.Unwrapped) -> Filter { a.term.comparing(.less, b) }
  public static func < (a: Value.Unwrapped, b: FilterValue) -> Filter { b.term.compared(a, .less) }
  public static func < <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .less, b.term))
  }

  public static func <= (a: FilterValue, b: Value.Unwrapped) -> Filter { a.term.comparing(.lessOrEqual, b) }
  public static func <= (a: Value.Unwrapped, b: FilterValue) -> Filter { b.term.compared(a, .lessOrEqual) }
  public static func <= <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .lessOrEqual, b.term))
  }

  public static func > (a: FilterValue, b: Value.Unwrapped) -> Filter { a.term.comparing(.greater, b) }
  public static func > (a: Value.Unwrapped, b: FilterValue) -> Filter { b.term.compared(a, .greater) }
  public static func > <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .greater, b.term))
  }

  public static func >= (a: FilterValue, b: Value.Unwrapped) -> Filter {
    a.term.comparing(.greaterOrEqual, b)
  }
  public static func >= (a: Value.Unwrapped, b: FilterValue) -> Filter { b.term.compared(a, .greaterOrEqual) }
  public static func >= <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .greaterOrEqual, b.term))
  }
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

// What the compiler says of a comparison that has no meaning.
extension FilterValue {
  @available(*, unavailable, message: "stores do not keep such values in order: see OrderedAttributeValue")
  public static func < (a: FilterValue, b: Value.Unwrapped) -> Filter { .any([]) }
  @available(*, unavailable, message: "stores do not keep such values in order: see OrderedAttributeValue")
  public static func <= (a: FilterValue, b: Value.Unwrapped) -> Filter { .any([]) }
  @available(*, unavailable, message: "stores do not keep such values in order: see OrderedAttributeValue")
  public static func > (a: FilterValue, b: Value.Unwrapped) -> Filter { .any([]) }
  @available(*, unavailable, message: "stores do not keep such values in order: see OrderedAttributeValue")
  public static func >= (a: FilterValue, b: Value.Unwrapped) -> Filter { .any([]) }
}
