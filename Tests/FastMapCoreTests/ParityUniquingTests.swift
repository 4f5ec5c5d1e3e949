import FastMapCore
import TestSupport
import Testing

/// One object for each entity and key, by whatever mapping, depth and form it is met.
@Suite struct ParityUniquingTests {
  // FEM-86, FEM-87, FEM-145, FEM-153: two different mappings of one entity, one of them with nothing but the key
  @Test(arguments: StoreKind.allCases)
  func aSmallerMappingOfTheSameEntityMeetsTheSameObject(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.thread)
    let one = #"{"id":1,"last":{"id":300,"thread":{"id":1}}}"#
    try #expect(world.load(one) == "Thread +1, Post +1")
    try #expect(world.dump() == "Thread 1 last=300\nPost 300 thread=1")
    let many = #"{"id":1,"posts":[{"id":299,"thread":{"id":1}},{"id":300,"thread":{"id":1}}]}"#
    try #expect(world.load(many) == "Thread ~1, Post +1 =1")
    try #expect(world.dump() == "Thread 1 last=300 posts=[299 300]\nPost 299 thread=1\nPost 300 thread=1")
    try #expect(world.report(many).isUnchanged)
  }

  // FEM-84, FEM-135, FEM-136, FEM-174, WAM-34, WAM-129: the number of an object stays, and so does a kept instance
  @Test(arguments: StoreKind.allCases)
  func anObjectMetAgainIsTheSameObject(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Node.mapping)
    func id(_ key: PrimaryKey) throws -> ObjectID? {
      let store = world.store
      return try store.read(world.plan()) { try $0.record("Node", key: key)?.id }
    }
    let first = try world.instances(#"[{"id":1,"n":"a"},{"id":2}]"#, as: TypedFixture.Node.mapping)
    let numbers = try [id(1), id(2)]
    #expect(numbers.allSatisfy { $0 != nil })
    let second = try world.instances(
      #"[{"id":2,"kids":[{"id":1,"n":"b"},{"id":3}]},{"id":3}]"#, as: TypedFixture.Node.mapping)
    #expect(try [id(1), id(2)] == numbers)
    #expect(second[0].kids.map(\.name) == ["b", nil])
    #expect(second[0].kids[1] === second[1])
    if kind == .memory {
      #expect(second[0] === first[1])
      #expect(second[0].kids[0] === first[0])
    }
    try #expect(world.keys(of: "Node") == "1 2 3")
  }

  // FEM-140, BUG-16, BUG-40, Q-27: a key is of its attribute's type, or an error; never a silent second object
  @Test(
    arguments: StoreKind.allCases,
    [
      (#"{"id":"7"}"#, #"$.id: expected an integer, found the string "7" (line 1, column 7)"#),
      (#"{"id":7.0}"#, "$.id: expected an integer, found the number 7.0 (line 1, column 7)"),
      (#"{"id":true}"#, "$.id: expected an integer, found true (line 1, column 7)"),
      (#"{"id":[7]}"#, "$.id: expected an integer, found an array (line 1, column 7)"),
      (#"{"id":9223372036854775808}"#, nil),
    ])
  func aKeyOfAnotherTypeIsAnError(_ kind: StoreKind, _ test: (payload: String, expected: String?)) throws {
    // WAM-41: an array is no key
    let world = try World(kind, Fixture.tag)
    try world.load(#"{"id":7,"t":"x"}"#)
    let failure = try #require(world.failure(of: test.payload))
    if let expected = test.expected { #expect(failure == expected) }
    try #expect(world.dump() == #"Tag 7 text="x""#)
  }

  // FEM-140, BUG-40: canonical by the attribute's type where it is declared so
  @Test(arguments: StoreKind.allCases)
  func aLenientKeyFindsTheObjectHoweverItIsWritten(_ kind: StoreKind) throws {
    let tag = Mapping("Tag", primaryKey: "id") {
      Attribute("id", .integer).lenient
      Attribute("text", .string, at: "t")
    }
    let world = try World(kind, tag)
    try #expect(world.load(#"[{"id":7},{"id":"7","t":"a"},{"id":7.0,"t":"b"}]"#) == "Tag +1")
    try #expect(world.dump() == #"Tag 7 text="b""#)
  }

  // FEM-147, FEM-216, WAM-139, Q-31: records and instances of one entity are the same objects
  @Test(arguments: StoreKind.allCases)
  func recordsAndInstancesShareTheKeysOfTheirEntity(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.author, TypedFixture.Author.mapping)
    try #expect(world.load(#"{"id":1,"n":"FH"}"#) == "Author +1")
    let typed = try world.instances(#"[{"id":1},{"id":2,"n":"JA"}]"#, as: TypedFixture.Author.mapping)
    #expect(typed.map(\.name) == ["FH", "JA"])
    try #expect(world.load(#"[{"id":2,"n":"JA"},{"id":1,"n":"F"}]"#) == "Author ~1 =1")
    #expect(try world.instance(TypedFixture.Author.mapping, 1)?.name == "F")
    try #expect(world.keys(of: "Author") == "1 2")
  }

  // WAM-35, FEM-138: the first import has one member, the second three, one of them known
  @Test(arguments: StoreKind.allCases)
  func stringKeysUniqueAsIntegersDo(_ kind: StoreKind) throws {
    let member = Mapping("Member", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("first", .string, at: "n")
    }
    let club = Mapping("Club", primaryKey: "id") {
      Attribute("id", .string)
      ToMany("members", member)
    }
    let world = try World(kind, club)
    try #expect(world.load(#"{"id":"k7x","members":[{"id":"a","n":"A"}]}"#) == "Club +1, Member +1")
    let payload = #"{"id":"k7x","members":[{"id":"b"},{"id":"a","n":"Z"},{"id":"c"}]}"#
    try #expect(world.load(payload) == "Club ~1, Member +2 ~1")
    try #expect(
      world.dump() == """
        Club "k7x" members=["b" "a" "c"]
        Member "a" first="Z"
        Member "b"
        Member "c"
        """)
  }

  // WAM-42, WAM-43, WAM-53, BUG-42, Q-07: the same in a fresh store and in one that knows the keys
  @Test(arguments: StoreKind.allCases)
  func aNewKeyTwiceInOneListIsOneObject(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Club.mapping)
    let payload = #"{"id":1,"ordered":[{"id":1},{"id":4},{"id":2},{"id":1,"n":"late"}]}"#
    for report in ["Club +1, Member +3", "Club =1, Member =3"] {
      try #expect(world.load(payload) == report)
      let club = try #require(try world.instance(TypedFixture.Club.mapping, 1))
      #expect(club.ordered.map(\.memberID) == [1, 4, 2])
      #expect(club.ordered.first?.first == "late")
      try #expect(world.keys(of: "Member") == "1 2 4")
    }
  }

  // WAM-44, FEM-85, FEM-145, WAM-60
  @Test(arguments: StoreKind.allCases)
  func theRootIsFoundAmongItsDescendants(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Member.mapping)
    let payload = #"{"id":1,"n":"M","club":{"id":5,"members":[{"id":1}]}}"#
    let member = try #require(try world.instances(payload, as: TypedFixture.Member.mapping).first)
    let club = try #require(try world.instance(TypedFixture.Club.mapping, 5))
    #expect(club.members.map(\.memberID) == [1])
    #expect(club.members.first?.first == "M")
    #expect(member.memberID == 1)
    try #expect(world.dump() == "Member 1 first=\"M\" club=5\nClub 5 members=[1]")
  }

  // WAM-46, WAM-47, WAM-119, BUG-30, BUG-31, BUG-43, BUG-60, Q-31: keys are told apart by entity and by bytes, never by text
  @Test(arguments: StoreKind.allCases)
  func keysThatReadAlikeAreNotMistaken(_ kind: StoreKind) throws {
    let a1 = Mapping("A1", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("x", .integer)
    }
    let a = Mapping("A", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("x", .integer)
    }
    let text = Mapping("Text", primaryKey: "id") { Attribute("id", .string) }
    let root = Mapping("Root", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("a1", a1)
      ToOne("a", a)
      ToOne("text", text)
    }
    let world = try World(kind, root)
    try #expect(
      world.load(#"{"id":12,"a1":{"id":2,"x":1},"a":{"id":12,"x":2},"text":"12"}"#)
        == "Root +1, A1 +1, A +1, Text +1")
    try #expect(world.dump() == "Root 12 a1=2 a=12 text=\"12\"\nA1 2 x=1\nA 12 x=2\nText \"12\"")
    for cycles in SerializerOptions.Cycles.allCases {
      var options = SerializerOptions()
      options.cycles = cycles
      try #expect(
        world.export(nil, options)
          == #"[{"id":12,"a1":{"id":2,"x":1},"a":{"id":12,"x":2},"text":{"id":"12"}}]"#)
    }
  }

  // WAM-126
  @Test(arguments: StoreKind.allCases)
  func theKeyOfAnEntityKeepsItsType(_ kind: StoreKind) throws {
    func club(_ name: String, _ key: String, _ type: AttributeType, at path: JSONKeyPath) -> Mapping<Record> {
      Mapping(name, entity: "Club", primaryKey: key) { Attribute(key, type, at: path) }
    }
    let world = try World(
      kind, club("Club", "number", .integer, at: "id"), club("Elsewhere", "number", .integer, at: "nr"),
      club("Renamed", "rank", .integer, at: "id"), club("Text", "number", .string, at: "id"))
    try #expect(world.load(#"{"id":1}"#) == "Club +1")
    try #expect(world.load(#"[{"nr":1},{"nr":2}]"#, as: "Elsewhere") == "Club +1 =1")
    #expect(
      world.failure(of: #"{"id":1}"#, as: "Renamed")
        == #"entity Club: the primary key is stored as the attribute "number", the mapping says the attribute "rank""#
    )
    let failure = try #require(world.failure(of: #"{"id":"1"}"#, as: "Text"))
    #expect(
      failure.contains("Club") && failure.contains("integer") && failure.contains("string"), "\(failure)")
    try #expect(world.keys(of: "Club") == "1 2")
  }

  // WAM-126: the policy may differ from one import to the next, by another mapping of the entity
  @Test(arguments: StoreKind.allCases)
  func anotherMappingOfTheEntityTakesEffectInTheNextImport(_ kind: StoreKind) throws {
    func club(_ name: String, _ policy: RelationshipPolicy) -> Mapping<Record> {
      Mapping(name, entity: "Club", primaryKey: "clubID") {
        Attribute("clubID", .integer, at: "id")
        ToMany("tags", Fixture.tag, policy: policy)
      }
    }
    let world = try World(
      kind, club("Assigning", .assign), club("Merging", .merge), club("Replacing", .replace))
    try world.load(#"{"id":1,"tags":[1]}"#)
    try #expect(world.load(#"{"id":1,"tags":[4,2]}"#, as: "Merging") == "Club ~1, Tag +2")
    try #expect(world.dump(of: "Club 1") == "Club 1 tags=[1 4 2]")
    try #expect(world.load(#"{"id":1,"tags":[2]}"#, as: "Replacing") == "Club ~1, Tag =1 -2")
    try #expect(world.dump() == "Club 1 tags=[2]\nTag 2")
  }
}
