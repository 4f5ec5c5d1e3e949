import CProcess
import FastMapCore
import FastMapLMDB
import Foundation

/// Opens data files with every kind of damage. Reads, checks and writes them, or repairs them.
struct DamageCampaign {
  static let campaign = Campaign(
    name: "damage", title: "damaged data files, read, written or repaired", cases: .all("files"),
    rule: "an error, or the right data; no write that `check` warns of; never a hang over 5 s",
    needsShim: true
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    let campaign = try DamageCampaign(run, scratch)
    let every = Damage.every(of: campaign.file, older: campaign.older)
    campaign.judge(every.count, "damages", .used) { every[$0] }
    campaign.judge(every.count, "repairs", .repaired) { every[$0] }
    try campaign.readOnlyDirectory()
    RepairPromise(run: run, scratch: scratch, plan: campaign.plan, samples: campaign.samples)
      .keep(bits: run.count(short: 60, long: 3334))
    let rounds = run.count(short: 8, long: 500)
    for round in 0..<rounds where run.goesOn(round, of: rounds, "rounds of flips") {
      let count = 200
      for use in [Use.used, .repaired] where use != .repaired || round % 4 == 0 {
        campaign.judge(count, "flips", use) { index in
          let number = round * count + index
          let offset = Int(truncatingIfNeeded: run.seed) &+ number
          return (
            number % 4 == 0 ? .flippedHeaderBit : number % 40 == 1 ? .swappedPages : .flippedBit, offset
          )
        }
      }
    }
  }

  private enum Use: String {
    /// Read, then checked, then written.
    case used = "a store"
    /// Repaired into a new one.
    case repaired = "a repaired store"
  }

  private enum Verdict: UInt8 {
    case refused, harmless
    /// `check` and the reads found it.
    case found
    /// The reads found it, `check` did not.
    case foundByReads
    /// `check` found it, but a read returned other data without an error.
    case foundByCheck
    /// `check` found it, but a write was accepted.
    case written
    /// `check` did not find it, but a write was refused.
    case sealed
    case commitBefore, wrong
    /// Repaired completely, or without the objects that the report names.
    case repairedWhole, repairedPart
  }

  private let run: Run
  private let scratch: Scratch
  private let file: [UInt8]
  /// The file one commit earlier.
  private let older: [UInt8]
  private let model: Model
  private let olderModel: Model
  /// Stores for which ``RepairPromise`` asks.
  private let samples: [RepairPromise.Sample]
  private let plan: Plan
  /// The payload that is imported into a damaged store.
  private let payload: [UInt8]

  private init(_ run: Run, _ scratch: Scratch) throws {
    self.run = run
    self.scratch = scratch
    plan = try Scenario.plan.get()
    var files: [[UInt8]] = []
    var models: [Model] = []
    var model = Model()
    for number in 0..<4 {
      var maker = PayloadMaker(SeededNumbers(seed: run.seed, case: number), hasTextKeys: false, keyCount: 200)
      let payload = maker.payload(roots: number == 3 ? 6 : 60)
      let store = try LMDBStore(at: scratch.store)
      _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: plan)
      _ = ModelImport.apply(payload, Policies(.assign), to: &model)
      files.append(try Self.closed(store, scratch))
      models.append(model)
    }
    var maker = PayloadMaker(SeededNumbers(seed: run.seed, case: 4), hasTextKeys: false, keyCount: 200)
    payload = Array(PayloadText.json(maker.payload(roots: 10)).utf8)
    (older, file) = (files[2], files[3])
    (olderModel, self.model) = (models[2], models[3])
    _ = try LMDBStore.compact(at: scratch.store)
    samples = [
      .init(name: "fresh", file: files[0], model: models[0]),
      .init(name: "compacted", file: try File.bytes(of: scratch.dataFile), model: models[3]),
      .init(name: "used", file: files[3], model: models[3], isFresh: false),
    ]
  }

  private static func closed(_ store: consuming LMDBStore, _ scratch: Scratch) throws -> [UInt8] {
    withExtendedLifetime(consume store) {}
    return try File.bytes(of: scratch.dataFile)
  }

  // MARK: Cases

  private func judge(
    _ count: Int, _ what: String, _ use: Use, _ damage: @escaping (Int) -> (Damage.Kind, Int)
  ) {
    func make(_ index: Int) -> Damage {
      let (kind, number) = damage(index)
      return Damage(kind, number, of: file, older: older)
    }
    var start = 0
    while start < count, run.goesOn(start, of: count, what) {
      let end = min(count, start + 512)
      Child.judge(start..<end, { verdict(make($0), use).rawValue }) { index, byte, ending in
        let damage = make(index)
        run.add(to: damage.kind.rawValue)
        take(damage, use, byte.flatMap { Verdict(rawValue: $0) }, ending)
      }
      start = end
    }
  }

  private func verdict(_ damage: Damage, _ use: Use) -> Verdict {
    var order = torture_shim_order()
    order.mode = Shim.Mode.noWaiting.rawValue
    torture_shim_arm(&order)
    defer { torture_shim_disarm() }
    scratch.clear(scratch.dataFile)
    if let bytes = damage.bytes {
      try? File.write(bytes, to: scratch.dataFile)
    } else {
      mkdir(scratch.dataFile, 0o700)
    }
    if use == .repaired { return repairVerdict() }
    var configuration = LMDBStore.Configuration()
    configuration.createsIfMissing = false
    guard let store = try? LMDBStore(at: scratch.store, configuration: configuration) else { return .refused }
    // Before `check`, which calls the pages of a sound store verified.
    let found = try? Model(store, plan)
    let isSound = (try? store.check().isSound) ?? false
    if (try? write(store)) != nil {
      if !isSound { return .written }
    } else if isSound {
      return .sealed
    }
    guard let found else { return isSound ? .foundByReads : .found }
    if found == model { return isSound ? .harmless : .found }
    if found == olderModel, isSound { return .commitBefore }
    return isSound ? .wrong : .foundByCheck
  }

  private func write(_ store: LMDBStore) throws {
    _ = try Mapper(store).importJSON(payload, as: plan)
  }

  /// The result of a repair: the same data, or less data and a report that says so; never other data.
  private func repairVerdict() -> Verdict { repair().verdict }

  private func repair() -> (verdict: Verdict, words: String) {
    let target = scratch.path + "/repaired"
    scratch.clear(target)
    guard let report = try? LMDBStore.repair(from: scratch.store, to: target) else { return (.refused, "") }
    do {
      let store = try LMDBStore(at: target)
      let check = try store.check()
      guard check.isSound else { return (.wrong, "check: \(check.problems.prefix(3).map(\.description))") }
      let found = try Model(store, plan, mayHaveOrphans: !report.isComplete)
      if found == model { return (.repairedWhole, "") }
      if found == olderModel { return (report.isComplete ? .commitBefore : .repairedPart, "") }
      // If the newest commit is lost, the rest equals the commit before.
      let isRight = [model, olderModel].contains { model in
        found.nodes.allSatisfy { model.nodes[$0.key]?.values == $0.value.values }
      }
      // Where free pages are not known, objects of several commits may come back, and the report says so.
      let isDoubtful = report.problems.contains { $0.detail.contains("may be older") }
      return (
        !report.isComplete && (isRight || isDoubtful) ? .repairedPart : .wrong,
        found.difference(from: model) ?? ""
      )
    } catch { return (.wrong, "\(error)") }
  }

  private func take(_ damage: Damage, _ use: Use, _ verdict: Verdict?, _ ending: Termination) {
    let place = "\(use.rawValue), \(damage.kind.rawValue): \(damage.words)"
    switch (verdict, ending) {
    case (.refused?, _): run.add(to: "→ \(use.rawValue): refused")
    case (.repairedWhole?, _): run.add(to: "→ \(use.rawValue): as it was")
    case (.repairedPart?, _): run.add(to: "→ \(use.rawValue): without what its report names")
    case (.harmless?, _): run.add(to: "→ \(use.rawValue): harmless")
    case (.found?, _): run.add(to: "→ \(use.rawValue): found")
    case (.foundByReads?, _): run.add(to: "→ \(use.rawValue): found by reads, not by check")
    case (.foundByCheck?, _):
      // A page from an older commit is intact. Only `check` sees that it does not fit the others.
      let words = "found by check, while a read gave other data"
      if damage.kind.isBeyondChecksums {
        run.add(to: "→ \(use.rawValue): \(words)")
      } else {
        run.violation("\(place): \(words)")
      }
    case (.written?, _):
      let words = "found by check, while a write was accepted"
      if damage.kind.isBeyondChecksums {
        run.add(to: "→ \(use.rawValue): \(words)")
      } else {
        run.violation("\(place): \(words)")
      }
    case (.sealed?, _): run.violation("\(place): sound, but a write was refused")
    case (.commitBefore?, _):
      run.add(to: "→ the commit before, by \(damage.kind.rawValue)")
      if !damage.kind.isBeyondChecksums { run.violation("\(place): the commit before") }
    case (.wrong?, _):
      if damage.kind.isBeyondChecksums {
        run.add(to: "→ older pages that nothing tells from newer ones")
      } else {
        let (words, _) = Child.run {
          try damage.bytes.map { try File.write($0, to: scratch.dataFile) }
          if use == .repaired { return Array(repair().words.utf8) }
          let found = try Model(LMDBStore(at: scratch.store), plan)
          let older = found.difference(from: olderModel) == nil ? "all as in the commit before" : ""
          return Array("\(older) \(found.difference(from: model) ?? "")".utf8)
        }
        run.violation(
          "\(place): other data, and check calls it sound: \(String(decoding: words, as: UTF8.self))")
      }
    case (nil, .hung): run.violation("\(place): hangs")
    case (nil, .fell(Int32(TORTURE_FELL_IN_LMDB))): run.violation("\(place): fell over in LMDB")
    case (nil, .fell(Int32(TORTURE_FELL_IN_READ))): run.violation("\(place): fell over beside LMDB")
    case (nil, _): run.violation("\(place): \(ending)")
    }
  }

  private func readOnlyDirectory() throws {
    scratch.clear(scratch.dataFile)
    try File.write(file, to: scratch.dataFile)
    chmod(scratch.dataFile, 0o400)
    chmod(scratch.store, 0o500)
    defer { chmod(scratch.store, 0o700) }
    let (answer, ending) = Child.run { [self] in
      do {
        let store = try LMDBStore(at: scratch.store)
        return try Model(store, plan) == model ? [1] : Array("other data".utf8)
      } catch { return error is LMDBError ? [2] : Array("\(error)".utf8) }
    }
    run.add(to: "read-only directories")
    if ending != .returned || ![[1], [2]].contains(answer) {
      run.violation("a read-only directory: \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
  }
}
