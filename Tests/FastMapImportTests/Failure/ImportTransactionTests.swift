import FastMapCore
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

/// Semantics 4, 5 and 7: written values, the moment of their commit, and reports.
@Suite struct ImportTransactionTests {
  private static let many =
    "[" + (0..<1000).map { #"{"id":\#($0),"n":"\#($0)"}"# }.joined(separator: ",") + "]"

  @Test(arguments: StoreKind.allCases)
  func aDryRunReportsTheSameAndChangesNothing(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"[{"id":1,"a":{"id":1},"tags":[1,2]},{"id":2,"t":"x"}]"#)
    let before = try world.dump()
    let payload = #"[{"id":1,"a":{"id":2},"tags":[2,3]},{"id":2,"t":"y"},{"id":3},{"id":"bad"}]"#
    let dry = try world.report(payload, options: ImportOptions(faults: .skip, isDryRun: true))
    try #expect(world.dump() == before)
    #expect(dry.isDryRun)
    let real = try world.report(payload, options: .skipping)
    #expect(!real.isDryRun)
    #expect((dry.entities, dry.errors) == (real.entities, real.errors))
    #expect(summary(real) == "Book +1 ~2 !1, Author +1 -1, Tag +1 =1 -1")
  }

  // Q-09, FEM-217
  @Test(arguments: StoreKind.allCases)
  func theSamePayloadTwiceWritesNothingTheSecondTime(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    try #expect(world.load(Self.many) == "Node +1000")
    try #expect(world.load(Self.many) == "Node =1000")
    try #expect(world.load(Self.many, options: .committing(every: 100)) == "Node =1000")
  }

  // Counts: an object counts once, by its final state
  @Test(arguments: StoreKind.allCases)
  func anObjectWithRestoredValuesIsUnchanged(_ kind: StoreKind) throws {
    let filler = (100..<300).map { "{\"id\":\($0)}," }.joined()
    let world = try World(kind, Fixture.node)
    try world.load("[" + filler + #"{"id":1,"n":"A","child":{"id":2},"kids":[2]}]"#)
    let payload =
      #"[{"id":1,"n":"B","child":null,"kids":[]},\#(filler){"id":1,"n":"A","child":{"id":2},"kids":[2]}]"#
    try #expect(world.load(payload) == "Node =202")
    let changed =
      #"[{"id":1,"n":"B"},\#(filler){"id":1,"n":"C"},{"id":2},{"id":7},\#(filler){"id":7,"n":"x"}]"#
    try #expect(world.load(changed) == "Node +1 ~1 =201")
  }

  // BUG-50, WAM-129
  @Test(arguments: StoreKind.allCases)
  func anErrorInALaterBatchRollsBackTheEarlierOnes(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let payload = Self.many.dropLast() + #",{"id":0.5}]"#
    #expect(world.failure(of: String(payload))?.hasPrefix("$[1000].id: expected an integer") == true)
    try #expect(world.dump() == "")
  }

  // Q-21
  @Test(arguments: StoreKind.allCases)
  func committedIntervalsSurviveAnError(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let payload = String(Self.many.dropLast() + #",{"id":0.5}]"#)
    #expect(world.failure(of: payload, options: .committing(every: 300)) != nil)
    try #expect(world.dump().split(separator: "\n").count == 900)
    try #expect(world.load(Self.many, options: .committing(every: 300)) == "Node +100 =900")
    let interval = TestSize.count(small: 50, whole: 1)
    try #expect(world.load(Self.many, options: .committing(every: interval)) == "Node =1000")
  }

  @Test(arguments: StoreKind.allCases, [1, 2, 3, 64, 65, 10_000])
  func anyCommitIntervalGivesTheSameStore(_ kind: StoreKind, _ interval: Int) throws {
    let payload = """
      [{"id":1,"a":{"id":1},"tags":[1,2]},{"id":2,"a":{"id":1},"tags":[2]},{"id":1,"a":null,"tags":[2,3]},
       {"id":3,"a":{"id":3}},{"id":3,"a":{"id":4}}]
      """
    let whole = try World(kind, Fixture.book(.replace))
    let pieces = try World(kind, Fixture.book(.replace))
    for world in [whole, pieces] { try world.load(#"{"id":3,"a":{"id":9},"tags":[9]}"#) }
    let expected = try whole.load(payload)
    try #expect(pieces.load(payload, options: .committing(every: interval)) == expected)
    try #expect(pieces.dump() == whole.dump())
  }

  @Test(arguments: StoreKind.allCases)
  func aDryRunWithACommitIntervalChangesNothing(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let options = ImportOptions(commitInterval: 10, isDryRun: true)
    try #expect(world.load(Self.many, options: options) == "Node +1000")
    try #expect(world.dump() == "")
  }

  @Test(arguments: StoreKind.allCases)
  func linesOfJSONAreRootObjects(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let text = "{\"id\":1}\n\n  \r\n{\"id\":2,\"child\":{\"id\":1}}\r\n{\"id\":3}\n{\"id\":1,\"n\":\"x\"}"
    let report = try world.report(text, options: .ndjson)
    #expect(summary(report) == "Node +3")
    #expect((report.rootObjects, report.bytes) == (4, text.utf8.count))
    try #expect(world.dump() == "Node 1 name=\"x\"\nNode 2 child=1\nNode 3")
    #expect(
      world.failure(of: "{\"id\":4}\n\n{\"id\":5,\"n\":6}\n", options: .ndjson)
        == "$[1].n: expected a string, found the number 6 (line 3, column 13)")
    #expect(
      world.failure(of: "{\"id\":4}\n{\"id\":5", options: .ndjson)?.hasPrefix("line 2, column ") == true)
    try #expect(world.dump(of: "Node 4") == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func aRootPathIsFollowedInEachLine(_ kind: StoreKind) throws {
    let world = try World(kind, Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
    let options = ImportOptions(format: .ndjson, rootPath: "item")
    try #expect(world.load("{\"item\":{\"id\":1}}\n{\"item\":{\"id\":2}}", options: options) == "Item +2")
    #expect(
      world.failure(of: "{\"item\":{\"id\":3}}\n{\"item\":{\"id\":false}}", options: options)
        == "$[1].item.id: expected an integer, found false (line 2, column 15)")
    #expect(
      world.failure(of: "{\"x\":3}\n\n {\"x\":1}", options: options)
        == "$[0].item: expected the objects to map at this root path, found nothing (line 1, column 1)")
    #expect(
      world.failure(of: "{\"item\":{\"id\":4}}\n\n {\"item\":3}", options: options)
        == "$[1].item: expected an object, found the number 3 (line 3, column 10)")
  }

  // WAM-05, FEM-175, WAM-06, WAM-97
  @Test(arguments: StoreKind.allCases, ["[]", "{\"empty\":[]}"])
  func nothingInIsNothingOut(_ kind: StoreKind, _ payload: String) throws {
    let world = try World(kind, Fixture.node)
    var options = ImportOptions()
    if payload.hasPrefix("{") { options.rootPath = "empty" }
    let progress = ImportProgress()
    options.progress = progress
    let report = try world.report(payload, options: options)
    #expect(report.entities.isEmpty)
    #expect((report.rootObjects, report.mapping) == (0, "Node"))
    let bytes = payload.utf8.count
    #expect((progress.current.bytes, progress.current.totalBytes) == (bytes, bytes), "it ends complete")
    try #expect(world.load("", options: .ndjson) == "")
  }

  // WAM-91, WAM-92, WAM-93, WAM-94, Q-33
  @Test(arguments: StoreKind.allCases)
  func progressRisesToTheEndAndCountsRootObjectsAlone(_ kind: StoreKind) throws {
    let payload = Self.many.replacing("\"}", with: "\",\"kids\":[1000,1001]}")
    let world = try World(kind, Fixture.node)
    let seen = Mutex<[(Int, Int)]>([])
    let progress = ImportProgress()
    #expect((progress.current.rootObjects, progress.current.totalBytes) == (0, 0))
    var options = ImportOptions(progress: progress)
    options.onProgress = { progress in seen.withLock { $0.append((progress.rootObjects, progress.bytes)) } }
    try world.load(payload, options: options)
    let steps = seen.withLock { $0 }
    #expect(steps.count > 1)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 < $1.0 && $0.1 < $1.1 })
    #expect((steps.last?.0, steps.last?.1) == (1000, payload.utf8.count))
    #expect((progress.current.rootObjects, progress.current.totalBytes) == (1000, payload.utf8.count))
  }

  @Test(arguments: StoreKind.allCases)
  func theFirstFaultAborts(_ kind: StoreKind) throws {
    let many = (0..<500).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let world = try World(kind, Fixture.node)
    #expect(
      world.failure(of: #"[\#(many),{"id":500,"n":1.5},{"id":"x"}]"#)
        == "$[500].n: expected a string, found the number 1.5 (line 1, column 5406)")
    try #expect(world.dump() == "")
  }
}
