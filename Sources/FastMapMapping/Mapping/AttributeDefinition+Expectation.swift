internal import CFastMap

extension AttributeDefinition {
  /// The expectation in a message; nil if nothing was found.
  ///
  /// - Parameter isKey: Whether it is the primary key, a signed 64-bit integer.
  package func expectation(for value: JSONValue?, isKey: Bool = false) -> String {
    let isNumber = value?.kind == .integer || value?.kind == .number
    if type == .decimal, let text = isNumber ? value?.keptText : value?.string,
      DecimalNumber.hasFewDigits(text)
    {
      return "a decimal with an exponent from -\(FASTMAP_DECIMAL_EXPONENT) to \(FASTMAP_DECIMAL_EXPONENT)"
    }
    // An integer that is out of range, so the message states the range.
    let isBeyond = type == .integer && value?.digits != nil
    guard let range = rules.range ?? (isBeyond ? Int64.min...Int64.max : nil) else {
      return type == .number && isNumber ? "a number that a Double can hold" : type.expectation
    }
    if rules.takesUnsigned, !isKey { return "an integer from 0 to \(UInt64.max)" }
    return "an integer from \(range.lowerBound) to \(range.upperBound)"
  }
}

extension AttributeType {
  package var expectation: String {
    switch self {
    case .list: "an array"
    case .date(let format): "a date (\(format.nouns))"
    default: kind.noun
    }
  }
}

extension AttributeType.DateFormat {
  fileprivate var nouns: String { list(all.map(\.noun), conjunction: "or") }

  fileprivate var noun: String {
    switch self {
    case .iso8601: "ISO 8601"
    case .epoch: "seconds since 1970"
    case .epochMilliseconds: "milliseconds since 1970"
    case .pattern(let pattern): shortened(pattern)
    case .anyOf: "one of several forms"  // `all` has none
    }
  }
}
