import FastMapCore
import Testing

/// Semantics 3, the tables of policies. The start is `Book 1 author=1 tags=[1 2]`, or `Book 1` alone.
@Suite struct ImportPolicyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let ids: String
    let policy: RelationshipPolicy
    var start = #"{"id":1,"a":{"id":1},"tags":[{"id":1},{"id":2}]}"#
    let payload: String
    let report: String
    let dump: String

    var testDescription: String { "\(ids) \(policy) \(payload)" }
  }

  private static let all = "Book 1 author=1 tags=[1 2]\nAuthor 1\nTag 1\nTag 2"

  static let toOne: [Case] = [
    Case(ids: "FEM-74", policy: .assign, payload: #"{"id":1}"#, report: "Book =1", dump: all),
    Case(
      ids: "FEM-104", policy: .assign, payload: #"{"id":1,"a":null}"#, report: "Book ~1",
      dump: "Book 1 tags=[1 2]\nAuthor 1\nTag 1\nTag 2"),
    Case(
      ids: "FEM-26 WAM-59", policy: .assign, payload: #"{"id":1,"a":{"id":1}}"#, report: "Book =1, Author =1",
      dump: all),
    Case(
      ids: "FEM-103", policy: .assign, payload: #"{"id":1,"a":{"id":2}}"#, report: "Book ~1, Author +1",
      dump: "Book 1 author=2 tags=[1 2]\nAuthor 1\nAuthor 2\nTag 1\nTag 2"),

    Case(ids: "WAM-70", policy: .merge, payload: #"{"id":1}"#, report: "Book =1", dump: all),
    Case(ids: "FEM-107 Q-01", policy: .merge, payload: #"{"id":1,"a":null}"#, report: "Book =1", dump: all),
    Case(
      ids: "FEM-106", policy: .merge, payload: #"{"id":1,"a":{"id":1}}"#, report: "Book =1, Author =1",
      dump: all),
    Case(
      ids: "FEM-106 WAM-70", policy: .merge, payload: #"{"id":1,"a":{"id":2}}"#, report: "Book ~1, Author +1",
      dump: "Book 1 author=2 tags=[1 2]\nAuthor 1\nAuthor 2\nTag 1\nTag 2"),
    Case(
      ids: "FEM-107", policy: .merge, start: #"{"id":1}"#, payload: #"{"id":1,"a":null}"#, report: "Book =1",
      dump: "Book 1"),

    Case(ids: "WAM-71", policy: .replace, payload: #"{"id":1}"#, report: "Book =1", dump: all),
    Case(
      ids: "FEM-110 WAM-71", policy: .replace, payload: #"{"id":1,"a":null}"#, report: "Book ~1, Author -1",
      dump: "Book 1 tags=[1 2]\nTag 1\nTag 2"),
    Case(
      ids: "FEM-108", policy: .replace, payload: #"{"id":1,"a":{"id":1}}"#, report: "Book =1, Author =1",
      dump: all),
    Case(
      ids: "FEM-109 WAM-71", policy: .replace, payload: #"{"id":1,"a":{"id":2}}"#,
      report: "Book ~1, Author +1 -1",
      dump: "Book 1 author=2 tags=[1 2]\nAuthor 2\nTag 1\nTag 2"),
    Case(
      ids: "FEM-111", policy: .replace, start: #"{"id":1}"#, payload: #"{"id":1,"a":{"id":2}}"#,
      report: "Book ~1, Author +1", dump: "Book 1 author=2\nAuthor 2"),
  ]

  static let toMany: [Case] = [
    Case(
      ids: "FEM-21", policy: .assign, payload: #"{"id":1,"tags":null}"#, report: "Book ~1",
      dump: "Book 1 author=1\nAuthor 1\nTag 1\nTag 2"),
    Case(
      ids: "FEM-77", policy: .assign, payload: #"{"id":1,"tags":[]}"#, report: "Book ~1",
      dump: "Book 1 author=1\nAuthor 1\nTag 1\nTag 2"),
    Case(
      ids: "FEM-112", policy: .assign, payload: #"{"id":1,"tags":[{"id":2},{"id":3}]}"#,
      report: "Book ~1, Tag +1 =1", dump: "Book 1 author=1 tags=[2 3]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "FEM-112", policy: .assign, payload: #"{"id":1,"tags":[{"id":8},{"id":9}]}"#,
      report: "Book ~1, Tag +2", dump: "Book 1 author=1 tags=[8 9]\nAuthor 1\nTag 1\nTag 2\nTag 8\nTag 9"),

    Case(ids: "WAM-72", policy: .merge, payload: #"{"id":1}"#, report: "Book =1", dump: all),
    Case(
      ids: "WAM-72 FEM-113", policy: .merge, payload: #"{"id":1,"tags":null}"#, report: "Book =1", dump: all),
    Case(ids: "FEM-116", policy: .merge, payload: #"{"id":1,"tags":[]}"#, report: "Book =1", dump: all),
    Case(
      ids: "FEM-113 FEM-115 WAM-75 WAM-76 Q-02 BUG-46", policy: .merge,
      payload: #"{"id":1,"tags":[{"id":3},{"id":2}]}"#, report: "Book ~1, Tag +1 =1",
      dump: "Book 1 author=1 tags=[1 2 3]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "WAM-75", policy: .merge, payload: #"{"id":1,"tags":[{"id":9},{"id":8}]}"#,
      report: "Book ~1, Tag +2",
      dump: "Book 1 author=1 tags=[1 2 9 8]\nAuthor 1\nTag 1\nTag 2\nTag 8\nTag 9"),
    Case(
      ids: "Q-02", policy: .merge, payload: #"{"id":1,"tags":[3,1,3]}"#, report: "Book ~1, Tag +1 =1",
      dump: "Book 1 author=1 tags=[1 2 3]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "Q-09", policy: .merge, payload: #"{"id":1,"tags":[2,1]}"#, report: "Book =1, Tag =2", dump: all),
    Case(
      ids: "FEM-118 WAM-77", policy: .merge, start: #"{"id":1}"#, payload: #"{"id":1,"tags":[9,8,9]}"#,
      report: "Book ~1, Tag +2", dump: "Book 1 tags=[9 8]\nTag 8\nTag 9"),

    Case(ids: "WAM-73", policy: .replace, payload: #"{"id":1}"#, report: "Book =1", dump: all),
    Case(
      ids: "WAM-73", policy: .replace, payload: #"{"id":1,"tags":null}"#, report: "Book ~1, Tag -2",
      dump: "Book 1 author=1\nAuthor 1"),
    Case(
      ids: "FEM-114", policy: .replace, payload: #"{"id":1,"tags":[]}"#, report: "Book ~1, Tag -2",
      dump: "Book 1 author=1\nAuthor 1"),
    Case(
      ids: "FEM-114 FEM-120 WAM-73 WAM-74", policy: .replace,
      payload: #"{"id":1,"tags":[{"id":3},{"id":2}]}"#,
      report: "Book ~1, Tag +1 =1 -1", dump: "Book 1 author=1 tags=[3 2]\nAuthor 1\nTag 2\nTag 3"),
    Case(
      ids: "FEM-114", policy: .replace, payload: #"{"id":1,"tags":[{"id":8},{"id":9}]}"#,
      report: "Book ~1, Tag +2 -2", dump: "Book 1 author=1 tags=[8 9]\nAuthor 1\nTag 8\nTag 9"),
    Case(
      ids: "FEM-119", policy: .replace, start: #"{"id":1,"tags":[1,1]}"#, payload: #"{"id":1,"tags":[2]}"#,
      report: "Book ~1, Tag +1 -1", dump: "Book 1 tags=[2]\nTag 2"),
  ]

  @Test(arguments: StoreKind.allCases, toOne + toMany)
  func aPolicySaysWhatHappensToTheOldValue(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.book(test.policy))
    try world.load(test.start)
    try #expect(world.load(test.payload) == test.report)
    try #expect(world.dump() == test.dump)
    let again = try world.report(test.payload)
    #expect(
      again.entities.allSatisfy { $0.counts == .init(unchanged: $0.counts.unchanged) }, "imported again")
    try #expect(world.dump() == test.dump)
  }

  // FEM-105, WAM-69
  @Test func assignIsTheDefault() {
    #expect(ToOne("author", Fixture.author).description.policy == .assign)
    #expect(ToMany("tags", Fixture.tag).description.policy == .assign)
  }

  /// One object met several times in one payload: the policies work on each other's outcome, in payload order.
  static let repeated: [Case] = [
    Case(
      ids: "merge, then merge", policy: .merge, payload: #"[{"id":1,"tags":[4]},{"id":1,"tags":[3,4,1]}]"#,
      report: "Book ~1, Tag +2 =1", dump: "Book 1 author=1 tags=[1 2 4 3]"),
    Case(
      ids: "null, then merge", policy: .merge, payload: #"[{"id":1,"tags":null},{"id":1,"tags":[3]}]"#,
      report: "Book ~1, Tag +1", dump: "Book 1 author=1 tags=[1 2 3]"),
    Case(
      ids: "merge, then null", policy: .merge,
      payload: #"[{"id":1,"tags":[3],"a":2},{"id":1,"tags":null,"a":null}]"#,
      report: "Book ~1, Author +1, Tag +1", dump: "Book 1 author=2 tags=[1 2 3]"),
    Case(
      ids: "assign, then assign", policy: .assign, payload: #"[{"id":1,"tags":[3]},{"id":1,"tags":[1,2]}]"#,
      report: "Book =1, Tag +1 =2", dump: "Book 1 author=1 tags=[1 2]"),
    Case(
      ids: "replace, then replace", policy: .replace,
      payload: #"[{"id":1,"tags":[2,3]},{"id":1,"tags":[3]}]"#,
      report: "Book ~1, Tag +1 =1 -1", dump: "Book 1 author=1 tags=[3]"),
    Case(
      ids: "replace, then back", policy: .replace, payload: #"[{"id":1,"tags":[3]},{"id":1,"tags":[1,2]}]"#,
      report: "Book =1, Tag +1 =2", dump: "Book 1 author=1 tags=[1 2]"),
  ]

  @Test(arguments: StoreKind.allCases, repeated)
  func policiesApplyInPayloadOrder(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.book(test.policy))
    try world.load(test.start)
    try #expect(world.load(test.payload) == test.report)
    try #expect(world.dump(of: "Book 1") == test.dump)
  }

  /// The same in batches of their own: the first batch ends after 64 root objects.
  @Test(arguments: StoreKind.allCases, repeated)
  func policiesApplyInPayloadOrderAcrossBatches(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.book(test.policy))
    try world.load(test.start)
    let filler = (100..<200).map { "{\"id\":\($0)}," }.joined()
    let end = try #require(test.payload.firstRange(of: "},{")).lowerBound
    let payload = test.payload[...end] + "," + filler + test.payload[test.payload.index(end, offsetBy: 2)...]
    try #expect(world.load(String(payload)) == test.report.replacing("Book ", with: "Book +100 "))
    try #expect(world.dump(of: "Book 1") == test.dump)
  }

  // Two mappings of one entity, with other policies for the same relationship
  @Test(arguments: StoreKind.allCases)
  func eachMappingHasItsOwnPolicies(_ kind: StoreKind) throws {
    func shelf(_ name: String, _ policy: RelationshipPolicy, _ inner: Mapping<Record>?) -> Mapping<Record> {
      Mapping(name, entity: "Shelf", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("tags", Fixture.tag, policy: policy)
        if let inner { ToOne("self", inner, at: "more") }
      }
    }
    let merging = shelf("Merging", .merge, nil)
    let world = try World(
      kind, shelf("Replacing", .replace, merging), merging, shelf("Assigning", .assign, merging))
    try world.load(#"{"id":1,"tags":[1,2]}"#)
    try #expect(world.load(#"{"id":1,"tags":[2,3],"more":{"id":1,"tags":[4]}}"#) == "Shelf ~1, Tag +2 =1 -1")
    try #expect(world.dump() == "Shelf 1 tags=[2 3 4] self=1\nTag 2\nTag 3\nTag 4")
    try #expect(world.load(#"{"id":1,"tags":null,"more":{"id":1,"tags":[4]}}"#) == "Shelf ~1, Tag =1 -2")
    try #expect(world.dump() == "Shelf 1 tags=[4] self=1\nTag 4")
    try #expect(
      world.load(#"{"id":1,"tags":null,"more":{"id":1,"tags":[5]}}"#, as: "Assigning") == "Shelf ~1, Tag +1")
    try #expect(world.dump() == "Shelf 1 tags=[5] self=1\nTag 4\nTag 5")
  }
}
