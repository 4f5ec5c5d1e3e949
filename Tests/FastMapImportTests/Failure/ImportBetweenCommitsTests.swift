import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Other writes between two commits of an import: the import neither links nor writes objects that they delete.
@Suite struct ImportBetweenCommitsTests {
  private static let line = Mapping("Line") { Attribute("text", .string) }
  private static let page = Mapping("Page", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("title", line)
    ToMany("lines", line)
  }
  private static let part = Mapping("Part", primaryKey: "id", missingPrimaryKey: .owned) {
    Attribute("id", .integer)
    Attribute("text", .string)
  }
  private static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("parts", part)
  }
  private static let other = Mapping("Other", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }

  private static func person(
    _ friends: RelationshipPolicy, boss: RelationshipPolicy = .assign
  ) -> Mapping<Record> {
    Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("friends", other, policy: friends, isWeak: true)
      ToOne("boss", other, policy: boss, isWeak: true)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mapping: Mapping<Record>
    let stored: String
    /// Imported with a commit after each root object.
    let payload: String
    /// Deletes behind the commit with this number, from 1.
    let deletions: [Int: @Sendable (any Store, Plan) throws -> Void]
    /// The objects, a line each.
    let expected: [String]
  }

  private static func deleting(_ entity: String, _ keys: PrimaryKey...)
    -> @Sendable (any Store, Plan) throws -> Void
  {
    { store, plan in try store.delete(plan.query(of: entity).keys(keys)) }
  }

  private static func deletingAll(_ entity: String) -> @Sendable (any Store, Plan) throws -> Void {
    { store, plan in try store.delete(plan.query(of: entity)) }
  }

  static let cases: [Case] = [
    Case(
      testDescription: "owned objects that an earlier commit has released",
      mapping: page, stored: #"{"id":1,"lines":[{"text":"a"},{"text":"b"},{"text":"c"}]}"#,
      payload: #"[{"id":1,"lines":[{"text":"x"}]},{"id":1,"lines":[{"text":"y"},{"text":"z"}]}]"#,
      deletions: [1: deletingAll("Line")],
      expected: ["Page 1 lines=[#1 #2]", #"Line #1 text="y""#, #"Line #2 text="z""#]),
    Case(
      testDescription: "an owned object of a relationship to one",
      mapping: page, stored: #"{"id":1,"title":{"text":"a"}}"#,
      payload: #"[{"id":1,"title":null},{"id":1,"title":{"text":"b"}}]"#,
      deletions: [1: deletingAll("Line")], expected: ["Page 1 title=#1", #"Line #1 text="b""#]),
    Case(
      testDescription: "owned objects that are released twice",
      mapping: page, stored: #"{"id":1,"lines":[{"text":"a"},{"text":"b"}]}"#,
      payload: """
        [{"id":1,"lines":[]},{"id":1,"lines":[{"text":"x"}]},{"id":1,"lines":[]},{"id":1,"lines":[{"text":"y"}]}]
        """,
      deletions: [1: deletingAll("Line"), 3: deletingAll("Line")],
      expected: ["Page 1 lines=[#1]", #"Line #1 text="y""#]),
    Case(
      testDescription: "owned objects among others",
      mapping: shelf, stored: #"{"id":1,"parts":[{"id":2},{"text":"a"},{"text":"b"}]}"#,
      payload: #"[{"id":1,"parts":[{"id":2}]},{"id":1,"parts":[{"text":"y"},{"id":2},{"text":"z"}]}]"#,
      deletions: [1: deletingAll("Part")],
      expected: ["Shelf 1 parts=[#1 2 #2]", "Part 2", #"Part #1 text="y""#, #"Part #2 text="z""#]),
    Case(
      testDescription: "an object with a key is made again", mapping: Fixture.book(), stored: "[]",
      payload: #"[{"id":1,"tags":[{"id":5,"t":"x"}]},{"id":2,"tags":[{"id":5}]},{"id":1,"t":"a"}]"#,
      deletions: [1: deleting("Tag", 5)], expected: [#"Book 1 title="a""#, "Book 2 tags=[5]", "Tag 5"]),
    Case(
      testDescription: "an owner with a key is made again",
      mapping: page, stored: #"{"id":1,"lines":[{"text":"a"},{"text":"b"}]}"#,
      payload: #"[{"id":1,"lines":[]},{"id":1,"lines":[{"text":"y"}]}]"#,
      deletions: [1: deleting("Page", 1)],
      expected: ["Page 1 lines=[#1]", #"Line #1 text="y""#]),
    Case(
      testDescription: "a late target", mapping: person(.merge), stored: "[]",
      payload: #"[{"id":1,"friends":[2,3],"boss":2},{"id":2},{"id":3},{"id":4}]"#,
      deletions: [3: deleting("Person", 2)], expected: ["Person 1 friends=[3]", "Person 3", "Person 4"]),
    Case(
      testDescription: "the owner of a late link", mapping: person(.merge), stored: "[]",
      payload: #"[{"id":1,"friends":[2],"boss":2},{"id":2},{"id":3}]"#,
      deletions: [2: deleting("Person", 1)], expected: ["Person 2", "Person 3"]),
    Case(
      testDescription: "a target that a custom policy gets with a late one",
      mapping: person(.custom { $0.new }), stored: #"[{"id":7},{"id":8}]"#,
      payload: #"[{"id":1,"friends":[7,2,8]},{"id":2},{"id":3}]"#, deletions: [2: deleting("Person", 7)],
      expected: ["Person 1 friends=[2 8]", "Person 2", "Person 3", "Person 8"]),
    Case(
      testDescription: "a target that a custom policy gets and that is made again",
      mapping: person(.custom { $0.new }), stored: #"[{"id":7}]"#,
      payload: #"[{"id":1,"friends":[7,2]},{"id":2},{"id":7}]"#, deletions: [1: deleting("Person", 7)],
      expected: ["Person 1 friends=[7 2]", "Person 2", "Person 7"]),
    Case(
      testDescription: "the owner of a custom policy with a late target",
      mapping: person(.custom { $0.new }, boss: .custom { $0.new }), stored: "[]",
      payload: #"[{"id":1,"friends":[2],"boss":2},{"id":2},{"id":3}]"#,
      deletions: [2: deleting("Person", 1)], expected: ["Person 2", "Person 3"]),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aTargetDeletedByAnotherWriteIsNotLinked(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, test.mapping, holding: test.stored)
    func run(_ base: some Store) throws {
      let plan = world.plan()
      let store = ObservedStore(base) { _ in
      } afterCommit: {
        try test.deletions[$0]?(base, plan)
      }
      _ = try Mapper(store).importJSON(test.payload, as: plan, options: .committing(every: 1))
      #expect(store.commits > (test.deletions.keys.max() ?? 0))
    }
    try run(world.store)
    try #expect(world.dump().split(separator: "\n").map(String.init) == test.expected)
  }
}
