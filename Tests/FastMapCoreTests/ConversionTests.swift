import FastMapCore
import Testing

/// A stored value as one of another type.
@Suite struct ConversionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let value: Value
    let type: AttributeType
    let expected: Result<Value, TransformError>

    init(_ value: Value, _ type: AttributeType, _ expected: Value) {
      self.value = value
      self.type = type
      self.expected = .success(expected)
    }

    init(_ value: Value, _ type: AttributeType, refused reason: String) {
      self.value = value
      self.type = type
      expected = .failure(TransformError(reason))
    }

    var testDescription: String { "\(value) to \(type)" }
  }

  private static let moment = Timestamp(seconds: 86_400, nanoseconds: 500_000_000)

  @Test(arguments: [
    Case(.null, .integer, .null),
    Case(.boolean(true), .integer, refused: "expected an integer, found true"),
    Case(.boolean(true), .string, .string("true")),
    Case(.boolean(false), .json, .json("false")),
    Case(.integer(1), .boolean, .boolean(true)),
    Case(.integer(2), .boolean, refused: "expected a boolean, found the number 2"),
    Case(.integer(-12), .string, .string("-12")),
    Case(.integer(1 << 53), .number, .number(9_007_199_254_740_992)),
    Case(
      .integer(1 << 53 + 1), .number,
      refused: "expected a number that a Double holds exactly, found the number 9007199254740993"),
    Case(.integer(90), .date(.epoch), .date(Timestamp(seconds: 90))),
    Case(.integer(90), .date(.epochMilliseconds), .date(Timestamp(seconds: 0, nanoseconds: 90_000_000))),
    Case(.integer(90), .data, refused: "expected base64 data, found the number 90"),
    Case(.unsigned(.max), .string, .string("18446744073709551615")),
    Case(.unsigned(.max), .json, .json("18446744073709551615")),
    Case(
      .unsigned(.max), .number,
      refused: "expected a number that a Double holds exactly, found the number 18446744073709551615"),
    Case(.number(12), .integer, .integer(12)),
    Case(.number(12.5), .integer, refused: "expected an integer, found the number 12.5"),
    Case(.number(0.1), .string, .string("0.1")),
    Case(.number(.nan), .string, refused: "expected a string, found null"),
    Case(.string("12"), .integer, .integer(12)),
    Case(.string("18446744073709551615"), .integer, .unsigned(.max)),
    Case(.string("012"), .integer, refused: #"expected an integer, found the string "012""#),
    Case(.string(""), .integer, refused: #"expected an integer, found the string """#),
    Case(.string("0.5"), .number, .number(0.5)),
    Case(.string("true"), .boolean, .boolean(true)),
    Case(.string("yes"), .boolean, refused: #"expected a boolean, found the string "yes""#),
    Case(.string("1970-01-02T00:00:00.5Z"), .date(.iso8601), .date(moment)),
    Case(.string("02.01.1970"), .date(.pattern("%d.%m.%Y")), .date(Timestamp(seconds: 86_400))),
    Case(
      .string("tomorrow"), .date(.iso8601),
      refused: #"expected a date (ISO 8601), found the string "tomorrow""#),
    Case(.string("AP8="), .data, .data([0, 255])),
    Case(.string("a \"b\""), .json, .json(#""a \"b\"""#)),
    Case(.date(moment), .string, .string("1970-01-02T00:00:00.5Z")),
    Case(
      .date(moment), .integer, refused: #"expected an integer, found the string "1970-01-02T00:00:00.5Z""#),
    Case(.data([0, 255]), .string, .string("AP8=")),
    Case(.json(#"{"a":1}"#), .string, .string(#"{"a":1}"#)),
    Case(.json(#""text""#), .string, .string("text")),
    Case(.json("null"), .string, .null),
    Case(.json("7"), .integer, .integer(7)),
    Case(.json("[7]"), .integer, refused: "expected an integer, found an array"),
  ])
  func aValueIsConvertedByItsMeaning(_ test: Case) {
    let found = Result { () throws(TransformError) in try test.type.converted(test.value) }
    #expect(found == test.expected)
  }
}
