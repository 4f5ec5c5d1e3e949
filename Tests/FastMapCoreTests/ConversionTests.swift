import FastMapCore
import Testing

/// A stored value as one of a wider type.
@Suite struct ConversionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let value: Value
    let type: AttributeType
    /// Nil if the type has no such value.
    let expected: Value?

    init(_ value: Value, _ type: AttributeType, _ expected: Value?) {
      (self.value, self.type, self.expected) = (value, type, expected)
    }

    var testDescription: String { "\(value) to \(type)" }
  }

  @Test(arguments: [
    Case(.boolean(false), .json, .json("false")),
    Case(.unsigned(.max), .json, .json("18446744073709551615")),
    Case(.string("a \"b\""), .json, .json(#""a \"b\"""#)),
    Case(.data([0, 255]), .json, .json(#""AP8=""#)),
    Case(.number(.nan), .json, .json("null")),
    Case(.integer(-12), .decimal, .decimal("-12")),
    Case(.number(0.1), .decimal, .decimal("0.1")),
    Case(.number(.infinity), .decimal, nil),
    Case(.string("12"), .integer, nil),
    Case(.json("7"), .integer, .integer(7)),
    Case(.json("[7]"), .integer, nil),
  ])
  func aValueIsConvertedByItsMeaning(_ test: Case) {
    #expect(test.type.converted(test.value) == test.expected)
  }
}
