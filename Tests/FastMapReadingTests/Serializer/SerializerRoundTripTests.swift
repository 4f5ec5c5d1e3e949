import FastMapCore
import TestSupport
import Testing

/// Stored objects are written as JSON: the same text that was read.
@Suite struct SerializerRoundTripTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mapping: Mapping<Record>
    /// One object, as it is read and as it is written.
    let json: String
  }

  private static let reference = Mapping("AuthorRef", entity: "Author", primaryKey: "authorID") {
    Attribute("authorID", .integer, at: .wholeValue)
  }

  static let cases: [Case] = [
    // FEM-180, WAM-105: siblings share the object of their path
    Case(
      testDescription: "dotted attributes",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("year", .integer, at: "info.year")
        Attribute("pages", .integer, at: "info.print.pages")
        Attribute("paper", .string, at: "info.print.paper")
      }, json: #"{"id":1,"info":{"year":1965,"print":{"pages":412,"paper":"thin"}}}"#),
    // FEM-187, FEM-188, WAM-109, WAM-110
    Case(
      testDescription: "to-one and to-many",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", Fixture.author, at: "by")
        ToMany("editors", Fixture.author, at: "eds")
      }, json: #"{"id":1,"by":{"id":9,"n":"A"},"eds":[{"id":3,"n":"B"},{"id":2},{"id":4,"n":"C"}]}"#),
    // FEM-192, WAM-118, BUG-56
    Case(
      testDescription: "dotted relationships beside attributes",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", Fixture.author, at: "info.by")
        Attribute("year", .integer, at: "info.year")
        ToMany("editors", Fixture.author, at: "info.team.eds")
      }, json: #"{"id":1,"info":{"year":1965,"by":{"id":9},"team":{"eds":[{"id":3},{"id":2}]}}}"#),
    // FEM-190, BUG-57
    Case(
      testDescription: "a relationship without a key path",
      mapping: Mapping("Site", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne(
          "cat",
          Mapping("Cat", primaryKey: "id") {
            Attribute("id", .integer, at: "cat")
            Attribute("color", .string)
          }, at: .wholeValue)
      }, json: #"{"id":3,"cat":4,"color":"red"}"#),
    // FEM-191, BUG-64
    Case(
      testDescription: "bare keys",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", reference, at: "by_id")
        ToMany("editors", reference, at: "ids.eds")
      }, json: #"{"id":1,"by_id":2,"ids":{"eds":[3,2]}}"#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func importedObjectsAreWrittenTheSame(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, test.mapping)
    try world.load(test.json)
    try #expect(world.export() == "[\(test.json)]")
    try #expect(world.report(world.export()).isUnchanged)
  }

  // FEM-181, FEM-182, FEM-185, FEM-195, WAM-106, Q-13, FEM-189: null and missing are the same once stored
  @Test(arguments: StoreKind.allCases)
  func nullsAreLeftOutUnlessTheyAreAskedFor(_ kind: StoreKind) throws {
    var options = SerializerOptions()
    options.includesNulls = true
    for plan in try [Plan(Fixture.book()), Plan(TypedFixture.Book.mapping())] {
      let world = try World(kind, plan)
      try world.load(#"[{"id":1,"t":null,"a":null,"tags":null},{"id":2,"a":{"id":3},"tags":[]}]"#)
      try #expect(world.export() == #"[{"id":1},{"id":2,"a":{"id":3}}]"#)
      let full =
        #"[{"id":1,"t":null,"y":null,"a":null,"tags":[]},"#
        + #"{"id":2,"t":null,"y":null,"a":{"id":3,"n":null},"tags":[]}]"#
      try #expect(world.export(nil, options) == full)
      try #expect(world.report(full).isUnchanged)
    }
  }
}
