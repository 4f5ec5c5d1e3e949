internal import CFastMap

/// An exact decimal number, with the digits that it was written with.
///
///     let price: DecimalNumber = "12.50"
///     price == "12.5"          // true, as both are one value
///     price.text               // "12.50"
///
/// The value of an attribute of the type ``AttributeType/decimal``, and may be the type of a property. Decimals are compared
/// by its value. A decimal has at most 38 digits, without leading zeros, and an exponent from -6144 to 6144.
public struct DecimalNumber: Sendable {
  /// The text of a JSON number: `12.50`, `-1e3`.
  public let text: String

  /// Reads the text of a JSON number.
  ///
  /// - Returns: Nil for any other text, and beyond the limits.
  /// - Complexity: O(*n*).
  public init?(_ text: String) {
    guard Self.value(of: text) != nil else { return nil }
    self.text = text
  }

  /// Makes a whole number.
  public init(_ integer: some FixedWidthInteger & Sendable) {
    // At most 39 digits of 128 bits; larger types are cut.
    text = "\(Int128(clamping: integer))"
  }

  /// Takes the shortest text that reads back as a number; nil for infinities and NaN.
  public init?(_ number: Double) {
    guard number.isFinite else { return nil }
    let isPositive = number != 0 || number.sign == .plus
    if isPositive, number.magnitude < 0x1p53, let integer = Int64(exactly: number) {
      text = "\(integer)"
    } else {
      text = "\(number)".filter { $0 != "+" }
    }
  }

  /// Takes the number that a `Double` means beside decimals: a whole number within 64 bits exactly, any other one by its
  /// shortest text.
  package init?(meaning number: Double) {
    if number >= -0x1p63, number < 0x1p64, let integer = Int128(exactly: number) {
      self.init(integer)
    } else {
      self.init(number)
    }
  }

  /// - Parameter text: Checked by an import or a store.
  package init(checked text: UnsafeBufferPointer<UInt8>) { self.text = String(decoding: text, as: UTF8.self) }

  /// Whether a text is a number that has few enough digits for a decimal.
  package static func hasFewDigits(_ text: String) -> Bool {
    var text = text
    var value = fastmap_decimal_value()
    let isNumber = text.withUTF8 { fastmap_decimal_scan($0.baseAddress, $0.count, &value) }
    return isNumber && value.written <= FASTMAP_DECIMAL_DIGITS
  }

  /// The value; of a text that no store writes, zero.
  private var value: fastmap_decimal_value { Self.value(of: text) ?? fastmap_decimal_value() }

  private static func value(of text: String) -> fastmap_decimal_value? {
    var text = text
    var value = fastmap_decimal_value()
    let isRead = text.withUTF8 { fastmap_decimal_read($0.baseAddress, $0.count, &value) }
    return isRead ? value : nil
  }

  /// 24 bytes that sort as the values do. Equal values have equal bytes.
  ///
  ///     rows.sorted { $0.price.sortKey.lexicographicallyPrecedes($1.price.sortKey) }
  ///
  /// A store may sort and compare decimals by them.
  public var sortKey: [UInt8] {
    var value = value
    return [UInt8](unsafeUninitializedCapacity: FASTMAP_DECIMAL_KEY) { bytes, count in
      guard let start = bytes.baseAddress else { return }
      _ = fastmap_decimal_key(&value, start)
      count = FASTMAP_DECIMAL_KEY
    }
  }
}

extension DecimalNumber: Hashable, Comparable {
  public static func == (a: DecimalNumber, b: DecimalNumber) -> Bool { order(a, b) == 0 }
  public static func < (a: DecimalNumber, b: DecimalNumber) -> Bool { order(a, b) < 0 }

  private static func order(_ a: DecimalNumber, _ b: DecimalNumber) -> CInt {
    if a.text.utf8.elementsEqual(b.text.utf8) { return 0 }
    var (first, second) = (a.value, b.value)
    return fastmap_decimal_order(&first, &second)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(sortKey) }
}

extension DecimalNumber: CustomStringConvertible {
  public var description: String { text }
}

/// Decimals as literals. A text that is no decimal traps.
extension DecimalNumber: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral text: String) {
    guard let number = DecimalNumber(text) else { preconditionFailure("\(text) is no decimal") }
    self = number
  }

  public init(integerLiteral value: Int64) { self.init(value) }
}
