import FastMapSQL
import Testing

@Suite struct SQLNamesTests {
  @Test func aFreeNameStaysAsItIs() {
    var names = SQLNames(maximumBytes: 63)
    for name in ["title", "user name", "é", "SELECT", "a\"b", "😀", "Title"] {
      #expect(names.makeName(for: name) == name)
    }
  }

  @Test func aTakenNameGetsANumber() {
    var names = SQLNames(maximumBytes: 63, reserved: ["xmin"])
    names.insert("a_2")
    #expect(["a", "a", "a", "xmin"].map { names.makeName(for: $0) } == ["a", "a_3", "a_4", "xmin_2"])
  }

  @Test func namesThatDifferInBytesOnlyAreTwo() {
    var names = SQLNames(maximumBytes: 63)
    let spellings = ["caf\u{E9}", "cafe\u{301}"]
    #expect(spellings.map { Array(names.makeName(for: $0).utf8) } == spellings.map { Array($0.utf8) })
  }

  @Test func caseIsIgnoredWhereTheDatabaseIgnoresIt() {
    var names = SQLNames(maximumBytes: 63, ignoresCase: true)
    #expect(["Name", "name", "É", "é"].map { names.makeName(for: $0) } == ["Name", "name_2", "É", "é"])
  }

  @Test(arguments: [
    ("", "_"), ("a\0b", "a_b"), ("\n", "_"), ("fastmap_id", "_fastmap_id"), ("FASTMAP_x", "_FASTMAP_x"),
    ("sqlite_a", "_sqlite_a"),
  ])
  func charactersThatNoDatabaseAcceptsAreReplaced(_ wanted: String, _ name: String) {
    var names = SQLNames(maximumBytes: 63, reservedPrefixes: ["sqlite_"])
    #expect(names.makeName(for: wanted) == name)
  }

  @Test func aLongNameIsCutBetweenCharacters() {
    var names = SQLNames(maximumBytes: 32)
    let long = String(repeating: "é", count: 20)
    #expect(names.makeName(for: long) == String(repeating: "é", count: 16))
    #expect(names.makeName(for: long) == String(repeating: "é", count: 15) + "_2")
    #expect(names.makeName(for: "a" + long) == "a" + String(repeating: "é", count: 15))
  }

  @Test func manyNamesWithOneBeginningAreAllDifferent() {
    var names = SQLNames(maximumBytes: 40, ignoresCase: true)
    let made = (0..<1000).map { names.makeName(for: String(repeating: "x", count: 60) + "\($0)") }
    #expect(Set(made).count == 1000)
    #expect(made.allSatisfy { $0.utf8.count <= 40 })
  }

  @Test func aTreeOfConditionsIsFlat() {
    #expect((SQLText.tree(["a"], "OR"), SQLText.tree(["a", "b"], "OR")) == ("a", "(a) OR (b)"))
    #expect(SQLText.tree(["a", "b", "c"], "AND") == "((a) AND (b)) AND (c)")
    #expect(SQLText.tree(["a", "b", "c", "d"], "OR") == "((a) OR (b)) OR ((c) OR (d))")
    let large = SQLText.tree((0..<1000).map { "\($0)" }, "AND")
    var (depth, deepest) = (0, 0)
    for character in large {
      if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
      deepest = max(deepest, depth)
    }
    #expect(deepest == 10)
    // In order, each once.
    let places = large.split { "() AND".contains($0) }.compactMap { Int($0) }
    #expect(places == Array(0..<1000))
  }

  @Test func quotesAreDoubled() {
    #expect((SQLText.identifier("a\"b'"), SQLText.literal("it's \\")) == ("\"a\"\"b'\"", "'it''s \\'"))
    // With an accent behind it, a quote is one character with it in Swift.
    #expect(Array(SQLText.identifier("\"\u{301}").utf8) == Array("\"\"\"\u{301}\"".utf8))
  }
}
