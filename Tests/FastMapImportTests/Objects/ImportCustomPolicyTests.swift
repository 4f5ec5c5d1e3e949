import FastMapCore
import FastMapMemory
import Synchronization
import TestSupport
import Testing

private let tag = Fixture.tag

private func book(many: RelationshipPolicy = .assign, one: RelationshipPolicy = .assign) -> Mapping<Record> {
  Mapping("Book", primaryKey: "bookID") {
    Attribute("bookID", .integer, at: "id")
    Attribute("title", .string, at: "t")
    ToOne("author", Fixture.author, at: "a", policy: one)
    ToMany("tags", tag, policy: many)
  }
}

/// Custom policies and deleteShared.
@Suite struct ImportCustomPolicyTests {
  private static let newFirst = RelationshipPolicy.custom("newFirst") { change in
    change.new + change.old.filter { !change.new.contains($0) }
  }

  // FEM-115, FEM-123
  @Test(arguments: StoreKind.allCases)
  func aPolicyChoosesTheTargetsAndTheirOrder(_ kind: StoreKind) throws {
    let world = try World(kind, book(many: Self.newFirst))
    try world.load(#"{"id": 1, "tags": [{"id": 1}, {"id": 2}]}"#)
    try #expect(world.load(#"{"id": 1, "tags": [{"id": 2}, {"id": 3}]}"#) == "Book ~1, Tag +1 =1")
    try #expect(world.dump(of: "Book 1") == "Book 1 tags=[2 3 1]")
    try #expect(world.load(#"{"id": 1, "tags": [{"id": 2}, {"id": 3}]}"#) == "Book =1, Tag =2")
  }

  // FEM-123
  @Test(arguments: StoreKind.allCases)
  func aPolicyThatReturnsTheOldValueLeavesItAndTheNewTargetsAreStored(_ kind: StoreKind) throws {
    let world = try World(kind, book(many: .custom { $0.old }, one: .custom { $0.old }))
    let plain = Mapping("Plain", entity: "Book", primaryKey: "bookID") {
      Attribute("bookID", .integer, at: "id")
      ToOne("author", Fixture.author, at: "a")
      ToMany("tags", tag)
    }
    let store = world.store
    _ = try Mapper(store).importJSON(
      Array(#"{"id": 1, "a": {"id": 1}, "tags": [{"id": 1}]}"#.utf8), as: plain)
    try #expect(
      world.load(#"{"id": 1, "a": {"id": 2}, "tags": [{"id": 9}]}"#) == "Book =1, Author +1, Tag +1")
    try #expect(world.dump(of: "Book 1") == "Book 1 author=1 tags=[1]")
  }

  // FEM-124, FEM-125
  @Test(arguments: StoreKind.allCases)
  func aPolicyIsCalledForNullWithNothingNewAndNotForAMissingMember(_ kind: StoreKind) throws {
    let calls = Mutex<[String]>([])
    let noting = RelationshipPolicy.custom { change in
      calls.withLock { $0.append("\(change.isNull) \(change.old.count) \(change.new.count)") }
      return change.new
    }
    let world = try World(kind, book(many: noting, one: noting))
    try world.load(#"{"id": 1, "a": {"id": 1}, "tags": [{"id": 1}, {"id": 2}]}"#)
    try world.load(#"{"id": 1}"#)
    try world.load(#"{"id": 1, "a": null, "tags": null}"#)
    #expect(calls.withLock { $0 } == ["false 0 1", "false 0 2", "true 1 0", "true 2 0"])
    try #expect(world.dump(of: "Book 1") == "Book 1")
  }

  // FEM-126
  @Test(
    arguments: StoreKind.allCases
  )
  func aPolicySeesMappedTargetsAndMayFindOthersInTheStore(_ kind: StoreKind) throws {
    let seen = Mutex<[String]>([])
    let policy = RelationshipPolicy.custom { change in
      for target in change.new {
        let record = try change.record(target)
        seen.withLock { $0.append("\(record?["text"] ?? .null) of \(change.ownerEntity)") }
      }
      let owner = try change.store.record(change.owner, of: change.ownerEntity)
      seen.withLock { $0.append("\(owner?["title"] ?? .null)") }
      let first = try change.store.find(1, of: "Tag")
      return change.new + [first].compactMap { $0 }
    }
    let world = try World(kind, book(many: policy))
    try world.load(
      #"[{"id": 1, "t": "Dune", "tags": [{"id": 2, "t": "b"}]}, {"id": 2, "tags": [{"id": 1}]}]"#)
    #expect(seen.withLock { Array($0.prefix(2)) } == [#"string("b") of Book"#, #"string("Dune")"#])
    try #expect(world.dump(of: "Book 1") == "Book 1 title=\"Dune\" tags=[2 1]")
  }

  @Test(arguments: StoreKind.allCases)
  func aPolicyQueriesTheObjectsOfItsImport(_ kind: StoreKind) throws {
    let seen = Mutex<[String]>([])
    let policy = RelationshipPolicy.custom { change in
      let query = try tag.where(Filter("@.text >= 'b'")).sorted(by: "text", descending: true)
      let found = try change.store.ids(query)
      let texts = try change.store.records(query).map { $0["text"] == .string("b") ? "b" : "c" }
      let count = try change.store.count(tag.query)
      seen.withLock { $0.append("\(texts) of \(count)") }
      return found
    }
    let world = try World(kind, book(many: policy))
    let options = ImportOptions(batchSize: 1)
    try world.load(
      #"[{"id": 1, "tags": [{"id": 1, "t": "a"}, {"id": 2, "t": "b"}]}, {"id": 2, "tags": [{"id": 3, "t": "c"}]}]"#,
      options: options)
    // A batch is one object, so the first policy runs before the third tag comes.
    #expect(seen.withLock { $0 } == [#"["b"] of 2"#, #"["c", "b"] of 3"#])
    try #expect(world.dump(of: "Book 1") == "Book 1 tags=[2]")
    try #expect(world.dump(of: "Book 2") == "Book 2 tags=[3 2]")
  }

  @Test(arguments: StoreKind.allCases)
  func eachPlaceInThePayloadAsksOnceInPayloadOrder(_ kind: StoreKind) throws {
    let world = try World(kind, book(many: .custom { $0.old + $0.new }))
    try world.load(#"[{"id": 1, "tags": [{"id": 3}]}, {"id": 1, "tags": [{"id": 1}]}]"#)
    try #expect(world.dump(of: "Book 1") == "Book 1 tags=[3 1]")
  }

  // FEM-123, Q-32
  @Test(arguments: StoreKind.allCases)
  func objectsDeletedByAPolicyGoUnlessReferenced(_ kind: StoreKind) throws {
    let policy = RelationshipPolicy.custom { change in
      for old in change.old where !change.new.contains(old) { change.delete(old) }
      return change.new
    }
    let world = try World(kind, book(many: policy))
    try world.load(
      #"[{"id": 1, "tags": [{"id": 1}, {"id": 2}, {"id": 3}]}, {"id": 2, "tags": [{"id": 2}]}]"#)
    try #expect(
      world.load(#"[{"id": 1, "tags": [{"id": 4}]}, {"id": 3, "tags": [{"id": 3}]}]"#)
        == "Book +1 ~1, Tag +1 =1 -1")
    try #expect(world.dump().contains("Tag 1") == false)
    try #expect(world.dump().contains("Tag 2"))
  }

  @Test(arguments: StoreKind.allCases)
  func aPolicyIsNotCalledForAListOfElementsWithoutKeys(_ kind: StoreKind) throws {
    let line = Mapping("Line") { Attribute("text", .string, at: "t") }
    let note = Mapping("Note", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("lines", line, policy: .custom { $0.old })
    }
    let world = try World(kind, note, holding: #"{"id": 1, "lines": [{"t": "a"}, {"t": "b"}]}"#)
    try world.load(#"{"id": 1, "lines": [{"t": "c"}]}"#)
    try #expect(world.dump() == "Note 1 lines=[#1]\nLine #1 text=\"c\"")
  }

  @Test(arguments: StoreKind.allCases)
  func invalidTargetsOfAPolicyAreAnErrorAndChangeNothing(_ kind: StoreKind) throws {
    let two = try World(kind, book(one: .custom("two") { $0.new + $0.new }))
    #expect(
      two.failure(of: #"{"id": 1, "a": {"id": 1}}"#)
        == #"the policy "two" of "author" returned 2 targets for a to-one relationship"#)
    try #expect(two.dump() == "")
    let unknown = try World(kind, book(many: .custom { _ in [ObjectID(rawValue: 999_999)] }))
    #expect(
      unknown.failure(of: #"{"id": 1, "tags": []}"#)
        == #"the policy "custom" of "tags" returned the target 999999, which is not stored"#)
    struct Reason: Error {}
    let throwing = try World(kind, book(many: .custom { _ in throw Reason() }))
    #expect(throwing.failure(of: #"{"id": 1, "tags": []}"#) == "Reason()")
    try #expect(throwing.dump() == "")
  }

  // Q-32, BUG-45
  @Test(arguments: StoreKind.allCases, [false, true])
  func replaceKeepsSharedTargetsUnlessItDeletesThem(_ kind: StoreKind, deletesShared: Bool)
    throws
  {
    let world = try World(kind, book(many: .replace(deletesShared: deletesShared)))
    try world.load(#"[{"id": 1, "tags": [{"id": 1}, {"id": 2}]}, {"id": 2, "tags": [{"id": 1}, {"id": 2}]}]"#)
    try world.load(#"[{"id": 1, "tags": []}, {"id": 3, "tags": [{"id": 2}]}]"#)
    try #expect(
      world.dump()
        == (deletesShared
          ? "Book 1\nBook 2 tags=[2]\nBook 3 tags=[2]\nTag 2"
          : "Book 1\nBook 2 tags=[1 2]\nBook 3 tags=[2]\nTag 1\nTag 2"))
  }

  @Test(arguments: StoreKind.allCases)
  func aPolicyOfAClassSeesAndGivesItsOwnInstances(_ kind: StoreKind) throws {
    let store = try kind.make()
    func load(_ json: String) throws -> Shelf? {
      try Mapper(store).roundTrip(Array(json.utf8), as: Shelf.mapping, depth: .max).first
    }
    _ = try load(#"{"id": 1, "books": [{"id": 1, "year": 1965}, {"id": 2, "year": 2001}]}"#)
    let shelf = try load(#"{"id": 1, "books": [{"id": 3, "year": 1984}]}"#)
    #expect(shelf?.books.map(\.year) == [1965, 1984, 2001])
  }

  @Test func customPoliciesAreToldApartAndTheBuiltInOnesByTheirNames() {
    #expect(RelationshipPolicy.replace != .replace(deletesShared: true))
    #expect(RelationshipPolicy.replace == .replace(deletesShared: false))
    #expect(Self.newFirst == Self.newFirst)
    #expect(RelationshipPolicy.custom { $0.new } != .custom { $0.new })
    #expect(Self.newFirst.name == "newFirst")
  }
}

private final class Shelf {
  var id = 0
  var books: [Volume] = []

  static let byYear = RelationshipPolicy.custom("byYear") { change in
    let targets = change.old + change.new
    var years: [ObjectID: Int64] = [:]
    for target in targets {
      if case .integer(let year)? = try change.record(target)?["year"] { years[target] = year }
    }
    return targets.sorted { years[$0] ?? 0 < years[$1] ?? 0 }
  }

  static let mapping = Mapping(Shelf.self, "Shelf", primaryKey: "id", make: Shelf.init) {
    Attribute("id", \.id)
    ToMany("books", \.books, Volume.mapping, policy: byYear)
  }
}

private final class Volume {
  var id = 0
  var year = 0

  static let mapping = Mapping(Volume.self, "Volume", primaryKey: "id", make: Volume.init) {
    Attribute("id", \.id)
    Attribute("year", \.year)
  }
}
