import FastMapCore
import FastMapFoundation
import FastMapQueries
import Foundation
import TestSupport
import Testing

/// Decimals.
@Suite struct DecimalTests {
  // FEM-68, Q-26
  @Test(
    arguments: StoreKind.allCases,
    [
      (#""12.34""#, "12.34"),
      ("12.34", "12.34"),
      (#""12.340""#, "12.34"),
      ("0.1", "0.1"),
      ("100", "100"),
      ("-0", "0"),
      ("-0.0", "0"),
      (#""-1.5e3""#, "-1500"),
      ("1e3", "1000"),
      ("1.5E-3", "0.0015"),
      ("123456789.012345", "123456789.012345"),
      ("0.12345678901234567890", "0.1234567890123456789"),
      (#""0.12345678901234567890""#, "0.1234567890123456789"),
      ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
      ("-9223372036854775809", "-9223372036854775809"),
      (#""0e999999999999999999999""#, "0"),
    ])
  func aDecimalIsReadFromAStringOrANumberAndWrittenAsANumber(
    _ kind: StoreKind, _ number: (json: String, text: String)
  ) throws {
    let shelf = try Shelf(kind, Decimal(-1))
    let json = #""value":\#(number.json),"maybe":\#(number.json),"list":[\#(number.json)]"#
    let box = try shelf.load(json)
    #expect((box.value, box.value.description) == (Decimal(string: number.text), number.text))
    #expect((box.maybe, box.list) == (box.value, [box.value]))
    let written = try shelf.text()
    #expect(!written.contains(#":""#) && !written.contains(#"[""#), "numbers, not strings")
    #expect(try shelf.report(json) == .init(unchanged: 1))
    #expect(try shelf.report(written) == .init(unchanged: 1))
  }

  // BUG-16 BUG-17, Q-03 Q-26
  @Test(arguments: [
    (#""value":true"#, "$.value: expected a decimal number, found true"),
    (#""value":"12abc""#, #"$.value: expected a decimal number, found the string "12abc""#),
    (#""value":"""#, #"$.value: expected a decimal number, found the string """#),
    (#""value":" 1""#, #"$.value: expected a decimal number, found the string " 1""#),
    (#""value":"1,5""#, #"$.value: expected a decimal number, found the string "1,5""#),
    (#""value":".5""#, #"$.value: expected a decimal number, found the string ".5""#),
    (#""value":"5.""#, #"$.value: expected a decimal number, found the string "5.""#),
    (#""value":"01""#, #"$.value: expected a decimal number, found the string "01""#),
    (#""value":"1e""#, #"$.value: expected a decimal number, found the string "1e""#),
    (#""value":"NaN""#, #"$.value: expected a decimal number, found the string "NaN""#),
    (
      #""value":1e300"#,
      "$.value: expected a number that a Decimal can hold in 38 digits, found the number 1e300"
    ),
    (
      #""maybe":"1e-129""#,
      #"$.maybe: expected a number that a Decimal can hold in 38 digits, found the string "1e-129""#
    ),
    (
      #""maybe":"1e99999999999999999999""#,
      #"$.maybe: expected a number that a Decimal can hold in 38 digits, found the string "1e99999999999999999999""#
    ),
    (
      #""maybe":999999999999999999999999999999999999999"#,
      "$.maybe: expected a number that a Decimal can hold in 38 digits, found the number 999999999999999999999999999999999999999"
    ),
  ])
  func anInvalidDecimalIsAnError(_ json: String, _ expected: String) throws {
    #expect(try Shelf(.memory, Decimal(-1)).failure(of: json) == expected)
  }

  // BUG-24
  @Test(arguments: [
    Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, .pi, 1 / 3, -0.05, 0,
  ])
  func anyDecimalComesBack(_ decimal: Decimal) throws {
    let shelf = try Shelf(.memory, Decimal(-1))
    let box = try shelf.load(#""maybe":null"#)
    box.value = decimal
    let text = try shelf.text(of: box)
    let other = try Shelf(.lmdb, Decimal(-1))
    let digits = decimal.significand.description.count
    // 1/3 may have 39 digits.
    #expect(
      try other.load(text).value.description.prefix(38) == decimal.description.prefix(38) || digits > 38)
    if digits <= 38 { #expect(try other.load(text).value == decimal) }
    #expect(try other.text() == text)
  }

  @Test(arguments: [
    "0", "-12.5", "1000", "0.00000000000000000001", "12345678901234567890123456789012345678", "-1e127",
    "12345678901234567890.123456789012345678",
  ])
  func theNumbersOfStoresAndOfFoundationAreConverted(_ text: String) throws {
    let number = try #require(DecimalNumber(text))
    let decimal = try #require(Decimal(number))
    #expect(decimal == Decimal(string: text))
    #expect(DecimalNumber(decimal) == number)
  }

  @Test func aNumberThatTheOtherTypeCannotHoldIsNil() {
    let far: DecimalNumber = "1e200"
    #expect(Decimal(far) == nil)
    #expect(DecimalNumber(Decimal.nan) == nil)
    #expect(DecimalNumber(Decimal.greatestFiniteMagnitude) == nil)
  }

  @Test func notANumberIsWrittenAsNull() throws {
    let shelf = try Shelf(.memory, Decimal(-1))
    let box = try shelf.load(#""maybe":null"#)
    box.value = .nan
    #expect(try shelf.text(of: box) == "")
  }

  private final class Rate {
    var id = 0
    var size = Decimal()
  }

  @Test func aDecimalIsNoPrimaryKey() {
    let mapping = Mapping(Rate.self, "Rate", primaryKey: "size", make: { Rate() }) {
      Attribute("size", \.size)
    }
    #expect(throws: MappingDefinitionError.self) { try mapping.plan() }
  }
}
