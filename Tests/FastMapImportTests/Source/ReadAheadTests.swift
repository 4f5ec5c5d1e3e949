import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import TestSupport
import Testing

/// The effect and the report of an import must not depend on where its text is read.
@Suite struct ReadAheadTests {
  /// The steps and the report of an import, or its error, and the contents of the store after it.
  private func outcome(
    _ kind: StoreKind, _ text: String, inChunksOf size: Int?, _ options: ImportOptions
  ) throws -> String {
    let world = try World(kind, Fixture.node)
    let steps = Collector<String>()
    var options = options
    options.onProgress = { steps.add("\($0.bytes) of \($0.totalBytes): \($0.rootObjects)") }
    var said: String
    do {
      let report = try world.report(text, inChunksOf: size, options: options)
      said = "\(summary(report)) of \(report.rootObjects) in \(report.bytes): \(report.errors)"
    } catch {
      said = "\(error)"
    }
    return said + "\n" + steps.all.joined(separator: "\n") + "\n" + (try world.dump())
  }

  private func check(_ kind: StoreKind, _ texts: [String], _ options: ImportOptions) throws {
    var (inline, ahead) = (options, options)
    inline.readsAhead = false
    ahead.alwaysReadsAhead = true
    for text in texts {
      for size in [nil, 7] {
        let expected = try outcome(kind, text, inChunksOf: size, inline)
        let found = try outcome(kind, text, inChunksOf: size, ahead)
        #expect(found == expected, "\(text) in batches of \(options.batchSize)")
      }
    }
  }

  private static let ways: [(ImportOptions.FaultPolicy, batchSize: Int, interval: Int?)] = [
    (.abort, 1, nil), (.skip, 1, nil), (.abort, 2, 3), (.skip, 3, 2), (.skip, 4096, 1), (.abort, 1, 1),
  ]

  private func eachWay(_ body: (ImportOptions) throws -> Void) rethrows {
    for (faults, batchSize, interval) in Self.ways {
      let options = ImportOptions(faults: faults, commitInterval: interval, batchSize: batchSize)
      try body(options)
    }
  }

  @Test func readingAheadChangesNoText() throws {
    try eachWay { options in
      try check(.memory, StreamTests.documents, options)
      var rooted = options
      rooted.rootPath = "result.items"
      try check(.memory, StreamTests.rooted, rooted)
      var lines = options
      lines.format = .ndjson
      try check(.memory, StreamTests.lines, lines)
    }
  }

  /// Twelve objects, one with a fault.
  private static func text(faulty index: Int, _ fault: String, separator: String = ",") -> String {
    (0..<12).map { number in
      number == index
        ? fault : #"{"id": \#(number), "n": "é", "kids": [{"id": \#(number + 1), "n": "k"}, 3]}"#
    }.joined(separator: separator)
  }

  @Test(
    arguments: TestSize.onStores(
      [
        #"{"id": "x"}"#, #"{"n": "no key"}"#, #"{"id": 5, "kids": [{"id": 7}, {"id": true}]}"#,
        #"{"id": 1,}"#,
        #"{"id": 1"#, "", "null", #"{"id": 99999999999999999999}"#,
      ], on: .memory, others: 1))
  func theSameFaultIsNamedWhereverBatchesEnd(_ kind: StoreKind, _ fault: String) throws {
    // A store on disk takes its time for each commit.
    let positions = kind == .memory ? TestSize.cases(Array(0..<12), small: 2) : [5]
    for index in positions {
      var options = ImportOptions()
      for (faults, batchSize) in [(ImportOptions.FaultPolicy.abort, 2), (.skip, 3)] {
        options.faults = faults
        options.batchSize = batchSize
        options.format = .json
        try check(kind, ["[\n" + Self.text(faulty: index, fault, separator: ",\n") + "]"], options)
        options.format = .ndjson
        try check(kind, [Self.text(faulty: index, fault, separator: "\n")], options)
      }
    }
  }

  @Test func keysThatAStoreRefusesKeepTheirPlaces() throws {
    let keyed = Mapping("Keyed", primaryKey: "id") { Attribute("id", .string) }
    let long = String(repeating: "k", count: 600)
    let text =
      "[" + (0..<9).map { #"{"id":"\#($0 % 4 == 2 ? long : "k")\#($0)"}"# }.joined(separator: ",\n") + "]"
    var errors: [[MappingError]] = []
    for (readsAhead, size) in [(false, nil), (true, nil), (false, 700), (true, 700)] as [(Bool, Int?)] {
      var options = ImportOptions(faults: .skip, batchSize: 2)
      (options.readsAhead, options.alwaysReadsAhead) = (readsAhead, readsAhead)
      errors.append(try World(.lmdb, keyed).report(text, inChunksOf: size, options: options).errors)
    }
    #expect(errors[0].map(\.location?.line) == [3, 7])
    #expect(errors.allSatisfy { $0 == errors[0] })
  }

  @Test(arguments: [nil, 700])
  func aRepeatedTransactionReadsItsInputAgain(_ interval: Int?) throws {
    let store = try ScratchStore.growing()
    let plan = try Plan(Fixture.node)
    let name = String(repeating: "é", count: 200)
    let count = TestSize.count(small: 1000, whole: 3000)
    let text = "[" + (0..<count).map { #"{"id":\#($0),"n":"\#(name)"}"# }.joined(separator: ",") + "]"
    var options = ImportOptions()
    options.alwaysReadsAhead = true
    options.batchSize = 100
    options.commitInterval = interval
    let report = try Mapper(store).importJSON(Array(text.utf8), as: plan, options: options)
    #expect(summary(report) == "Node +\(count)")
    try #expect(store.read(plan) { try $0.records("Node").count } == count)
  }

  @Test func eachBatchKeepsItsDigitsTextsAndInstances() throws {
    let thing = Mapping("Thing", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("whole", .integer)
      Attribute("any", .json)
    }
    let text =
      "["
      + (0..<40).map {
        #"{"id":\#($0),"whole":\#($0),"any":{"n":[\#($0),18446744073709551\#(616 + $0)]}}"#
      }.joined(separator: ",") + "]"
    for kind in StoreKind.allCases {
      var dumps: [String] = []
      for readsAhead in [false, true] {
        let world = try World(kind, thing)
        var options = ImportOptions(readsAhead: readsAhead, batchSize: 4)
        options.alwaysReadsAhead = readsAhead
        let done = try world.load(text, options: options)
        #expect(done == "Thing +40")
        dumps.append(try world.dump())
      }
      #expect(dumps[0] == dumps[1])
      #expect(dumps[0].contains(#"whole=39 any={"n":[39,18446744073709551655]}"#))
    }
  }

  @Test(arguments: StoreKind.allCases, [nil, 10])
  func readingAheadEndsWithTheImportThatIsCancelled(_ kind: StoreKind, _ size: Int?) throws {
    let world = try World(kind, Fixture.tag)
    let progress = ImportProgress()
    var options = ImportOptions()
    options.alwaysReadsAhead = true
    options.batchSize = 2
    options.progress = progress
    options.onProgress = { if $0.rootObjects == 6 { progress.cancel() } }
    let text = "[" + (0..<20).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
    #expect(world.failure(of: text, inChunksOf: size, options: options) == "CancellationError()")
    #expect(progress.current.rootObjects == 6)
    try #expect(world.dump() == "")
  }
}
