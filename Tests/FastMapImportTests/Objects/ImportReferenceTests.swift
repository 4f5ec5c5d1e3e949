import FastMapCore
import TestSupport
import Testing

/// In a relationship, an object that consists of nothing but its key is a reference: stored whole values stay.
@Suite struct ImportReferenceTests {
  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("raw", .json, at: .wholeValue)
    ToOne("boss", person)
    ToMany("friends", person)
  }

  typealias Case = ImportCase

  private static let start = #"{"id":2,"x":[1]}"#

  static let cases: [Case] = [
    Case(
      testDescription: "an object that is there", payload: #"{"id":1,"boss":{"id":2},"friends":[{"id":2}]}"#,
      report: "Person +1 =1",
      dump: #"""
        Person 1 raw={"id":1,"boss":{"id":2},"friends":[{"id":2}]} boss=2 friends=[2]
        Person 2 raw={"id":2,"x":[1]}
        """#),
    Case(
      testDescription: "a bare key", payload: #"{"id":1,"boss":2,"friends":[2,3]}"#, report: "Person +2 =1",
      dump: #"""
        Person 1 raw={"id":1,"boss":2,"friends":[2,3]} boss=2 friends=[2 3]
        Person 2 raw={"id":2,"x":[1]}
        Person 3
        """#),
    Case(
      testDescription: "a new object", payload: #"{"id":1,"boss":{"id":3,"boss":{"id":4}}}"#,
      report: "Person +3",
      dump: #"""
        Person 1 raw={"id":1,"boss":{"id":3,"boss":{"id":4}}} boss=3
        Person 2 raw={"id":2,"x":[1]}
        Person 3 raw={"id":3,"boss":{"id":4}} boss=4
        Person 4
        """#),
    Case(
      testDescription: "another member, be it null or one that nothing reads",
      payload: #"{"id":1,"boss":{"id":2,"boss":null},"friends":[{"id":3,"y":1}]}"#, report: "Person +2 ~1",
      dump: #"""
        Person 1 raw={"id":1,"boss":{"id":2,"boss":null},"friends":[{"id":3,"y":1}]} boss=2 friends=[3]
        Person 2 raw={"id":2,"boss":null}
        Person 3 raw={"id":3,"y":1}
        """#),
    Case(
      testDescription: "at the root it is the object", payload: #"[{"id":2},{"id":3}]"#,
      report: "Person +1 ~1",
      dump: #"""
        Person 2 raw={"id":2}
        Person 3 raw={"id":3}
        """#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aReferenceLeavesTheWholeAlone(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.person, holding: Self.start)
    try #expect(world.load(test.payload) == test.report)
    try #expect(world.dump() == test.dump)
    let again = try world.report(test.payload)
    #expect(again.entities.allSatisfy { $0.counts == .init(unchanged: $0.counts.unchanged) })
  }

  /// An export writes objects that it has already, and those whose entity is on the way, as their keys.
  @Test(arguments: StoreKind.allCases)
  func keptJSONSurvivesAnExport(_ kind: StoreKind) throws {
    let (world, copy) = (try World(kind, Self.person), try World(kind, Self.person))
    try world.load(
      #"""
      [{"id":1,"x":1,"boss":{"id":2}},{"id":2,"y":2,"boss":{"id":1},"friends":[{"id":3},{"id":1}]},
      {"id":3,"z":3,"boss":{"id":3}},{"id":4,"friends":[3,4]}]
      """#)
    try #expect(
      world.dump() == #"""
        Person 1 raw={"id":1,"x":1,"boss":{"id":2}} boss=2
        Person 2 raw={"id":2,"y":2,"boss":{"id":1},"friends":[{"id":3},{"id":1}]} boss=1 friends=[3 1]
        Person 3 raw={"id":3,"z":3,"boss":{"id":3}} boss=3
        Person 4 raw={"id":4,"friends":[3,4]} friends=[3 4]
        """#)
    let export = try world.export()
    for summary in ["Person +4", "Person =4"] {
      try #expect(copy.load(export) == summary)
      try #expect(copy.dump() == world.dump().replacing("[3,4]", with: #"[{"id":3},{"id":4}]"#))
      try #expect(copy.export() == export)
    }
  }

  /// The key may stand anywhere, as long as it stands alone.
  @Test(
    arguments: StoreKind.allCases,
    [
      ("meta.id", #"{"meta":{"id":2}}"#, #"{"meta":{"id":2,"x":1}}"#),
      ("meta.id", #"{"meta":{"id":2}}"#, #"{"meta":{"id":2},"x":1}"#),
      ("ids[1]", #"{"ids":[null,2]}"#, #"{"ids":[1,2]}"#),
      ("ids[0].n", #"{"ids":[{"n":2}]}"#, #"{"ids":[{"n":2},{"n":3}]}"#),
    ] as [(JSONKeyPath, String, String)])
  func aKeyAtAPathMayStandAlone(
    _ kind: StoreKind, _ test: (path: JSONKeyPath, reference: String, object: String)
  ) throws {
    let thing = Mapping("Thing", primaryKey: "id") {
      Attribute("id", .integer, at: test.path)
      Attribute("raw", .json, at: .wholeValue)
    }
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("things", thing)
    }
    let world = try World(kind, owner, holding: #"{"id":1,"things":[\#(test.reference)]}"#)
    try #expect(world.dump() == "Owner 1 things=[2]\nThing 2")
    try world.load(#"{"id":1,"things":[\#(test.object)]}"#)
    try #expect(world.dump() == "Owner 1 things=[2]\nThing 2 raw=\(test.object)")
    try world.load(#"{"id":1,"things":[2,\#(test.reference)]}"#)
    try #expect(world.dump(of: "Thing 2") == "Thing 2 raw=\(test.object)")
  }

  /// A key that is made of the whole is read of a bare value, and the rest is left alone.
  @Test(arguments: StoreKind.allCases)
  func aKeyMadeOfTheWholeIsReadAllTheSame(_ kind: StoreKind) throws {
    final class Reading {
      var key = ""
      var hour: Int?
      var kind: String?
      var before: Reading?
    }
    let key = Transform<String>(reading: { json in
      if let text = json.string { return .value(text) }
      let members = Dictionary(uniqueKeysWithValues: json.members ?? [])
      return .value("h\(members["hour"]?.integer ?? 0)")
    })
    let shape = Transform<String>(reading: { .value($0.members == nil ? "bare" : "object") })
    let before = Mapping(Reading.self, "Before", entity: "Reading", primaryKey: "key", make: { Reading() }) {
      Attribute("key", \.key, at: .wholeValue, transform: key)
      Attribute("hour", \.hour)
      Attribute("kind", \.kind, at: .wholeValue, transform: shape)
    }
    let mapping = Mapping(Reading.self, "Reading", primaryKey: "key", make: { Reading() }) {
      Attribute("key", \.key, at: .wholeValue, transform: key)
      Attribute("hour", \.hour)
      ToOne("before", \.before, before)
    }
    let world = try World(kind, mapping)
    try world.load(#"[{"hour":2,"before":{"hour":9}},{"hour":3,"before":"h9"},{"hour":4,"before":"h8"}]"#)
    try #expect(
      world.dump() == #"""
        Reading "h2" hour=2 before="h9"
        Reading "h3" hour=3 before="h9"
        Reading "h4" hour=4 before="h8"
        Reading "h8"
        Reading "h9" hour=9 kind="object"
        """#)
  }

  /// A mapping that reads only bare values reads them in a relationship, too.
  @Test(arguments: StoreKind.allCases)
  func aMappingOfBareValuesReadsThem(_ kind: StoreKind) throws {
    let code = Mapping("Code", primaryKey: "code") {
      Attribute("code", .string, at: .wholeValue)
      Attribute("text", .string, at: .wholeValue)
    }
    let note = Mapping("Note") { Attribute("any", .json, at: .wholeValue) }
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("codes", code)
      ToMany("notes", note)
    }
    let world = try World(kind, owner, holding: #"{"id":1,"codes":["a","b"],"notes":[5,{"id":7}]}"#)
    try #expect(
      world.dump() == #"""
        Owner 1 codes=["a" "b"] notes=[#1 #2]
        Code "a" text="a"
        Code "b" text="b"
        Note #1 any=5
        Note #2 any={"id":7}
        """#)
  }

  /// A weak one that comes before its object does not speak of it.
  @Test(arguments: StoreKind.allCases)
  func aWeakReferenceLeavesTheWholeAlone(_ kind: StoreKind) throws {
    let weak = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("raw", .json, at: .wholeValue)
      ToOne("boss", Self.person, isWeak: true)
    }
    for filler in ["", (100..<200).map { "{\"id\":\($0)}," }.joined()] {
      let world = try World(kind, weak)
      try world.load(#"[{"id":1,"boss":{"id":2}},\#(filler){"id":2,"x":1},{"id":3,"boss":{"id":2}}]"#)
      try #expect(world.dump(of: "Person 2") == #"Person 2 raw={"id":2,"x":1}"#)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aReferenceIsNoSignOfAMisspeltKeyPath(_ kind: StoreKind) throws {
    let item = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("raw", .json, at: .wholeValue)
    }
    let world = try World(
      kind,
      Mapping("Owner", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("item", item)
      })
    try #expect(world.report(#"{"id":1,"item":{"id":2}}"#).unseen == [])
  }
}
