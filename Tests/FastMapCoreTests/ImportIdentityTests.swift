import FastMapCore
import TestSupport
import Testing

/// Semantics 2 and 8: one object per entity and key, and what is done without a key.
@Suite struct ImportIdentityTests {
  // FEM-135, FEM-137, WAM-34
  @Test(arguments: StoreKind.allCases)
  func aKeyIsFoundAgainInTheNextImport(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    try #expect(world.load(#"{"id":1,"t":"Dune"}"#) == "Book +1")
    try #expect(world.load(#"{"id":1,"t":"Dune","y":"1965"}"#) == "Book ~1")
    try #expect(world.dump() == #"Book 1 title="Dune" year="1965""#)
  }

  // FEM-144, WAM-42, BUG-42, Q-07
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
        == ["", "a", "a\0", "ab", "b", "é"].map { "Item \(PrimaryKey.string($0))" }
        .joined(separator: "\n"))
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

  // FEM-203, WAM-47
  @Test(arguments: StoreKind.allCases)
  func equalKeysOfTwoEntitiesAreTwoObjects(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    try #expect(world.load(#"{"id":1,"a":{"id":1},"tags":[{"id":1}]}"#) == "Book +1, Author +1, Tag +1")
    try #expect(world.dump() == "Book 1 author=1 tags=[1]\nAuthor 1\nTag 1")
  }

  // FEM-136
  @Test(arguments: StoreKind.allCases)
  func aKeyIsFoundInAnEarlierBatchOfTheSameImport(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let first = (1...300).map { #"{"id":\#($0),"n":"a"}"# }
    let second = (1...300).reversed().map { #"{"id":\#($0),"child":{"id":\#($0 + 1)}}"# }
    try #expect(world.load("[\((first + second).joined(separator: ","))]") == "Node +301")
    try #expect(world.dump(of: "Node 300") == #"Node 300 name="a" child=301"#)
    try #expect(world.dump(of: "Node 7") == #"Node 7 name="a" child=8"#)
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

  // WAM-03, WAM-04, BUG-10, Q-28: a bare key refers to an object, and at the root nothing refers
  @Test(
    arguments: StoreKind.allCases,
    [
      ("5", "$: expected an object, found the number 5"),
      (#""Not found""#, #"$: expected an object, found the string "Not found""#),
      (#"[{"id":2,"t":"b"},3]"#, "$[1]: expected an object, found the number 3"),
      ("[1]", "$[0]: expected an object, found the number 1"),
    ])
  func aBareKeyAtTheRootIsAFaultAndMakesNothing(
    _ kind: StoreKind, _ test: (payload: String, expected: String)
  ) throws {
    for keyType in [AttributeType.integer, .string] where keyType == .integer || !test.payload.contains("id")
    {
      let mapping = Mapping("Tag", primaryKey: "id") {
        Attribute("id", keyType).lenient
        Attribute("text", .string, at: "t")
      }
      // Where the key is all that the mapping reads, too.
      let keyOnly = Mapping("Tag", primaryKey: "id") { Attribute("id", keyType).lenient }
      for mapping in [mapping, keyOnly] {
        let world = try World(kind, mapping)
        #expect(world.failure(of: test.payload)?.hasPrefix(test.expected) == true)
        try #expect(world.dump() == "")
      }
    }
  }

  /// An API's error text among lines, and a root that is skipped.
  @Test(arguments: StoreKind.allCases)
  func aBareKeyAtTheRootIsLeftOutWhereFaultsAreSkipped(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.tag)
    let report = try world.report(#"[{"id":1},2,{"id":3}]"#, options: .skipping)
    #expect(summary(report) == "Tag +2 !1")
    #expect(
      report.errors.map(\.description) == ["$[1]: expected an object, found the number 2 (line 1, column 11)"]
    )
    try #expect(world.dump() == "Tag 1\nTag 3")
    #expect(
      world.failure(of: "{\"id\":4}\n5", options: .ndjson)
        == "$[1]: expected an object, found the number 5 (line 2, column 1)")
  }

  // BUG-10: each element by itself
  @Test(arguments: StoreKind.allCases)
  func elementsMayBeKeysAndObjectsMixed(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    try #expect(world.load(#"{"id":1,"tags":[1,{"id":2,"t":"b"},3]}"#) == "Book +1, Tag +3")
    try #expect(world.dump() == "Book 1 tags=[1 2 3]\nTag 1\nTag 2 text=\"b\"\nTag 3")
  }
}
