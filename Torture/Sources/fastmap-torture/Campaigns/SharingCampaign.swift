import FastMapCore
import FastMapLMDB
import Foundation
import Synchronization

/// Many threads, and many processes, on one store. Some of the processes are killed.
enum SharingCampaign {
  static let threads = Campaign(
    name: "threads",
    title: "8 threads read, 4 write, the map grows", cases: .count("reads"),
    rule: "every snapshot is whole; no error; `check` clean"
  ) { run in
    let rounds = run.count(short: 12, long: 300)
    for round in 0..<rounds where run.goesOn(round, of: rounds, "rounds") {
      let scratch = try Scratch(isInMemory: true)
      let (answer, ending) = Child.run(seconds: 60) { try Threads(run.seed &+ UInt64(round), scratch).run() }
      let counts = String(decoding: answer, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
      run.add(to: "rounds")
      guard ending == .returned, counts.count == 2 else {
        run.violation("round \(round): \(ending) \(String(decoding: answer, as: UTF8.self))")
        continue
      }
      run.add(counts[0], to: "reads")
      run.add(counts[1], to: "imports")
    }
  }

  /// The state that the threads of one round share.
  private final class Threads: Sendable {
    private let seed: UInt64
    private let path: String
    private let plan: Plan
    private let reads = Atomic<Int>(0)
    private let imports = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let fault = Mutex<String?>(nil)

    init(_ seed: UInt64, _ scratch: Scratch) throws {
      self.seed = seed
      path = scratch.store
      plan = try Scenario.plan.get()
    }

    func run() throws -> [UInt8] {
      // This one stays open. All share its environment and its growing map.
      let store = try LMDBStore(at: path, configuration: Ledger.smallMap)
      let threads = (0..<12).map { number in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          do { try number < 8 ? self.read(number) : self.write(number) } catch { self.report("\(error)") }
          done.signal()
        }
        return done
      }
      usleep(700_000)
      isOver.store(true, ordering: .relaxed)
      for thread in threads { thread.wait() }
      let check = try store.check()
      if !check.isSound { report("check: \(check.problems.prefix(3).map(\.description))") }
      if let fault = fault.withLock({ $0 }) { throw OddStore(description: fault) }
      return Array("\(reads.load(ordering: .relaxed)) \(imports.load(ordering: .relaxed))".utf8)
    }

    private func report(_ text: String) {
      fault.withLock { $0 = $0 ?? text }
      isOver.store(true, ordering: .relaxed)
    }

    private func read(_ number: Int) throws {
      while !isOver.load(ordering: .relaxed) {
        let store = try LMDBStore(at: path, configuration: Ledger.smallMap)
        for _ in 0..<(number + 1) {
          if let fault = try Ledger.fault(in: store, plan) { report("thread \(number): \(fault)") }
          reads.add(1, ordering: .relaxed)
        }
      }
    }

    private func write(_ number: Int) throws {
      var random = SeededNumbers(seed: seed, case: number)
      let store = try LMDBStore(at: path, configuration: Ledger.smallMap)
      while !isOver.load(ordering: .relaxed) {
        _ = try Mapper(store).importJSON(Ledger.text(&random), as: plan)
        imports.add(1, ordering: .relaxed)
      }
    }
  }

  // MARK: Processes

  static let processes = Campaign(
    name: "processes", title: "4 processes share a store and are killed", cases: .count("kills"),
    rule: "every snapshot is whole; no error; `check` clean; the file stays below 16 MiB"
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    let plan = try Scenario.plan.get()
    var random = SeededNumbers(seed: run.seed)
    var children: [(process: pid_t, output: Int32)] = []
    func start(_ number: Int) -> (process: pid_t, output: Int32) {
      Child.start { descriptor in
        var random = SeededNumbers(seed: run.seed, case: number)
        do {
          let configuration = number % 2 == 0 ? Ledger.smallMap : LMDBStore.Configuration()
          let store = try LMDBStore(at: scratch.store, configuration: configuration)
          while true {
            _ = try Mapper(store).importJSON(Ledger.text(&random), as: plan)
            guard let fault = try Ledger.fault(in: store, plan) else { continue }
            throw OddStore(description: fault)
          }
        } catch { Child.write(Array("\(error)".utf8), to: descriptor) }
      }
    }
    /// Kills a process and reads its output.
    func end(_ child: (process: pid_t, output: Int32)) {
      kill(child.process, SIGKILL)
      var answer: [UInt8] = []
      Child.read(child.output) { answer += $0 }
      let ending = Child.wait(for: child.process)
      if ending != .killed(signal: SIGKILL) || !answer.isEmpty {
        run.violation("a process: \(ending) \(String(decoding: answer, as: UTF8.self))")
      }
      run.add(to: "kills")
    }
    let kills = run.count(short: 500, long: 50_000)
    for number in 0..<4 { children.append(start(number)) }
    for number in 0..<kills where run.goesOn(number, of: kills, "kills") {
      usleep(UInt32(2000 + random.next(below: 40_000)))
      let victim = random.next(below: children.count)
      end(children[victim])
      children[victim] = start(number + 4)
    }
    for child in children { end(child) }
    let (answer, ending) = Child.run(seconds: 20) {
      let store = try LMDBStore(at: scratch.store)
      let check = try store.check()
      guard let file = try store.statistics().file else { return Array("no file".utf8) }
      let fault = try Ledger.fault(in: store, plan)
      guard check.isSound, fault == nil else {
        return Array("\(fault ?? "") \(check.problems.prefix(3))".utf8)
      }
      guard file.size < 16 << 20 else { return Array("\(file.size) bytes for \(file.liveBytes)".utf8) }
      return Array("commits \(file.commitCount) \(file.size >> 10) \(file.liveBytes >> 10)".utf8)
    }
    let words = String(decoding: answer, as: UTF8.self)
    guard ending == .returned, words.hasPrefix("commits ") else {
      run.violation("in the end: \(ending) \(words)")
      return
    }
    for (count, what) in zip(
      words.split(separator: " ").compactMap({ Int($0) }), ["commits", "KiB of file", "KiB of it live"])
    {
      run.add(count, to: what)
    }
  }
}
