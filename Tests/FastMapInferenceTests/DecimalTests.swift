import FastMapCore
import FastMapInference
import FastMapMemory
import TestSupport
import Testing

/// Members whose digits a double would change.
@Suite struct DecimalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// The values of a member, or elements of a list.
    let values: String
    let type: String
    var note: String?
    var testDescription: String { "\(values): \(type)" }

    init(_ values: String, _ type: String, _ note: String? = nil) {
      (self.values, self.type, self.note) = (values, type, note)
    }

    /// A decimal: so many of its numbers lose digits.
    static func decimal(_ values: String, _ count: Int) -> Case {
      let all = values.split(separator: " ").count
      return Case(
        values, "decimal", "a decimal: a double would change the digits of \(count) of \(all) numbers")
    }
  }

  static let cases: [Case] = [
    .decimal("0.10", 1), .decimal("19.90 5 2.5", 1), .decimal("5.00", 1), .decimal("-1.50 0.00", 2),
    .decimal("1.50e3", 1), .decimal("0.1234567890123456789", 1),
    .decimal("123456789012345678901234567890", 1),
    .decimal("99999999999999999999 1", 1), .decimal("9007199254740993 0.5", 1), .decimal("1E400 1", 1),
    .decimal("1e-400", 1), .decimal("12345678901234567890123456789012345678", 1),
    .decimal("2.5 1.0 0.10 3.0", 1),
    // A %.17g of a double, and the same double in its shortest form.
    .decimal("7.0999999999999996 7.1", 1),
    Case("5.0", "number"), Case("5.0 1.5 -0.0 100.0", "number"), Case("1 2.5", "number"),
    Case("1e5 1E5 1.0e5 1.5E+3", "number"), Case("0.1 1.7976931348623157e308 5e-324", "number"),
    Case("2.2250738585072014e-308 0.30000000000000004 123456789012345680.0", "number"),
    Case("1 2", "integer"), Case("9007199254740993", "integer"), Case("-9223372036854775808", "integer"),
    Case(
      "1 123456789012345678901234567890123456789", "json", "json: 1 of 2 numbers do not fit into a decimal"),
    Case("1E9999 0.10", "json", "json: 1 of 2 numbers do not fit into a decimal"),
    Case("0.10 \"a\"", "json", "json: 1 number and 1 string"),
  ]

  private func infer(_ payload: String) throws -> Inference.Result {
    var inference = Inference()
    try inference.add(text: payload)
    return try inference.result()
  }

  private static func members(_ values: [some StringProtocol]) -> String {
    "[" + values.enumerated().map { #"{"id":\#($0),"n":\#($1)}"# }.joined(separator: ",") + "]"
  }

  @Test(arguments: cases)
  func theDigitsOfAllValuesDecide(_ test: Case) throws {
    let values = test.values.split(separator: " ")
    for values in [values, values.reversed()] {
      let result = try infer(Self.members(values))
      #expect(result.file.fileText.contains(#""n": "\#(test.type)""#), "\(result.file.fileText)")
      #expect(result.notes.filter { $0.hasPrefix("Item.n: ") } == test.note.map { ["Item.n: " + $0] } ?? [])
    }
  }

  @Test(arguments: cases)
  func anExportHasTheNumbersOfThePayload(_ test: Case) throws {
    let payload = Self.members(test.values.split(separator: " "))
    let result = try infer(payload)
    #expect(result.unread == [])
    let plan = try MappingSet(file: result.file.fileText).plan(for: "Item")
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(payload, as: plan)
    let text = try store.exported(plan)
    if test.type == "decimal" || test.type == "json" { #expect(text == payload) }
    let copy = MemoryStore()
    _ = try Mapper(copy).importJSON(text, as: plan)
    try #expect(copy.exported(plan) == text)
  }

  @Test func valuesOfAKeyedCollectionAreDecimals() throws {
    let payload = #"{"rates":{"2019":1.10,"2020":1.25,"2021":0.90}}"#
    let result = try infer(payload)
    #expect(result.file.fileText.contains(#""value": {"type": "decimal", "keyPath": null}"#))
    #expect(
      result.notes.contains { $0.hasSuffix("a decimal: a double would change the digits of 2 of 3 numbers") })
  }
}
