import FastMapCore
import TestSupport
import Testing

/// Mappings as values: how they are made, how they describe themselves, and which are refused.
@Suite struct MappingTests {
  // FEM-36, FEM-197, FEM-199, FEM-201, FEM-209, WAM-123, WAM-125, WAM-127, FEM-35, WAM-124
  @Test func aMappingReadsBackItsDefinition() throws {
    let author = Mapping("Author", rootPath: "r.author") { Attribute("name", .string) }
    let parts = [("a", "x"), ("b", "y.z")]
    let mapping = Mapping("Short", entity: "Book", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("title", .string, at: "t")
      Attribute("whole", .json, at: .wholeValue)
      for (name, path) in parts { Attribute(name, .string, at: JSONKeyPath(path)) }
      ToOne("author", author, at: "a")
      ToMany("tags", Fixture.tag, policy: .merge, isWeak: true)
    }
    let definition = mapping.definition
    #expect((mapping.name, mapping.entity) == ("Short", "Book"))
    #expect(definition.primaryKey == "id")
    #expect(definition.attributes.first { $0.name == definition.primaryKey }?.keyPath == "id")
    #expect(definition.rootPath == .wholeValue)
    #expect((author.definition.rootPath, author.entity) == ("r.author", "Author"))
    #expect(definition.attributes.map(\.name) == ["id", "title", "whole", "a", "b"], "in their order")
    #expect(definition.attributes.map(\.keyPath) == ["id", "t", .wholeValue, "x", "y.z"])
    #expect(definition.relationships.map(\.name) == ["author", "tags"])
    #expect(definition.relationships.map(\.isToMany) == [false, true])
    #expect(definition.relationships.map(\.policy) == [.assign, .merge])
    #expect(definition.relationships.map(\.isWeak) == [false, true])
    #expect(definition.relationships.map(\.keyPath) == ["a", "tags"])
  }

  // FEM-202: the short forms of relationships, of records and of classes, to another mapping and to their own
  @Test func theShortFormsOfARelationshipEqualTheLongOnes() {
    let tag = Fixture.tag, endless = MappingFixture.endless, node = TypedFixture.Node.mapping
    let records = Mapping("Records") {
      ToOne("one", tag, policy: .replace, isWeak: true)
      ToMany("many", tag, policy: .merge)
      ToOne("own", endless, isWeak: true)
      ToMany("owns", endless, policy: .merge)
    }
    let classes = Mapping(TypedFixture.Node.self, "Classes", make: TypedFixture.Node.init) {
      ToOne("one", \.child, node, policy: .replace, isWeak: true)
      ToMany("many", \.kids, node, policy: .merge)
      ToOne("own", \.child, node, isWeak: true)
      ToMany("owns", \.kids, node, policy: .merge, isWeak: true)
    }
    for (all, weak) in [
      (records.definition.relationships, [true, false, true, false]),
      (classes.definition.relationships, [true, false, true, true]),
    ] {
      #expect(all.map(\.isToMany) == [false, true, false, true])
      #expect(all.map(\.keyPath) == ["one", "many", "own", "owns"])
      #expect((all.map(\.policy), all.map(\.isWeak)) == ([.replace, .merge, .assign, .merge], weak))
    }
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mapping: Mapping<Record>
    let faults: [String]
  }

  private static let plain = Mapping("Plain") { Attribute("x", .integer) }

  // FEM-35, FEM-200, FEM-209, BUG-32, BUG-35
  static let refused: [Refused] = [
    Refused(
      testDescription: "names that are empty",
      mapping: Mapping("Item") {
        Attribute("", .integer, at: "a")
        ToOne("", plain, at: "b")
      },
      faults: [
        #"$.mappings.Item.attributes[""]: an attribute needs a name"#,
        #"$.mappings.Item.relationships[""]: a relationship needs a name"#,
        #"$.mappings.Item.relationships[""]: "" is declared twice"#,
      ]),
    Refused(
      testDescription: "a property twice",
      mapping: Mapping("Item") {
        Attribute("title", .string, at: "t")
        Attribute("title", .string, at: "u")
      }, faults: [#"$.mappings.Item.attributes.title: "title" is declared twice"#]),
    Refused(
      testDescription: "another type for the same attribute of an entity",
      mapping: Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("same", Mapping("Other", entity: "Item", primaryKey: "id") { Attribute("id", .string) })
      },
      faults: [
        #"$.mappings.Other.attributes.id: "id" of Item is a string here and an integer in the mapping "Item""#,
        "$.mappings.Other.primaryKey: the primary key of Item is a string here and an integer in the mapping "
          + #""Item""#,
      ]),
  ]

  @Test(arguments: refused)
  func aMappingThatCannotWorkIsRefusedWithEveryFault(_ test: Refused) {
    let error = #expect(throws: MappingDefinitionError.self) { try Plan(test.mapping) }
    #expect(error?.faults.map(\.description) == test.faults)
  }

  // BUG-30: an entity is told by its name
  @Test func mappingsOfOneEntityShareItsNumberAndItsFields() throws {
    let plan = try Plan(Fixture.thread)
    #expect(plan.schema.entities.map(\.name) == ["Thread", "Post"])
    #expect(plan.mappings.map(\.mapping.name) == ["Thread", "Post", "ThreadKey"])
    #expect(plan.mappings.map(\.entity) == [0, 1, 0])
    #expect(plan.schema.entities[0].fields.map(\.name) == ["threadID", "last", "posts"])
  }

  // FEM-204, BUG-25: the reachable mappings, each mapping once, whatever the cycle
  @Test(arguments: [
    (Fixture.author, ["Author"]), (Fixture.book(), ["Book", "Author", "Tag"]), (Fixture.node, ["Node"]),
    (Fixture.member, ["Member", "Club", "Venue"]), (Fixture.club, ["Club", "Member", "Venue"]),
  ])
  func aPlanReachesEachMappingOnce(_ mapping: Mapping<Record>, _ expected: [String]) throws {
    let plan = try Plan(mapping)
    #expect(plan.mappings.map(\.mapping.name) == expected)
    if mapping.name == "Node" { #expect(plan.mappings[0].destinations == [0, 0], "itself") }
  }

  // FEM-205, FEM-208: a mapping cannot be changed, so it needs no copies; one serves any number of plans
  @Test(arguments: StoreKind.allCases)
  func oneMappingServesAnyNumberOfPlans(_ kind: StoreKind) throws {
    let other = Mapping("Other", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("node", Fixture.node)
    }
    let world = try World(kind, Fixture.node, Fixture.node, other)
    #expect(world.plans[0].root === world.plans[1].root)
    #expect(world.plans[2].mappings[1].mapping === world.plans[0].root)
    try #expect(world.load(#"{"id":1,"node":{"id":1}}"#, as: "Other") == "Other +1, Node +1")
    try #expect(world.load(#"{"id":1,"n":"x"}"#) == "Node ~1")
  }

  // FEM-207: a mapping that refers to itself goes with its last owner
  @Test(arguments: StoreKind.allCases)
  func aRecursiveMappingDoesNotKeepItselfAlive(_ kind: StoreKind) throws {
    let file = """
      {"fastmap": 1, "mappings": {"Node": {"primaryKey": "id", "attributes": {"id": "integer"},
        "relationships": {"child": {"mapping": "Node"}}}}}
      """
    weak var mapping: MappingDefinition?
    weak var plan: Plan?
    do {
      let made = try MappingSet(file: Array(file.utf8)).plan(for: "Node")
      let world = try World(kind, made)
      try #expect(world.load(#"{"id":1,"child":{"id":2}}"#) == "Node +2")
      try #expect(world.export() == #"[{"id":1,"child":{"id":2}},{"id":2}]"#)
      (mapping, plan) = (made.root, made)
      #expect(mapping != nil)
    }
    #expect(plan == nil)
    #expect(mapping == nil)
  }

  // The compiler checks that a property exists; the plan checks its type.
  @Test func aPropertyOfAnotherTypeIsRefused() {
    final class Odd {
      var when = ""
    }
    let odd = Mapping(Odd.self, "Odd", make: Odd.init) { Attribute("when", \.when, as: .integer) }
    let error = #expect(throws: MappingDefinitionError.self) { try Plan(odd) }
    #expect(
      error?.description
        == "$.mappings.Odd.attributes.when: the property is a String, which holds a string, not an integer")
  }

}

private enum MappingFixture {
  static let endless: Mapping<Record> = Mapping("Endless") { ToOne("me", endless, at: .wholeValue) }
}
