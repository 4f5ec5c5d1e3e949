import FastMapCore
import TestSupport
import Testing

/// Semantics 2 and 8: one object per entity and key, and objects without a key.
@Suite struct ImportIdentityTests {
  // FEM-135, FEM-137, WAM-34
  @Test(arguments: StoreKind.allCases)
  func aKeyIsFoundAgainInTheNextImport(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    try #expect(world.load(#"{"id":1,"t":"Dune"}"#) == "Book +1")
    try #expect(world.load(#"{"id":1,"t":"Dune","y":"1965"}"#) == "Book ~1")
    try #expect(world.dump() == #"Book 1 title="Dune" year="1965""#)
  }

  // FEM-144, WAM-42, BUG-42, Q-07, FEM-150, Q-24 BUG-43
  @Test(arguments: StoreKind.allCases)
  func aKeyMetTwiceInOnePayloadIsOneObjectAndTheLaterValuesWin(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    try #expect(world.load(#"[{"id":1,"t":"A","y":"1"},{"id":2},{"id":1,"t":"B"}]"#) == "Book +2")
    try #expect(world.dump() == "Book 1 title=\"B\" year=\"1\"\nBook 2")
    try #expect(world.load(#"[{"id":1,"t":"C"},{"id":1,"t":"B"}]"#) == "Book =1")
  }

  // FEM-145, WAM-44
  @Test(arguments: StoreKind.allCases)
  func aKeyMetAtAnotherDepthIsTheSameObject(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let payload =
      #"[{"id":1,"n":"root","kids":[{"id":2,"kids":[{"id":1},{"id":3,"n":"deep"}]}]},{"id":3,"n":"late"}]"#
    try #expect(world.load(payload) == "Node +3")
    try #expect(
      world.dump() == """
        Node 1 name="root" kids=[2]
        Node 2 kids=[1 3]
        Node 3 name="late"
        """)
    try #expect(world.load(payload) == "Node =3")
  }

  // FEM-138, FEM-143, WAM-35, BUG-40
  @Test(arguments: StoreKind.allCases)
  func stringsIntegersZeroAndTheEmptyStringAreKeys(_ kind: StoreKind) throws {
    let item = Mapping("Item", primaryKey: "id") { Attribute("id", .string) }
    let strings = try World(kind, item)
    let payload = #"[{"id":"b"},{"id":""},{"id":"ab"},{"id":"a"},{"id":"a\u0000"},{"id":"é"},{"id":"ab"}]"#
    try #expect(strings.load(payload) == "Item +6")
    try #expect(
      strings.dump()
        == ["", "a", "a\0", "ab", "b", "é"].map { "Item \(PrimaryKey.string($0))" }.joined(separator: "\n"))
    try #expect(strings.load(payload) == "Item =6")

    let integers = try World(kind, Fixture.tag)
    let numbers =
      "[{\"id\":0},{\"id\":-1},{\"id\":9223372036854775807},{\"id\":-9223372036854775808},{\"id\":1}]"
    try #expect(integers.load(numbers) == "Tag +5")
    try #expect(
      integers.dump()
        == "Tag -9223372036854775808\nTag -1\nTag 0\nTag 1\nTag 9223372036854775807")
    try #expect(integers.load(numbers) == "Tag =5")
  }

  // FEM-146, FEM-86, FEM-203, WAM-139, Q-31, BUG-31
  @Test(arguments: StoreKind.allCases)
  func twoMappingsOfOneEntityShareItsKeys(_ kind: StoreKind) throws {
    let a = Mapping("A", entity: "Thing", primaryKey: "a") {
      Attribute("a", .integer)
      Attribute("x", .string)
    }
    let b = Mapping("B", entity: "Thing", primaryKey: "a") {
      Attribute("a", .integer, at: "b")
      ToOne("other", a)
    }
    let world = try World(kind, b, a)
    try #expect(world.load(#"{"b":1,"other":{"a":1,"x":"me"}}"#) == "Thing +1")
    try #expect(world.load(#"{"a":1,"x":"you"}"#, as: "A") == "Thing ~1")
    try #expect(world.dump() == #"Thing 1 x="you" other=1"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aMappingWithoutFieldsMakesObjects(_ kind: StoreKind) throws {
    let world = try World(kind, Mapping<Record>("Empty") {})
    try #expect(world.load("[{}, {\"x\": 1}]") == "Empty +2")
  }

  // Semantics 8, Q-20, BUG-28, FEM-141, FEM-142, WAM-38
  @Test(arguments: StoreKind.allCases, ["missing", "null"])
  func anObjectWithoutItsKeyIsAnErrorUnlessTheMappingSaysElse(_ kind: StoreKind, _ form: String) throws {
    func item(_ choice: MissingPrimaryKey) -> Mapping<Record> {
      Mapping("Item", primaryKey: "id", missingPrimaryKey: choice) {
        Attribute("id", .integer)
        Attribute("x", .integer)
      }
    }
    let keyless = form == "null" ? #"{"id":null,"x":2}"# : #"{"x":2}"#
    let payload = "[{\"id\":1,\"x\":1},\(keyless),{\"id\":3,\"x\":3}]"
    let found = form == "null" ? "null" : "nothing"
    let column = form == "null" ? 23 : 17

    let strict = try World(kind, item(.error))
    #expect(
      strict.failure(of: payload)
        == "$[1].id: expected an integer, the primary key of Item, found \(found) (line 1, column \(column))")
    try #expect(strict.dump() == "")

    let skipping = try World(kind, item(.skip))
    let report = try skipping.report(payload)
    #expect(summary(report) == "Item +2 !1")
    #expect(report.errors.isEmpty)
    try #expect(skipping.dump() == "Item 1 x=1\nItem 3 x=3")

    let inserting = try World(kind, item(.insert))
    try #expect(inserting.load(payload) == "Item +3")
    try #expect(inserting.dump() == "Item 1 x=1\nItem 3 x=3\nItem #1 x=2")
    try #expect(inserting.load(payload) == "Item +1 =2")
    try #expect(inserting.dump() == "Item 1 x=1\nItem 3 x=3\nItem #1 x=2\nItem #2 x=2")
  }

  // WAM-36, FEM-141, Q-24, FEM-150
  @Test(arguments: StoreKind.allCases)
  func withoutAPrimaryKeyEveryRootObjectIsNew(_ kind: StoreKind) throws {
    let world = try World(kind, Mapping("Note") { Attribute("text", .string) })
    try #expect(world.load(#"[{"text":"b"},{"text":"a"},{}]"#) == "Note +3")
    try #expect(world.load(#"[{"text":"b"}]"#) == "Note +1")
    try #expect(world.dump() == "Note #1 text=\"b\"\nNote #2 text=\"a\"\nNote #3\nNote #4 text=\"b\"")
  }

  // BUG-48
  @Test func instancesThatCallThemselvesEqualAreTwoObjects() throws {
    final class Twin: Hashable {
      var id = 0
      var name: String?
      static func == (a: Twin, b: Twin) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    let mapping = Mapping(Twin.self, "Twin", primaryKey: "id", make: Twin.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
    let world = try World(.memory, mapping)
    let twins = try world.instances(#"[{"id":1},{"id":2,"name":"b"}]"#, as: mapping)
    #expect(twins[0] !== twins[1])
    try #expect(world.load(#"{"id":1,"name":"a"}"#) == "Twin ~1")
    try #expect(world.keys(of: "Twin") == "1 2")
  }

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

  // FEM-84, FEM-135, FEM-136, FEM-174, WAM-34, WAM-129: the number of an object stays
  @Test(arguments: StoreKind.allCases)
  func anObjectMetAgainIsTheSameObject(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Node.mapping)
    func id(_ key: PrimaryKey) throws -> ObjectID? {
      let store = world.store
      return try store.read(world.plan()) { try $0.record("Node", key: key)?.id }
    }
    _ = try world.instances(#"[{"id":1,"n":"a"},{"id":2}]"#, as: TypedFixture.Node.mapping)
    let numbers = try [id(1), id(2)]
    #expect(numbers.allSatisfy { $0 != nil })
    let second = try world.instances(
      #"[{"id":2,"kids":[{"id":1,"n":"b"},{"id":3}]},{"id":3}]"#, as: TypedFixture.Node.mapping)
    #expect(try [id(1), id(2)] == numbers)
    #expect((second.map(\.name), second[1].kids.map(\.name)) == (["b", nil, nil], ["b", nil]))
    #expect(second[1].kids.last === second[2])
    try #expect(world.keys(of: "Node") == "1 2 3")
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

  // WAM-42, WAM-43, WAM-53, BUG-42, Q-07: the same in a fresh store and in one that knows the keys
  @Test(arguments: StoreKind.allCases)
  func aNewKeyTwiceInOneListIsOneObject(_ kind: StoreKind) throws {
    let world = try World(kind, TypedFixture.Club.mapping)
    let payload = #"{"id":1,"ordered":[{"id":1},{"id":4},{"id":2},{"id":1,"n":"late"}]}"#
    for report in ["Club +1, Member +3", "Club =1, Member =3"] {
      try #expect(world.load(payload) == report)
      let club = try #require(try world.instance(TypedFixture.Club.mapping, 1))
      #expect((club.ordered.map(\.memberID), club.ordered.first?.first) == ([1, 4, 2], "late"))
      try #expect(world.keys(of: "Member") == "1 2 4")
    }
  }

  // WAM-46, WAM-47, WAM-119, BUG-30, BUG-31, BUG-43, BUG-60, Q-31, FEM-203: keys are told apart by entity and by bytes, never by text
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
      let options = SerializerOptions.with { $0.cycles = cycles }
      try #expect(
        world.export(nil, options)
          == #"[{"id":12,"a1":{"id":2,"x":1},"a":{"id":12,"x":2},"text":{"id":"12"}}]"#)
    }
  }

  // WAM-126
  @Test(arguments: StoreKind.allCases)
  func theKeyOfAnEntityKeepsItsType(_ kind: StoreKind) throws {
    func club(_ name: String, _ key: String, _ type: AttributeType, at path: JSONKeyPath) -> Mapping<Record> {
      Mapping(name, entity: "Club", primaryKey: KeyFields(key)) { Attribute(key, type, at: path) }
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
}
