import FastMapCore
import TestSupport
import Testing

/// Relationships that only link to existing objects, and relationships that read their owner's own representation.
@Suite struct ImportWeakTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let ids: String
    var policy = RelationshipPolicy.assign
    let payload: String
    let report: String
    let dump: String

    var testDescription: String { "\(ids) \(policy) \(payload)" }
  }

  /// The start is `Book 1 author=1 tags=[1 2]`; Tag 3 is stored too.
  static let cases: [Case] = [
    // FEM-97: linked, and its attributes are updated as usual
    Case(
      ids: "FEM-97", payload: #"{"id":1,"a":{"id":1,"n":"N"},"tags":[3]}"#,
      report: "Book ~1, Author ~1, Tag =1",
      dump: "Book 1 author=1 tags=[3]\nAuthor 1 name=\"N\"\nTag 1\nTag 2\nTag 3"),
    // FEM-98, Q-17, BUG-38: a miss is as if the member were missing
    Case(
      ids: "Q-17", payload: #"{"id":1,"a":9}"#, report: "Book =1, Author",
      dump: "Book 1 author=1 tags=[1 2]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "BUG-38", policy: .replace, payload: #"{"id":1,"a":{"id":9,"n":"x"}}"#, report: "Book =1, Author",
      dump: "Book 1 author=1 tags=[1 2]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    // FEM-99, BUG-37: of many the absent ones are left out
    Case(
      ids: "BUG-37", payload: #"{"id":1,"tags":[8,{"id":3},9,2]}"#, report: "Book ~1, Tag =2",
      dump: "Book 1 author=1 tags=[3 2]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "BUG-37", payload: #"{"id":1,"tags":[8]}"#, report: "Book ~1, Tag",
      dump: "Book 1 author=1\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "BUG-37", policy: .merge, payload: #"{"id":1,"tags":[8,3]}"#, report: "Book ~1, Tag =1",
      dump: "Book 1 author=1 tags=[1 2 3]\nAuthor 1\nTag 1\nTag 2\nTag 3"),
    Case(
      ids: "BUG-37", policy: .replace, payload: #"{"id":1,"tags":[8,2]}"#, report: "Book ~1, Tag =1 -1",
      dump: "Book 1 author=1 tags=[2]\nAuthor 1\nTag 2\nTag 3"),
    // null is null
    Case(
      ids: "FEM-98", payload: #"{"id":1,"a":null,"tags":null}"#, report: "Book ~1",
      dump: "Book 1\nAuthor 1\nTag 1\nTag 2\nTag 3"),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aWeakRelationshipMakesNothing(_ kind: StoreKind, _ test: Case) throws {
    let strong = Mapping("Strong", entity: "Book", primaryKey: "bookID") {
      Attribute("bookID", .integer, at: "id")
      ToOne("author", Fixture.author, at: "a")
      ToMany("tags", Fixture.tag)
    }
    let world = try World(kind, Fixture.book(test.policy, isWeak: true), strong, Fixture.tag)
    try world.load(#"{"id":1,"a":1,"tags":[1,2]}"#, as: "Strong")
    try world.load(#"{"id":3}"#, as: "Tag")
    try #expect(world.load(test.payload) == test.report)
    try #expect(world.dump() == test.dump)
  }

  // FEM-101: objects that the payload makes exist, wherever they stand
  @Test(arguments: StoreKind.allCases)
  func aWeakRelationshipSeesObjectsOfThePayload(_ kind: StoreKind) throws {
    let world = try World(kind, WeakFixture.person)
    let payload = #"[{"id":1,"boss":2},{"id":2,"boss":1},{"id":3,"boss":3},{"id":4,"boss":{"id":5}}]"#
    try #expect(world.load(payload) == "Person +4")
    try #expect(world.dump() == "Person 1 boss=2\nPerson 2 boss=1\nPerson 3 boss=3\nPerson 4")
    try #expect(world.load(payload) == "Person =4")
  }

  @Test(arguments: StoreKind.allCases)
  func aWeakMissSkipsItsContents(_ kind: StoreKind) throws {
    let world = try World(kind, WeakFixture.person)
    let payload =
      #"{"id":1,"boss":{"id":2,"friend":{"id":3}},"friend":{"id":4,"boss":{"id":1,"friend":{"id":5}}}}"#
    try #expect(world.load(payload) == "Person +3")
    try #expect(world.dump() == "Person 1 friend=5\nPerson 4 boss=1\nPerson 5")
  }

  // FEM-79, Q-19, BUG-27
  static let wholes: [Case] = [
    Case(
      ids: "FEM-79", payload: #"{"id":3,"cat":4}"#, report: "Site ~1, Cat +1",
      dump: "Site 3 cat=4\nCat 1 color=\"c\"\nCat 4"),
    Case(
      ids: "FEM-79", payload: #"{"id":3,"cat":1,"color":"d"}"#, report: "Site =1, Cat ~1",
      dump: "Site 3 cat=1\nCat 1 color=\"d\""),
    Case(
      ids: "Q-19 null", payload: #"{"id":3,"cat":null}"#, report: "Site ~1", dump: "Site 3\nCat 1 color=\"c\""
    ),
    Case(
      ids: "Q-19 missing", payload: #"{"id":3,"color":"z"}"#, report: "Site =1",
      dump: "Site 3 cat=1\nCat 1 color=\"c\""),
  ]

  // WAM-10
  @Test(arguments: StoreKind.allCases, wholes)
  func aWholeRepresentationRelationshipNeedsAKey(_ kind: StoreKind, _ test: Case) throws {
    let cat = Mapping("Cat", primaryKey: "id") {
      Attribute("id", .integer, at: "cat")
      Attribute("color", .string)
    }
    let site = Mapping("Site", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("cat", cat, at: .wholeValue)
    }
    let world = try World(kind, site)
    try #expect(world.load(#"{"id":3,"cat":1,"color":"c"}"#) == "Site +1, Cat +1")
    try #expect(world.load(test.payload) == test.report)
    try #expect(world.dump() == test.dump)
  }

  // FEM-102: a weak relationship is written like any other, and reads back
  @Test(arguments: StoreKind.allCases)
  func aWeakRelationshipIsExportedLikeAnyOther(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(isWeak: true), Fixture.author, Fixture.tag)
    try world.load(#"{"id":1,"n":"FH"}"#, as: "Author")
    try world.load(#"{"id":7,"t":"x"}"#, as: "Tag")
    try world.load(#"{"id":1,"a":{"id":1},"tags":[{"id":9},{"id":7}]}"#)
    let text = try world.export()
    #expect(text == #"[{"id":1,"a":{"id":1,"n":"FH"},"tags":[{"id":7,"t":"x"}]}]"#)
    try #expect(world.report(text).isUnchanged)
  }

  // FEM-85, FEM-101, Q-18, FEM-99, BUG-37, Q-17: weak counts for keys as for objects, and for earlier objects
  @Test(arguments: StoreKind.allCases)
  func aWeakKeyLinksToStoredObjects(_ kind: StoreKind) throws {
    let world = try World(kind, WeakFixture.cat)
    try #expect(
      world.load(#"[{"id":4},{"id":1,"friend":4,"friends":[9,4]},{"id":2,"friend":9}]"#) == "Cat +3")
    try #expect(world.dump() == "Cat 1 friend=4 friends=[4]\nCat 2\nCat 4")
  }
}

private enum WeakFixture {
  static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("boss", person, isWeak: true)
    ToOne("friend", person)
  }

  static let cat: Mapping<Record> = Mapping("Cat", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("friend", catKey, isWeak: true)
    ToMany("friends", catKey, isWeak: true)
  }
  static let catKey = Mapping("CatKey", entity: "Cat", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }
}
