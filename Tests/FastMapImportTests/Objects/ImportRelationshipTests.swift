import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@Suite struct ImportRelationshipTests {
  // FEM-69, FEM-71, FEM-72, WAM-48, WAM-49
  @Test(arguments: StoreKind.allCases)
  func relatedObjectsAreMadeAndLinkedInOrder(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    let payload = #"{"id":1,"a":{"id":7,"n":"FH"},"tags":[{"id":9,"t":"x"},{"id":3,"t":"y"}]}"#
    try #expect(world.load(payload) == "Book +1, Author +1, Tag +2")
    try #expect(
      world.dump() == """
        Book 1 author=7 tags=[9 3]
        Author 7 name="FH"
        Tag 3 text="y"
        Tag 9 text="x"
        """)
    try #expect(world.load(payload) == "Book =1, Author =1, Tag =2")
  }

  // FEM-73, FEM-78, WAM-57
  @Test(arguments: StoreKind.allCases)
  func aRelationshipMayHaveADottedPathAndIgnoresTheRootPathOfItsMapping(_ kind: StoreKind) throws {
    let author = Mapping("Author", rootPath: "authors", primaryKey: "id") { Attribute("id", .integer) }
    let book = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("author", author, at: "meta.author")
    }
    let world = try World(kind, book)
    try #expect(world.load(#"{"id":1,"meta":{"author":{"id":2}}}"#) == "Book +1, Author +1")
    try #expect(world.load(#"{"id":1,"meta":{}}"#) == "Book =1")
    try #expect(world.dump() == "Book 1 author=2\nAuthor 2")
    try #expect(world.load(#"{"id":1,"meta":null}"#) == "Book ~1")
    try #expect(world.dump() == "Book 1\nAuthor 2")
  }

  // FEM-82, FEM-83, FEM-84, FEM-206
  @Test(arguments: StoreKind.allCases)
  func aMappingMayReferToItself(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let payload = """
      {"id":1,"child":{"id":9},"kids":[{"id":2,"kids":[{"id":3,"kids":null}]},{"id":4,"kids":[]}]}
      """
    try #expect(world.load(payload) == "Node +5")
    try #expect(world.dump() == "Node 1 child=9 kids=[2 4]\nNode 2 kids=[3]\nNode 3\nNode 4\nNode 9")
  }

  // FEM-85, WAM-44, WAM-60
  @Test(arguments: StoreKind.allCases)
  func cyclesInTheDataEnd(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    try #expect(world.load(#"{"id":1,"child":{"id":2,"child":{"id":1}}}"#) == "Node +2")
    try #expect(world.dump() == "Node 1 child=2\nNode 2 child=1")
    try #expect(world.load(#"{"id":3,"child":{"id":3},"kids":[{"id":3},{"id":1}]}"#) == "Node +1 =1")
    try #expect(world.dump(of: "Node 3") == "Node 3 child=3 kids=[3 1]")
  }

  // BUG-15
  @Test(arguments: StoreKind.allCases)
  func depthIsBoundByTheReaderAlone(_ kind: StoreKind) throws {
    // On a stack of half a megabyte, a level of it would take more than 80 bytes.
    let depth = TestSize.count(kind, small: 6600, others: 1000, whole: 20_000)
    let payload =
      (1..<depth).map { #"{"id":\#($0),"child":"# }.joined() + #"{"id":\#(depth)}"#
      + String(repeating: "}", count: depth - 1)
    let world = try World(kind, Fixture.node)
    #expect(
      world.failure(of: payload)?.contains("expected at most 512 levels of arrays and objects, found more")
        == true,
      "the default")
    let options = ImportOptions(maxDepth: depth)
    let (store, plan) = (world.store, world.plan())
    let report = try onSmallStack { [options] in
      try Mapper(store).importJSON(payload, as: plan, options: options)
    }
    #expect(summary(report) == "Node +\(depth)")
    try #expect(world.dump(of: "Node \(depth - 1)") == "Node \(depth - 1) child=\(depth)")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let payload: String
    let dump: String
  }

  /// The start is `Book 1 author=1 tags=[1 2]`.
  static let cases: [Case] = [
    // FEM-74, FEM-75, FEM-76, FEM-77, WAM-54…WAM-56
    Case(testDescription: "missing keeps", payload: #"{"id":1}"#, dump: "Book 1 author=1 tags=[1 2]"),
    Case(testDescription: "null clears to-one", payload: #"{"id":1,"a":null}"#, dump: "Book 1 tags=[1 2]"),
    Case(testDescription: "null clears to-many", payload: #"{"id":1,"tags":null}"#, dump: "Book 1 author=1"),
    Case(testDescription: "an empty array clears", payload: #"{"id":1,"tags":[]}"#, dump: "Book 1 author=1"),
    // FEM-80, FEM-81, WAM-61, WAM-62, WAM-66, WAM-67, BUG-08
    Case(testDescription: "a key", payload: #"{"id":1,"a":2}"#, dump: "Book 1 author=2 tags=[1 2]"),
    Case(testDescription: "keys", payload: #"{"id":1,"tags":[4,2]}"#, dump: "Book 1 author=1 tags=[4 2]"),
    // Q-12, WAM-51, BUG-05, BUG-06
    Case(
      testDescription: "one key for many", payload: #"{"id":1,"tags":4}"#, dump: "Book 1 author=1 tags=[4]"),
    Case(
      testDescription: "one object for many", payload: #"{"id":1,"tags":{"id":4}}"#,
      dump: "Book 1 author=1 tags=[4]"),
    // BUG-10
    Case(
      testDescription: "keys and objects mixed", payload: #"{"id":1,"tags":[{"id":4},2]}"#,
      dump: "Book 1 author=1 tags=[4 2]"),
    // BUG-09
    Case(
      testDescription: "null among many is passed over", payload: #"{"id":1,"tags":[null,3,null]}"#,
      dump: "Book 1 author=1 tags=[3]"),
    // FEM-95
    Case(
      testDescription: "repeats are kept", payload: #"{"id":1,"tags":[2,1,2]}"#,
      dump: "Book 1 author=1 tags=[2 1 2]"),
    Case(
      testDescription: "another order is another value", payload: #"{"id":1,"tags":[2,1]}"#,
      dump: "Book 1 author=1 tags=[2 1]"),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aRelationshipTakesTheTargetsOfItsJSON(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.book(), holding: #"{"id":1,"a":{"id":1},"tags":[{"id":1},{"id":2}]}"#)
    let report = try world.load(test.payload)
    #expect(report.hasPrefix(test.testDescription == "missing keeps" ? "Book =1" : "Book ~1"))
    try #expect(world.dump(of: "Book 1") == test.dump)
    try #expect(world.load(test.payload).hasPrefix("Book =1"))
  }

  // FEM-05, FEM-80, FEM-81
  @Test(arguments: StoreKind.allCases)
  func aMappingMayReadABareKey(_ kind: StoreKind) throws {
    let ref = Mapping("PhotoRef", entity: "Photo", primaryKey: "id") {
      Attribute("id", .string, at: .wholeValue)
    }
    let photo = Mapping("Photo", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("size", .integer)
    }
    let album = Mapping("Album", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("cover", ref)
      ToMany("photos", ref)
    }
    let world = try World(kind, album, photo)
    try #expect(world.load(#"{"id":"b","size":5}"#, as: "Photo") == "Photo +1")
    try #expect(world.load(#"{"id":1,"cover":"b","photos":["b","a"]}"#) == "Album +1, Photo +1 =1")
    try #expect(world.dump() == "Album 1 cover=\"b\" photos=[\"b\" \"a\"]\nPhoto \"a\"\nPhoto \"b\"")
    try #expect(world.dump(as: "Photo") == "Photo \"a\"\nPhoto \"b\" size=5")
    #expect(
      world.failure(of: #"{"id":1,"cover":{"id":"b"}}"#)
        == "$.cover: expected a string, found an object (line 1, column 17)")
  }

  // FEM-80, FEM-81, FEM-156, WAM-61…WAM-67, BUG-06, Q-12
  @Test(arguments: StoreKind.allCases)
  func keysLinkToStoredObjectsAndMakeMissingOnes(_ kind: StoreKind) throws {
    for form in Form.allCases {
      let world =
        try form == .records
        ? World(kind, Fixture.club, Fixture.member)
        : World(kind, TypedFixture.Club.mapping, TypedFixture.Member.mapping)
      func club() throws -> String? { try world.dump(of: "Club 1") }
      try #expect(world.load(#"[{"id":1,"n":"A"},{"id":2,"n":"B"}]"#, as: "Member") == "Member +2")
      try #expect(world.load(#"{"id":1,"chiefs":1}"#) == "Club +1, Member =1")
      try #expect(club() == "Club 1 chiefs=[1]")
      try #expect(world.dump(of: "Member 1") == #"Member 1 first="A""#, "its values stay")
      try #expect(world.load(#"{"id":1,"chiefs":[3,1,2]}"#) == "Club ~1, Member +1 =2")
      try #expect(club() == "Club 1 chiefs=[3 1 2]")
      try #expect(
        world.dump(of: "Member 3") == "Member 3", "unknown keys are objects with nothing but the key")
      try #expect(world.load(#"{"id":1}"#) == "Club =1")
      try #expect(
        world.load(#"{"id":1,"venues":[{"id":4,"advisor":2},5]}"#) == "Club ~1, Member =1, Venue +2")
      try #expect(club() == "Club 1 chiefs=[3 1 2] venues=[4 5]")
      try #expect(world.load(#"{"id":1,"chiefs":null,"venues":[]}"#) == "Club ~1")
      try #expect(club() == "Club 1")
      try #expect(world.keys(of: "Member") == "1 2 3")
    }
  }

  // WAM-65
  @Test(arguments: StoreKind.allCases)
  func stringsAreKeysToo(_ kind: StoreKind) throws {
    let song = Mapping("Song", primaryKey: "id") { Attribute("id", .string) }
    let album = Mapping("Album", primaryKey: "id") {
      Attribute("id", .string)
      ToOne("first", song)
      ToMany("songs", song)
    }
    let world = try World(kind, album)
    try #expect(world.load(#"{"id":"k7x","first":"a","songs":["b",{"id":"a"},""]}"#) == "Album +1, Song +3")
    try #expect(world.dump(of: #"Album "k7x""#) == #"Album "k7x" first="a" songs=["b" "a" ""]"#)
  }
}
