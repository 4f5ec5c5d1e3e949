public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decimal numbers, represented in JSON as strings or numbers.
///
///     Attribute("price", \.price)     // "12.34", or 12.34
///
/// - A string such as `"12.34"` or `"-1.5e3"`, in JSON's number syntax, is exact.
/// - A number without fraction and exponent is exact, too.
/// - Any other number is first parsed as a `Double`, and its shortest form is used. The form is exact up to 15
///   significant digits; longer numbers are rounded to 17.
///
/// A value that a `Decimal` cannot hold exactly is an error, such as most numbers of more than 38 significant
/// digits. Nothing is rounded except by the `Double`.
///
/// A store keeps a string without exponent and trailing zeros. So `"12.340"` and `12.34` are the same value, and the
/// same object as a primary key. JSON output is a string as well, because many parsers would lose digits of a number.
/// NaN is written as null.
extension Decimal: AttributeValue {
  public static var attributeType: AttributeType { .string }

  public static var reading: (@Sendable (JSONValue, inout FieldWriter) -> String?)? {
    { value, field in
      let isNumber = value.kind == .integer || value.kind == .number
      guard let text = isNumber ? value.text : value.string, let scanned = DecimalText(text) else {
        return "a decimal number"
      }
      guard let decimal = scanned.decimal else { return "a number that a Decimal can hold" }
      decimal.write(to: &field)
      return nil
    }
  }

  public init?(_ field: Field) {
    guard let text = field.string, let decimal = DecimalText(text)?.decimal else { return nil }
    self = decimal
  }

  public func write(to field: inout FieldWriter) {
    if isNaN { field.setNull() } else { field.set(string: description) }
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
