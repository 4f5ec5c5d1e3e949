public import FastMapCore

extension FilterValue {
  /// Whether the property has a value.
  public static func == (a: FilterValue, b: Value) -> Filter { a.term.comparing(.equal, b) }
  public static func == <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .equal, b.term))
  }

  /// Whether the property has another value, or none.
  public static func != (a: FilterValue, b: Value) -> Filter { a.term.comparing(.notEqual, b) }
  public static func != <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .notEqual, b.term))
  }
}

extension FilterValue where Value.Unwrapped: OrderedAttributeValue {
  public static func < (a: FilterValue, b: Value.Unwrapped) -> Filter { a.term.comparing(.less, b) }
  public static func < <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .less, b.term))
  }

  public static func <= (a: FilterValue, b: Value.Unwrapped) -> Filter { a.term.comparing(.lessOrEqual, b) }
  public static func <= <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .lessOrEqual, b.term))
  }

  public static func > (a: FilterValue, b: Value.Unwrapped) -> Filter { a.term.comparing(.greater, b) }
  public static func > <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .greater, b.term))
  }

  public static func >= (a: FilterValue, b: Value.Unwrapped) -> Filter {
    a.term.comparing(.greaterOrEqual, b)
  }
  public static func >= <Other>(a: FilterValue, b: FilterValue<Other>) -> Filter
  where Other.Unwrapped == Value.Unwrapped {
    Filter(.compare(a.term, .greaterOrEqual, b.term))
  }
}

// The compiler's messages for comparisons without a meaning.
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
