import FastMapCore
import FastMapLMDB
import Foundation

/// LMDB syncs its files but not their directories. A file whose name is not on the disk is lost with the power, so FastMap
/// syncs directories itself. A lock file is opened only under the directory's lock.
enum NameCampaign {
  static let campaign = Campaign(
    name: "names", title: "directory syncs and locks", cases: .count("pieces of work"),
    rule:
      "a store's names are synced before its first commit, and when a call returns; lock.mdb is opened under the lock",
    needsShim: true
  ) { run in
    let rounds = run.count(short: 4, long: 400)
    for round in 0..<rounds where run.goesOn(round, of: rounds, "rounds") {
      for work in Work.allCases {
        let scratch = try Scratch(isInMemory: true)
        if work.needsStore { try work.makeStore(scratch, SeededNumbers(seed: run.seed, case: round)) }
        let random = SeededNumbers(seed: run.seed, case: round + 1)
        let bytes = try Recording.bytes(.recordNames, in: scratch) { try work.run(scratch, random) }
        let log = NameLog(String(decoding: bytes, as: UTF8.self))
        for fault in log.faults { run.violation("\(work), round \(round): \(fault)") }
        if log.names == 0, work.makesNames { run.violation("\(work), round \(round): no name was seen") }
        if log.openings == 0, work.opensTheStore {
          run.violation("\(work), round \(round): no opening was seen")
        }
        run.add(to: "pieces of work")
        run.add(log.names, to: "names")
        run.add(log.openings, to: "openings of a lock file")
      }
    }
  }

  private enum Work: CaseIterable {
    case making, makingInADirectory, opening, reading, compaction, backup, repair, dump

    var needsStore: Bool { self != .making && self != .makingInADirectory }
    var makesNames: Bool { self != .opening && self != .reading }
    /// A repair reads the file without LMDB, and fills the new store before it has its name.
    var opensTheStore: Bool { self != .repair }

    func makeStore(_ scratch: Scratch, _ random: SeededNumbers) throws {
      let (_, ending) = Child.run {
        try fill(scratch.store, random)
        let store = try LMDBStore(at: scratch.store)
        try store.delete(Scenario.plan.get().query(of: "Node"))  // leaves free pages to compact
        return []
      }
      guard ending == .returned else { throw OddStore(description: "no store: \(ending)") }
    }

    private func fill(_ path: String, _ random: SeededNumbers) throws {
      var random = random
      _ = try Mapper(LMDBStore(at: path)).importJSON(Ledger.text(&random), as: Scenario.plan.get())
    }

    func run(_ scratch: Scratch, _ random: SeededNumbers) throws {
      switch self {
      case .making, .opening: try fill(scratch.store, random)
      case .makingInADirectory:
        mkdir(scratch.store, 0o700)
        try fill(scratch.store, random)
      case .reading:
        var configuration = LMDBStore.Configuration()
        configuration.isReadOnly = true
        _ = try LMDBStore(at: scratch.store, configuration: configuration).statistics()
      case .compaction: try LMDBStore.compact(at: scratch.store)
      case .backup: try LMDBStore(at: scratch.store).backup(to: scratch.path + "/copy")
      case .dump: try LMDBStore(at: scratch.store).dump(to: scratch.path + "/dump")
      case .repair: _ = try LMDBStore.repair(from: scratch.store, to: scratch.path + "/copy")
      }
    }
  }
}

/// The names in the shim's log, checked line by line.
struct NameLog {
  private(set) var faults: [String] = []
  private(set) var names = 0
  private(set) var openings = 0
  /// For each directory, a name in it that is not durable.
  private var unsynced: [String: String] = [:]
  private var locked: Set<String> = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { continue }
      take(words[0], words[1])
    }
    for (directory, name) in unsynced {
      faults.append("\(name) is not on the disk when all is done: \(directory)")
    }
  }

  private mutating func take(_ what: String, _ path: String) {
    // After a power failure, work directories are only leftovers.
    if path.contains("/.") { return }
    let directory = Self.parent(path)
    switch what {
    case "name":
      names += 1
      unsynced[directory] = path
    case "sync": unsynced[path] = nil
    case "lock": locked.insert(path)
    case "open" where path.hasSuffix("/lock.mdb"):
      openings += 1
      if !locked.contains(directory) { faults.append("\(path) is opened without the directory's lock") }
    case "commit":
      for place in [directory, Self.parent(directory)] where unsynced[place] != nil {
        faults.append("a commit to \(path), and \(unsynced[place] ?? "") is not on the disk")
      }
    default: break
    }
  }

  private static func parent(_ path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
