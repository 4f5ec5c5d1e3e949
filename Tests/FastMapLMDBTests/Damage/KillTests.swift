import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import FastMapSystem
import Foundation
import TestSupport
import Testing

/// Kills imports at every moment of their life. The store lives on from kill to kill, with all they leave behind.
@Suite(.serialized) struct KillTests {
  private let scratch = Scratch()
  private var output: String { scratch.path + "/output" }
  private var errors: String { scratch.path + "/errors" }
  private var mappings: String { scratch.path + "/mappings.json" }

  /// When to kill.
  private enum Moment: CaseIterable {
    /// Some time after the start.
    case anyTime
    /// As soon as something is written to the data file: in the midst of the commit.
    case inCommit
    /// As soon as the new commit can be seen.
    case afterCommit
  }

  private struct Tally {
    var undone = 0
    var done = 0
    var tooLate = 0
    var kills: Int { undone + done }
  }

  /// The export of a store after one of the two payloads, and a summary that tells the payloads apart at little cost.
  private struct Version {
    let lines: [String]
    let summary: Summary
  }

  private struct Summary: Equatable {
    var counts: [String: Int] = [:]
    /// How many people have which version.
    var versions: [Value: Int] = [:]
  }

  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"), .timeLimit(.minutes(5)))
  func aKilledImportIsDoneOrUndone() throws {
    var random = Random(for: "KillTests")
    write(Array(Self.mappingFile.utf8), to: mappings)
    let plan = try MappingSet(at: mappings).plan(for: "Person")
    let versions = try [0, 1].map { try prepare($0, plan) }
    var duration = try measure()
    let few = TestSize.rounds(small: 1, whole: 6)
    let moments = [
      (Moment.anyTime, TestSize.rounds(small: 3, whole: 12)), (.inCommit, few), (.afterCommit, few),
    ]

    var current = 0
    var total = Tally()
    for (moment, count) in moments {
      var tally = Tally()
      while tally.kills < count, tally.tooLate < 200 {
        let commit = DataFile(scratch.dataFile).commit
        // Now and then this process has the store open while another one dies in it.
        let bystander = random.next(2) == 0 ? try LMDBStore(at: scratch.store) : nil
        let delay = random.nextUnit() * duration
        let wasKilled = try importAndKill(1 - current, moment, delay)
        // To those who have it open, a commit that the dead could not tell of shows with the next write.
        if let seen = try bystander.map({ try summary(of: $0, plan) }) {
          #expect(versions.contains { $0.summary == seen })
        }
        withExtendedLifetime(consume bystander) {}

        let store = try LMDBStore(at: scratch.store)
        try store.expectSound()
        let isDone = try store.commits > commit
        if isDone { current = 1 - current }
        #expect(try summary(of: store, plan) == versions[current].summary, "\(moment), \(tally)")
        if tally.kills % 8 == 0 { #expect(try store.export(plan) == versions[current].lines) }
        #expect(wasKilled || isDone)
        // The machine's load changes.
        if !wasKilled { duration *= 0.95 } else if !isDone, delay > 0.9 * duration { duration *= 1.05 }
        if !wasKilled { tally.tooLate += 1 } else if isDone { tally.done += 1 } else { tally.undone += 1 }
      }
      #expect(tally.kills >= count)
      total.done += tally.done
      total.undone += tally.undone
      print("KillTests: \(moment): \(tally)")
    }
    #expect(total.done > 0)
    #expect(total.undone > 0)
  }

  private func summary(of store: LMDBStore, _ plan: Plan) throws -> Summary {
    let entities = try store.statistics().entities
    var summary = Summary(
      counts: Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.objectCount) }))
    let field = try #require(plan.schema.entities[0].fields.firstIndex { $0.name == "version" })
    try store.read(plan.schema) { reader in
      var buffer = RowBuffer()
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { reader, id, _ in
        _ = try reader.read(id, of: 0, into: &buffer)
        summary.versions[buffer.row[field].value ?? .null, default: 0] += 1
        return true
      }
    }
    return summary
  }

  // MARK: Imports

  private func file(_ version: Int) -> String { scratch.path + "/\(version).json" }

  private func call(_ version: Int, _ store: String) -> [String] {
    [
      "import", "--store", store, "--mappings", mappings, "--as", "Person", "--json", "--quiet",
      file(version),
    ]
  }

  /// Writes a version's payload, and imports it into the store.
  ///
  /// - Returns: The contents of a store with that version, whatever it had before.
  private func prepare(_ version: Int, _ plan: Plan) throws -> Version {
    write(Array(Self.payload(version).utf8), to: file(version))
    let other = scratch.path + "/\(version).db"
    for store in version == 0 ? [scratch.store, other] : [other] {
      #expect(try FastMapTool.run(call(version, store), in: scratch).ending == .exited(0))
    }
    let store = try LMDBStore(at: other)
    return Version(lines: try store.export(plan), summary: try summary(of: store, plan))
  }

  /// The seconds that an import of the other version takes.
  private func measure() throws -> Double {
    let clock = ContinuousClock()
    let times = try [1, 0, 1, 0].prefix(TestSize.count(small: 2, whole: 4)).map { version in
      let start = clock.now
      let run = try FastMapTool.run(call(version, scratch.store), in: scratch)
      #expect(run.ending == .exited(0))
      return start.duration(to: clock.now) / .seconds(1)
    }
    print("KillTests: an import takes \(times) s")
    return times.sorted()[times.count / 2]
  }

  private func importAndKill(_ version: Int, _ moment: Moment, _ delay: Double) throws -> Bool {
    let before = DataFile(scratch.dataFile)
    let process = try FastMapTool.start(call(version, scratch.store), output: output, errors: errors)
    switch moment {
    case .anyTime: usleep(UInt32(delay * 1e6))
    case .inCommit, .afterCommit:
      while true {
        // One that was waited for is gone, and its number may be anybody's.
        if Program.ending(of: process, waits: false) != nil { return false }
        let now = DataFile(scratch.dataFile)
        if moment == .inCommit ? now != before : now.commit != before.commit { break }
      }
    }
    kill(process, SIGKILL)
    return Program.ending(of: process, waits: true) == .killed(signal: SIGKILL)
  }

  // MARK: Payloads

  private static let mappingFile = """
    {"fastmap": 1, "mappings": {
      "Person": {
        "primaryKey": "id",
        "attributes": {"id": "integer", "name": "string", "version": "integer"},
        "relationships": {
          "boss": {"mapping": "Ref", "keyPath": "boss_id"},
          "phones": {"mapping": "Phone", "toMany": true},
          "team": {"mapping": "Team", "policy": "replace"}
        }
      },
      "Ref": {"entity": "Person", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}},
      "Phone": {"attributes": {"number": "string"}},
      "Team": {"primaryKey": "name", "attributes": {"name": "string"}}
    }}
    """

  private static let count = TestSize.count(small: 150, whole: 600)

  /// Three objects a person, none of them the same in two versions; some are deleted and some are new.
  private static func payload(_ version: Int) -> String {
    let people = (0..<count).map { id in
      let phones = (0..<(1 + (id + version) % 2)).map { #"{"number": "\#(version)-\#(id)-\#($0)"}"# }
      return """
        {"id": \(id), "name": "person \(id) of version \(version)", "version": \(version),
         "boss_id": \((id * 7 + version) % count), "phones": [\(phones.joined(separator: ", "))],
         "team": {"name": "team \(id / 2) of version \(version)"}}
        """
    }
    return "[" + people.joined(separator: ",\n") + "]"
  }
}

/// The state of a data file, seen from outside.
struct DataFile: Equatable {
  var modified = timespec()
  var size = 0
  /// The newest commit.
  var commit: UInt64 = 0

  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    size = Int(status.st_size)
    #if canImport(Darwin)
      modified = status.st_mtimespec
    #else
      modified = status.st_mtim
    #endif
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    for page in 0..<2 {
      var number: UInt64 = 0
      pread(descriptor, &number, 8, off_t(page * Int(getpagesize()) + 144))
      commit = max(commit, number)
    }
  }

  static func == (a: DataFile, b: DataFile) -> Bool {
    (a.modified.tv_sec, a.modified.tv_nsec, a.size, a.commit)
      == (b.modified.tv_sec, b.modified.tv_nsec, b.size, b.commit)
  }
}
