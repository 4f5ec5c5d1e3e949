import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// I-Regexps: their matches, invalid patterns, and the amount of their work.
@Suite struct TextPatternTests {
  private static let wholeStrings: [(String, [String], [String])] = [
    ("", [""], ["a"]),
    ("abc", ["abc"], ["", "ab", "abcd", "xabc", "ABC"]),
    ("a|b", ["a", "b"], ["", "ab", "c"]),
    ("ab|cd|", ["ab", "cd", ""], ["abcd", "a"]),
    ("a*", ["", "a", "aaaa"], ["b", "ab"]),
    ("a+", ["a", "aaaa"], ["", "ab"]),
    ("a?", ["", "a"], ["aa"]),
    ("ab*c", ["ac", "abc", "abbbc"], ["abb", "abcb"]),
    ("(ab)*", ["", "ab", "abab"], ["aba", "b"]),
    ("(a|b)*c", ["c", "abbac"], ["ab", "cc"]),
    ("(a*)*b", ["b", "aab"], ["a"]),
    ("(a*)+", ["", "aa"], ["b"]),
    ("(a?){3}", ["", "aaa"], ["aaaa"]),
    ("()", [""], ["a"]),
    ("(){5000}a", ["a"], [""]),
    ("a{3}", ["aaa"], ["aa", "aaaa"]),
    ("a{2,}", ["aa", "aaaaa"], ["a"]),
    ("a{2,3}", ["aa", "aaa"], ["a", "aaaa"]),
    ("a{0}", [""], ["a"]),
    ("a{0,}", ["", "aaa"], ["b"]),
    ("a{0,2}b", ["b", "aab"], ["aaab"]),
    ("(ab|c){2}", ["abab", "abc", "cc"], ["ab", "ccc"]),
    (".", ["a", "\t", "\u{85}", "\u{2028}", "\u{2029}", "😀", "é"], ["", "\n", "\r", "ab", "\r\n"]),
    ("a.*", ["a", "abc", "aé"], ["", "ba", "a\n", "ab\rc"]),
    ("a(.|\n|\r)*", ["a", "abc", "a\n\r\nb", "aé\n"], ["", "b"]),
    (".*b.*", ["b", "abc"], ["", "ac", "b\n"]),
    ("[abc]", ["a", "b", "c"], ["d", "", "ab"]),
    ("[a-c]", ["a", "b", "c"], ["d", "-"]),
    ("[^a-c]", ["d", "\n", "é", "😀", "-"], ["a", "b", "c", ""]),
    ("[a-cx-z_]", ["b", "y", "_"], ["d", "-"]),
    ("[-a]", ["-", "a"], ["b"]),
    ("[a-]", ["-", "a"], ["b"]),
    ("[-]", ["-"], ["a"]),
    ("[--]", ["-"], ["a"]),
    ("[^-]", ["a"], ["-"]),
    ("[a^]", ["a", "^"], ["b"]),
    ("[$.|(*+?{})]", ["$", ".", "|", "(", "*", "+", "?", "{", "}", ")"], ["a"]),
    ("[\\]\\[\\\\]", ["]", "[", "\\"], ["a"]),
    ("[\\n\\t]", ["\n", "\t"], ["n", "t", "\r"]),
    ("[\\--a]", ["-", ".", "a"], ["b", ","]),
    ("[é-ü]", ["é", "ö", "ü"], ["e", "ÿ"]),
    ("[😀-😂]", ["😀", "😁"], ["😃"]),
    ("[a-a]", ["a"], ["b"]),
    ("\\(\\)\\*\\+\\-\\.\\?\\[\\\\\\]\\^\\{\\|\\}", ["()*+-.?[\\]^{|}"], [""]),
    ("\\n\\r\\t", ["\n\r\t"], ["nrt"]),
    ("a,b-c/d:e", ["a,b-c/d:e"], [""]),
    ("5\u{20}$ or 6\u{20}€", ["5 $ or 6 €"], ["5 "]),
    ("a^b", ["a^b"], ["ab"]),
    ("[0-9]+ ?$?", ["1", "1 $", "12$"], ["$", "1$$"]),
    ("x$*", ["x", "x$$"], ["$"]),
    ("(x$+|y){1}", ["x$", "y"], ["x"]),
    ("a()b", ["ab"], ["a"]),
    ("(a()(b{0}){3}){2}", ["aa"], ["a", "ab"]),
    ("[\\p{Lu}\\p{Lu}\\p{Ll}]+", ["Aé"], ["1"]),
    ("\\p{Lu}", ["A", "É", "Ω"], ["a", "1", ""]),
    ("\\P{Lu}", ["a", "1", "😀"], ["A", "É"]),
    ("\\p{L}+", ["Aé", "名前"], ["a1", "_"]),
    ("\\p{Nd}", ["7", "٣"], ["Ⅷ", "½"]),
    ("\\p{N}", ["7", "Ⅷ", "½"], ["a"]),
    ("\\p{Zs}\\p{Zl}\\p{Zp}", [" \u{2028}\u{2029}", "\u{A0}\u{2028}\u{2029}"], ["   "]),
    ("\\p{Sc}\\p{Sm}\\p{So}\\p{Sk}", ["€+©^"], ["+€©^"]),
    ("\\p{P}*", ["_-(){}«»!", "¿"], ["+"]),
    ("\\p{Cn}", ["\u{FFFF}"], ["a", "\u{E000}"]),
    ("\\p{Co}\\p{Cc}\\p{Cf}", ["\u{E000}\u{0}\u{200B}"], ["a"]),
    ("\\p{C}", ["\u{E000}", "\u{0}"], ["a"]),
    ("a\\p{M}", ["a\u{301}"], ["a", "á"]),
    ("[\\p{L}\\p{Nd}_]+", ["Ada_1"], ["Ada 1"]),
    ("[^\\p{L}]", ["1", " "], ["a", "é"]),
    ("[^\\P{L}]", ["a", "é"], ["1"]),
    ("[\\P{L}a]", ["a", "1"], ["b"]),
    ("(19|20)[0-9]{2}-[0-9]{2}", ["1999-12", "2026-01"], ["1899-12", "2026-1"]),
    ("[^@]+@[^@.]+(\\.[^@.]+)+", ["ada@example.org"], ["ada@example", "a@b@c.d"]),
    ("😀", ["😀"], ["😁"]),
  ]

  @Test(arguments: wholeStrings)
  func aPatternMatchesWholeStrings(_ text: String, _ matching: [String], _ others: [String]) throws {
    let pattern = try TextPattern(text)
    for string in matching {
      #expect(pattern.matches(string), "\(string.debugDescription)")
      #expect(pattern.runs(on: string, isSearch: false), "\(string.debugDescription)")
    }
    for string in others {
      #expect(!pattern.matches(string), "\(string.debugDescription)")
      #expect(!pattern.runs(on: string, isSearch: false), "\(string.debugDescription)")
    }
  }

  @Test(arguments: [
    ("", ["", "a"], []),
    ("b", ["b", "abc", "\nb"], ["", "a", "B"]),
    ("a*", ["", "b"], []),
    ("a+b", ["xaab", "ab"], ["a", "b", "axb"]),
    ("a.c", ["xabcx", "a😀c"], ["a\nc", "ac"]),
    (".*b.*", ["abc"], ["ac"]),
    ("x?b", ["abc"], ["ac"]),
    ("abab|c", ["aabab", "xc"], ["aba"]),
    ("aab", ["aaab", "aab"], ["aa", "aba"]),
    ("[0-9]{3}", ["ab123c"], ["12 3"]),
    ("\\p{Lu}", ["adA"], ["ada"]),
    ("é", ["café"], ["cafe\u{301}"]),
    (".", ["\na"], ["", "\n\r"]),
  ])
  func aPatternIsFoundInStrings(_ text: String, _ matching: [String], _ others: [String]) throws {
    let pattern = try TextPattern(text)
    for string in matching {
      #expect(pattern.isFound(in: string), "\(string.debugDescription)")
      #expect(pattern.runs(on: string, isSearch: true), "\(string.debugDescription)")
    }
    for string in others {
      #expect(!pattern.isFound(in: string), "\(string.debugDescription)")
      #expect(!pattern.runs(on: string, isSearch: true), "\(string.debugDescription)")
    }
  }

  private static let anchors =
    "I-Regexp has no anchors: match takes the whole string, search any part; the character itself is written"

  @Test(arguments: [
    ("^a", "column 1 of the pattern: \(anchors) \\^"),
    ("a|(^b)", "column 4 of the pattern: \(anchors) \\^"),
    ("a$", "column 2 of the pattern: \(anchors) [$]"),
    ("(a$)|b", "column 3 of the pattern: \(anchors) [$]"),
    ("\\d+", "column 1 of the pattern: \"\\d\" is not in I-Regexp: write [0-9] or \\p{Nd}"),
    ("a\\w", "column 2 of the pattern: \"\\w\" is not in I-Regexp: write [0-9A-Za-z_] or [\\p{L}\\p{N}_]"),
    ("[\\s]", "column 2 of the pattern: \"\\s\" is not in I-Regexp: write [ \\t\\n\\r]"),
    ("(a)\\1", "column 4 of the pattern: \"\\1\" is not in I-Regexp, which has no references to groups"),
    ("\\ba", "column 1 of the pattern: \"\\b\" is not in I-Regexp, which has no anchors"),
    ("\\$", "column 1 of the pattern: \"\\$\" is not in I-Regexp: write [$]"),
    ("\\u0041", "column 1 of the pattern: \"\\u\" is not in I-Regexp: write the character itself"),
    (
      "\\/",
      "column 1 of the pattern: \"\\/\" is not in I-Regexp: write the character without the backslash"
    ),
    (
      "\\", "column 2 of the pattern: expected a character after the backslash, found the end of the pattern"
    ),
    (
      "a*?",
      "column 3 of the pattern: a quantifier must not follow another; I-Regexp has no lazy and no possessive ones"
    ),
    (
      "a{2}+",
      "column 5 of the pattern: a quantifier must not follow another; I-Regexp has no lazy and no possessive ones"
    ),
    ("(?:a)", "column 2 of the pattern: I-Regexp has only plain groups: \"(?\" is not supported"),
    ("(?=a)", "column 2 of the pattern: I-Regexp has only plain groups: \"(?\" is not supported"),
    ("*a", "column 1 of the pattern: nothing to repeat before \"*\": the character itself is written \\*"),
    ("a|+", "column 3 of the pattern: nothing to repeat before \"+\": the character itself is written \\+"),
    ("{2}", "column 1 of the pattern: nothing to repeat before \"{\": the character itself is written \\{"),
    ("(a", "column 3 of the pattern: expected \")\", found the end of the pattern"),
    ("a)", "column 2 of the pattern: \")\" closes no group: the character itself is written \\)"),
    ("a]", "column 2 of the pattern: the character \"]\" is written \\]"),
    ("a}", "column 2 of the pattern: the character \"}\" is written \\}"),
    ("a{", "column 3 of the pattern: expected a number, found the end of the pattern"),
    ("a{,3}", "column 3 of the pattern: expected a number, found \",\""),
    ("a{1", "column 4 of the pattern: expected \"}\", found the end of the pattern"),
    ("a{3,1}", "column 3 of the pattern: the smaller number of a quantifier comes first"),
    ("[", "column 2 of the pattern: expected \"]\", found the end of the pattern"),
    ("[a", "column 3 of the pattern: expected \"]\", found the end of the pattern"),
    ("[]", "column 1 of the pattern: a class must not be empty"),
    ("[^]", "column 1 of the pattern: a class must not be empty"),
    ("[z-a]", "column 4 of the pattern: a range goes from a character to a later one"),
    ("[a-\\p{L}]", "column 4 of the pattern: a range goes from a character to a later one"),
    ("[a-b-c]", "column 6 of the pattern: \"-\" stands between two characters, first or last in a class"),
    (
      "[a-z-[aeiou]]",
      "column 6 of the pattern: \"-\" stands between two characters, first or last in a class"
    ),
    (
      "[[:alpha:]]",
      "column 2 of the pattern: I-Regexp has no class inside a class; the character itself is written \\["
    ),
    (
      "\\p",
      "column 3 of the pattern: expected \"{\" and a category, such as {Lu}, found the end of the pattern"
    ),
    (
      "\\p{IsGreek}",
      "column 4 of the pattern: expected a category, such as L, Lu or Nd, and \"}\", found \"I\""
    ),
    ("\\p{Cs}", "column 4 of the pattern: expected a category, such as L, Lu or Nd, and \"}\", found \"C\""),
    ("\\p{lu}", "column 4 of the pattern: expected a category, such as L, Lu or Nd, and \"}\", found \"l\""),
    ("\\p{}", "column 4 of the pattern: expected a category, such as L, Lu or Nd, and \"}\", found \"}\""),
    ("é\\d", "column 2 of the pattern: \"\\d\" is not in I-Regexp: write [0-9] or \\p{Nd}"),
    (
      "a{10001}",
      "column 2 of the pattern: the pattern is too large: repetitions written out, it has more than 10000 characters"
    ),
    (
      "(a{100}){101}",
      "column 9 of the pattern: the pattern is too large: repetitions written out, it has more than 10000 characters"
    ),
    (
      "a{1,99999999999999999999999999}",
      "column 2 of the pattern: the pattern is too large: repetitions written out, it has more than 10000 characters"
    ),
  ])
  func aFaultHasAPlace(_ text: String, _ expected: String) {
    let error = #expect(throws: TextPatternError.self) { try TextPattern(text) }
    #expect(error.map { "\($0)" } == expected)
  }

  @Test func theEmptyStringIsNotRepeated() throws {
    for part in ["()", "(){3}", "a{0}", "(a{0}|b{0}){0}", "(()())"] {
      let text =
        "(a" + String(repeating: part, count: TestSize.count(small: 10_000, whole: 50_000)) + "){9999}"
      #expect(try TextPattern(text).size == 10_000)
    }
  }

  @Test func sizeAndNestingHaveBounds() throws {
    #expect(try TextPattern("a{10000}").matches(String(repeating: "a", count: 10_000)))
    #expect(throws: TextPatternError.self) { try TextPattern(String(repeating: "ab", count: 5001)) }
    #expect(throws: TextPatternError.self) { try TextPattern(String(repeating: "a|", count: 5000)) }
    #expect(throws: TextPatternError.self) { try TextPattern(String(repeating: "(", count: 100_000)) }
    let deep =
      String(repeating: "(", count: Filter.deepest) + "a" + String(repeating: ")*", count: Filter.deepest)
    #expect(try TextPattern(deep).matches("aaa"))
    #expect(throws: TextPatternError.self) { try TextPattern("(" + deep + ")") }
  }

  /// Patterns on which a search with backtracking takes exponential time.
  @Test(arguments: [
    "(a*)*b", "(a|a)*b", "(a|aa)+b", "a?a?a?a?a?a?a?a?aaaaaaaab", "(.*)*(.*)*(.*)*b", "((a+)+)+b",
    "(a{0,20}){0,20}b",
  ])
  func matchingTakesLinearTime(_ text: String) throws {
    let pattern = try TextPattern(text)
    for isSearch in [false, true] {
      let count = TestSize.count(small: 200, whole: 1000)
      let steps = [count, 10 * count].map {
        pattern.steps(in: String(repeating: "a", count: $0), isSearch: isSearch)
      }
      #expect(steps[1] <= 11 * steps[0] + 1000)
      #expect(steps[1] <= (10 * count + 1) * 2000)
    }
  }

  /// Strings with the characters that a pattern escapes, and their neighbours.
  @Test func anEscapedStringMatchesItself() throws {
    let string = "a.b*c+d?e(f)g[h]i{j}k|l\\m^n$o-p,q/r\n\r\t\u{0}é😀^$"
    let pattern = try TextPattern(TextPattern.escaped(string))
    #expect(pattern.matches(string))
    #expect(pattern.isFound(in: "x" + string + "x"))
    #expect(!pattern.matches(string + "x"))
    for scalar in UInt8(0)..<128 {
      let character = String(Unicode.Scalar(scalar))
      let pattern = try TextPattern(TextPattern.escaped(character))
      #expect(pattern.matches(character))
      #expect(!pattern.matches("x" + character) && !pattern.matches(""))
    }
  }

  @Test func bytesThatAreNoTextCountAsReplacements() throws {
    let pattern = try TextPattern("a\u{FFFD}+b")
    for bytes: [UInt8] in [
      [0x61, 0xFF, 0x62], [0x61, 0xC3, 0x62], [0x61, 0xE2, 0x82, 0x62], [0x61, 0x80, 0x80, 0x62],
    ] {
      #expect(bytes.withUnsafeBufferPointer { pattern.matches($0) })
    }
  }

  /// Random patterns and strings of few characters, against all ways of matching tried in turn.
  @Test func aPatternMatchesAsASearchOfAllWays() throws {
    var random = Random(for: "aPatternMatchesAsASearchOfAllWays")
    for _ in 0..<TestSize.rounds(small: 120, whole: 500) {
      let text = Self.pattern(&random, depth: 3)
      guard let pattern = try? TextPattern(text) else {
        Issue.record("\(text) was refused")
        continue
      }
      for _ in 0..<8 {
        let string = Array(
          (0..<random.next(7)).map { _ in ["a", "b", "\n", "é"][random.next(4)] as Unicode.Scalar })
        var view = String.UnicodeScalarView()
        view.append(contentsOf: string)
        let isMatch = try Self.ends(text, string, from: 0).contains(string.count)
        let isFound = try (0...string.count).contains { try !Self.ends(text, string, from: $0).isEmpty }
        let why: Comment = "\(text.debugDescription) \(String(view).debugDescription)"
        #expect(pattern.matches(String(view)) == isMatch, why)
        #expect(pattern.runs(on: String(view), isSearch: false) == isMatch, why)
        #expect(pattern.isFound(in: String(view)) == isFound, why)
        #expect(pattern.runs(on: String(view), isSearch: true) == isFound, why)
      }
    }
  }

  private static func pattern(_ random: inout Random, depth: Int) -> String {
    let branches = (0...(random.next(3) / 2)).map { _ in
      (0..<random.next(4)).map { _ in
        let atoms = ["a", "b", "ab", ".", "[ab]", "[^a]", "\\p{Ll}", "\\n", "é"]
        let atom =
          depth > 0 && random.next(3) == 0
          ? "(" + pattern(&random, depth: depth - 1) + ")" : atoms[random.next(atoms.count)]
        return atom + ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{2,}"][random.next(9)]
      }.joined()
    }
    return branches.joined(separator: "|")
  }

  /// Where matches that begin at a place end, by trying each way in turn.
  private static func ends(_ text: String, _ string: [Unicode.Scalar], from start: Int) throws -> Set<Int> {
    var parser = TextPatternParser(text)
    let piece = try parser.pattern()
    return ends(piece, parser.sets, string, [start])
  }

  private static func ends(
    _ piece: TextPatternPiece, _ sets: [ScalarSet], _ string: [Unicode.Scalar], _ starts: Set<Int>
  ) -> Set<Int> {
    switch piece {
    case .empty: return starts
    case .scalar(let scalar):
      return Set(starts.filter { $0 < string.count && string[$0] == scalar }.map { $0 + 1 })
    case .set(let set):
      return Set(starts.filter { $0 < string.count && sets[set].contains(string[$0].value) }.map { $0 + 1 })
    case .sequence(let pieces): return pieces.reduce(starts) { ends($1, sets, string, $0) }
    case .choice(let pieces): return pieces.reduce(into: []) { $0.formUnion(ends($1, sets, string, starts)) }
    case .repeated(let piece, let least, let most):
      var places = starts
      for _ in 0..<least { places = ends(piece, sets, string, places) }
      var all = places
      for _ in 0..<min((most ?? .max) - least, string.count + 1) {
        places = ends(piece, sets, string, places)
        all.formUnion(places)
      }
      return all
    }
  }
}
