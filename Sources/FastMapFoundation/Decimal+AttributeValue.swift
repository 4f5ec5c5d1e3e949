public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decimal numbers, which JSON has as strings or as numbers.
///
///     Attribute("price", \.price)     // "12.34", or 12.34
///
/// - From a string such as `"12.34"` or `"-1.5e3"`, written as JSON writes numbers, every digit is taken.
/// - From a number without fraction and exponent, every digit is taken too.
/// - Any other number has become a `Double` before it comes here, and its shortest form is taken: exactly what
///   the JSON said up to 15 significant digits, rounded to 17 beyond.
///
/// What a `Decimal` cannot hold exactly, as most numbers of more than 38 significant digits, is an error:
/// nothing is rounded but by that `Double`.
///
/// A store keeps a string without exponent and without zeros at the end, so `"12.340"` and `12.34` are the same
/// value, and as a primary key the same object. It is also written as a string, since a number would lose
/// digits with most of those who read it. Not a number is written as null.
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

  public init?(_ field: FieldValue) {
    guard let text = field.string, let decimal = DecimalText(text)?.decimal else { return nil }
    self = decimal
  }

  public func write(to field: inout FieldWriter) {
    if isNaN { field.setNull() } else { field.set(string: description) }
  }
}
