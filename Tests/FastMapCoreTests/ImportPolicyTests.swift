import FastMapCore
import TestSupport
import Testing

/// Semantics 3, policies where an object is met several times. The start is `Book 1 author=1 tags=[1 2]`, or `Book 1` alone.
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

  // FEM-105, WAM-69
  @Test func assignIsTheDefault() throws {
    final class Item {
      var one: Item?
      var many: [Item] = []
      static let mapping = Mapping(Item.self, "Item", make: Item.init) {}
    }
    let tag = Fixture.tag
    let ofRecords = Mapping("Records") {
      ToOne("one", tag)
      ToOne("one", tag, at: "o")
      ToMany("many", tag)
      ToMany("many", tag, at: "m")
      ToOne("one", .named("Tag"), at: "o")
    }
    let ofClasses = Mapping(Item.self, "Item", make: Item.init) {
      ToOne("one", \.one, Item.mapping)
      ToOne("one", \.one, Item.mapping, at: "o")
      ToMany("many", \.many, Item.mapping)
      ToMany("many", \.many, Item.mapping, at: "m")
    }
    let file =
      #"{"fastmap": 1, "mappings": {"Item": {"relationships": {"many": {"mapping": "Item", "toMany": true}}}}}"#
    let ofFile = try MappingSet(file: Array(file.utf8))["Item"]?.relationships ?? []
    let definition = RelationshipDefinition("many", .named("Tag"), isToMany: true, at: "m")
    let all =
      ofRecords.definition.relationships + ofClasses.definition.relationships + ofFile + [definition]
    #expect(all.map(\.policy) == Array(repeating: .assign, count: 11))
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
