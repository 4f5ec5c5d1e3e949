/// What an attribute reads from JSON, and writes back.
///
///     Attribute("born", .date(.pattern("%Y-%m-%d")))
public enum AttributeType: Hashable, Sendable {
  /// `true` or `false`.
  case boolean
  /// A whole number of 64 bits with a sign, written without fraction or exponent.
  case integer
  /// Any number, as a double.
  case number
  /// A string.
  case string
  /// A moment, in one of several forms.
  case date(DateFormat)
  /// Bytes, as base64 in a string.
  case data
  /// Any JSON value, kept as it is.
  case json

  /// How dates are written in JSON.
  ///
  ///     Attribute("posted", .date(.epoch))     // of a record
  public enum DateFormat: Hashable, Sendable {
    /// RFC 3339, with or without fraction and offset.
    case iso8601
    /// Seconds since 1970, fraction allowed.
    case epoch
    /// Milliseconds since 1970, fraction allowed.
    case epochMilliseconds
    /// A pattern of `strftime`, read in the C locale, and in UTC where it has no offset.
    case pattern(String)
  }

  /// What a store keeps of it.
  public var kind: AttributeKind {
    switch self {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .string: .string
    case .date: .date
    case .data: .data
    case .json: .json
    }
  }
}
