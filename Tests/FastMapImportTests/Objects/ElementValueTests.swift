import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Elements of a list without a key are values.
@Suite struct ElementValueTests {
  static let tag: Mapping<Record> = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
  static let part: Mapping<Record> = Mapping("Part") {
    Attribute("n", .integer)
    Attribute("m", .integer)
  }
  static let line: Mapping<Record> = Mapping("Line") {
    Attribute("a", .integer)
    Attribute("b", .string)
    ToOne("head", part)
    ToMany("parts", part)
    ToOne("tag", tag)
    ToMany("tags", tag)
  }

  static func order(_ policy: RelationshipPolicy) -> Mapping<Record> {
    Mapping("Order", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("lines", line, policy: policy)
      ToOne("box", box)
    }
  }

  static let box: Mapping<Record> = Mapping("Box") {
    Attribute("a", .integer)
    Attribute("b", .integer)
    ToMany("parts", part)
  }

  private static func lines(_ text: String) -> String { #"[{"id":1,"lines":[\#(text)]}]"# }

  struct Case: CustomTestStringConvertible {
    let name: String
    let before: String
    let after: String
    var policy = RelationshipPolicy.assign
    let report: String
    let lines: String
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "a member that is missing has no value", before: #"{"a":1,"b":"x"},{"a":2,"b":"y"}"#,
      after: #"{"a":1},{"a":2,"b":"y"}"#, report: "Order ~1, Line +1 =1 -1",
      lines: #"{"a":1},{"a":2,"b":"y"}"#),
    Case(
      name: "another order is an update of the owner alone", before: #"{"a":1},{"a":2},{"a":3}"#,
      after: #"{"a":3},{"a":1},{"a":2}"#, report: "Order ~1, Line =3", lines: #"{"a":3},{"a":1},{"a":2}"#),
    Case(
      name: "null and an empty list are as missing", before: #"{"a":1,"b":null,"parts":[]}"#,
      after: #"{"a":1,"tags":null}"#, report: "Order =1, Line =1", lines: #"{"a":1}"#),
    Case(
      name: "an owned target is a part of the value", before: #"{"a":1,"head":{"n":1,"m":2}}"#,
      after: #"{"a":1,"head":{"n":1}}"#, report: "Order ~1, Line +1 -1, Part +1 -1",
      lines: #"{"a":1,"head":{"n":1}}"#),
    Case(
      name: "a list of keys counts in its order", before: #"{"tags":[{"id":1},{"id":2}]}"#,
      after: #"{"tags":[{"id":2},{"id":1}]}"#, report: "Order ~1, Line +1 -1, Tag =2",
      lines: #"{"tags":[{"id":2},{"id":1}]}"#),
    Case(
      name: "a merge adds each value once", before: #"{"a":1},{"a":2}"#,
      after: #"{"a":2},{"a":3},{"a":3},{"a":2,"b":"x"}"#,
      policy: .merge, report: "Order ~1, Line +2 =1", lines: #"{"a":1},{"a":2},{"a":3},{"a":2,"b":"x"}"#),
  ]

  private func expectLines(_ world: World, _ lines: String, _ comment: Comment) throws {
    let text = try world.export()
    let expected = lines.isEmpty ? #"[{"id":1}]"# : Self.lines(lines)
    #expect(text == expected, comment)
  }

  @Test(arguments: StoreKind.allCases, cases)
  func anElementIsAValue(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.order(test.policy), holding: Self.lines(test.before))
    let dry = ImportOptions(isDryRun: true)
    try #expect(world.load(Self.lines(test.after), options: dry).expected == test.report.expected)
    try #expect(world.load(Self.lines(test.after)).expected == test.report.expected)
    try expectLines(world, test.lines, "after")
    let again = try world.report(Self.lines(test.after))
    #expect(
      again.entities.allSatisfy { $0.counts.inserted + $0.counts.updated + $0.counts.deleted == 0 }, "again")
    try expectLines(world, test.lines, "again")
  }

  @Test(arguments: StoreKind.allCases)
  func aTargetBelowAnObjectWithAKeyKeepsItsMembersAndItsListDoesNot(_ kind: StoreKind) throws {
    let world = try World(kind, Self.order(.assign))
    try world.load(#"[{"id":1,"box":{"a":1,"b":2,"parts":[{"n":1,"m":2}]}}]"#)
    try #expect(
      world.load(#"[{"id":1,"box":{"a":3,"parts":[{"n":1}]}}]"#) == "Order =1, Part +1 -1, Box ~1"
        || world.load(#"[{"id":1}]"#) == "Order =1")
    try #expect(world.export() == #"[{"id":1,"box":{"a":3,"b":2,"parts":[{"n":1}]}}]"#)
  }

  /// Batches and repeated objects change neither the list nor the counts.
  @Test(arguments: StoreKind.allCases, [1, 2, 4096])
  func theListIsThatAtTheEndOfTheTransaction(_ kind: StoreKind, _ batchSize: Int) throws {
    let world = try World(kind, Self.order(.assign), holding: Self.lines(#"{"a":1,"b":"x"},{"a":2}"#))
    let options = ImportOptions(batchSize: batchSize)
    let payload = [#"{"a":3}"#, "", #"{"a":4},{"a":2}"#, #"{"a":1,"b":"x"},{"a":5}"#].map {
      #"{"id":1,"lines":[\#($0)]}"#
    }
    let report = try world.load("[\(payload.joined(separator: ","))]", options: options)
    #expect(report == "Order ~1, Line +1 =1 -1")
    try expectLines(world, #"{"a":1,"b":"x"},{"a":5}"#, "after")
  }

  private static let member: Mapping<Record> = Mapping("Member", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("idol", member)
    ToMany("guests", member)
    ToMany("notes", Mapping("Note") { Attribute("text", .string) })
    ToOne("home", member)
  }

  /// The list is emptied only inside of an object that is left out.
  @Test(arguments: StoreKind.allCases)
  func aFaultyObjectEmptiesNoList(_ kind: StoreKind) throws {
    let world = try World(kind, Self.member)
    let json = #"""
      [{"id":1,"notes":[{"text":"a"}],"idol":{"id":7,"guests":[{"id":1,"notes":[]}],"home":[1]}},
       {"id":1,"notes":[{"text":"b"},{"text":5}]}]
      """#
    try world.load(json, options: .skipping)
    try #expect(world.export() == #"[{"id":1,"notes":[{"text":"a"}]}]"#)
  }

  /// A list of keys that an element merges has each object once.
  private static let merging: Mapping<Record> = Mapping("Order", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany(
      "lines",
      Mapping("Line") {
        Attribute("a", .integer)
        ToMany("tags", tag, policy: .merge)
      })
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyThatAnElementMergesTwiceIsThereOnce(_ kind: StoreKind) throws {
    let world = try World(kind, Self.merging)
    let payload = Self.lines(#"{"a":1,"tags":[1,2,1]}"#)
    try #expect(world.load(payload) == "Order +1, Line +1, Tag +2")
    try #expect(world.report(payload).isUnchanged)
    try #expect(world.export("Order") == Self.lines(#"{"a":1,"tags":[{"id":1},{"id":2}]}"#))
  }
}

extension String {
  /// The counts without the entities that have none, in the order of their names.
  fileprivate var expected: [String] {
    split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map(String.init).filter { $0.contains(" ") }
      .sorted()
  }
}
