import FastMapCore
import TestSupport
import Testing

/// The values accepted at the root, and the results of a call.
@Suite struct ImportRootTests {
  // FEM-174, FEM-175, WAM-01, WAM-02, WAM-05, WAM-09
  @Test(
    arguments: StoreKind.allCases,
    [
      (#"{"id":1,"n":"a"}"#, "1"), (#"[{"id":2},{"id":1,"kids":[{"id":9}]},{"id":2},{"id":3}]"#, "2 1 2 3"),
      (#"[{"id":7}]"#, "7"), ("[]", ""),
    ])
  func theResultHasTheRootObjectsInTheirOrder(
    _ kind: StoreKind, _ test: (payload: String, keys: String)
  ) throws {
    let world = try World(kind, TypedFixture.Node.mapping)
    let context = try ObjectContext(world.store, for: TypedFixture.Node.mapping)
    let nodes = try context.objects(from: test.payload, as: TypedFixture.Node.mapping)
    #expect(nodes.map { "\($0.nodeID)" }.joined(separator: " ") == test.keys)
    #expect(try world.report(test.payload).rootObjects == nodes.count)
  }

  // FEM-131, FEM-133, FEM-134, WAM-10, FEM-197
  @Test(arguments: StoreKind.allCases)
  func theResultComesFromTheRootPath(_ kind: StoreKind) throws {
    let mapping = Mapping(
      TypedFixture.Author.self, "Author", rootPath: "r.authors", primaryKey: "authorID",
      make: TypedFixture.Author.init
    ) {
      Attribute("authorID", \.authorID, at: "id")
    }
    let world = try World(kind, mapping)
    let context = try ObjectContext(world.store, for: mapping)
    let both = try context.objects(from: #"{"r":{"authors":[{"id":2},{"id":1}]}}"#, as: mapping)
    #expect(both.map(\.authorID) == [2, 1])
    let one = try context.objects(from: #"{"r":{"authors":{"id":3}}}"#, as: mapping)
    #expect(one.map(\.authorID) == [3])
    try #expect(world.export() == #"{"r":{"authors":[{"id":1},{"id":2},{"id":3}]}}"#)
  }

  // FEM-05, FEM-191, Q-28: the representation itself is the value, at the root
  @Test(arguments: StoreKind.allCases)
  func aMappingOfTheRepresentationItselfReadsBareKeysAtTheRoot(_ kind: StoreKind) throws {
    let author = Mapping("Author", primaryKey: "authorID") {
      Attribute("authorID", .integer, at: .wholeValue)
    }
    let world = try World(kind, author)
    try #expect(world.load("42") == "Author +1")
    try #expect(world.load("[42,7]") == "Author +1 =1")
    try #expect((world.dump(), world.export()) == ("Author 7\nAuthor 42", "[7,42]"))
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

  // FEM-129, FEM-130, FEM-131, FEM-132
  @Test(arguments: StoreKind.allCases)
  func aRootPathLeadsToAnObjectOrAnArray(_ kind: StoreKind) throws {
    let item = Mapping("Item", rootPath: "result.items", primaryKey: "id") { Attribute("id", .integer) }
    let world = try World(kind, item)
    try #expect(world.load(#"{"result":{"items":{"id":1}}}"#) == "Item +1")
    try #expect(world.load(#"{"result":{"items":[{"id":1},{"id":2}]}}"#) == "Item +1 =1")
    // Of members with one name the last one counts.
    try #expect(
      world.load(#"{"result":{"items":[{"id":4}]},"result":{"items":[{"id":5}],"x":[{}]}}"#) == "Item +1")
    try #expect(world.load(#"{"result":{"items":[{"id":4}],"items":{"id":6}}}"#) == "Item +1")
    let options = ImportOptions(rootPath: "elsewhere")
    try #expect(world.load(#"{"elsewhere":[{"id":3}]}"#, options: options) == "Item +1")
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultAfterTheObjectsOfATextInMemoryLeavesTheStoreUnchanged(_ kind: StoreKind) throws {
    let options = ImportOptions(rootPath: "result.items", commitInterval: 1)
    for (rest, message) in [
      (#","result":7}"#, "$.result: expected an object, found the number 7 (line 1, column 50)"),
      (#","x":[1,]}"#, "line 1, column 48: expected a value, found \"]\""),
      (#","x":\#(StreamTests.deep)}"#, "line 1, column 556: nested deeper than the limit of 512"),
    ] {
      let world = try World(kind, Fixture.tag)
      #expect(
        world.failure(of: #"{"result":{"items":[{"id":1},{"id":2}]}"# + rest, options: options) == message)
      try #expect(world.dump() == "")
    }
  }
}
