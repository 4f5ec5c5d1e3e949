import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Imports of the tool with `--commit-every` that are killed between their commits: the same import, repeated, leaves
/// the store as without a kill, whatever was done with it meanwhile.
@Suite(.serialized, .enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"))
struct UnfinishedImportTests {
  private let scratch = Scratch()
  private var mappings: String { scratch.path + "/mappings.json" }

  private static let mappingFile = #"""
    {"fastmap": 1, "mappings": {
      "Order": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {
        "lines": {"toMany": true, "mapping": "Line"}, "tags": {"toMany": true, "mapping": "Tag", "policy": "replace"}}},
      "Line": {"attributes": {"text": "string"}, "relationships": {"parts": {"toMany": true, "mapping": "Part"}}},
      "Part": {"attributes": {"n": "integer"}},
      "Tag": {"primaryKey": "name", "attributes": {"name": "string", "color": "string"}}}}
    """#

  private static let count = TestSize.count(small: 120, whole: 300)

  /// Each order lets go of some of its lines and tags from one version to the other.
  private static func payload(_ version: Int) -> [UInt8] {
    let orders = (0..<count).map { id in
      let lines = (0..<((id + version * 2) % 4)).map {
        #"{"text":"\#(version) \#($0)","parts":[{"n":\#($0)},{"n":\#(version)}]}"#
      }
      let tags = (0..<(1 + (id + version) % 3)).map {
        #"{"name":"\#(id)-\#($0 * (version + 1))","color":"\#($0)"}"#
      }
      return
        #"{"id":\#(id),"lines":[\#(lines.joined(separator: ","))],"tags":[\#(tags.joined(separator: ","))]}"#
    }
    return Array("[\(orders.joined(separator: ","))]".utf8)
  }

  enum Meanwhile: CaseIterable {
    case nothing, compaction, backup, repair, anotherUnfinishedImport
  }

  @Test(arguments: Meanwhile.allCases)
  func theSameImportOnceMoreMakesTheStoreWhole(_ meanwhile: Meanwhile) throws {
    var random = Random(for: "UnfinishedImportTests")
    write(Array(Self.mappingFile.utf8), to: mappings)
    for version in 0...1 { write(Self.payload(version), to: "\(scratch.path)/\(version).json") }
    let references = try Self.references.get()

    var store = scratch.store
    try run(["import"] + importing(0, store))
    var leftovers = 0
    // An import may end before it is killed. So the rounds go on until one has left something.
    let rounds = TestSize.rounds(small: 1, whole: 2)
    for round in 1...(rounds + 20) where round <= rounds || leftovers == 0 {
      let version = round % 2
      try kill(version, store, after: 3 + random.next(Self.count / 18), every: [1, 3, 10][random.next(3)])
      if meanwhile == .anotherUnfinishedImport {
        try kill(version, store, after: 1 + random.next(20), every: 4)
      }
      let left = try LMDBStore(at: store).check().leftoverCount
      #expect(try run(["check", "--store", store]).contains("an import did not end") == (left > 0))
      leftovers += left
      let copy = "\(scratch.path)/copy\(round)"
      switch meanwhile {
      case .nothing, .anotherUnfinishedImport: break
      case .compaction: try run(["compact", "--store", store])
      case .backup: try run(["backup", "--store", store, copy])
      case .repair: try run(["repair", "--store", store, copy])
      }
      if access(copy, F_OK) == 0 { store = copy }
      #expect(try LMDBStore(at: store).check().leftoverCount == left)
      try run(["import"] + importing(version, store) + (round > 2 ? ["--commit-every", "50"] : []))
      #expect(try Self.contents(store) == references[version], "round \(round)")
      #expect(try LMDBStore(at: store).check().leftoverCount == 0)
    }
    #expect(leftovers > 0)
  }

  /// The contents of a store, regardless of the numbers of its objects.
  private static func contents(_ path: String) throws -> [String] {
    let set = try MappingSet(file: Array(mappingFile.utf8))
    let store = try LMDBStore(at: path)
    try store.expectSound()
    let counts = try store.statistics().entities.map { "\($0.name): \($0.objectCount)" }
    return try store.export(set.plan(for: "Order")) + store.export(set.plan(for: "Tag")) + counts
  }

  /// The contents of a store after both versions, with the version of the array's index last.
  private static let references = Result {
    let scratch = Scratch()
    let plan = try MappingSet(file: Array(mappingFile.utf8)).plan(for: "Order")
    return try [0, 1].map { version in
      let path = "\(scratch.path)/\(version)"
      for number in [1 - version, version] {
        _ = try Mapper(try LMDBStore(at: path)).importJSON(payload(number), as: plan)
      }
      return try contents(path)
    }
  }

  private func importing(_ version: Int, _ store: String) -> [String] {
    [
      "--store", store, "--mappings", mappings, "--as", "Order", "--quiet", "\(scratch.path)/\(version).json",
    ]
  }

  @discardableResult
  private func run(_ words: [String]) throws -> String {
    let run = try FastMapTool.run(words, in: scratch)
    #expect(run.ending == .exited(0), "\(words.first ?? ""): \(run.errors)")
    return run.output
  }

  /// Kills an import when it has committed so many times; it may be faster.
  private func kill(_ version: Int, _ store: String, after count: Int, every interval: Int) throws {
    let first = DataFile(store + "/data.mdb").commit
    let process = try FastMapTool.start(
      ["import"] + importing(version, store) + ["--commit-every", "\(interval)"],
      output: scratch.path + "/output", errors: scratch.path + "/errors")
    while DataFile(store + "/data.mdb").commit < first + UInt64(count) {
      if Program.ending(of: process, waits: false) != nil { return }
      usleep(100)
    }
    end(process)
    _ = Program.ending(of: process, waits: true)
  }
}

private func end(_ process: pid_t) { kill(process, SIGKILL) }
