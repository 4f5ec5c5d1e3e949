import CProcess
import FastMapCore
import FastMapLMDB
import Foundation

/// T4 and T5: at every call that changes a file or a map the process ends, or the call fails.
struct SystemCallCampaign {
  static let killing = Campaign(
    name: "exits", title: "T4 the process ends at every system call of a piece of work",
    rule: "the store is as before or after the commit at hand; `check` clean",
    needsShim: true
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    for round in 0..<run.count(short: 5, long: 20) {
      let campaign = try SystemCallCampaign(run, scratch, round)
      for scenario in campaign.scenarios { try campaign.exit(in: scenario) }
    }
  }

  static let failing = Campaign(
    name: "failures", title: "T5 every system call of a piece of work fails in 8 ways, once and for ever",
    rule:
      "a typed error or success; the store as before or after; the same work then succeeds; `check` clean",
    needsShim: true
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    for round in 0..<run.count(short: 1, long: 10) {
      let campaign = try SystemCallCampaign(run, scratch, round)
      for scenario in campaign.scenarios { try campaign.fail(in: scenario) }
    }
  }

  private struct Failure: CustomStringConvertible {
    let description: String
    let error: Int32
    var shortBy: Int32 = 0
    /// An interrupted call is made again by all who know their trade: for ever, if need be.
    var timesForEver: Int32 { error == EINTR ? 100 : .max }
    static let all = [
      Failure(description: "EIO", error: EIO), Failure(description: "ENOSPC", error: ENOSPC),
      Failure(description: "EDQUOT", error: EDQUOT), Failure(description: "EINTR", error: EINTR),
      Failure(description: "EAGAIN", error: EAGAIN), Failure(description: "ENOMEM", error: ENOMEM),
      Failure(description: "a write of 1 byte", error: 0),
      Failure(description: "a write of all bytes but 1", error: 0, shortBy: 1),
    ]
  }

  private let run: Run
  private let scratch: Scratch
  private let scenarios: [Scenario]
  private let round: Int

  private init(_ run: Run, _ scratch: Scratch, _ round: Int) throws {
    self.run = run
    self.scratch = scratch
    self.round = round
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path) {
      scratch.clear(scratch.path + "/" + name)
    }
    scenarios = try Scenario.all(run.seed &+ UInt64(round), in: scratch)
    _ = try Scenario.plan.get()
  }

  // MARK: Steps

  private func prepare(_ scenario: Scenario) throws {
    scratch.clear(scratch.store)
    if let start = scenario.start { try scratch.copy(start, to: scratch.store) }
  }

  /// The calls of all of it.
  private func countCalls(_ scenario: Scenario) throws -> Int {
    try prepare(scenario)
    let (answer, ending) = Child.run(seconds: 60) {
      let count = try Shim.counting { try scenario.play(at: scratch.store) }
      return Array(String(count).utf8)
    }
    let text = String(decoding: answer, as: UTF8.self)
    guard ending == .returned, let count = Int(text) else {
      throw OddStore(description: "\(scenario.name) without a fault: \(ending) \(text)")
    }
    return count
  }

  /// Judges what is left, in a child of its own.
  ///
  /// - Parameter allowed: The states it may be in.
  private func look(_ scenario: Scenario, allowed: ClosedRange<Int>, _ what: String) {
    let (answer, ending) = Child.run {
      let state = try Scenario.state(of: scratch.store)
      let range = allowed.clamped(to: 0...(scenario.states.count - 1))
      if scenario.states[range].contains(where: { $0 == state }) { return [] }
      let near = scenario.states[range.upperBound]
      return Array("another state: \(near.flatMap { state?.difference(from: $0) } ?? "no store")".utf8)
    }
    if ending != .returned || !answer.isEmpty {
      run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
  }

  private func exit(in scenario: Scenario) throws {
    let calls = try countCalls(scenario)
    let isMaking = scenario.start == nil
    let committed = try SharedCount()
    for at in 1...max(calls, 1) where run.goesOn(at, of: calls, "calls of \(scenario.name), round \(round)") {
      try prepare(scenario)
      committed.value = 0
      let (answer, ending) = Child.run { [scratch] in
        var order = torture_shim_order(
          mode: Shim.Mode.exit.rawValue, times: 0, at: Int64(at), error: 0, shortBy: 0, recordTo: 0,
          dropsSyncs: 0)
        torture_shim_arm(&order)
        try scenario.play(at: scratch.store) { committed.value = $0 }
        return [1]
      }
      run.add(to: "exits")
      let what = "round \(round), \(scenario.name), exit at call \(at) of \(calls)"
      if ending != .exited(99), ending != .returned {
        run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
      }
      // A store that was being made may be there without having been made whole: to open it is then to make it.
      if isMaking { finish(scenario, what) }
      look(
        scenario, allowed: committed.value...(isMaking ? scenario.states.count : committed.value + 1), what)
    }
  }

  /// Does the work again, as the next start of a program would.
  private func finish(_ scenario: Scenario, _ what: String, from first: Int = 0) {
    let (answer, ending) = Child.run { [scratch] in
      try scenario.play(at: scratch.store, from: first)
      return []
    }
    if ending != .returned {
      run.violation("\(what): and then again: \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
  }

  private func fail(in scenario: Scenario) throws {
    let calls = try countCalls(scenario)
    var random = SeededNumbers(seed: run.seed, case: round)
    for at in 1...max(calls, 1) where run.goesOn(at, of: calls, "calls of \(scenario.name), round \(round)") {
      for failure in Failure.all {
        for isForEver in [false, true] {
          if run.size.isShort, !random.once(in: 3) { continue }
          try fail(in: scenario, at: at, failure, isForEver: isForEver)
        }
      }
    }
  }

  private func fail(in scenario: Scenario, at: Int, _ failure: Failure, isForEver: Bool) throws {
    try prepare(scenario)
    // Half of the times it is looked at what the failure has left, before the work is done again.
    let isLookedAt = at % 2 == 0 && scenario.start != nil
    let what = "round \(round), \(scenario.name), \(failure) \(isForEver ? "from" : "at") call \(at)"
    let (answer, ending) = Child.run { [scratch] in
      var order = torture_shim_order(
        mode: Shim.Mode.fail.rawValue, times: isForEver ? failure.timesForEver : 1, at: Int64(at),
        error: failure.error,
        shortBy: failure.shortBy, recordTo: 0, dropsSyncs: 0)
      torture_shim_arm(&order)
      var committed: UInt8 = 0
      do {
        try scenario.play(at: scratch.store) { committed = UInt8($0) }
        torture_shim_disarm()
        return [committed, 1]
      } catch {
        torture_shim_disarm()
        // The same process goes on once the fault is over.
        guard error is LMDBError else { return [committed, 2] + Array("\(type(of: error)): \(error)".utf8) }
        let text = "\(error)"
        if isLookedAt { return [committed, 4] + Array(text.utf8) }
        do { try scenario.play(at: scratch.store, from: Int(committed)) } catch {
          return [committed, 3] + Array("\(text); and then again: \(error)".utf8)
        }
        return [committed, 4] + Array(text.utf8)
      }
    }
    run.add(to: "failures")
    guard ending == .returned, answer.count >= 2 else {
      run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
      return
    }
    let text = String(decoding: answer.dropFirst(2), as: UTF8.self)
    switch answer[1] {
    case 1: run.add(to: "survived")
    case 2: run.violation("\(what): an error of another type: \(text)")
    case 3: run.violation("\(what): \(text)")
    default:
      run.add(to: "typed errors")
      if isLookedAt {
        let committed = Int(answer[0])
        look(scenario, allowed: committed...committed + 1, "\(what), what it left")
        finish(scenario, what, from: committed)
      }
    }
    look(scenario, allowed: scenario.states.count - 1...scenario.states.count, what)
  }
}

/// A number that a child leaves behind, however it ends.
private final class SharedCount {
  private let pointer: UnsafeMutablePointer<Int>

  init() throws {
    let size = MemoryLayout<Int>.size
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { throw OddStore(description: "no memory to share") }
    pointer = memory.bindMemory(to: Int.self, capacity: 1)
  }

  deinit { munmap(pointer, MemoryLayout<Int>.size) }

  var value: Int {
    get { pointer.pointee }
    set { pointer.pointee = newValue }
  }
}
