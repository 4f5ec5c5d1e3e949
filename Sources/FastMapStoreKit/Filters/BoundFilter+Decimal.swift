internal import CFastMap

extension BoundFilter {
  /// A number that a filter has with more digits than a `Double` holds.
  ///
  ///     if case .decimal(let decimal) = term { print(decimal.text, decimal.nearest) }
  ///
  /// Beside a decimal attribute, and beside values of JSON, it is a ``DecimalNumber``. With too many digits for that, it is compared
  /// exactly with integers of JSON, and as the nearest `Double` with other numbers.
  public struct Decimal: Hashable, Sendable {
    /// The number as it was written.
    public let text: String
    /// The nearest `Double`.
    public let nearest: Double
    package let place: IntegerPlace

    /// - Returns: Nil if the `Double` means the same number.
    package init?(_ text: String, nearest: Double) {
      let exact = DecimalNumber(text)
      if let exact, exact == DecimalNumber(meaning: nearest) { return nil }
      (self.text, self.nearest) = (text, nearest)
      // A `Double` with a fraction lies between the same integers as every number that rounds to it.
      place = nearest == nearest.rounded() ? IntegerPlace(digits: text) : IntegerPlace(nearest)
    }

    /// The number as a decimal attribute has it; nil if it has too many digits.
    package var exact: DecimalNumber? { DecimalNumber(text) }
  }
}

/// Where a number lies among the integers from `Int64.min` to `UInt64.max`.
package struct IntegerPlace: Hashable, Sendable {
  /// The greatest integer that is not above the number; one below the least if there is none.
  private let floor: Int128
  /// Whether it is that integer.
  private let isWhole: Bool

  private static let least = Int128(Int64.min)
  private static let greatest = Int128(UInt64.max)

  private init(_ floor: Int128, isWhole: Bool) {
    if floor < Self.least {
      (self.floor, self.isWhole) = (Self.least - 1, false)
    } else if floor > Self.greatest {
      (self.floor, self.isWhole) = (Self.greatest, false)
    } else {
      (self.floor, self.isWhole) = (floor, isWhole)
    }
  }

  /// - Parameter number: Not NaN.
  package init(_ number: Double) {
    if number < -0x1p63 {
      self.init(Self.least - 1, isWhole: false)
    } else if number >= 0x1p64 {
      self.init(Self.greatest, isWhole: false)
    } else {
      self.init(Int128(number.rounded(.down)), isWhole: number == number.rounded())
    }
  }

  /// - Parameter text: A number as RFC 8259 writes it.
  /// - Complexity: O(*n*).
  fileprivate init(digits text: String) {
    var text = text
    var number = fastmap_decimal_value()
    var (magnitude, isWhole) = (UInt64(0), false)
    _ = text.withUTF8 { fastmap_decimal_scan($0.baseAddress, $0.count, &number) }
    if fastmap_decimal_whole(&number, &magnitude, &isWhole) {
      let whole = Int128(magnitude)
      self.init(number.sign < 0 ? -whole - (isWhole ? 0 : 1) : whole, isWhole: isWhole)
    } else {
      self.init(number.sign < 0 ? Self.least - 1 : Self.greatest + 1, isWhole: false)
    }
  }

  package var integer: Value? { isWhole ? Self.value(floor) : nil }

  private static func value(_ integer: Int128) -> Value {
    Int64(exactly: integer).map { .integer($0) } ?? .unsigned(UInt64(clamping: integer))
  }

  /// A comparison of an integer with the number, which an integer stands for.
  package enum Comparison {
    case with(Value, BoundFilter.Comparison)
    /// The same for all integers, and for no value.
    case constant(Bool)
  }

  /// - Parameter comparison: Has the number on its right.
  package func comparison(_ comparison: BoundFilter.Comparison) -> Comparison {
    if let integer { return .with(integer, comparison) }
    switch comparison {
    case .equal: return .constant(false)
    case .notEqual: return .constant(true)
    case .less, .lessOrEqual:
      return floor < Self.least ? .constant(false) : .with(Self.value(floor), .lessOrEqual)
    case .greater, .greaterOrEqual:
      return floor == Self.greatest ? .constant(false) : .with(Self.value(floor + 1), .greaterOrEqual)
    }
  }
}
