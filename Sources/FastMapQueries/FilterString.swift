public import FastMapCore

extension FilterString {
  /// Whether the text in lower case is this one; nil is no value.
  public static func == (a: FilterString, b: String?) -> Filter { a.term.comparing(.equal, b) }
  public static func == (a: String?, b: FilterString) -> Filter { b.term.compared(a, .equal) }
  public static func == (a: FilterString, b: FilterString) -> Filter {
    Filter(.compare(a.term, .equal, b.term))
  }

  /// Whether the text in lower case is another one, or there is none.
  public static func != (a: FilterString, b: String?) -> Filter { a.term.comparing(.notEqual, b) }
  public static func != (a: String?, b: FilterString) -> Filter { b.term.compared(a, .notEqual) }
  public static func != (a: FilterString, b: FilterString) -> Filter {
    Filter(.compare(a.term, .notEqual, b.term))
  }

  public static func < (a: FilterString, b: String) -> Filter { a.term.comparing(.less, b) }
  public static func < (a: String, b: FilterString) -> Filter { b.term.compared(a, .less) }
  public static func < (a: FilterString, b: FilterString) -> Filter {
    Filter(.compare(a.term, .less, b.term))
  }

  public static func <= (a: FilterString, b: String) -> Filter { a.term.comparing(.lessOrEqual, b) }
  public static func <= (a: String, b: FilterString) -> Filter { b.term.compared(a, .lessOrEqual) }
  public static func <= (a: FilterString, b: FilterString) -> Filter {
    Filter(.compare(a.term, .lessOrEqual, b.term))
  }

  public static func > (a: FilterString, b: String) -> Filter { a.term.comparing(.greater, b) }
  public static func > (a: String, b: FilterString) -> Filter { b.term.compared(a, .greater) }
  public static func > (a: FilterString, b: FilterString) -> Filter {
    Filter(.compare(a.term, .greater, b.term))
  }

  public static func >= (a: FilterString, b: String) -> Filter { a.term.comparing(.greaterOrEqual, b) }
  public static func >= (a: String, b: FilterString) -> Filter { b.term.compared(a, .greaterOrEqual) }
  public static func >= (a: FilterString, b: FilterString) -> Filter {
    Filter(.compare(a.term, .greaterOrEqual, b.term))
  }
}
