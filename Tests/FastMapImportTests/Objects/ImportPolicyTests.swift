import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The tables of policies, every cell: the relationship afterwards, the stored objects and the report. Each cell is
/// tested for records and instances, and for targets as objects and as bare keys. A second import has nothing to do.
@Suite struct ImportPolicyTests {
  struct Column: Sendable {
    let name: String
    let start: String
    let payload: String
  }

  struct Cell: Sendable, CustomTestStringConvertible {
    let policy: RelationshipPolicy
    let column: Column
    /// `targets | stored targets | report`, with `-` for none.
    let expected: String
    var testDescription: String { "\(policy), \(column.name)" }
  }

  private static func row(
    _ policy: RelationshipPolicy, _ columns: [Column], _ expected: [String]
  ) -> [Cell] {
    precondition(columns.count == expected.count, "a row has a cell for each column")
    return zip(columns, expected).map { Cell(policy: policy, column: $0, expected: $1) }
  }

  private static let author = #"{"id":1,"a":{"id":1}}"#
  private static let tags = #"{"id":1,"tags":[{"id":1},{"id":2}]}"#
  private static let alone = #"{"id":1}"#

  private static let authorColumns = [
    Column(name: "missing", start: author, payload: #"{"id":1}"#),
    Column(name: "null", start: author, payload: #"{"id":1,"a":null}"#),
    Column(name: "same", start: author, payload: #"{"id":1,"a":{"id":1}}"#),
    Column(name: "other", start: author, payload: #"{"id":1,"a":{"id":2}}"#),
    Column(name: "old nil, other", start: alone, payload: #"{"id":1,"a":{"id":2}}"#),
    Column(name: "old nil, null", start: alone, payload: #"{"id":1,"a":null}"#),
  ]

  private static let tagColumns = [
    Column(name: "missing", start: tags, payload: #"{"id":1}"#),
    Column(name: "null", start: tags, payload: #"{"id":1,"tags":null}"#),
    Column(name: "empty", start: tags, payload: #"{"id":1,"tags":[]}"#),
    Column(name: "overlap", start: tags, payload: #"{"id":1,"tags":[{"id":2},{"id":3}]}"#),
    Column(name: "disjoint", start: tags, payload: #"{"id":1,"tags":[{"id":8},{"id":9}]}"#),
    Column(name: "old nil, some", start: alone, payload: #"{"id":1,"tags":[{"id":9},{"id":8}]}"#),
    Column(name: "old nil, null", start: alone, payload: #"{"id":1,"tags":null}"#),
    Column(name: "another order", start: tags, payload: #"{"id":1,"tags":[{"id":2},{"id":1}]}"#),
    Column(name: "repeats", start: tags, payload: #"{"id":1,"tags":[{"id":3},{"id":1},{"id":3}]}"#),
    Column(
      name: "old nil, repeats", start: alone, payload: #"{"id":1,"tags":[{"id":9},{"id":8},{"id":9}]}"#),
    Column(name: "old repeats", start: #"{"id":1,"tags":[1,1]}"#, payload: #"{"id":1,"tags":[{"id":2}]}"#),
  ]

  // FEM-26, FEM-103…FEM-111, FEM-128, WAM-59, WAM-69…WAM-71, BUG-33, Q-01
  static let toOne: [Cell] =
    row(
      .assign, authorColumns,
      [
        "1 | 1 | Book =1", "- | 1 | Book ~1", "1 | 1 | Book =1, Author =1",
        "2 | 1 2 | Book ~1, Author +1", "2 | 2 | Book ~1, Author +1", "- | - | Book =1",
      ])
    + row(
      .merge, authorColumns,
      [
        "1 | 1 | Book =1", "1 | 1 | Book =1", "1 | 1 | Book =1, Author =1",
        "2 | 1 2 | Book ~1, Author +1", "2 | 2 | Book ~1, Author +1", "- | - | Book =1",
      ])
    + row(
      .replace, authorColumns,
      [
        "1 | 1 | Book =1", "- | - | Book ~1, Author -1", "1 | 1 | Book =1, Author =1",
        "2 | 2 | Book ~1, Author +1 -1", "2 | 2 | Book ~1, Author +1", "- | - | Book =1",
      ])

  // FEM-112…FEM-120, FEM-122, FEM-128, WAM-69, WAM-72…WAM-77, BUG-33, BUG-46, Q-02, Q-09
  static let toMany: [Cell] =
    row(
      .assign, tagColumns,
      [
        "1 2 | 1 2 | Book =1", "- | 1 2 | Book ~1", "- | 1 2 | Book ~1",
        "2 3 | 1 2 3 | Book ~1, Tag +1 =1", "8 9 | 1 2 8 9 | Book ~1, Tag +2",
        "9 8 | 8 9 | Book ~1, Tag +2", "- | - | Book =1",
        "2 1 | 1 2 | Book ~1, Tag =2", "3 1 3 | 1 2 3 | Book ~1, Tag +1 =1", "9 8 9 | 8 9 | Book ~1, Tag +2",
        "2 | 1 2 | Book ~1, Tag +1",
      ])
    + row(
      .merge, tagColumns,
      [
        "1 2 | 1 2 | Book =1", "1 2 | 1 2 | Book =1", "1 2 | 1 2 | Book =1",
        "1 2 3 | 1 2 3 | Book ~1, Tag +1 =1", "1 2 8 9 | 1 2 8 9 | Book ~1, Tag +2",
        "9 8 | 8 9 | Book ~1, Tag +2", "- | - | Book =1",
        "1 2 | 1 2 | Book =1, Tag =2", "1 2 3 | 1 2 3 | Book ~1, Tag +1 =1", "9 8 | 8 9 | Book ~1, Tag +2",
        "1 2 | 1 2 | Book ~1, Tag +1",
      ])
    + row(
      .replace, tagColumns,
      [
        "1 2 | 1 2 | Book =1", "- | - | Book ~1, Tag -2", "- | - | Book ~1, Tag -2",
        "2 3 | 2 3 | Book ~1, Tag +1 =1 -1", "8 9 | 8 9 | Book ~1, Tag +2 -2",
        "9 8 | 8 9 | Book ~1, Tag +2", "- | - | Book =1",
        "2 1 | 1 2 | Book ~1, Tag =2", "3 1 3 | 1 3 | Book ~1, Tag +1 =1 -1", "9 8 9 | 8 9 | Book ~1, Tag +2",
        "2 | 2 | Book ~1, Tag +1 -1",
      ])

  // FEM-74, FEM-75
  @Test(arguments: TestSize.onStores(toOne, on: .memory, others: 2))
  func aToOneRelationshipFollowsItsPolicyInEveryCell(_ kind: StoreKind, _ cell: Cell) throws {
    try check(kind, cell, "Author") { $0.author.map { ["\($0.authorID)"] } ?? [] }
  }

  // FEM-76, FEM-77
  @Test(arguments: TestSize.onStores(toMany, on: .memory, others: 3))
  func aToManyRelationshipFollowsItsPolicyInEveryCell(_ kind: StoreKind, _ cell: Cell) throws {
    try check(kind, cell, "Tag") { $0.tags.map { "\($0.tagID)" } }
  }

  private func check(
    _ kind: StoreKind, _ cell: Cell, _ entity: String, _ targets: (TypedFixture.Book) -> [String]
  ) throws {
    // The same with bare keys: `{"id":1,"tags":[3,2]}`.
    let keys = "{" + cell.column.payload.dropFirst().replacing(/\{"id":(\d+)\}/) { $0.output.1 }
    for (form, payload) in Form.allCases.flatMap({ [($0, cell.column.payload), ($0, keys)] }) {
      let typed = TypedFixture.Book.mapping(cell.policy)
      let plan = try form == .records ? Plan(Fixture.book(cell.policy)) : Plan(typed)
      let world = try World(kind, plan, holding: cell.column.start)
      let report = try world.load(payload)
      let links = try world.links("Book", 1, entity == "Tag" ? "tags" : "author", to: entity)
      try #expect("\(links) | \(world.stored(entity)) | \(report)" == cell.expected, "\(form), \(payload)")
      if form == .classes {
        let book = try #require(try world.instance(typed, 1))
        #expect(targets(book) == links.split(separator: " ").filter { $0 != "-" }.map { "\($0)" })
      }
      try #expect(world.report(payload).isUnchanged, "\(form), \(payload), imported again")
    }
  }

  // MARK: Met several times

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
    let world = try World(kind, Fixture.book(test.policy), holding: test.start)
    try #expect(world.load(test.payload) == test.report)
    try #expect(world.dump(of: "Book 1") == test.dump)
  }

  /// The same in batches of their own: the first batch ends after 64 root objects.
  @Test(arguments: TestSize.onStores(repeated, on: .memory, others: 2))
  func policiesApplyInPayloadOrderAcrossBatches(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.book(test.policy), holding: test.start)
    let filler = (100..<200).map { "{\"id\":\($0)}," }.joined()
    let end = try #require(test.payload.firstRange(of: "},{")).lowerBound
    let payload = test.payload[...end] + "," + filler + test.payload[test.payload.index(end, offsetBy: 2)...]
    try #expect(world.load(String(payload)) == test.report.replacing("Book ", with: "Book +100 "))
    try #expect(world.dump(of: "Book 1") == test.dump)
  }

  // Two mappings of one entity, with other policies for the same relationship
  // WAM-126
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

extension World {
  /// The keys of an object's targets, in their order; `-` for none.
  fileprivate func links(
    _ entity: String, _ key: PrimaryKey, _ relationship: String, to target: String
  ) throws -> String {
    try store.read(plan()) { reader in
      guard let owner = try reader.record(entity, key: key) else { return "no \(entity)" }
      let keys = try reader.records(relationship, of: owner).map { $0.key.map { "\($0)" } ?? "?" }
      return keys.isEmpty ? "-" : keys.joined(separator: " ")
    }
  }

  fileprivate func stored(_ entity: String) throws -> String {
    let keys = try keys(of: entity)
    return keys.isEmpty ? "-" : keys
  }
}
