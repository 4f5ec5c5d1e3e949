import FastMapCore
import FastMapLMDB
import Foundation
import Synchronization

/// Many threads make small durable writes, with a commit each or with shared commits.
enum GroupCampaign {
  static let campaign = Campaign(
    name: "groups", title: "small writes of many threads, some failing", cases: .count("failing writes"),
    rule: "what was acknowledged is there, what failed is not; `check` clean",
    runsAlone: true
  ) { run in
    let rounds = run.count(short: 1, long: 5)
    for round in 0..<rounds where run.goesOn(round, of: rounds, "rounds") {
      for sharesCommits in [false, true] {
        for threadCount in [1, 8, 64] {
          let scratch = try Scratch()
          let (answer, ending) = Child.run(seconds: 60) {
            try Writers(scratch.store, threadCount, sharesCommits).run()
          }
          let counts = String(decoding: answer, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
          let words = "\(threadCount) threads\(sharesCommits ? " that share commits" : "")"
          guard ending == .returned, counts.count == 3 else {
            run.violation("\(words): \(ending) \(String(decoding: answer, as: UTF8.self))")
            continue
          }
          run.add(counts[0] / rounds, to: "→ writes a second of \(words)")
          run.add(counts[1] / rounds, to: "→ commits a second of \(words)")
          run.add(counts[2], to: "failing writes")
        }
      }
    }
  }

  private struct Refusal: Error {}

  private final class Writers: Sendable {
    private let store: LMDBStore
    private let plan: Plan
    private let threadCount: Int
    private let isOver = Atomic<Bool>(false)
    private let failures = Atomic<Int>(0)
    private let written = Mutex<Set<Int64>>([])
    private let fault = Mutex<String?>(nil)

    init(_ path: String, _ threadCount: Int, _ sharesCommits: Bool) throws {
      var configuration = LMDBStore.Configuration()
      configuration.sharesCommits = sharesCommits
      store = try LMDBStore(at: path, configuration: configuration)
      plan = try Plan(
        Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("text", .string)
        })
      self.threadCount = threadCount
    }

    func run() throws -> [UInt8] {
      let before = try store.statistics().file?.commitCount ?? 0
      let clock = ContinuousClock()
      let start = clock.now
      let threads = (0..<threadCount).map { number in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          self.write(number)
          done.signal()
        }
        return done
      }
      usleep(2_000_000)
      isOver.store(true, ordering: .relaxed)
      for thread in threads { thread.wait() }
      let seconds = start.duration(to: clock.now) / .seconds(1)
      let commits = try (store.statistics().file?.commitCount ?? 0) - before
      if let fault = fault.withLock({ $0 }) { throw OddStore(description: fault) }
      let check = try store.check()
      guard check.isSound else {
        throw OddStore(description: "check: \(check.problems.prefix(3).map(\.description))")
      }
      var found: Set<Int64> = []
      try store.read(plan.schema) { reader in
        try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, _, key in
          if case .integer(let id)? = key { found.insert(id) }
          return true
        }
      }
      let expected = written.withLock { $0 }
      guard found == expected else {
        throw OddStore(
          description:
            "\(expected.subtracting(found).count) are lost, \(found.subtracting(expected).count) came back")
      }
      let rates = [expected.count, commits].map { Int((Double($0) / seconds).rounded()) }
      return Array("\(rates[0]) \(rates[1]) \(failures.load(ordering: .relaxed))".utf8)
    }

    private func write(_ number: Int) {
      var id = Int64(number) << 32
      while !isOver.load(ordering: .relaxed) {
        id += 1
        do {
          // Every fourth thread fails now and then, in the middle of its write.
          let fails = number % 4 == 3 && id % 4 == 0
          try write(id, fails: fails)
          if fails { fault.withLock { $0 = "a failing write came through" } }
          _ = written.withLock { $0.insert(id) }
        } catch is Refusal {
          failures.add(1, ordering: .relaxed)
        } catch {
          fault.withLock { $0 = "\(error)" }
          return
        }
      }
    }

    private func write(_ id: Int64, fails: Bool) throws {
      if fails {
        try store.write(plan.schema) { writer -> TransactionCompletion<Void> in
          // Everything that was there before, so that there is something to undo.
          var reader = writer.reader
          try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, _ in
            _ = try writer.delete(id, of: 0)
            return false
          }
          throw Refusal()
        }
        return
      }
      _ = try Mapper(store).importJSON(Array(#"{"id": \#(id), "text": "text \#(id)"}"#.utf8), as: plan)
    }
  }
}
