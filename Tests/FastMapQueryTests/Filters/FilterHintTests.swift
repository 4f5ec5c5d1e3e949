import FastMapCore
import Testing

/// What other languages write, and the message that says how a filter writes it.
@Suite struct FilterHintTests {
  private static let patterns =
    #"use search(@.name, "part") for a part of a text, or match(@.name, "A.*") for all of it"#
  private static let values = #"write a comparison for each value: @.name == "a" || @.name == "b""#
  private static let quotes = "; a string or a date stands in quotes"

  private static func string(_ word: String) -> String {
    #"found "\#(word)"; a string is written "\#(word)", a field @.\#(word); "#
      + "in a shell, the whole filter stands in single quotes"
  }

  static let hints: [(filter: String, column: Int, end: String)] = [
    ("@.a like 'x%'", 5, #"found "like": \#(patterns)"#),
    ("@.a ILIKE 'x%'", 5, #"found "ILIKE": \#(patterns)"#),
    ("@.a contains 'x'", 5, #"found "contains": \#(patterns)"#),
    ("@.b && @.a in ['x', 'y']", 12, #"found "in": \#(values)"#),
    ("(@.a IN ('x'))", 6, #"found "IN": \#(values)"#),
    ("@.a between 1 and 5", 5, #"found "between": write two comparisons: @.age >= 1 && @.age <= 5"#),
    ("@.a is null", 5, #"found "is": write !@.name for no value, and @.name for any"#),
    ("@.a IS NOT NULL", 5, #"found "IS": write !@.name for no value, and @.name for any"#),
    ("@.a not in ['x']", 5, #"found "not": write !(…) around the condition"#),
    ("not @.a", 1, #"found "not"; write !@.name for no value, or !(…)"#),
    ("@.b && NOT @.a", 8, #"found "NOT"; write !@.name for no value, or !(…)"#),
    ("not(@.a)", 1, #"no function named "not": write !(…) around the condition"#),
    ("contains(@.a, 'x')", 1, #"no function named "contains": \#(patterns)"#),
    ("exists(@.a)", 1, #"no function named "exists": write @.name for any value"#),
    ("@.a <> 1", 5, #"expected a comparison, found "<>": write !="#),
    ("@.list[?@.a like 'x']", 13, #"expected "," or "]", found "like": \#(patterns)"#),
    ("@.a AND @.b", 5, #"found "AND": write &&"#),
    // Strings without quotes.
    ("@.a == paid", 8, string("paid")),
    ("@.a != out of stock", 8, string("out")),
    ("match(@.a, abc)", 12, string("abc")),
    ("paid == @.a", 1, #"found "paid"; a field is written @.paid"#),
    ("@.a == True", 8, #"found "True"; did you mean true?"#),
    ("@.a < 2020-01-02", 11, #"found "-"\#(quotes)"#),
  ]

  @Test(arguments: hints.indices)
  func aWordOfAnotherLanguageIsAnsweredWithTheFormOfAFilter(_ index: Int) throws {
    let (text, column, end) = Self.hints[index]
    let error = #expect(throws: FilterError.self) { try Filter(text) }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.hasPrefix("column \(column): ") && message.hasSuffix(end), "\(message)")
  }
}
