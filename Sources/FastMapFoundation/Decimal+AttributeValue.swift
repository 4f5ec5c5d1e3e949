public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decimal numbers, represented in JSON as numbers, and stored as the type `decimal`.
///
///     Attribute("price", \.price)     // 12.34, or "12.34"
///
/// A number or a string such as `"12.34"` or `"-1.5e3"`, in JSON's number syntax, is read digit by digit. A value that a
/// `Decimal` cannot hold exactly is an error, and so is one of more than 38 significant digits.
///
/// Filters and sorts have the order of the numbers: 9 comes before 10.50. `12.340` and `12.34` are the same value. A property of 39
/// digits, which some calculations give, is written with 38, the last one rounded. NaN is written as null.
extension Decimal: AttributeValue {
  public static var attributeType: AttributeType { .decimal }

  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    { value, field in
      let isNumber = value.kind == .integer || value.kind == .number
      guard let text = isNumber ? value.keptText : value.string, let scanned = DecimalText(text) else {
        return "a decimal number"
      }
      // The digits of the payload, as far as a decimal has room for its zeros.
      guard let decimal = scanned.decimal, let number = DecimalNumber(text) ?? DecimalNumber(decimal) else {
        return "a number that a Decimal can hold in 38 digits"
      }
      number.write(to: &field)
      return nil
    }
  }

  public init?(_ field: Field) {
    guard let number = field.decimal, let decimal = Decimal(number) else { return nil }
    self = decimal
  }

  public func write(to field: inout FieldWriter) {
    if let number = DecimalNumber(self) ?? rounded { number.write(to: &field) } else { field.setNull() }
  }

  /// A number of 39 digits in 38, half to even; nil for NaN.
  private var rounded: DecimalNumber? {
    guard !isNaN, let digits = UInt128(significand.magnitude.description) else { return nil }
    var (kept, last) = digits.quotientAndRemainder(dividingBy: 10)
    if last > 5 || last == 5 && !kept.isMultiple(of: 2) { kept += 1 }
    return DecimalNumber("\(isSignMinus ? "-" : "")\(kept)e\(exponent + 1)")
  }
}

extension Decimal {
  /// Makes the same number; nil if a `Decimal` cannot hold it exactly.
  public init?(_ number: DecimalNumber) {
    guard let decimal = DecimalText(number.text)?.decimal else { return nil }
    self = decimal
  }
}

extension DecimalNumber {
  /// Makes the same number; nil for NaN, and for more than 38 significant digits.
  public init?(_ decimal: Decimal) {
    let text = decimal.description
    let zeros = text.contains(".") ? 0 : text.reversed().prefix { $0 == "0" }.count
    // A large power of ten has more digits than a decimal takes.
    self.init(zeros < 3 ? text : "\(text.dropLast(zeros))e\(zeros)")
  }
}
