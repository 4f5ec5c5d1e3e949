import FastMapCore
import TestSupport
import Testing

/// Relationships of properties.
@Suite struct RelationshipPropertyTests {
  private final class Novel {
    var bookID = 0
    var writer: TypedFixture.Author?
    var labels: [TypedFixture.Tag]?
    var others: [TypedFixture.Tag] = []

    static let mapping = Mapping(Novel.self, "Novel", primaryKey: "bookID", make: Novel.init) {
      Attribute("bookID", \.bookID, at: "id")
      ToOne("writer", \.writer, TypedFixture.Author.mapping, at: "meta.author")
      ToMany("labels", \.labels, TypedFixture.Tag.mapping, at: "meta.tags")
      ToMany("others", \.others, TypedFixture.Tag.mapping)
    }
  }

  // FEM-66, FEM-69, FEM-70, FEM-71, FEM-72, FEM-73, FEM-94, WAM-48, WAM-57
  @Test(arguments: StoreKind.allCases)
  func relatedObjectsAreInstancesOfTheMappedClass(_ kind: StoreKind) throws {
    let world = try World(kind, Novel.mapping)
    let novels = try world.instances(
      #"{"id":1,"meta":{"author":{"id":7,"n":"FH"},"tags":[{"id":9,"t":"a"},{"id":3,"t":"b"}]}}"#,
      as: Novel.mapping)
    let novel = try #require(novels.first)
    let writer = try #require(novel.writer)
    #expect(type(of: writer) == TypedFixture.Author.self)
    #expect(writer.name == "FH")
    #expect((novel.labels?.map(\.tagID), novel.labels?.last?.text) == ([9, 3], "b"))
    try #expect(world.keys(of: "Tag") == "3 9")
  }

  // FEM-21, FEM-74, FEM-75, FEM-76, FEM-77, WAM-54, WAM-55, WAM-56, WAM-57
  @Test(
    arguments: StoreKind.allCases,
    [
      (#"{"id":1}"#, "7 [9] [9]"), (#"{"id":1,"meta":{},"others":[]}"#, "7 [9] []"),
      (#"{"id":1,"meta":{"author":null},"others":null}"#, "nil [9] []"),
      (#"{"id":1,"meta":{"tags":null}}"#, "7 nil [9]"), (#"{"id":1,"meta":null}"#, "nil nil [9]"),
    ])
  func missingKeepsAndNullClearsAProperty(_ kind: StoreKind, _ test: (payload: String, state: String)) throws
  {
    let world = try World(kind, Novel.mapping)
    try world.load(#"{"id":1,"meta":{"author":{"id":7},"tags":[{"id":9}]},"others":[9]}"#)
    try world.load(test.payload)
    let novel = try #require(try world.instance(Novel.mapping, 1))
    let writer = novel.writer.map { "\($0.authorID)" } ?? "nil"
    let labels = novel.labels.map { "\($0.map(\.tagID))" } ?? "nil"
    #expect("\(writer) \(labels) \(novel.others.map(\.tagID))" == test.state)
    try #expect((world.keys(of: "Tag"), world.keys(of: "Author")) == ("9", "7"))
    try #expect(world.report(test.payload).isUnchanged)
  }

  // FEM-83, WAM-09, WAM-49, WAM-58, WAM-60, BUG-25
  @Test(arguments: StoreKind.allCases)
  func everyLevelHasItsOwnClass(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Member.mapping)
    let payload = """
      {"id":1,"n":"M","club":{"id":1,"name":"Z","venues":[{"id":5,"advisor":{"id":2,"n":"N","club":{"id":1}}}],
       "members":[{"id":1},{"id":2}]}}
      """
    let members = try world.instances(payload, as: TypedFixture.Member.mapping)
    #expect(members.map(\.first) == ["M", "N"])
    let club = try #require(try world.instance(TypedFixture.Club.mapping, 1))
    #expect((club.name, club.venues.map(\.venueID), club.venues.first?.advisor?.first) == ("Z", [5], "N"))
    #expect(club.venues.first?.advisor === club.members.last)
    #expect(club.members.map(\.first) == ["M", "N"])
    try #expect(
      world.dump() == """
        Member 1 first="M" club=1
        Member 2 first="N" club=1
        Club 1 name="Z" members=[1 2] venues=[5]
        Venue 5 advisor=2
        """)
  }

  // FEM-82, FEM-84, FEM-85: the other side of the link is not touched
  @Test(arguments: StoreKind.allCases)
  func aRecursiveRelationshipUpdatesStoredObjects(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Node.mapping, holding: #"{"id":21,"n":"Y","kids":[{"id":5}]}"#)
    try #expect(world.load(#"{"id":20,"child":{"id":21,"n":"Z"}}"#) == "Node +1 ~1")
    try #expect(world.dump() == "Node 5\nNode 20 child=21\nNode 21 name=\"Z\" kids=[5]")
    let nodes = try world.instances(
      #"{"id":1,"child":{"id":2,"child":{"id":1}}}"#, as: TypedFixture.Node.mapping)
    let one = try #require(nodes.first)
    try #expect((world.keys(of: "Node"), world.dump(of: "Node 2")) == ("1 2 5 20 21", "Node 2 child=1"))
    #expect(one.nodeID == 1)
  }

}
