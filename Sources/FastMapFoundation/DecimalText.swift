#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The parts of a number in JSON's syntax. `Decimal(string:)` ignores text after a number, and rounds.
struct DecimalText {
  private let isNegative: Bool
  /// The digits without leading and trailing zeros; empty for zero.
  private var digits: [UInt8]
  private var exponent = 0

  private static let zero = UInt8(ascii: "0")
  /// A Decimal has 128 bits: all numbers of 38 digits fit, and some of 39.
  private static let mostDigits = 39
  private static let exponents = -128...127

  /// Nil for text that is not a number.
  init?(_ text: String) {
    var rest = text.utf8[...]
    isNegative = rest.consume("-")
    digits = rest.consumeDigits()
    if digits.isEmpty || (digits.count > 1 && digits[0] == Self.zero) { return nil }
    if rest.consume(".") {
      let fraction = rest.consumeDigits()
      if fraction.isEmpty { return nil }
      digits += fraction
      exponent = -fraction.count
    }
    if rest.consume("e") || rest.consume("E") {
      let isNegative = rest.consume("-")
      if !isNegative { _ = rest.consume("+") }
      let written = rest.consumeDigits()
      if written.isEmpty { return nil }
      // Ten digits exceed any Decimal and do not overflow.
      let magnitude = Int(String(decoding: written.drop { $0 == Self.zero }.prefix(10), as: UTF8.self)) ?? 0
      exponent += isNegative ? -magnitude : magnitude
    }
    if !rest.isEmpty { return nil }
    while digits.last == Self.zero {
      digits.removeLast()
      exponent += 1
    }
    digits = Array(digits.drop { $0 == Self.zero })
  }

  /// The exact value; nil if a Decimal cannot hold it.
  var decimal: Decimal? {
    if digits.isEmpty { return 0 }
    // The largest numbers need zeros.
    let zeros = max(0, exponent - Self.exponents.upperBound)
    guard digits.count + zeros <= Self.mostDigits, exponent >= Self.exponents.lowerBound else { return nil }
    let digits = digits + Array(repeating: Self.zero, count: zeros)
    let text = String(decoding: digits, as: UTF8.self)
    guard let significand = Decimal(string: text), significand.description == text else { return nil }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent - zeros, significand: significand)
  }
}

extension Substring.UTF8View {
  fileprivate mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard first == UInt8(ascii: character) else { return false }
    removeFirst()
    return true
  }

  fileprivate mutating func consumeDigits() -> [UInt8] {
    let digits = prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    removeFirst(digits.count)
    return Array(digits)
  }
}
