import FastMapCore
import TestSupport
import Testing

/// Values for no target in a lenient relationship.
@Suite struct LenientRelationshipTests {
  private static let target = Mapping("Q", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }
  private static let part = Mapping("Part") { Attribute("name", .string) }

  private static func mapping(_ policy: RelationshipPolicy) -> Mapping<Record> {
    Mapping("P", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("one", target, policy: policy)
      ToMany("many", target, policy: policy)
      ToOne("part", part)
      ToMany("parts", part)
    }.lenient
  }

  private static let full =
    #"{"id":1,"one":{"id":2},"many":[3,{"id":4}],"part":{"name":"a"},"parts":[{"name":"b"}]}"#

  @Test(arguments: StoreKind.allCases, ["[]", #""""#, "false", "null"])
  func nothingInsteadOfAnObjectIsNull(_ kind: StoreKind, _ json: String) throws {
    for size in [nil, 1] {
      let world = try World(kind, Self.mapping(.assign), holding: Self.full)
      _ = try world.report(#"{"id":1,"one":\#(json),"part":\#(json)}"#, inChunksOf: size)
      try #expect(world.dump(of: "P 1") == "P 1 many=[3 4] parts=[#1]")
      try #expect(world.load(#"{"id":1,"one":\#(json),"part":\#(json)}"#) == "P =1")
    }
  }

  @Test(arguments: StoreKind.allCases, ["{}", "[]", " { } "])
  func anEmptyObjectInsteadOfAListIsAnEmptyList(_ kind: StoreKind, _ json: String) throws {
    for size in [nil, 1] {
      let world = try World(kind, Self.mapping(.assign), holding: Self.full)
      _ = try world.report(#"{"id":1,"many":\#(json),"parts":\#(json)}"#, inChunksOf: size)
      try #expect(world.dump(of: "P 1") == "P 1 one=2 part=#1")
      try #expect(world.load(#"{"id":1,"many":\#(json),"parts":\#(json)}"#) == "P =1")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theyMeanTheSameToAPolicy(_ kind: StoreKind) throws {
    let merging = try World(kind, Self.mapping(.merge), holding: Self.full)
    try #expect(merging.load(#"{"id":1,"one":[],"many":{}}"#) == "P =1")
    let replacing = try World(kind, Self.mapping(.replace), holding: Self.full)
    try #expect(replacing.load(#"{"id":1,"one":"","many":{}}"#) == "P ~1, Q -3")
  }

  /// The reader builds nothing for an object whose members nobody reads.
  @Test(
    arguments: StoreKind.allCases,
    [
      (#""many":"""#, "$.many: expected an object or an integer, found the string \"\""),
      (#""many":false"#, "$.many: expected an object or an integer, found false"),
      (#""many":{"other":1}"#, "$.many.id: expected an integer, the primary key of Q, found nothing"),
      (#""many":{"":{}}"#, "$.many.id: expected an integer, the primary key of Q, found nothing"),
      (#""many":[{}]"#, "$.many[0].id: expected an integer, the primary key of Q, found nothing"),
      (#""many":[[]]"#, "$.many[0]: expected an object or an integer, found an array"),
      (#""one":{}"#, "$.one.id: expected an integer, the primary key of Q, found nothing"),
      (#""one":[1]"#, "$.one: expected one object or one integer, found an array"),
      (#""one":true"#, "$.one: expected an object or an integer, found true"),
      (#""one":" ""#, "$.one: expected an object or an integer, found the string \" \""),
    ])
  func nothingElseDoes(_ kind: StoreKind, _ test: (member: String, message: String)) throws {
    let mapping = Mapping("P", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("one", Self.target).lenient
      ToMany("many", Self.target).lenient
    }
    for size in [nil, 1] {
      let world = try World(kind, mapping)
      let message = world.failure(of: #"{"id":1,\#(test.member)}"#, inChunksOf: size)
      #expect(message?.hasPrefix(test.message + " (") == true, "\(message ?? "nothing")")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectOfUnknownMembersIsOneTargetWithoutAKey(_ kind: StoreKind) throws {
    let world = try World(kind, Self.mapping(.assign))
    try #expect(world.load(#"{"id":1,"parts":{"other":1}}"#) == "P +1, Part +1")
    try #expect(world.dump() == "P 1 parts=[#1]\nPart #1")
  }

  @Test(arguments: StoreKind.allCases, [#""one":[]"#, #""one":"""#, #""one":false"#, #""many":{}"#])
  func aStrictRelationshipRefusesThem(_ kind: StoreKind, _ member: String) throws {
    let mapping = Mapping("P", primaryKey: "id") {
      Attribute("id", .integer).lenient
      ToOne("one", Self.target)
      ToMany("many", Self.target)
    }
    #expect(try World(kind, mapping).failure(of: #"{"id":1,\#(member)}"#) != nil)
  }

  // MARK: Where it is said

  @Test(arguments: StoreKind.allCases)
  func aMappingFileSaysItOfAFieldOrOfAMapping(_ kind: StoreKind) throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "P": {
          "primaryKey": "id", "lenient": true,
          "attributes": {"id": "integer", "n": "number", "strict": {"type": "integer", "lenient": false}},
          "relationships": {
            "one": {"mapping": "Q"},
            "many": {"mapping": "Q", "toMany": true},
            "firm": {"mapping": "Q", "lenient": false}
          }
        },
        "Q": {
          "primaryKey": "id", "attributes": {"id": "integer", "n": {"type": "number", "lenient": true}},
          "relationships": {
            "up": {"mapping": "P", "lenient": true}, "owner": {"inverseOf": "P.one"}
          }
        }
      }}
      """#
    let set = try MappingSet(file: file)
    let world = try World(kind, set.plan(for: "P"))
    try #expect(
      world.load(#"{"id":"1","n":"1.5","one":{"id":2,"n":"0.5","up":[]},"many":{}}"#) == "P +1, Q +1")
    try #expect(world.dump() == "P 1 n=1.5 one=2\nQ 2 n=0.5")
    #expect(world.failure(of: #"{"id":1,"strict":"1"}"#)?.hasPrefix("$.strict: expected an integer") == true)
    #expect(world.failure(of: #"{"id":1,"firm":[]}"#)?.hasPrefix("$.firm: expected one object") == true)
    #expect(
      world.failure(of: #"{"id":1,"one":{"id":"2"}}"#)?.hasPrefix("$.one.id: expected an integer") == true)
    #expect(set["P"]?.attributes.map(\.isLenient) == [true, true, false])
    #expect(set["P"]?.relationships.map(\.isLenient) == [true, true, false])
    #expect(set["Q"]?.attributes.map(\.isLenient) == [false, true])
  }

  @Test func anInverseHasNoLeniency() {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "P": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"one": {"mapping": "Q"}}},
        "Q": {
          "primaryKey": "id", "attributes": {"id": "integer"},
          "relationships": {"owner": {"inverseOf": "P.one", "lenient": true}}
        }
      }}
      """#
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: file) }
    #expect(error?.faults.map { "\($0.place)" } == ["$.mappings.Q.relationships.owner.lenient"])
  }
}
