import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// Key paths with indices and lists, key strategies, the registry.
@Suite struct KeyPathTests {
  // BUG-04
  @Test(
    arguments: [
      ("a", [.member("a")]), ("a.b", [.member("a"), .member("b")]), ("", [.member("")]),
      ("a[0]", [.member("a"), .index(0)]), ("a[12].b", [.member("a"), .index(12), .member("b")]),
      ("a[].b", [.member("a"), .each, .member("b")]),
      ("a[0][1]", [.member("a"), .index(0), .index(1)]), (#"a\.b"#, [.member("a.b")]),
      (#"a\[0]"#, [.member("a[0]")]), (#"\[0]"#, [.member("[0]")]), ("[0]", [.index(0)]), ("[]", [.each]),
      ("[1].a", [.index(1), .member("a")]), ("[1][].a", [.index(1), .each, .member("a")]),
      (#"a\\.b"#, [.member(#"a\"#), .member("b")]),
    ] as [(String, [JSONKeyPath.Step])])
  func keyPathsAreReadFromTheirWrittenFormAndWriteIt(text: String, steps: [JSONKeyPath.Step]) {
    #expect(JSONKeyPath(text).steps == steps)
    #expect(JSONKeyPath(text).description == text)
  }

  @Test(arguments: ["a[x]", "a[1", "a[1]b", "a]", "[a]", "a[-1]", "a[99999999999999999999]"])
  func aBracketThatIsNoStepIsPartOfTheName(text: String) {
    #expect(JSONKeyPath(text).steps == [.member(text)])
  }

  private final class Numbered {
    var id: UInt64 = 0
  }

  /// The list that `[]` gathers lives as long as the call that reads it, and a fault is read later.
  @Test(arguments: StoreKind.allCases)
  func aListThatMakesNoKeyIsNamedAsAnArray(_ kind: StoreKind) throws {
    let mapping = Mapping(Numbered.self, "Numbered", primaryKey: "id", make: Numbered.init) {
      Attribute("id", \.id, at: "ids[]", transform: Transform(reading: { _ in .value(.max) }))
    }
    let world = try World(kind, mapping)
    let message = try #require(world.failure(of: #"[{"ids": [1, 2]}]"#))
    #expect(message.hasPrefix("$[0].ids: expected "), "\(message)")
    #expect(message.contains("found an array"), "\(message)")
  }

  private struct Case: CustomTestStringConvertible {
    var json: String
    var dump: String
    var testDescription: String { json }
    init(_ json: String, _ dump: String) {
      self.json = json
      self.dump = dump
    }
  }

  private static let place = Mapping("Place", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("latitude", .number, at: "position[0]")
    Attribute("longitude", .number, at: "position[1]")
    Attribute("deep", .string, at: "a.b[1][0].c")
    Attribute("names", .json, at: "tags[].n")
    Attribute("firsts", .json, at: "tags[].list[0]")
    ToMany("people", person, at: "staff[].person")
    ToOne("boss", person, at: "bosses[0]")
  }

  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  // FEM-08, BUG-03
  @Test(arguments: StoreKind.allCases)
  func keyPathsLeadIntoArrays(_ kind: StoreKind) throws {
    let cases = [
      Case(#"{"id":1,"position":[1.5,2]}"#, "Place 1 latitude=1.5 longitude=2.0"),
      Case(#"{"id":1,"position":[1.5]}"#, "Place 1 latitude=1.5"),
      Case(#"{"id":1,"position":[null,3]}"#, "Place 1 longitude=3.0"),
      Case(#"{"id":1,"position":[]}"#, "Place 1"),
      Case(#"{"id":1,"a":{"b":[0,[{"c":"x"}]]}}"#, #"Place 1 deep="x""#),
      Case(#"{"id":1,"a":{"b":[0]}}"#, "Place 1"),
      Case(
        #"{"id":1,"tags":[{"n":"a"},{},{"n":null},null]}"#,
        #"Place 1 names=["a",null,null,null] firsts=[null,null,null,null]"#),
      Case(#"{"id":1,"tags":[]}"#, "Place 1 names=[] firsts=[]"),
      Case(#"{"id":1,"tags":[{"n":1,"list":[7,8]},{"list":[]}]}"#, "Place 1 names=[1,null] firsts=[7,null]"),
      Case(
        #"{"id":1,"staff":[{"person":{"id":2}},{},{"person":3},{"person":null}]}"#,
        "Place 1 people=[2 3]\nPerson 2\nPerson 3"),
      Case(#"{"id":1,"staff":[]}"#, "Place 1"),
      Case(#"{"id":1,"bosses":[{"id":9},{"id":8}]}"#, "Place 1 boss=9\nPerson 9"),
    ]
    for test in cases {
      let world = try World(kind, Self.place, holding: test.json)
      try #expect(world.dump() == test.dump, "\(test.json)")
      let again = try world.report(test.json)
      #expect(again["Place"] == .init(unchanged: 1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func nullOnTheWayIsNullAtTheEndForIndicesAndListsToo(_ kind: StoreKind) throws {
    let world = try World(kind, Self.place)
    try world.load(
      #"{"id":1,"position":[1,2],"tags":[{"n":"a"}],"staff":[{"person":{"id":2}}],"bosses":[{"id":2}]}"#)
    try world.load(#"{"id":1,"position":null,"tags":null,"staff":null,"bosses":null}"#)
    try #expect(world.dump() == "Place 1\nPerson 2")
  }

  // BUG-02, BUG-03
  @Test(
    arguments: StoreKind.allCases,
    [
      (#"{"id":1,"position":{}}"#, "$.position: expected an array, found an object (line 1, column 20)"),
      (#"{"id":1,"position":7}"#, "$.position: expected an array, found the number 7 (line 1, column 20)"),
      (
        #"{"id":1,"position":["x"]}"#,
        #"$.position[0]: expected a number, found the string "x" (line 1, column 21)"#
      ),
      (
        #"{"id":1,"a":{"b":[0,["c"]]}}"#,
        #"$.a.b[1][0]: expected an object, found the string "c" (line 1, column 22)"#
      ),
      (#"{"id":1,"tags":{"n":"a"}}"#, "$.tags: expected an array, found an object (line 1, column 16)"),
      (
        #"{"id":1,"tags":[{"n":"a"},5]}"#,
        "$.tags[1]: expected an object, found the number 5 (line 1, column 27)"
      ),
      (
        #"{"id":1,"tags":[{},{"list":{}}]}"#,
        "$.tags[1].list: expected an array, found an object (line 1, column 28)"
      ),
      (
        #"{"id":1,"staff":[{},{"person":{"id":2,"name":3}}]}"#,
        "$.staff[1].person.name: expected a string, found the number 3 (line 1, column 46)"
      ),
      (
        #"{"id":1,"staff":[{"person":"x"}]}"#,
        #"$.staff[0].person: expected an object or an integer, found the string "x" (line 1, column 28)"#
      ),
      (
        #"{"id":1,"bosses":[{"id":"x"}]}"#,
        #"$.bosses[0].id: expected an integer, found the string "x" (line 1, column 25)"#
      ),
    ])
  func aFaultNamesThePlaceThatContradictsTheKeyPath(
    _ kind: StoreKind, test: (json: String, message: String)
  ) throws {
    let world = try World(kind, Self.place)
    #expect(world.failure(of: test.json) == test.message)
    try #expect(world.dump() == "")
  }

  @Test func keyPathsFillPropertiesThatAreLists() throws {
    final class Post {
      var id = 0
      var tags: [String] = []
      var numbers: Set<Int>?
      var first: String?
    }
    let mapping = Mapping(Post.self, "Post", primaryKey: "id", make: { Post() }) {
      Attribute("id", \.id)
      Attribute("tags", \.tags, at: "meta.tags[].name")
      Attribute("numbers", \.numbers, at: "meta.tags[].n")
      Attribute("first", \.first, at: "meta.tags[0].name")
    }
    let post = try mapping.object(
      from: Array(#"{"id":1,"meta":{"tags":[{"name":"a","n":1},{"name":"b","n":1}]}}"#.utf8))
    #expect((post?.tags, post?.numbers, post?.first) == (["a", "b"], [1], "a"))
    do {
      _ = try mapping.object(from: Array(#"{"id":1,"meta":{"tags":[{"name":"a"},{"name":2}]}}"#.utf8))
      Issue.record("a number was taken for a name")
    } catch {
      #expect("\(error)" == "$.meta.tags[1].name: expected a string, found the number 2 (line 1, column 46)")
    }
  }

  @Test func keyPathsThatCannotBeFollowedAreRefused() throws {
    let mapping = Mapping("M", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("a", .string, at: "x[].y")
      Attribute("b", .json, at: "y[].z[]")
      Attribute("c", .integer, at: JSONKeyPath([.index(0)]))
      Attribute("d", .integer, at: "q[0]")
      Attribute("e", .integer, at: "q.r")
      Attribute("f", .integer, at: "id.g")
      ToOne("g", Self.person, at: "s[].t")
    }
    do {
      _ = try Plan(mapping)
      Issue.record("it was compiled")
    } catch {
      #expect(
        error.description == """
          $.mappings.M.attributes.a.keyPath: a key path with [] gives a list; the attribute is a string
          $.mappings.M.attributes.b.keyPath: expected at most one [] in a key path, found "y[].z[]"
          $.mappings.M.relationships.g.keyPath: a key path with [] gives a list; the relationship is to-one
          $.mappings.M.attributes.c.keyPath: expected a key path that begins with a member, as for "id"; a bracket of a name is written \\[
          $.mappings.M.attributes.e.keyPath: "q" is an object here and an array for "d"
          $.mappings.M.attributes.f.keyPath: leads through "id", which is the value of "id": a primary key has a member for itself
          """)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aRootPathMayLeadThroughAnArray(_ kind: StoreKind) throws {
    let person = Mapping("Person", rootPath: "pages[1].people", primaryKey: "id") {
      Attribute("id", .integer)
    }
    let world = try World(kind, person, holding: #"{"pages":[{},{"people":[{"id":1},{"id":2}]}]}"#)
    try #expect(world.dump() == "Person 1\nPerson 2")
    #expect(
      world.failure(of: #"{"pages":{}}"#) == "$.pages: expected an array, found an object (line 1, column 10)"
    )
    #expect(
      world.failure(of: #"{"pages":[]}"#)
        == "$.pages[1]: expected the objects to map at this root path, found nothing (line 1, column 10)")
  }

  // MARK: Strategies

  @Test(arguments: [
    ("firstName", "first_name", "firstName"), ("imageURL", "image_url", "imageURL"),
    ("URLString", "url_string", "URLString"), ("name", "name", "name"), ("userID2", "user_id2", "userID2"),
    ("first_name", "first_name", "firstName"), ("_id", "_id", "_id"), ("a", "a", "a"), ("", "", ""),
    ("__a_b__", "__a_b__", "__aB__"), ("éÉ", "é_é", "éÉ"),
  ])
  func aKeyStrategyMakesMemberNamesOfFieldNames(name: String, snake: String, camel: String) {
    #expect(KeyStrategy.snakeCase.key(for: name) == snake)
    #expect(KeyStrategy.camelCase.key(for: name) == camel)
    #expect(KeyStrategy.asDeclared.key(for: name) == name)
  }

  @Test(arguments: StoreKind.allCases)
  func aMappingsStrategyIsForTheFieldsThatSayNoKeyPath(_ kind: StoreKind) throws {
    let mapping = Mapping("User", primaryKey: "userID", keys: .snakeCase) {
      Attribute("userID", .integer)
      Attribute("firstName", .string)
      Attribute("lastName", .string, at: "lastName")
      ToMany("bestFriends", Self.person)
    }
    let world = try World(kind, mapping)
    try world.load(#"{"user_id": 1, "first_name": "Ada", "lastName": "L", "best_friends": [2]}"#)
    try #expect(world.dump() == "User 1 firstName=\"Ada\" lastName=\"L\" bestFriends=[2]\nPerson 2")
  }

  // MARK: Names

  // WAM-122
  @Test func aSetFindsMappingsByName() throws {
    final class Song {
      var id = 0
    }
    let song = Mapping(Song.self, "Song", primaryKey: "id", make: { Song() }) { Attribute("id", \.id) }
    let set = MappingSet([song.definition, Self.person.definition])
    #expect(set["Song"] === song.definition)
    #expect(set["Person"] === Self.person.definition)
    #expect(set["song"] == nil)
    #expect(set.mappings.map(\.name) == ["Song", "Person"])
    #expect(try set.plan(for: "Person").root.name == "Person")
    let other = Mapping(Song.self, "Song", make: { Song() }) { Attribute("id", \.id) }
    #expect(throws: MappingDefinitionError.self) {
      try MappingSet([song.definition, other.definition]).plan(for: "Song")
    }
  }
}
