public import FastMapCore

extension FilterNode {
  /// Whether the field has a value.
  public static func == (a: FilterNode, b: some AttributeValue) -> Filter { a.term.comparing(.equal, b) }
  /// Whether two fields have the same value, or both have none.
  public static func == (a: FilterNode, b: FilterNode) -> Filter { Filter(.compare(a.term, .equal, b.term)) }
  /// Whether the target of a relationship has a key.
  public static func == (a: FilterNode, b: PrimaryKey) -> Filter { a.term.comparing(.equal, b.literal) }
  /// Whether the field has no value: `$0["email"] == nil`.
  public static func == (a: FilterNode, b: _OptionalNilComparisonType) -> Filter {
    a.term.comparing(.equal, .null)
  }

  /// Whether the field has another value, or none.
  public static func != (a: FilterNode, b: some AttributeValue) -> Filter { a.term.comparing(.notEqual, b) }
  public static func != (a: FilterNode, b: FilterNode) -> Filter {
    Filter(.compare(a.term, .notEqual, b.term))
  }
  /// Whether the target of a relationship has another key, or there is none.
  public static func != (a: FilterNode, b: PrimaryKey) -> Filter { a.term.comparing(.notEqual, b.literal) }
  /// Whether the field has a value: `$0["email"] != nil`.
  public static func != (a: FilterNode, b: _OptionalNilComparisonType) -> Filter {
    a.term.comparing(.notEqual, .null)
  }

  public static func < (a: FilterNode, b: some AttributeValue) -> Filter { a.term.comparing(.less, b) }
  public static func < (a: FilterNode, b: FilterNode) -> Filter { Filter(.compare(a.term, .less, b.term)) }

  public static func <= (a: FilterNode, b: some AttributeValue) -> Filter {
    a.term.comparing(.lessOrEqual, b)
  }
  public static func <= (a: FilterNode, b: FilterNode) -> Filter {
    Filter(.compare(a.term, .lessOrEqual, b.term))
  }

  public static func > (a: FilterNode, b: some AttributeValue) -> Filter { a.term.comparing(.greater, b) }
  public static func > (a: FilterNode, b: FilterNode) -> Filter { Filter(.compare(a.term, .greater, b.term)) }

  public static func >= (a: FilterNode, b: some AttributeValue) -> Filter {
    a.term.comparing(.greaterOrEqual, b)
  }
  public static func >= (a: FilterNode, b: FilterNode) -> Filter {
    Filter(.compare(a.term, .greaterOrEqual, b.term))
  }
}
