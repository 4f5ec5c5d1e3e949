/// The type of an attribute's value, and its form in JSON.
///
///     Attribute("born", .date(.pattern("%Y-%m-%d")))
public enum AttributeType: Hashable, Sendable {
  /// `true` or `false`.
  case boolean
  /// A whole number of 64 bits with a sign, written without fraction or exponent.
  case integer
  /// Any number, as a double.
  case number
  /// An exact decimal of at most 38 digits: a number, or a string of its digits. The decimal keeps the digits it came
  /// with, and is compared by value.
  case decimal
  /// A string.
  case string
  /// A moment, in one of several forms.
  case date(DateFormat)
  /// Bytes, as base64 in a string.
  case data
  /// Any JSON value, kept as it is.
  case json
  /// An array of values of one type, which is neither JSON nor a list. The array is stored as JSON, each element as
  /// the payload has it, and a decimal in a string as a number.
  ///
  ///     Attribute("tags", .list(.string))
  indirect case list(AttributeType)

  /// How dates are written in JSON.
  ///
  ///     Attribute("posted", .date(.epoch))                   // of a record
  ///     Attribute("edited", .date([.iso8601, .epoch]))       // reads both, writes the first
  public enum DateFormat: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// RFC 3339, with or without seconds, fraction and offset; UTC where it has none. Also week dates (`2020-W30-3`), ordinal
    /// dates (`2020-211`), a comma before the fraction, and `24:00:00` for the next day's midnight.
    case iso8601
    /// Seconds since 1970, fraction allowed.
    case epoch
    /// Milliseconds since 1970, fraction allowed.
    case epochMilliseconds
    /// A pattern of `strftime`, read in the C locale, and in UTC where it has no offset. Written in UTC: `%z` as `+0000`, and `%Z`,
    /// which reads `UTC`, `GMT` or `Z`, as `UTC`. `%a` and `%A` read any weekday, and write the weekday of the date.
    case pattern(String)
    /// Several formats, tried in their order. Written in the first, which should therefore hold all that the others do.
    case anyOf([DateFormat])

    public init(arrayLiteral formats: DateFormat...) { self = .anyOf(formats) }

    /// The formats in the order in which they are tried; none of them is a list.
    package var all: [DateFormat] {
      if case .anyOf(let formats) = self { formats.flatMap(\.all) } else { [self] }
    }
  }

  /// The kind of its stored values.
  package var kind: AttributeKind {
    switch self {
    case .boolean: .boolean
    case .integer: .integer
    case .number: .number
    case .decimal: .decimal
    case .string: .string
    case .date: .date
    case .data: .data
    case .json, .list: .json
    }
  }
}
