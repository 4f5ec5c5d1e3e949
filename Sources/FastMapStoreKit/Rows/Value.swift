/// A point in time, as seconds and nanoseconds since 1970-01-01T00:00:00Z.
///
///     let start = Timestamp(seconds: 1_372_701_600, nanoseconds: 500_000_000)
///
/// The core and the stores keep dates in this form, so they do not need Foundation.
public struct Timestamp: Hashable, Sendable {
  /// Whole seconds, rounded towards the past.
  public var seconds: Int64

  /// The nanoseconds to add to `seconds`, from 0 to 999 999 999.
  public var nanoseconds: UInt32

  /// Makes a timestamp from seconds since 1970 and additional nanoseconds.
  ///
  /// - Precondition: `nanoseconds` is less than 1 000 000 000.
  public init(seconds: Int64, nanoseconds: UInt32 = 0) {
    precondition(nanoseconds < 1_000_000_000, "a timestamp has less than 1 000 000 000 nanoseconds")
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

extension Timestamp: Comparable {
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }
}

/// The value of one attribute, as an owned copy.
///
///     if case .string(let name)? = record["name"] { print(name) }
///
/// A *missing* value is `Optional.none`. `null` is a value like any other.
public enum Value: Hashable, Sendable {
  /// JSON's `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  case number(Double)
  /// An exact decimal, which is equal to others of its value.
  case decimal(DecimalNumber)
  /// Any text.
  case string(String)
  /// A date, independent of its format in JSON.
  case date(Timestamp)
  case data([UInt8])
  /// Any JSON value, as compact text.
  case json(String)
}

/// Values as literals: `book["price"] = 9.5`.
extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
