internal import CFastMapJansson

extension JSONNode {
  /// True or false; nil for anything else.
  package var boolean: Bool? {
    switch kind {
    case JSON_TRUE: true
    case JSON_FALSE: false
    default: nil
    }
  }

  /// A number written with a fraction or an exponent, or beyond 64 bits; nil for anything else.
  package var real: Double? { kind == JSON_REAL ? json_real_value(pointer) : nil }

  /// A number written without fraction and exponent; nil for anything else.
  package var integer: Int64? { kind == JSON_INTEGER ? Int64(json_integer_value(pointer)) : nil }
}
