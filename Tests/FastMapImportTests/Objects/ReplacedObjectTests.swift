import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Imports that replace stored objects: `ImportOptions.replaces`.
@Suite struct ReplacedObjectTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Issue": {
            "primaryKey": "id", "rootPath": "pages[].issues",
            "attributes": {"id": "integer", "repo": "string", "title": "string"},
            "relationships": {
              "next": {"mapping": "IssueRef"}, "related": {"mapping": "IssueRef", "toMany": true},
              "label": {"mapping": "Label"}, "notes": {"mapping": "Note", "toMany": true},
              "parts": {"mapping": "Part", "toMany": true, "policy": "replace"}},
            "indexes": [["repo"]]},
          "IssueRef": {"entity": "Issue", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}},
          "Label": {"primaryKey": "name", "attributes": {"name": "string"},
            "relationships": {"example": {"mapping": "IssueRef"}}},
          "Note": {"attributes": {"text": "string"}, "relationships": {"about": {"mapping": "IssueRef"}}},
          "Part": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"of": {"mapping": "IssueRef"}}},
          "Plain": {"attributes": {"id": "integer"}}}}
        """#)
  }

  private func makeWorld(_ kind: StoreKind) throws -> World {
    let file = try Self.file.get()
    return try World(kind, file.plan(for: "Issue"), file.plan(for: "Label"), file.plan(for: "Plain"))
  }

  private static func options(_ filter: String? = nil, _ change: (inout ImportOptions) -> Void = { _ in })
    throws -> ImportOptions
  {
    var options = ImportOptions(
      rootPath: .wholeValue, replaces: try filter.map { .matching(try Filter($0)) } ?? .all)
    change(&options)
    return options
  }

  private static let first = #"""
    [{"id":1,"repo":"a"},{"id":2,"repo":"a"},{"id":3,"repo":"b"},{"id":4,"repo":"b"}]
    """#

  private func keys(_ world: World) throws -> [Int64] {
    try world.store.read { snapshot in
      try snapshot.keys(world.plan("Issue")).map { if case .integer(let key) = $0 { key } else { -1 } }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var stored = ReplacedObjectTests.first
    var filter: String?
    var json: String
    var report: String
    var left: [Int64]
    var testDescription: String { "\(json) \(filter ?? "all") \(stored)" }
  }

  static let cases = [
    Case(json: #"[{"id":1},{"id":9}]"#, report: "Issue +1 =1 -3", left: [1, 9]),
    Case(json: "[]", report: "Issue -4", left: []),
    Case(filter: #"@.repo == "a""#, json: "[]", report: "Issue -2", left: [3, 4]),
    Case(
      filter: #"@.repo == "a""#, json: #"[{"id":1,"title":"t"},{"id":5,"repo":"a"}]"#,
      report: "Issue +1 ~1 -1", left: [1, 3, 4, 5]),
    // The condition is about the time before the import.
    Case(filter: #"@.repo == "a""#, json: #"[{"id":3,"repo":"a"}]"#, report: "Issue ~1 -2", left: [3, 4]),
    Case(
      filter: #"@.repo == "b""#, json: #"[{"id":4,"repo":"a"}]"#, report: "Issue ~1 -1", left: [1, 2, 4]),
    // An object that the payload has only as a reference.
    Case(json: #"[{"id":1,"next":2}]"#, report: "Issue ~1 =1 -2", left: [1, 2]),
    // References between objects that go.
    Case(
      stored: #"[{"id":1,"next":2},{"id":2,"next":1},{"id":3,"related":[1,2,3]}]"#, json: "[]",
      report: "Issue -3", left: []),
    // An object that stays refers to one, which refers to another.
    Case(
      stored:
        #"[{"id":1,"repo":"a","next":2},{"id":2,"repo":"b","related":[3]},{"id":3,"repo":"b"},{"id":4,"repo":"b"}]"#,
      filter: #"@.repo == "b""#, json: "[]", report: "Issue -1", left: [1, 2, 3]),
    // An object of another entity refers to one.
    Case(
      stored: #"[{"id":1,"label":{"name":"x","example":2}},{"id":2},{"id":3}]"#, json: "[]",
      report: "Issue -2", left: [2]),
    // Owned objects go with their owners, and protect nothing then.
    Case(
      stored: #"[{"id":1,"notes":[{"text":"n","about":2}]},{"id":2,"notes":[{"about":1}]}]"#, json: "[]",
      report: "Issue -2, Note -2", left: []),
    Case(
      stored: #"[{"id":1,"repo":"a","notes":[{"text":"n","about":2}]},{"id":2,"repo":"b"}]"#,
      filter: #"@.repo == "b""#, json: "[]", report: "", left: [1, 2]),
    Case(
      stored:
        #"[{"id":1,"repo":"a","notes":[{"about":2}]},{"id":2,"repo":"b","notes":[{"about":3}]},{"id":3,"repo":"b"}]"#,
      filter: #"@.repo == "b""#, json: "[]", report: "", left: [1, 2, 3]),
    // Objects to which only a deleted object refers are deleted too.
    Case(
      stored: #"[{"id":1,"parts":[{"id":7,"of":2}]},{"id":2,"parts":[{"id":7}]}]"#, json: "[]",
      report: "Issue -2, Part -1", left: []),
    Case(
      stored: #"[{"id":1,"repo":"a","parts":[{"id":7,"of":2}]},{"id":2,"repo":"b","parts":[{"id":7}]}]"#,
      filter: #"@.repo == "b""#, json: "[]", report: "", left: [1, 2]),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 4))
  func anImportDeletesReplacedObjectsThatItLacks(_ kind: StoreKind, _ example: Case) throws {
    let world = try makeWorld(kind)
    try world.load(example.stored, options: ImportOptions(rootPath: .wholeValue))
    let before = try world.dump()
    let dry = try world.report(example.json, options: Self.options(example.filter) { $0.isDryRun = true })
    try #expect(world.dump() == before)
    let report = try world.report(example.json, options: Self.options(example.filter))
    #expect(summary(report) == example.report)
    #expect(dry.entities == report.entities)
    let deleted = report["Issue"]?.deleted ?? 0
    #expect(report.notes.map { $0.hasPrefix("\(deleted) of ") } == [true])
    #expect(dry.notes == report.notes)
    try #expect(keys(world) == example.left)
    // The same again changes nothing, if the condition still names the same objects.
    if example.filter == nil {
      try #expect(world.report(example.json, options: Self.options()).isUnchanged)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func commitsInBetweenAndStreamsDeleteTheSame(_ kind: StoreKind) throws {
    let json = #"[{"id":1},{"id":8},{"id":9,"next":3},{"id":10}]"#
    for (interval, chunk) in [(1, nil), (3, nil), (2, 5), (nil, 1)] as [(Int?, Int?)] {
      let world = try makeWorld(kind)
      try world.load(Self.first, options: ImportOptions(rootPath: .wholeValue))
      let report = try world.report(
        json, inChunksOf: chunk, options: Self.options { $0.commitInterval = interval })
      #expect(summary(report) == "Issue +3 =2 -2")
      try #expect(keys(world) == [1, 3, 8, 9, 10])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aReplacementSaysHowMuchItDeletesAndLeaves(_ kind: StoreKind) throws {
    for interval in [nil, 1] {
      let world = try makeWorld(kind)
      try world.load(
        #"""
        [{"id":1,"label":{"name":"x"}},{"id":2,"label":{"name":"y"}},{"id":3,"label":{"name":"x"},"notes":[{"text":"n"}]},
         {"id":4,"repo":"a","label":{"name":"z","example":1}},{"id":5,"repo":"a","label":{"name":"w"}}]
        """#, options: ImportOptions(rootPath: .wholeValue))
      let some = try world.report(
        #"[{"id":5},{"id":6}]"#, options: Self.options("@.repo == 'a'") { $0.commitInterval = interval })
      #expect(
        some.notes == [
          "1 of 2 objects of Issue that matched is deleted, which the payload does not have; "
            + "1 object that only deleted ones referred to is left"
        ])
      // The payload has w, 5 has it too, and z was left before.
      let all = try world.report(
        #"[{"id":5},{"id":7,"label":{"name":"x"}}]"#, options: Self.options { $0.commitInterval = interval })
      #expect(
        all.notes == [
          "3 of 5 objects of Issue are deleted, which the payload does not have; "
            + "1 object that only deleted ones referred to is left"
        ])
      try #expect(keys(world) == [1, 5, 7])
    }
  }

  /// A root object that nobody can identify could be any of the stored ones.
  @Test(arguments: StoreKind.allCases)
  func nothingIsDeletedIfAKeyCannotBeRead(_ kind: StoreKind) throws {
    for json in [
      #"[{"id":1},{"id":"x"}]"#, #"[{"id":1},{"id":null}]"#, #"[{"id":1},{}]"#, #"[{"id":1},null]"#, "[1]",
    ] {
      let world = try makeWorld(kind)
      try world.load(Self.first, options: ImportOptions(rootPath: .wholeValue))
      let report = try world.report(json, options: Self.options { $0.faults = .skip })
      #expect(report["Issue"]?.deleted == 0, "\(json)")
      #expect(
        report.notes == [
          "no missing objects were deleted, because the key of 1 root object could not be read"
        ])
      try #expect(keys(world) == [1, 2, 3, 4])
    }
    // A faulty object with a key stays, and the others go.
    let world = try makeWorld(kind)
    try world.load(Self.first, options: ImportOptions(rootPath: .wholeValue))
    let report = try world.report(#"[{"id":2,"title":5}]"#, options: Self.options { $0.faults = .skip })
    #expect(summary(report) == "Issue -3 !1")
    try #expect(keys(world) == [2])
  }

  @Test(arguments: [nil, 3] as [Int?])
  func aLineThatIsNotJSONCouldBeAnyObject(_ chunk: Int?) throws {
    let world = try makeWorld(.memory)
    try world.load(Self.first, options: ImportOptions(rootPath: .wholeValue))
    let options = try Self.options { ($0.faults, $0.format, $0.rootPath) = (.skip, .ndjson, nil) }
    let report = try world.report("{\"id\":1}\n{\"id\":\n", inChunksOf: chunk, options: options)
    #expect(summary(report) == "Issue =1 !1")
    #expect(report.notes.count == 1)
    for empty in ["", "\n\n"] {
      #expect(
        world.failure(of: empty, inChunksOf: chunk, options: options)
          == "$: expected at least one line, as the import deletes all that its payload does not have, found an empty text"
      )
    }
    try #expect(keys(world) == [1, 2, 3, 4])
    try #expect(world.load("{\"id\":1}", options: options) == "Issue =1 -3")
  }

  /// The payload has objects inside other objects that are left out.
  @Test(arguments: StoreKind.allCases)
  func objectsInsideOfFaultyOnesStay(_ kind: StoreKind) throws {
    for json in [
      #"[{"id":1},{"id":2,"title":5,"next":3}]"#, #"[{"id":1},{"id":2,"notes":[{"text":5,"about":3}]}]"#,
      #"[{"id":1},{"id":2,"next":[9],"related":[3],"label":{"name":5,"example":4}}]"#,
    ] {
      let world = try makeWorld(kind)
      try world.load(Self.first, options: ImportOptions(rootPath: .wholeValue))
      let report = try world.report(json, options: Self.options { $0.faults = .skip })
      #expect(report.errorCount == 1)
      let left = json.contains("label") ? [1, 2, 3, 4] : [1, 2, 3] as [Int64]
      try #expect(keys(world) == left, "\(json)")
    }
  }

  @Test(arguments: [nil, 3] as [Int?])
  func aPageWithoutObjectsDeletesNothing(_ chunk: Int?) throws {
    for (json, isWhole) in [
      (#"{"pages":[{"issues":[{"id":1}]},{"issues":[]}]}"#, true),
      (#"{"pages":[{"issues":[{"id":1}]},{}]}"#, false),
      (#"{"pages":[{},{"issues":[{"id":1}]}]}"#, false),
      (#"{"pages":[{"issues":null},{"issues":[{"id":1}]}]}"#, false),
      (#"{"pages":[{"issues":[{"id":1}]},null]}"#, false), (#"{"pages":[{"issues":[]},{}]}"#, false),
      (#"{"pages":[{"issues":[]},null]}"#, false),
    ] {
      let world = try makeWorld(.memory)
      try world.load(Self.first, options: ImportOptions(rootPath: .wholeValue))
      for batch in [nil, 1] as [Int?] {
        let options = try Self.options {
          $0.rootPath = nil
          $0.batchSize = batch
          $0.isDryRun = batch == nil
        }
        let report = try world.report(json, inChunksOf: chunk, options: options)
        #expect(report["Issue"]?.deleted ?? 0 == (isWhole ? 3 : 0), "\(json)")
        #expect(report.notes.map { $0.hasPrefix("3 of 4 objects of Issue are deleted") } == [isWhole])
      }
    }
  }

  @Test func aConditionNamesFields() throws {
    let world = try makeWorld(.memory)
    #expect(throws: FilterError.self) { try world.load("[]", options: Self.options("@.nothing == 1")) }
  }
}
