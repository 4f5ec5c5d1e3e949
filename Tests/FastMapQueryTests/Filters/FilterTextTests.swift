import FastMapCore
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// A filter as text, which is read as the same filter.
@Suite struct FilterTextTests {
  private static let a = FilterPath([FilterStep(.name("a"))])
  private static let hasA = Filter(.exists(a))
  private static let hasB = Filter(.exists(FilterPath([FilterStep(.name("b"))])))

  private static func isOne(_ values: [Int64]) -> Filter {
    Filter(.isOne(.path(a), of: values.map { .integer($0) }))
  }

  private static func not(_ filter: Filter) -> Filter { filter.negated }

  private static let compared = Filter(.compare(.path(a), .less, .literal(.integer(3))))
  private static let lengths = Filter(
    .compare(.length(.value(a)), .greaterOrEqual, .count(FilterPath([FilterStep([.all])]))))

  private static func test(_ test: BoundFilter.TextTest, _ pattern: String) -> Filter {
    Filter(.text(.path(a), test, .literal(.string(pattern))))
  }

  @Test(
    arguments: [
      (hasA, "@.a"),
      (not(hasA), "!@.a"),
      (.all([hasA, hasB]), "@.a && @.b"),
      (.any([hasA, hasB]), "@.a || @.b"),
      (.all([hasA, .any([hasA, hasB])]), "@.a && (@.a || @.b)"),
      (.any([hasA, .all([hasA, hasB])]), "@.a || @.a && @.b"),
      (not(.all([hasA, hasB])), "!(@.a && @.b)"),
      (.all([not(.any([hasA, hasB])), hasA]), "!(@.a || @.b) && @.a"),
      (.all([]), "true == true"),
      (.any([]), "true == false"),
      (not(.any([])), "!(true == false)"),
      (not(compared), "!(@.a < 3)"),
      (isOne([]), "true == false"),
      (isOne([1]), "@.a == 1"),
      (not(isOne([1])), "!(@.a == 1)"),
      (isOne([1, 2]), "@.a == 1 || @.a == 2"),
      (.all([isOne([1, 2]), hasB]), "(@.a == 1 || @.a == 2) && @.b"),
      (.any([isOne([1, 2]), hasB]), "(@.a == 1 || @.a == 2) || @.b"),
      (not(isOne([1, 2])), "!(@.a == 1 || @.a == 2)"),
      (test(.match, "A.*"), "match(@.a, \"A.*\")"),
      (not(test(.search, "\\.")), "!search(@.a, \"\\\\.\")"),
      (test(.hasPrefix, "a.$"), "match(@.a, \"a\\\\.[$](.|\\n|\\r)*\")"),
      (test(.contains, "(\"é"), "search(@.a, \"\\\\(\\\"é\")"),
      (lengths, "length(value(@.a)) >= count(@[*])"),
    ] as [(Filter, String)])
  func aFilterIsText(_ filter: Filter, _ text: String) throws {
    #expect(filter.description == text)
    #expect(
      try Filter(text).description.filter { $0 != "(" && $0 != ")" } == text.filter { $0 != "(" && $0 != ")" }
    )
  }

  @Test(
    arguments: [
      ([], "@"),
      ([FilterStep(.name("a")), FilterStep(.name("größe"))], "@.a.größe"),
      (
        [FilterStep(.name("")), FilterStep(.name("1a")), FilterStep(.name("a-b"))], "@[\"\"][\"1a\"][\"a-b\"]"
      ),
      ([FilterStep(.name("a\"\\\n'\u{202E}"))], "@[\"a\\\"\\\\\\n'\\u202e\"]"),
      ([FilterStep(.name("a\u{202E}"))], "@[\"a\\u202e\"]"),
      ([FilterStep([.all]), FilterStep([.index(-1)]), FilterStep([.index(0), .all])], "@[*][-1][0, *]"),
      ([FilterStep([.slice(start: nil, end: nil, step: 1)])], "@[:]"),
      ([FilterStep([.slice(start: 1, end: nil, step: 1)])], "@[1:]"),
      ([FilterStep([.slice(start: -3, end: 5, step: -2)])], "@[-3:5:-2]"),
      ([FilterStep([.filtered(.any([hasA, hasB])), .member(.name("a"))])], "@[?@.a || @.b, \"a\"]"),
    ] as [([FilterStep], String)])
  func aPathIsText(_ steps: [FilterStep], _ text: String) throws {
    #expect(FilterPath(steps).description == text)
    #expect(try Filter(text) == Filter(.exists(FilterPath(steps))))
  }

  @Test(
    arguments: [
      (.null, "null"),
      (.boolean(true), "true"),
      (.integer(.min), "-9223372036854775808"),
      (.unsigned(.max), "18446744073709551615"),
      (.number(1), "1.0"),
      (.number(-0.0), "-0.0"),
      (.number(1e300), "1e+300"),
      (.number(5e-300), "5e-300"),
      (.number(0.1), "0.1"),
      (.number(.infinity), "1e999"),
      (.number(-.infinity), "-1e999"),
      (.string(""), "\"\""),
      (.string("a'\"\\\n\u{0}\u{1F}é😀"), "\"a'\\\"\\\\\\n\\u0000\\u001fé😀\""),
    ] as [(FilterLiteral, String)])
  func aLiteralIsText(_ literal: FilterLiteral, _ text: String) throws {
    let filter = Filter(.compare(.path(Self.a), .equal, .literal(literal)))
    #expect(filter.description == "@.a == " + text)
    #expect(try Filter(filter.description) == filter)
  }

  /// `String` takes them for one.
  @Test func stringsOfOtherCharactersAreOtherStrings() throws {
    #expect(try Filter("@.a == 'e\u{301}'") != Filter("@.a == '\u{E9}'"))
    #expect(try Filter("@['e\u{301}']") != Filter("@['\u{E9}']"))
  }

  private final class Person {
    var name = ""
    var friends: [Person] = []
  }

  @Test func aPropertyHasItsOwnNameOrItsFieldsName() {
    let path = FilterPath([
      FilterStep(.property(\Person.friends)), FilterStep([.index(0)]), FilterStep(.property(\Person.name)),
    ])
    #expect(path.description == "@.friends[0].name")
    #expect(path.text { $0 == \Person.name ? "full name" : nil } == "@.friends[0][\"full name\"]")
  }

  /// Texts that mean the same are written alike.
  @Test(arguments: [
    ("( (@.a) )&&@['b']", "@.a && @.b"),
    ("@.a==1||(@.b == 'x' || @.c)", "@.a == 1 || @.b == \"x\" || @.c"),
    ("@[ 1:2:1 , \"a\" ]", "@[1:2, \"a\"]"),
    ("@.* && !(@.a)", "@[*] && !@.a"),
    ("-0 == 1E2", "0 == 100.0"),
  ])
  func aTextIsWrittenInOneForm(_ text: String, _ form: String) throws {
    #expect(try Filter(text).description == form)
    #expect(try Filter(form) == Filter(text))
  }

  @Test func randomFiltersAreReadAsTheyWere() throws {
    var random = Random(for: "randomFiltersAreReadAsTheyWere")
    for _ in 0..<3000 {
      let filter = RandomFilters.filter(&random, depth: 5)
      let text = filter.description
      #expect(try Filter(text) == filter, "\(text)")
    }
  }

  /// The deepest filter that can be built can be read again.
  @Test func theDeepestFilterIsRead() throws {
    var filter = Self.hasA
    while filter.depth < Filter.deepest {
      switch filter.depth % 3 {
      case 0: filter = filter.negated
      case 1: filter = .all([filter, Self.hasB])
      default: filter = .any([filter, Self.hasB])
      }
    }
    #expect(try Filter(filter.description) == filter)
    var nested = Self.hasA
    while nested.depth < Filter.deepest {
      nested = Filter(.exists(FilterPath([FilterStep([.filtered(nested)])])))
    }
    #expect(try Filter(nested.description) == nested)
    var term = FilterTerm.path(Self.a)
    for _ in 0..<(Filter.deepest - 1) { term = .length(term) }
    let lengths = Filter(.compare(term, .equal, .literal(.null)))
    #expect(lengths.depth == Filter.deepest)
    #expect(try Filter(lengths.description) == lengths)
  }
}

/// Filters that have a form of their own in text.
enum RandomFilters {
  static func filter(_ random: inout Random, depth: Int) -> Filter {
    switch random.next(depth > 0 ? 7 : 4) {
    case 0: Filter(.exists(path(&random, depth: depth, isSingular: false)))
    case 1:
      Filter(
        .text(
          term(&random, depth: depth), random.next(2) == 0 ? .match : .search, term(&random, depth: depth)))
    case 2, 3: comparison(&random, depth: depth)
    case 4: filter(&random, depth: depth - 1).negated
    case 5: .all((0..<random.next(4)).map { _ in filter(&random, depth: depth - 1) })
    default: .any((0..<random.next(4)).map { _ in filter(&random, depth: depth - 1) })
    }
  }

  private static func comparison(_ random: inout Random, depth: Int) -> Filter {
    let (left, right) = (term(&random, depth: depth), term(&random, depth: depth))
    let comparison = BoundFilter.Comparison.allCases[random.next(6)]
    // The text of a filter without terms.
    if case (.literal(.boolean(true), _), .equal, .literal(.boolean(let value), _)) = (
      left, comparison, right
    ) {
      return value ? .all([]) : .any([])
    }
    return Filter(.compare(left, comparison, right))
  }

  private static func term(_ random: inout Random, depth: Int) -> FilterTerm {
    switch random.next(depth > 0 ? 8 : 5) {
    case 0, 1: .literal(literal(&random))
    case 2, 3: .path(path(&random, depth: depth, isSingular: true))
    case 4: .count(path(&random, depth: depth, isSingular: false))
    case 5: .length(term(&random, depth: depth - 1))
    case 6: .lowercased(.path(path(&random, depth: depth, isSingular: true)))
    default: .value(path(&random, depth: depth, isSingular: false))
    }
  }

  private static func literal(_ random: inout Random) -> FilterLiteral {
    switch random.next(8) {
    case 0: .null
    case 1: .boolean(random.next(2) == 0)
    case 2: .integer(Int64(truncatingIfNeeded: random.next()))
    case 3: .integer(Int64(random.next(100)))
    case 4: .unsigned(random.next() | 1 << 63)
    case 5:
      // Any finite number, whatever its bits.
      .number(Double(sign: .minus, exponent: random.next(2000) - 1050, significand: 1 + random.nextUnit()))
    default: .string(string(&random))
    }
  }

  private static func string(_ random: inout Random) -> String {
    let scalars: [Unicode.Scalar] = [
      "a", "B", "_", "1", "-", " ", "'", "\"", "\\", "/", "\n", "\t", "\u{0}", "\u{7F}", "é", "名", "😀",
      "\u{202E}",
      "\u{2028}", "\u{301}", "\u{FFFD}",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<random.next(6) {
      let scalar = Unicode.Scalar(UInt32(random.next(0x11_0000)))
      text.append(random.next(8) == 0 ? scalar ?? "x" : scalars[random.next(scalars.count)])
    }
    return String(text)
  }

  private static func path(_ random: inout Random, depth: Int, isSingular: Bool) -> FilterPath {
    FilterPath(
      (0..<random.next(4)).map { _ in
        let count = isSingular || random.next(3) > 0 ? 1 : 1 + random.next(3)
        return FilterStep((0..<count).map { _ in selector(&random, depth: depth, isSingular: isSingular) })
      })
  }

  private static func selector(_ random: inout Random, depth: Int, isSingular: Bool) -> FilterSelector {
    switch random.next(isSingular ? 4 : depth > 0 ? 7 : 6) {
    case 0: .member(.name(["a", "name", "größe", "true", "_1"][random.next(5)]))
    case 1: .member(.name(string(&random)))
    case 2, 3: .index(bound(&random))
    case 4: .all
    case 5:
      .slice(
        start: random.next(2) == 0 ? nil : bound(&random), end: random.next(2) == 0 ? nil : bound(&random),
        step: random.next(2) == 0 ? 1 : bound(&random))
    default: .filtered(filter(&random, depth: depth - 1))
    }
  }

  private static func bound(_ random: inout Random) -> Int64 {
    random.next(8) == 0
      ? [9_007_199_254_740_991, -9_007_199_254_740_991][random.next(2)] : Int64(random.next(9)) - 4
  }
}
