import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects without their key in a relationship to a mapping that has one and keeps them: they belong to their owner.
@Suite struct ImportKeylessTests {
  private static func developer(_ choice: MissingPrimaryKey) -> Mapping<Record> {
    Mapping("Developer", primaryKey: "id", missingPrimaryKey: choice) {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToMany("aliases", alias)
    }
  }
  private static let alias = Mapping("Alias") { Attribute("a", .string) }

  private static func project(
    _ choice: MissingPrimaryKey, _ policy: RelationshipPolicy = .assign
  ) -> Mapping<Record> {
    Mapping("Project", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("developers", developer(choice), policy: policy)
      ToOne("lead", developer(choice), policy: policy)
    }
  }

  private static let start = #"""
    {"id":1,"developers":[{"name":"a"},{"id":7,"name":"k"},{"name":"b","aliases":[{"a":"x"}]},{"id":8}],
    "lead":{"name":"l"}}
    """#
  private static let startDump = """
    Project 1 developers=[#1 7 #2 8] lead=#3
    Developer 7 name="k"
    Developer 8
    Developer #1 name="a"
    Developer #2 name="b" aliases=[#1]
    Developer #3 name="l"
    Alias #1 a="x"
    """

  typealias Case = ImportCase

  static let cases: [Case] = [
    Case(
      testDescription: "the same again", policies: [.assign, .replace, .merge], payload: start,
      report: "Project =1, Developer =5, Alias =1", dump: startDump),
    Case(
      testDescription: "equal ones stay, in any order", policies: [.assign, .replace],
      payload: #"{"id":1,"developers":[{"id":7},{"id":8},{"name":"c"},{"name":"a"}]}"#,
      report: "Project ~1, Developer +1 =3 -1, Alias -1",
      dump: """
        Project 1 developers=[7 8 #3 #1] lead=#2
        Developer 7 name="k"
        Developer 8
        Developer #1 name="a"
        Developer #2 name="l"
        Developer #3 name="c"
        """),
    Case(
      testDescription: "surplus ones go with what they own, those with a key stay",
      payload: #"{"id":1,"developers":[{"name":"a"}],"lead":null}"#,
      report: "Project ~1, Developer =1 -2, Alias -1",
      dump: """
        Project 1 developers=[#1]
        Developer 7 name="k"
        Developer 8
        Developer #1 name="a"
        """),
    Case(
      testDescription: "replace deletes both", policies: [.replace],
      payload: #"{"id":1,"developers":[{"name":"a"}],"lead":null}"#,
      report: "Project ~1, Developer =1 -4, Alias -1",
      dump: """
        Project 1 developers=[#1]
        Developer #1 name="a"
        """),
    Case(
      testDescription: "an empty list", payload: #"{"id":1,"developers":[]}"#,
      report: "Project ~1, Developer -2, Alias -1",
      dump: """
        Project 1 lead=#1
        Developer 7 name="k"
        Developer 8
        Developer #1 name="l"
        """),
    Case(
      testDescription: "only keys", payload: #"{"id":1,"developers":[7,9],"lead":8}"#,
      report: "Project ~1, Developer +1 =2 -3, Alias -1",
      dump: """
        Project 1 developers=[7 9] lead=8
        Developer 7 name="k"
        Developer 8
        Developer 9
        """),
    Case(
      testDescription: "two more",
      payload: #"{"id":1,"developers":[{},{"name":"a"},{"id":null,"name":"n"}]}"#,
      report: "Project ~1, Developer +2 =1 -1, Alias -1",
      dump: """
        Project 1 developers=[#3 #1 #4] lead=#2
        Developer 7 name="k"
        Developer 8
        Developer #1 name="a"
        Developer #2 name="l"
        Developer #3
        Developer #4 name="n"
        """),
    Case(
      testDescription: "a merge adds another value", policies: [.merge],
      payload: #"{"id":1,"developers":[9,{"name":"z"},7],"lead":{"name":"m"}}"#,
      report: "Project ~1, Developer +2 ~1 =1",
      dump: """
        Project 1 developers=[#1 7 #2 8 9 #4] lead=#3
        Developer 7 name="k"
        Developer 8
        Developer 9
        Developer #1 name="a"
        Developer #2 name="b" aliases=[#1]
        Developer #3 name="m"
        Developer #4 name="z"
        Alias #1 a="x"
        """),
    Case(
      testDescription: "a merge adds each value once", policies: [.merge],
      payload: #"{"id":1,"developers":[{},{},{"name":"a"},8]}"#, report: "Project ~1, Developer +1 =2",
      dump: """
        Project 1 developers=[#1 7 #2 8 #4] lead=#3
        Developer 7 name="k"
        Developer 8
        Developer #1 name="a"
        Developer #2 name="b" aliases=[#1]
        Developer #3 name="l"
        Developer #4
        Alias #1 a="x"
        """),
  ]

  // FEM-141, WAM-38, BUG-28, Q-20
  @Test(arguments: StoreKind.allCases, cases)
  func anObjectWithoutItsKeyBelongsToItsOwner(_ kind: StoreKind, _ test: Case) throws {
    for choice in [MissingPrimaryKey.owned, .insert] {
      for policy in test.policies ?? [.assign] {
        let world = try World(kind, Self.project(choice, policy))
        try #expect(world.load(Self.start) == "Project +1, Developer +5, Alias +1")
        try #expect(world.dump() == Self.startDump)
        try #expect(world.load(test.payload) == test.report)
        try #expect(world.dump() == test.dump)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func itGoesWithItsOwner(_ kind: StoreKind) throws {
    func check(_ store: some Store, _ world: World) throws {
      let report = try store.delete(world.plan().query(of: "Project").keys([1]))
      #expect(report["Developer"] == 3 && report["Alias"] == 1)
    }
    let world = try World(kind, Self.project(.owned), holding: Self.start)
    try check(world.store, world)
    try #expect(world.dump() == "Developer 7 name=\"k\"\nDeveloper 8")
  }

  /// Another mapping of the field, without owned objects, also releases the owned objects.
  @Test(arguments: StoreKind.allCases)
  func anotherMappingOfTheFieldLetsItGo(_ kind: StoreKind) throws {
    let strict = Mapping("Strict", entity: "Developer", primaryKey: "id") { Attribute("id", .integer) }
    let both = Mapping("Project", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("developers", Self.developer(.owned))
      ToOne(
        "fork",
        Mapping("Fork", entity: "Project", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("developers", strict)
        })
    }
    let world = try World(kind, both, holding: #"{"id":1,"developers":[{"name":"a"},{"id":7}]}"#)
    try #expect(
      world.load(#"{"id":2,"fork":{"id":1,"developers":[8]}}"#) == "Project +1 ~1, Developer +1 -1")
    try #expect(world.dump() == "Project 1 developers=[8]\nProject 2 fork=1\nDeveloper 7\nDeveloper 8")
  }

  @Test(arguments: StoreKind.allCases)
  func aDelegateChangesNothing(_ kind: StoreKind) throws {
    let options = ImportOptions(delegate: Silent())
    let world = try World(kind, Self.project(.owned))
    try #expect(world.load(Self.start, options: options) == "Project +1, Developer +5, Alias +1")
    try #expect(world.load(Self.start, options: options) == "Project =1, Developer =5, Alias =1")
    try world.load(#"{"id":1,"developers":[{"id":7}]}"#, options: options)
    try #expect(world.dump().split(separator: "\n").count { $0.hasPrefix("Dev") } == 3)
  }

  private final class Silent: ImportDelegate {}

  /// A list with a faulty element loses nothing.
  @Test(arguments: StoreKind.allCases)
  func aListWithAFaultyOneStaysAsItIs(_ kind: StoreKind) throws {
    let world = try World(kind, Self.project(.owned))
    try world.load(#"{"id":1,"developers":[{"name":"a"},{"name":"b"},{"id":7}]}"#)
    try #expect(
      world.load(
        #"{"id":1,"developers":[{"name":5},{"name":"c"},{"id":"x"},{"id":7}]}"#, options: .skipping)
        == "Project =1, Developer =1 !2")
    try #expect(
      world.dump() == """
        Project 1 developers=[#1 #2 7]
        Developer 7
        Developer #1 name="a"
        Developer #2 name="b"
        """)
  }

  /// A weak relationship makes none.
  @Test(arguments: StoreKind.allCases)
  func aWeakRelationshipMakesNone(_ kind: StoreKind) throws {
    let mapping = Mapping("Project", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("developers", Self.developer(.owned), isWeak: true)
    }
    let world = try World(kind, mapping)
    try #expect(world.load(#"{"id":1,"developers":[{"name":"a"},{"id":3}]}"#) == "Project +1, Developer")
    try #expect(world.dump() == "Project 1")
  }

  /// Classes whose key cannot be nil: an instance that shows 0 has no key all the same.
  @Test(arguments: StoreKind.allCases)
  func aPropertyThatIsNeverNilIsNoKey(_ kind: StoreKind) throws {
    final class Part {
      var id = 0
      var name = ""
      var whole: Whole?
    }
    final class Whole {
      var id = 0
      var parts: [Part] = []
    }
    let part = Mapping(Part.self, "Part", primaryKey: "id", missingPrimaryKey: .owned, make: Part.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
    let whole = Mapping(Whole.self, "Whole", primaryKey: "id", make: Whole.init) {
      Attribute("id", \.id)
      ToMany("parts", \.parts, part)
    }
    let world = try World(kind, whole)
    let payload = #"{"id":1,"parts":[{"name":"a"},{"id":4,"name":"b"},{"name":"c"}]}"#
    try #expect(world.load(payload) == "Whole +1, Part +3")
    try #expect(world.load(payload) == "Whole =1, Part =3")
    try #expect(world.load(#"{"id":1,"parts":[{"name":"d"}]}"#) == "Whole ~1, Part +1 -2")
  }
}
