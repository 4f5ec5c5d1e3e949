import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// The text of a filter: its meaning, and the faults of invalid texts.
@Suite struct FilterParserTests {
  /// A text and the tree that it stands for.
  struct Meaning: CustomTestStringConvertible {
    let text: String
    let filter: Filter

    init(_ text: String, _ filter: Filter) {
      self.text = text
      self.filter = filter
    }

    init(_ text: String, _ tree: FilterTree) { self.init(text, Filter(tree)) }

    var testDescription: String { text }
  }

  private static let a = FilterPath([FilterStep(.name("a"))])
  private static let b = FilterPath([FilterStep(.name("b"))])
  private static let c = FilterPath([FilterStep(.name("c"))])
  private static let hasA = Filter(.exists(a))
  private static let hasB = Filter(.exists(b))
  private static let hasC = Filter(.exists(c))

  @Test(arguments: [
    Meaning("@", .exists(FilterPath())),
    Meaning("@.a", hasA),
    Meaning(" \t\n\r@.a \t\n\r", hasA),
    Meaning("(@.a)", hasA),
    Meaning("( ( @.a ) )", hasA),
    Meaning("!@.a", .not(hasA)),
    Meaning("! @.a", .not(hasA)),
    Meaning("!(@.a)", .not(hasA)),
    Meaning("! ( !@.a )", hasA),
    Meaning("@.a && @.b", FilterTree.all([hasA, hasB])),
    Meaning("@.a&&@.b&&@.c", FilterTree.all([hasA, hasB, hasC])),
    Meaning("@.a && (@.b && @.c)", FilterTree.all([hasA, hasB, hasC])),
    Meaning("@.a || @.b", FilterTree.any([hasA, hasB])),
    Meaning("@.a||@.b||@.c", FilterTree.any([hasA, hasB, hasC])),
    Meaning("@.a || @.b && @.c", FilterTree.any([hasA, Filter(.all([hasB, hasC]))])),
    Meaning("@.a && @.b || @.c", FilterTree.any([Filter(.all([hasA, hasB])), hasC])),
    Meaning("(@.a || @.b) && @.c", FilterTree.all([Filter(.any([hasA, hasB])), hasC])),
    Meaning("!(@.a || @.b)", .not(Filter(.any([hasA, hasB])))),
    Meaning("!@.a && !@.b", FilterTree.all([hasA.negated, hasB.negated])),
    Meaning("@.a == @.b", .compare(.path(a), .equal, .path(b))),
    Meaning("@.a!=@.b", .compare(.path(a), .notEqual, .path(b))),
    Meaning("@.a<@.b", .compare(.path(a), .less, .path(b))),
    Meaning("@.a <= @.b", .compare(.path(a), .lessOrEqual, .path(b))),
    Meaning("@.a >\n@.b", .compare(.path(a), .greater, .path(b))),
    Meaning("@.a\t>= @.b", .compare(.path(a), .greaterOrEqual, .path(b))),
    Meaning("1 == @.a", .compare(.literal(.integer(1)), .equal, .path(a))),
    Meaning("1 == 2", .compare(.literal(.integer(1)), .equal, .literal(.integer(2)))),
    Meaning("true == true", FilterTree.all([])),
    Meaning("true == false", FilterTree.any([])),
    Meaning("false == true", .compare(.literal(.boolean(false)), .equal, .literal(.boolean(true)))),
    Meaning("!(@.a == 1)", .not(Filter(.compare(.path(a), .equal, .literal(.integer(1)))))),
    Meaning("length(@.a) == 1", .compare(.length(.path(a)), .equal, .literal(.integer(1)))),
    Meaning("1 < count( @.a )", .compare(.literal(.integer(1)), .less, .count(a))),
    Meaning("lower(@.a) == 'x'", .compare(.lowercased(.path(a)), .equal, .literal(.string("x")))),
    Meaning("length(value(@.a)) == 1", .compare(.length(.value(a)), .equal, .literal(.integer(1)))),
    Meaning("length('x')==1", .compare(.length(.literal(.string("x"))), .equal, .literal(.integer(1)))),
    Meaning("value(@.a) == @.b", .compare(.value(a), .equal, .path(b))),
    Meaning("match(@.a, 'x')", .text(.path(a), .match, .literal(.string("x")))),
    Meaning("!search(@.a , 'x' )", .not(Filter(.text(.path(a), .search, .literal(.string("x")))))),
    Meaning("match(value(@.a),@.b)", .text(.value(a), .match, .path(b))),
    Meaning("match(1, 2)", .text(.literal(.integer(1)), .match, .literal(.integer(2)))),
  ])
  func aTextIsATree(_ meaning: Meaning) throws {
    #expect(try Filter(meaning.text) == meaning.filter)
  }

  @Test(
    arguments: [
      ("@", []),
      ("@.name", [.name("name")]),
      ("@ .a \n[ 'b' ]\t.c", [.name("a"), .name("b"), .name("c")]),
      ("@._a1", [.name("_a1")]),
      ("@.größe", [.name("größe")]),
      ("@.名前.😀", [.name("名前"), .name("😀")]),
      ("@['odd name']", [.name("odd name")]),
      ("@[\"a\"]", [.name("a")]),
      ("@['']", [.name("")]),
      ("@['a']['b'].c", [.name("a"), .name("b"), .name("c")]),
      ("@.true.null", [.name("true"), .name("null")]),
      ("@.match", [.name("match")]),
    ] as [(String, [FilterName])])
  func namesAreSteps(_ text: String, _ names: [FilterName]) throws {
    #expect(try Filter(text) == Filter(.exists(FilterPath(names.map { FilterStep($0) }))))
  }

  @Test(
    arguments: [
      ("@.*", [.all]),
      ("@[*]", [.all]),
      ("@[ * ]", [.all]),
      ("@[0]", [.index(0)]),
      ("@[-1]", [.index(-1)]),
      ("@[9007199254740991]", [.index(9_007_199_254_740_991)]),
      ("@[-9007199254740991]", [.index(-9_007_199_254_740_991)]),
      ("@[:]", [.slice(start: nil, end: nil, step: 1)]),
      ("@[::]", [.slice(start: nil, end: nil, step: 1)]),
      ("@[1:]", [.slice(start: 1, end: nil, step: 1)]),
      ("@[:2]", [.slice(start: nil, end: 2, step: 1)]),
      ("@[1:2]", [.slice(start: 1, end: 2, step: 1)]),
      ("@[1:2:3]", [.slice(start: 1, end: 2, step: 3)]),
      ("@[ -1 : -2 : -3 ]", [.slice(start: -1, end: -2, step: -3)]),
      ("@[::0]", [.slice(start: nil, end: nil, step: 0)]),
      ("@[::\n2]", [.slice(start: nil, end: nil, step: 2)]),
      ("@[?@.a]", [.filtered(hasA)]),
      ("@[ ? @.a ]", [.filtered(hasA)]),
      ("@[?@.a || @.b]", [.filtered(.any([hasA, hasB]))]),
      ("@[?@[?@.a]]", [.filtered(Filter(.exists(FilterPath([FilterStep([.filtered(hasA)])]))))]),
      (
        "@[0, 'a' ,\"b\",1:2, *,?@.a]",
        [
          .index(0), .member(.name("a")), .member(.name("b")), .slice(start: 1, end: 2, step: 1), .all,
          .filtered(hasA),
        ]
      ),
    ] as [(String, [FilterSelector])])
  func bracketsHoldSelectors(_ text: String, _ selectors: [FilterSelector]) throws {
    #expect(try Filter(text) == Filter(.exists(FilterPath([FilterStep(selectors)]))))
  }

  @Test(
    arguments: [
      ("null", .null),
      ("true", .boolean(true)),
      ("false", .boolean(false)),
      ("0", .integer(0)),
      ("-0", .integer(0)),
      ("-1", .integer(-1)),
      ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)),
      ("18446744073709551615", .unsigned(.max)),
      ("1.0", .number(1)),
      ("-0.0", .number(-0.0)),
      ("0.25", .number(0.25)),
      ("-1.5e3", .number(-1500)),
      ("1e2", .number(100)),
      ("1E+2", .number(100)),
      ("1e-02", .number(0.01)),
      ("-0e1", .number(0)),
      ("1e999", .number(.infinity)),
      ("-1e999", .number(-.infinity)),
      ("''", .string("")),
      ("\"\"", .string("")),
      ("'it\"s'", .string("it\"s")),
      ("\"it's\"", .string("it's")),
      ("'it\\'s'", .string("it's")),
      ("\"\\\"\"", .string("\"")),
      ("'\\\\\\/\\b\\f\\n\\r\\t'", .string("\\/\u{8}\u{C}\n\r\t")),
      ("'\\u0041\\u00e9\\u00E9\\uFFFF'", .string("A\u{e9}\u{e9}\u{FFFF}")),
      ("'\\u0000'", .string("\0")),
      ("'\\uD83D\\uDE00'", .string("😀")),
      ("\"\\ud834\\udd1e\"", .string("𝄞")),
      ("'😀é\u{7F}'", .string("😀é\u{7F}")),
    ] as [(String, FilterLiteral)])
  func literalsAreValues(_ text: String, _ literal: FilterLiteral) throws {
    #expect(try Filter("@.a == \(text)") == Filter(.compare(.path(Self.a), .equal, .literal(literal))))
  }

  /// Their `Double` has another order to some integers.
  @Test(arguments: [
    ("-9223372036854775809", -0x1p63), ("18446744073709551616", 0x1p64), ("1e-999", 0),
    ("9007199254740993.0", 0x1p53),
  ])
  func digitsThatNoDoubleHoldsAreKept(_ text: String, _ nearest: Double) throws {
    guard case .compare(_, _, .literal(.decimal(let decimal), _)) = try Filter("@.a == \(text)").tree else {
      Issue.record("not kept")
      return
    }
    #expect((decimal.text, decimal.nearest) == (text, nearest))
  }

  private static let faults: [(String, String)] = [
    // Nothing, or too much.
    ("", "column 1: expected a path from @, a literal or a function, found the end of the text"),
    ("@.a @.b", "column 5: expected \"&&\", \"||\" or the end of the text, found \"@\""),
    ("@.a)", "column 4: expected \"&&\", \"||\" or the end of the text, found \")\""),
    ("@.a and @.b", "column 5: expected \"&&\", \"||\" or the end of the text, found \"and\": write &&"),
    ("@.a | @.b", "column 5: expected \"&&\", \"||\" or the end of the text, found \"|\": write ||"),
    ("(@.a", "column 5: expected \"&&\", \"||\" or \")\", found the end of the text"),
    ("@.a &&", "column 7: expected a path from @, a literal or a function, found the end of the text"),
    ("|| @.a", "column 1: expected a path from @, a literal or a function, found \"||\""),
    ("@.a == 1 == 2", "column 10: expected \"&&\", \"||\" or the end of the text, found \"==\""),
    // Words.
    (
      "age > 1",
      "column 1: expected a path from @, a literal or a function, found \"age\"; a field is written @.age"
    ),
    (
      "@.a == True",
      "column 8: expected a path from @, a literal or a function, found \"True\"; did you mean true?"
    ),
    (
      "length (@.a) == 1",
      "column 1: expected a path from @, a literal or a function, found \"length\"; \"(\" must follow the function at once"
    ),
    // Roots.
    ("$.a", "column 1: \"$\" is not supported: a filter is about one object, and that is \"@\""),
    ("@.a == $.b", "column 8: \"$\" is not supported: a filter is about one object, and that is \"@\""),
    ("@..a", "column 3: \"..\" is not supported: a path names each of its steps"),
    ("@.a..[0]", "column 5: \"..\" is not supported: a path names each of its steps"),
    // Conditions and values.
    ("1", "column 1: a literal is no condition: compare it with a path"),
    ("@.a && 'x'", "column 8: a literal is no condition: compare it with a path"),
    ("!true", "column 2: a literal is no condition: compare it with a path"),
    ("length(@.a)", "column 1: the value of a function is no condition: compare it"),
    ("!!@.a", "column 2: \"!\" stands twice: leave out both"),
    ("!@.a == 1", "column 2: \"!\" negates no comparison without parentheses: write !(…)"),
    ("(@.a) == 1", "column 7: a condition in parentheses cannot be compared"),
    ("1 == (@.a)", "column 6: expected a path from @, a literal or a function, found \"(\""),
    ("@.a = 1", "column 5: expected \"==\", found \"=\""),
    ("@.a === 1", "column 7: expected a path from @, a literal or a function, found \"=\""),
    ("@.a =~ 'x'", "column 5: expected \"==\", found \"=\""),
    ("match(@.a, 'x') == true", "column 1: match and search are conditions, not values"),
    ("true == search(@.a, 'x')", "column 9: match and search are conditions, not values"),
    (
      "@.a[*] == 1",
      "column 1: @.a[*]: may lead to several values, which cannot be compared; use [?…] to test each, count(…) for their number, or [0] for one"
    ),
    (
      "1 < @['a', 'b']",
      "column 5: @[\"a\", \"b\"]: may lead to several values, which cannot be compared; use [?…] to test each, count(…) for their number, or [0] for one"
    ),
    // Functions.
    ("cuont(@.a) == 1", "column 1: no function named \"cuont\"; did you mean \"count\"?"),
    (
      "size(@.a) == 1",
      "column 1: no function named \"size\"; there are \"length\", \"lower\", \"count\", \"match\", \"search\" and \"value\""
    ),
    ("length() == 1", "column 8: length takes one argument: expected one more, found \")\""),
    ("length(@.a, 1) == 1", "column 11: length takes one argument: expected \")\", found \",\""),
    ("match(@.a)", "column 10: match takes two arguments: expected one more, found \")\""),
    ("match(@.a 'x')", "column 11: expected \",\", found \"'\""),
    ("match(@.a, 'x'", "column 15: match takes two arguments: expected \")\", found the end of the text"),
    ("count(1) == 1", "column 7: count takes a path"),
    ("value('a') == 1", "column 7: value takes a path"),
    ("count(length(@.a)) == 1", "column 7: count takes a path"),
    ("length(match(@.a, 'x')) == 1", "column 8: match and search are conditions, not values"),
    ("length(@.a == 1) == 1", "column 12: length takes one argument: expected \")\", found \"==\""),
    // Paths.
    ("@a", "column 2: expected \"&&\", \"||\" or the end of the text, found \"a\""),
    ("@.", "column 3: expected a name or \"*\", found the end of the text"),
    ("@. a", "column 3: expected a name or \"*\", found \" \""),
    ("@.1", "column 3: expected a name; a position is written [0], found \"1\""),
    ("@.first-name", "column 8: a name with \"-\" must be in brackets and quotes: [\"a-b\"]"),
    (
      "@[]",
      "column 3: expected a name in quotes, \"*\", an index, a slice or \"?\" with a filter, found \"]\""
    ),
    (
      "@[0,]",
      "column 5: expected a name in quotes, \"*\", an index, a slice or \"?\" with a filter, found \"]\""
    ),
    (
      "@[,0]",
      "column 3: expected a name in quotes, \"*\", an index, a slice or \"?\" with a filter, found \",\""
    ),
    (
      "@[a]",
      "column 3: expected a name in quotes, \"*\", an index, a slice or \"?\" with a filter, found \"a\""
    ),
    ("@[0 1]", "column 5: expected \",\" or \"]\", found \"1\""),
    ("@[0", "column 4: expected \",\" or \"]\", found the end of the text"),
    ("@[-0]", "column 5: an index must not be -0"),
    ("@[01]", "column 4: a number must not begin with 0"),
    ("@[- 1]", "column 4: expected a digit, found \" \""),
    ("@[1.0]", "column 4: expected \",\" or \"]\", found \".\""),
    ("@[1:2:3:4]", "column 8: expected \",\" or \"]\", found \":\""),
    ("@[9007199254740992]", "column 3: an index must be from -9007199254740991 to 9007199254740991"),
    ("@[:-9007199254740992]", "column 4: an index must be from -9007199254740991 to 9007199254740991"),
    ("@[-9223372036854775808]", "column 3: an index must be from -9007199254740991 to 9007199254740991"),
    ("@[:-9223372036854775808]", "column 4: an index must be from -9007199254740991 to 9007199254740991"),
    ("@[::9223372036854775807]", "column 5: an index must be from -9007199254740991 to 9007199254740991"),
    ("@[99999999999999999999]", "column 3: an index must be from -9007199254740991 to 9007199254740991"),
    ("@[?1]", "column 4: a literal is no condition: compare it with a path"),
    ("@[?(@.a]", "column 8: expected \"&&\", \"||\" or \")\", found \"]\""),
    // Numbers.
    ("@.a == +1", "column 8: expected a path from @, a literal or a function, found \"+\""),
    ("@.a == .1", "column 8: expected a path from @, a literal or a function, found \".\""),
    ("@.a == -", "column 9: expected a digit, found the end of the text"),
    ("@.a == 01", "column 9: a number must not begin with 0"),
    ("@.a == 1.", "column 10: expected a digit after the decimal point, found the end of the text"),
    ("@.a == 1.e1", "column 10: expected a digit after the decimal point, found \"e1\""),
    ("@.a == 1e", "column 10: expected the digits of an exponent, found the end of the text"),
    ("@.a == 1e+-1", "column 11: expected the digits of an exponent, found \"-\""),
    ("@.a == 1e2.3", "column 11: expected the end of the number, found \".\""),
    ("@.a == 1x", "column 9: expected the end of the number, found \"x\""),
    // Strings.
    ("@.a == 'x", "column 10: expected the quote that ends the string, found the end of the text"),
    ("@.a == 'x\"", "column 11: expected the quote that ends the string, found the end of the text"),
    ("@.a == '\n'", "column 9: a control character in a string must be escaped"),
    (
      "@.a == '\\\"'",
      "column 10: expected an escape: \\' \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits, found \"\\\"\""
    ),
    (
      "@.a == \"\\'\"",
      "column 10: expected an escape: \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits, found \"'\""
    ),
    (
      "@.a == '\\",
      "column 10: expected an escape: \\' \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits, found the end of the text"
    ),
    ("@.a == '\\u12x4'", "column 13: expected four hexadecimal digits, found \"x4\""),
    ("@.a == '\\uD83D'", "column 11: a surrogate must be one of a pair: \\uD83D\\uDE00"),
    ("@.a == '\\uDE00\\uD83D'", "column 11: a surrogate must be one of a pair: \\uD83D\\uDE00"),
    ("@.a == '\\uD83D\\u0041'", "column 11: a surrogate must be one of a pair: \\uD83D\\uDE00"),
    // Columns count characters.
    ("@.größe == '😀' foo", "column 16: expected \"&&\", \"||\" or the end of the text, found \"foo\""),
    ("@.a ==\n  )", "column 10: expected a path from @, a literal or a function, found \")\""),
  ]

  @Test(arguments: faults)
  func aFaultHasAPlace(_ text: String, _ expected: String) {
    let error = #expect(throws: FilterError.self) { try Filter(text) }
    #expect(error.map { "\($0)" } == expected)
  }

  @Test func aFaultHasItsOffsetInBytes() throws {
    let error = #expect(throws: FilterError.self) { try Filter("@.größe == '😀' foo") }
    let fault = try #require(error?.faults.first)
    #expect((fault.offset, fault.column) == (20, 16))
    #expect(fault.path == nil)
  }

  /// The example of `FilterError`.
  @Test func aFaultPrintsItsColumnAndTheFoundText() {
    let error = #expect(throws: FilterError.self) { try Filter("@.age >= && @.name") }
    #expect(
      error?.description == "column 10: expected a path from @, a literal or a function, found \"&&\"")
  }

  @Test func aPathKnowsItsPlace() throws {
    guard case .compare(_, _, .path(let path)) = try Filter("'ä' == @.a").tree else {
      Issue.record("no comparison")
      return
    }
    #expect((path.place.offset, path.place.column) == (8, 8))
  }

  @Test(arguments: ["(", "!(", "@[?", "length(", "@.a && (@.b || "])
  func nestingHasABound(_ opening: String) throws {
    let message = Filter.tooDeep
    for count in [300, 100_000] {
      let error = #expect(throws: FilterError.self) { try Filter(String(repeating: opening, count: count)) }
      #expect(error?.faults.first?.reason == message)
    }
    let closing = ["(": ")", "!(": ")", "@[?": "]", "length(": ")", "@.a && (@.b || ": ")"]
    let count = opening.hasPrefix("@.a") ? Filter.deepest / 3 : Filter.deepest - 2
    let core = opening == "length(" ? "@.a" : "@.a == 1"
    let text =
      String(repeating: opening, count: count) + core
      + String(repeating: closing[opening] ?? "", count: count)
    #expect(try Filter(opening == "length(" ? text + " == 1" : text).description.isEmpty == false)
  }

  /// The work is counted, so it does not depend on the machine.
  @Test(arguments: [
    "@.a && ", "@.a || @.b && ", "'x' == 'y' || ", "    ", "@.a == 1.5e3 && ", "@[0, 1, ", "@.a.b['c'][0]",
    "!(@.a) && ",
    "@[?@.a] || ", "match(@.a, 'x') && ", "'\\u0041'", "😀", "(@.a) || ", "@.x == '", "\"\\\\",
    "@[?@.a && @[?@.b || ",
  ])
  func readingTakesLinearTime(_ part: String) {
    let least = TestSize.count(small: 200, whole: 1000)
    let steps = [least, 10 * least].map { count in
      var parser = FilterParser(String(repeating: part, count: count))
      _ = try? parser.filter()
      return parser.text.steps
    }
    #expect(steps[1] <= 11 * steps[0] + 1000)
    #expect(steps[1] <= 8 * part.utf8.count * 10 * least)
  }
}
