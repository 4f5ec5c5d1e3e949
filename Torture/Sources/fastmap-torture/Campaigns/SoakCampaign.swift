import FastMapCore
import FastMapLMDB
import Foundation
import Synchronization

/// Mixed work in one process, until time is up, on a store of bounded size. Memory and descriptors must not grow
/// either.
struct SoakCampaign {
  static let campaign = Campaign(
    name: "soak", title: "mixed work with constant memory", cases: .count("imports"),
    rule:
      "memory, descriptors, reader slots and pages stay: of the last quarter's samples the median is at most "
      + "2 % and a constant above that of the second's; `check` clean"
  ) { run in
    var soak = try SoakCampaign(run)
    while run.goesOn(Int(run.seconds), of: run.size.seconds, "seconds") {
      try soak.step()
      soak.sample()
    }
    try soak.check()
    soak.judge()
  }

  private static let keyCount = 200

  private let run: Run
  private let scratch: Scratch
  private let store: LMDBStore
  private let plans: [Plan]
  private var random: SeededNumbers
  private var steps = 0
  private var samples: [[Gauge: Int]] = []

  private init(_ run: Run) throws {
    self.run = run
    scratch = try Scratch(isInMemory: true)
    store = try LMDBStore(at: scratch.store, configuration: Ledger.smallMap)
    random = SeededNumbers(seed: run.seed)
    var world = World(hasTextKeys: false)
    plans = try [Policies(.assign), Policies(.merge), Policies(.replace)].map { try world.plan($0) }
  }

  // MARK: The work

  private mutating func step() throws {
    steps += 1
    let plan = random.pick(plans)
    var maker = PayloadMaker(
      SeededNumbers(seed: random.next()), hasTextKeys: false, keyCount: Self.keyCount)
    let text = PayloadText.json(maker.payload(roots: 1 + random.next(below: 6)))
    _ = try Mapper(store).importJSON(Array(text.utf8), as: plan)
    run.add(to: "imports")
    if random.once(in: 3) {
      let keys = (0..<10).map { _ in PayloadMaker.key(random.next(below: Self.keyCount), isText: false) }
      let report = try store.delete(plan.query(of: "Node").keys(keys))
      run.add(report.total, to: "objects deleted")
    }
    if random.once(in: 20) { try refuse(text, plan) }
    if random.once(in: 20) { try read(plan) }
    if random.once(in: 100) { try backUp(plan) }
    if random.once(in: 500) { try check() }
  }

  private func refuse(_ text: String, _ plan: Plan) throws {
    do {
      _ = try Mapper(store).importJSON(Array((text.dropLast() + #",{"id":[]}]"#).utf8), as: plan)
      run.violation("step \(steps): a key that is an array was taken")
    } catch is MappingError {
      run.add(to: "refused imports")
    }
  }

  /// Four threads read at once. One of them opens the store itself.
  private func read(_ plan: Plan) throws {
    let (store, path) = (store, scratch.store)
    let results = (0..<4).map { number in
      let result = ThreadResult()
      Thread.detachNewThread {
        result.set(
          Result {
            let store = number == 0 ? try LMDBStore(at: path, configuration: Ledger.smallMap) : store
            return try Model(store, plan)
          })
      }
      return result
    }
    let models = try results.map { try $0.wait().get() }
    if Set(models.map(\.nodes.count)).count > 1 || models.contains(where: { $0 != models[0] }) {
      run.violation("step \(steps): four reads of one commit differ")
    }
    run.add(models.count, to: "reads of all")
    // A gauge that does not see a reader would never grow.
    let seen = try store.read(plan.schema) { _ in Gauge.readers(path) }
    if seen == 0 { run.violation("step \(steps): a read has no reader slot") }
  }

  private func backUp(_ plan: Plan) throws {
    let copy = scratch.path + "/copy"
    try store.backup(to: copy, compacting: steps % 2 == 0)
    defer { scratch.clear(copy) }
    let difference = try Model(LMDBStore(at: copy), plan).difference(from: Model(store, plan))
    if let difference { run.violation("step \(steps): a backup: \(difference)") }
    run.add(to: "backups")
  }

  private func check() throws {
    let report = try store.check()
    if !report.isSound { run.violation("step \(steps): \(report.problems.prefix(3).map(\.description))") }
    run.add(to: "checks")
  }

  // MARK: Gauges that must not grow

  private mutating func sample() {
    // Four hundred samples.
    guard run.seconds >= Double(samples.count) * Double(run.size.seconds) / 400 else { return }
    samples.append(Gauge.all(scratch))
  }

  private func judge() {
    let quarter = samples.count / 4
    guard quarter > 2 else { return run.violation("\(samples.count) samples are too few") }
    for gauge in Gauge.allCases {
      func median(_ part: ArraySlice<[Gauge: Int]>) -> Int {
        part.map { $0[gauge] ?? 0 }.sorted()[part.count / 2]
      }
      let before = median(samples[quarter..<2 * quarter])
      let after = median(samples.suffix(quarter))
      run.add(before, to: "→ \(gauge.rawValue) in the second quarter")
      run.add(after, to: "→ \(gauge.rawValue) in the last")
      if after > before + before / 50 + gauge.noise(run.size.isShort) {
        run.violation("\(gauge.rawValue): \(before) in the second quarter, \(after) in the last")
      }
    }
  }
}

/// The result of a thread.
private final class ThreadResult: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<Model, any Error>>(.success(Model()))

  func set(_ result: Result<Model, any Error>) {
    self.result.withLock { $0 = result }
    done.signal()
  }

  func wait() -> Result<Model, any Error> {
    done.wait()
    return result.withLock { $0 }
  }
}

/// A resource of a process and its store.
private enum Gauge: String, CaseIterable {
  case memory = "KiB of memory"
  case descriptors = "descriptors"
  case readers = "reader slots"
  case pages = "pages"

  /// Fluctuations that are allowed: allocator leftovers, a large payload. A short run is not long enough for an
  /// allocator to settle.
  func noise(_ isShort: Bool) -> Int {
    switch self {
    case .memory: isShort ? 8192 : 2048
    case .descriptors, .readers: 0
    case .pages: 256
    }
  }

  static func all(_ scratch: Scratch) -> [Gauge: Int] {
    [
      .memory: memory(),
      .descriptors: (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0,
      .readers: readers(scratch.store),
      .pages: pages(scratch.dataFile),
    ]
  }

  /// Resident memory, including mapped pages of the store.
  private static func memory() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }

  /// The slots that a process uses in LMDB's lock file. Each has 64 bytes, with the process at the ninth.
  static func readers(_ store: String) -> Int {
    guard let bytes = try? File.bytes(of: store + "/lock.mdb") else { return 0 }
    return stride(from: 128, to: bytes.count - 63, by: 64).count {
      bytes[$0 + 8..<$0 + 12].contains { $0 != 0 }
    }
  }

  private static func pages(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) / 4096 : 0
  }
}
