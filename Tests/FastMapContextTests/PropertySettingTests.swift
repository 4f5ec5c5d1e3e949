import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// The moments and the order in which properties are set, and the rule of equality.
@Suite struct PropertySettingTests {
  private static let start = #"{"id":1,"t":"Dune","y":"1965","a":{"id":1},"tags":[{"id":1},{"id":2}]}"#

  /// The properties that a payload sets in the instance of a book: in a context, and without a store.
  private func sets(_ payload: String, _ policy: RelationshipPolicy = .assign) throws -> [[String]] {
    let mapping = TypedFixture.Book.mapping(policy)
    let context = try ObjectContext(MemoryStore(), for: mapping)
    defer { context.end() }
    _ = try context.importJSON(Self.start, as: mapping)
    let loaded = try #require(try context.object(mapping, key: 1, including: \.author, \.tags))
    let made = try mapping.objects(from: Self.start)
    for book in [loaded, made[0]] { book.sets = [] }
    _ = try context.importJSON(payload, as: mapping)
    _ = try mapping.fill(made[0], from: payload)
    return [loaded.sets, made[0].sets]
  }

  // FEM-22, FEM-23, FEM-26, WAM-21, WAM-59, WAM-78, Q-09, BUG-47
  @Test(arguments: [
    (#"{"id":1}"#, []),
    (start, []),
    (#"{"id":1,"t":"Dune","a":{"id":1},"tags":[{"id":1},{"id":2}]}"#, []),
    (#"{"id":1,"t":"Emma","y":"1965"}"#, ["title"]),
    (#"{"id":1,"t":null,"y":null}"#, ["title", "year"]),
    (#"{"id":1,"a":{"id":2}}"#, ["author"]),
    (#"{"id":1,"a":null,"tags":null}"#, ["author", "tags"]),
    (#"{"id":1,"tags":[{"id":2},{"id":1}]}"#, ["tags"]),
    (#"{"id":1,"a":{"id":1,"n":"FH"},"tags":[{"id":1,"t":"x"},2]}"#, []),
  ])
  func aPropertyIsSetOnceForAnotherValueAndNotForAnEqualOne(_ payload: String, _ expected: [String]) throws {
    try #expect(sets(payload) == [expected, expected])
  }

  // WAM-78, Q-09, BUG-47
  @Test(arguments: [
    (RelationshipPolicy.merge, #"{"id":1,"a":null,"tags":[2]}"#, []),
    (.merge, #"{"id":1,"tags":[3]}"#, ["tags"]),
    (.replace, #"{"id":1,"a":{"id":1},"tags":[1,2]}"#, []),
    (.replace, #"{"id":1,"tags":[2]}"#, ["tags"]),
  ])
  func aPolicyThatChangesNothingSetsNothing(
    _ policy: RelationshipPolicy, _ payload: String, _ expected: [String]
  ) throws {
    try #expect(sets(payload, policy) == [expected, expected])
  }

  // FEM-14, FEM-24, WAM-12, Q-10, Q-16, BUG-36
  @Test func aNewObjectIsSetWithoutComparingInTheOrderDeclared() throws {
    final class Made {
      var id = 0 { didSet { sets.append("id") } }
      var title = "Dune" { didSet { sets.append("title") } }
      var part: TypedFixture.Tag? { didSet { sets.append("part") } }
      var year = 1965 { didSet { sets.append("year") } }
      var sets: [String] = []
    }
    let mapping = Mapping(Made.self, "Made", primaryKey: "id", make: Made.init) {
      ToOne("part", \.part, TypedFixture.Tag.mapping)
      Attribute("year", \.year)
      Attribute("id", \.id)
      Attribute("title", \.title)
    }
    let made = try mapping.objects(
      from: #"[{"part":{"id":1},"title":"Dune","id":0,"year":1965},{"title":"Emma","id":2}]"#)
    #expect(made.map(\.sets) == [["year", "id", "title", "part"], ["id", "title"]])
  }

  // FEM-25: their `true` over 1 was no change
  @Test func aBooleanIsNoNumberAndOneNumberInTwoSpellingsIsNotSetAgain() throws {
    final class Measure {
      var id = 0
      var share = 0.0 { didSet { sets += 1 } }
      var count = 0 { didSet { sets += 1 } }
      var sets = 0
    }
    let mapping = Mapping(Measure.self, "Measure", primaryKey: "id", make: Measure.init) {
      Attribute("id", \.id)
      Attribute("share", \.share)
      Attribute("count", \.count).lenient
    }
    let world = try World(.memory, mapping)
    let measure = try #require(try mapping.object(from: #"{"id":1,"share":1,"count":1}"#))
    try #expect(world.load(#"{"id":1,"share":1,"count":1}"#) == "Measure +1")
    #expect(measure.sets == 2)
    for payload in [#"{"id":1,"share":1.0,"count":1.0}"#, #"{"id":1,"share":10e-1,"count":"1"}"#] {
      try #expect(world.load(payload) == "Measure =1", "\(payload)")
      try mapping.fill(measure, from: payload)
    }
    #expect(measure.sets == 2)
    let faulty = #"{"id":1,"share":true}"#
    let expected = "$.share: expected a number, found true (line 1, column 17)"
    #expect(world.failure(of: faulty) == expected)
    #expect(message { try mapping.fill(measure, from: faulty) } == expected)
    #expect(measure.sets == 2)
    try mapping.fill(measure, from: #"{"id":1,"share":1.5}"#)
    #expect(measure.sets == 3)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: AttributeType
    let first: String
    let second: String
    let isEqual: Bool
  }

  // FEM-25, Q-09
  @Test(
    arguments: StoreKind.allCases,
    [
      Case(
        testDescription: "a number as an integer", type: .number, first: "1.0", second: "1", isEqual: true),
      Case(testDescription: "an exponent", type: .number, first: "1e2", second: "100", isEqual: true),
      Case(testDescription: "another number", type: .number, first: "0.1", second: "0.2", isEqual: false),
      Case(testDescription: "both zeros", type: .number, first: "0.0", second: "-0.0", isEqual: false),
      Case(testDescription: "an escape", type: .string, first: #""A""#, second: #""\u0041""#, isEqual: true),
      Case(
        testDescription: "one moment in two zones", type: .date(.iso8601), first: #""2012-07-01T00:00:00Z""#,
        second: #""2012-07-01T02:00:00+02:00""#, isEqual: true),
      Case(
        testDescription: "white space in JSON", type: .json, first: #"{"a":[1,2]}"#,
        second: #"{ "a" : [1, 2] }"#, isEqual: true),
      Case(
        testDescription: "members of JSON in another order", type: .json, first: #"{"a":1,"b":2}"#,
        second: #"{"b":2,"a":1}"#, isEqual: false),
      Case(
        testDescription: "padding of base64", type: .data, first: #""AP8=""#, second: #""AP8""#, isEqual: true
      ),
    ])
  func valuesAreComparedByTheirMeaning(_ kind: StoreKind, _ test: Case) throws {
    let mapping = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("value", test.type)
    }
    let world = try World(kind, mapping, holding: #"{"id":1,"value":\#(test.first)}"#)
    try #expect(world.load(#"{"id":1,"value":\#(test.second)}"#) == (test.isEqual ? "Item =1" : "Item ~1"))
  }

}
