import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Faults under `skip`: the faulty object is left out with all inside of it, listed and counted.
@Suite struct ImportSkipTests {
  private static let page = Mapping("Page", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("n", .integer)
    ToMany("lines", Mapping("Line") { Attribute("x", .integer) })
  }

  typealias Case = ImportCase

  static let cases: [Case] = [
    Case(
      testDescription: "a faulty root object",
      payload: #"[{"id":1},{"id":2,"n":5,"child":{"id":3}},{"id":4}]"#,
      report: "Node +2 !1", errors: ["$[1].n: expected a string, found the number 5"], dump: "Node 1\nNode 4"),
    Case(
      testDescription: "a faulty related object",
      payload: #"{"id":1,"kids":[{"id":2},{"id":3,"n":0},{"id":4}]}"#,
      report: "Node +3 !1", errors: ["$.kids[1].n: expected a string, found the number 0"],
      dump: "Node 1 kids=[2 4]\nNode 2\nNode 4"),
    Case(
      testDescription: "a faulty target leaves the old one", start: #"{"id":1,"child":{"id":2}}"#,
      payload: #"{"id":1,"n":"a","child":{"id":3,"n":0}}"#, report: "Node ~1 !1",
      errors: ["$.child.n: expected a string, found the number 0"], dump: "Node 1 name=\"a\" child=2\nNode 2"),
    Case(
      testDescription: "an object that exists keeps its values and is linked",
      start: #"[{"id":1},{"id":3,"n":"old","child":{"id":4}}]"#,
      payload: #"{"id":1,"kids":[{"id":3,"n":0,"child":{"id":5}}]}"#, report: "Node ~1 !1",
      errors: ["$.kids[0].n: expected a string, found the number 0"],
      dump: "Node 1 kids=[3]\nNode 3 name=\"old\" child=4\nNode 4"),
    Case(
      testDescription: "faulty at one place, sound at another",
      payload: #"[{"id":1,"child":{"id":2,"n":0}},{"id":2,"n":"b"}]"#, report: "Node +2 !1",
      errors: ["$[0].child.n: expected a string, found the number 0"], dump: "Node 1\nNode 2 name=\"b\""),
    Case(
      testDescription: "one error an object, in payload order",
      payload: #"[{"id":1,"n":0,"child":[]},{"id":"x","n":0},{"id":2,"kids":[{"n":"a"},"y",7]}]"#,
      report: "Node +2 !4",
      errors: [
        "$[0].n: expected a string, found the number 0",
        "$[1].id: expected an integer, found the string \"x\"",
        "$[2].kids[0].id: expected an integer, the primary key of Node, found nothing; nothing was removed from this list",
        "$[2].kids[1]: expected an object or an integer, found the string \"y\"; nothing was removed from this list",
      ], dump: "Node 2 kids=[7]\nNode 7"),
    Case(
      testDescription: "an array for one object",
      payload: #"[{"id":1,"kids":[{"id":5}],"child":[{"id":2}]},{"id":3}]"#,
      report: "Node +1 !1", errors: ["$[0].child: expected one object or one integer, found an array"],
      dump: "Node 3"),
    Case(
      testDescription: "null at the root", payload: #"[null,{"id":1}]"#, report: "Node +1 !1",
      errors: ["$[0]: expected an object, found null"], dump: "Node 1"),
    Case(
      testDescription: "everything is faulty", payload: #"[0.5,{"id":true}]"#, report: "Node !2",
      errors: [
        "$[0]: expected an object, found the number 0.5",
        "$[1].id: expected an integer, found true",
      ], dump: ""),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func skipLeavesOutTheFaultyObjectWithAllInsideOfIt(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.node, holding: test.start)
    let report = try world.report(test.payload, options: .skipping)
    #expect(summary(report) == test.report)
    #expect(report.errors.map { "\($0.path): \($0.message)" } == test.errors)
    try #expect(world.dump() == test.dump)
  }

  @Test(arguments: StoreKind.allCases)
  func placesOfSkippedObjectsAreRightInEveryBatch(_ kind: StoreKind) throws {
    let lines = (0..<500).map { $0 % 100 == 99 ? #"{"id":\#($0),"n":0}"# : #"{"id":\#($0)}"# }
    let world = try World(kind, Fixture.node)
    let json = try world.report("[" + lines.joined(separator: ",\n") + "]", options: .skipping)
    #expect(json.errors.map { $0.location?.line } == [100, 200, 300, 400, 500])
    #expect(json.errors.map { "\($0.path)" } == (1...5).map { "$[\($0 * 100 - 1)].n" })
    #expect(json.rootObjects == 500)
    #expect(summary(json) == "Node +495 !5")
    let options = ImportOptions(format: .ndjson, faults: .skip)
    let ndjson = try world.report(lines.joined(separator: "\n"), options: options)
    #expect(
      ndjson.errors == json.errors.map { error in ndjson.errors.first { $0.path == error.path } ?? error })
    #expect(ndjson.errors.map { $0.location?.line } == [100, 200, 300, 400, 500])
    #expect(summary(ndjson) == "Node =495 !5")
  }

  @Test(arguments: StoreKind.allCases)
  func aListWithAFaultyElementStaysAsItIsUnlessItIsEmpty(_ kind: StoreKind) throws {
    let world = try World(kind, Self.page, holding: #"{"id":1,"lines":[{"x":1},{"x":2},{"x":3}]}"#)
    try #expect(
      world.load(#"{"id":1,"lines":[{"x":7},{"x":"?"},{"x":9}]}"#, options: .skipping)
        == "Page =1, Line !1")
    try #expect(world.dump() == "Page 1 lines=[#1 #2 #3]\nLine #1 x=1\nLine #2 x=2\nLine #3 x=3")
    // A list of faulty elements alone empties nothing.
    try #expect(
      world.load(#"[{"id":1,"lines":[{"x":"?"}]},{"id":1,"lines":[{"x":7},{"x":"?"}]}]"#, options: .skipping)
        == "Page =1, Line !2")
    try #expect(world.dump(of: "Page 1") == "Page 1 lines=[#1 #2 #3]")
    // The first occurrence empties the list, so the second one fills it.
    try #expect(
      world.load(#"[{"id":1,"lines":[]},{"id":1,"lines":[{"x":7},{"x":"?"},{"x":9}]}]"#, options: .skipping)
        == "Page ~1, Line +2 -3 !1")
    try #expect(world.dump() == "Page 1 lines=[#1 #2]\nLine #1 x=7\nLine #2 x=9")
    try #expect(
      world.load(#"{"id":2,"lines":[{"x":7},{"x":"?"},{"x":9}]}"#, options: .skipping)
        == "Page +1, Line +2 !1")
  }

  struct UnidentifiedCase: CustomTestStringConvertible {
    let testDescription: String
    let payload: String
    let report: String
    let error: String
    let dump: String
  }

  static let unidentified = [
    UnidentifiedCase(
      testDescription: "the key of an element has another type",
      payload: #"{"id":1,"kids":[{"id":1},{"id":"bad"},{"id":4}]}"#, report: "Node +1 ~1 !1",
      error:
        #"$.kids[1].id: expected an integer, found the string "bad"; nothing was removed from this list"#,
      dump: "Node 1 kids=[2 3 1 4] child=5"),
    UnidentifiedCase(
      testDescription: "an element is no object", payload: #"{"id":1,"kids":[true]}"#, report: "Node =1 !1",
      error: "$.kids[0]: expected an object or an integer, found true; nothing was removed from this list",
      dump: "Node 1 kids=[2 3] child=5"),
    UnidentifiedCase(
      testDescription: "an element with a key has another fault",
      payload: #"{"id":1,"kids":[{"id":2,"n":5}]}"#,
      report: "Node ~1 -1 !1", error: "$.kids[0].n: expected a string, found the number 5",
      dump: "Node 1 kids=[2] child=5"),
    UnidentifiedCase(
      testDescription: "the key of a target has another type", payload: #"{"id":1,"child":{"id":"bad"}}"#,
      report: "Node =1 !1",
      error: #"$.child.id: expected an integer, found the string "bad"; this relationship stays as it was"#,
      dump: "Node 1 kids=[2 3] child=5"),
  ]

  @Test(arguments: StoreKind.allCases, unidentified)
  func nothingIsRemovedWhereAnElementCannotBeIdentified(_ kind: StoreKind, _ test: UnidentifiedCase) throws {
    for delegate in [nil, Silent()] {
      let copy = try World(kind, Self.replacer, holding: #"[{"id":1,"kids":[2,3],"child":5}]"#)
      let report = try copy.report(test.payload, options: .init(faults: .skip, delegate: delegate))
      #expect(summary(report) == test.report)
      #expect(report.errors.map { "\($0.path): \($0.message)" } == [test.error])
      try #expect(copy.dump(of: "Node 1") == test.dump)
      #expect(
        copy.failure(of: test.payload)?.contains("; ") == false,
        "an import that ends says nothing of the list")
    }
  }

  private static let replacer: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("n", .string)
    ToMany("kids", replacer, policy: .replace)
    ToOne("child", replacer, policy: .replace)
  }

  /// Lists with faulty elements, and the same without these.
  static let faultyLists = [
    (#"[{"x":1},{"x":"?"},{"x":2}]"#, #"[{"x":1},{"x":2}]"#),
    (#"[{"x":"?"},{"x":1},{"x":2}]"#, #"[{"x":1},{"x":2}]"#),
    (#"[{"x":1},{"x":2},{"x":"?"}]"#, #"[{"x":1},{"x":2}]"#),
    (#"[5,{"x":1},"?",{"x":2}]"#, #"[{"x":1},{"x":2}]"#),
    (#"[{"x":1,"words":[{"w":"?"},{"w":3}]},{"x":2}]"#, #"[{"x":2}]"#),
    (#"[{"x":1,"one":[{"w":3}]},{"x":2}]"#, #"[{"x":2}]"#),
    (
      #"[{"x":1,"ref":{"id":9,"lines":[{"x":3}]}},{"x":"?"},{"x":2}]"#,
      #"[{"x":1,"ref":{"id":9,"lines":[{"x":3}]}},{"x":2}]"#
    ),
    (#"[{"id":7},{"x":1},{"x":"?"},{"id":8,"x":"?"},{"id":"?"},{"x":2}]"#, #"[{"id":7},{"x":1},{"x":2}]"#),
  ]

  /// The mapping of the elements has no key, or a key that they may lack.
  private static func lister(key: String?, _ policy: RelationshipPolicy) -> Mapping<Record> {
    let lines: @Sendable () -> Mapping<Record> = { Lister.lines(key: key) }
    return Mapping("Page", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("lines", lines(), policy: policy)
    }
  }

  private enum Lister {
    static let word = Mapping("Word") { Attribute("w", .integer) }
    static let reference = Mapping("Reference", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("lines", Mapping("Line2", entity: "Note") { Attribute("x", .integer) })
    }

    static func lines(key: String?) -> Mapping<Record> {
      Mapping("Line", primaryKey: key.map { KeyFields($0) }, missingPrimaryKey: key == nil ? .error : .owned)
      {
        Attribute("id", .integer)
        Attribute("x", .integer)
        ToMany("words", word)
        ToOne("one", word)
        ToOne("ref", reference)
      }
    }
  }

  @Test(arguments: TestSize.onStores(faultyLists, on: .memory, others: 2))
  func theSameFaultyListAgainChangesNothing(_ kind: StoreKind, _ lists: (faulty: String, sound: String))
    throws
  {
    for key in [nil, "id"] {
      // A bare value is a key where there is one, and members by that name are the objects' own where there is none.
      if lists.faulty.contains(key == nil ? "[{\"id\"" : "[5") { continue }
      for policy in [RelationshipPolicy.assign, .replace] {
        let (world, sound) = (
          try World(kind, Self.lister(key: key, policy)), try World(kind, Self.lister(key: key, policy))
        )
        try sound.load(#"{"id":1,"lines":\#(lists.sound)}"#)
        let payload = #"{"id":1,"lines":\#(lists.faulty)}"#
        try world.load(payload, options: .skipping)
        try #expect(world.dump() == sound.dump())
        for options in [ImportOptions.skipping, .init(faults: .skip, delegate: Silent())] {
          let again = try world.report(payload, options: options)
          try #expect(world.dump() == sound.dump())
          #expect(
            again.entities.allSatisfy {
              $0.counts == .init(unchanged: $0.counts.unchanged, skipped: $0.counts.skipped)
            }, "\(summary(again))")
        }
      }
    }
  }

  private final class Silent: ImportDelegate {}

  /// A to-one relationship whose new target is left out stays as it is.
  @Test(arguments: StoreKind.allCases)
  func aFaultyOwnedTargetLeavesTheOldOne(_ kind: StoreKind) throws {
    let mapping = Mapping("Page", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("line", Lister.lines(key: nil))
    }
    let world = try World(kind, mapping, holding: #"{"id":1,"line":{"x":1}}"#)
    try #expect(world.load(#"{"id":1,"line":{"x":"?"}}"#, options: .skipping) == "Page =1, Line !1")
    try #expect(world.dump() == "Page 1 line=#1\nLine #1 x=1")
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultyOwnerKeepsItsObjects(_ kind: StoreKind) throws {
    let world = try World(kind, Self.page, holding: #"{"id":1,"lines":[{"x":1}]}"#)
    try #expect(world.load(#"{"id":1,"n":"?","lines":[]}"#, options: .skipping) == "Page !1")
    try #expect(world.dump() == "Page 1 lines=[#1]\nLine #1 x=1")
  }
}
