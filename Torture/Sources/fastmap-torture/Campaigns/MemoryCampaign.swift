import CProcess
import FastMapCore
import FastMapLMDB
import Foundation

/// Fails every allocation that liblmdb and FastMap's C functions make, once or permanently.
enum MemoryCampaign {
  static let campaign = Campaign(
    name: "memory", title: "allocations in C code fail", cases: .count("failures"),
    rule: "an error or success, never a fault; the store as before or after; `check` clean",
    needsShim: true
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    for scenario in try Scenario.all(run.seed, only: pieces, in: scratch) {
      func prepare() throws {
        scratch.clear(scratch.store)
        if let start = scenario.start { try scratch.copy(start, to: scratch.store) }
      }
      try prepare()
      let (answer, _) = Child.run(seconds: 60) {
        Array(String(try Shim.counting(.failAllocations) { try scenario.play(at: scratch.store) }).utf8)
      }
      let count = Int(String(decoding: answer, as: UTF8.self)) ?? 0
      run.add(count, to: "allocations")
      // The first and the last ones, and a sample between them.
      let step = max(1, count / run.count(short: 25, long: 4000))
      for at in stride(from: 1, through: count, by: step)
      where run.goesOn(at, of: count, "allocations of \(scenario.name)") {
        for times in [1, Int32.max] {
          try prepare()
          fail(run, scratch, scenario, at, times)
        }
      }
    }
  }

  private static let pieces: Set = [
    "create", "import new", "import again", "update", "replace with deletions", "growth", "another type",
  ]

  private static func fail(_ run: Run, _ scratch: Scratch, _ scenario: Scenario, _ at: Int, _ times: Int32) {
    let what = "\(scenario.name), allocation \(at)\(times > 1 ? " and all behind it" : "")"
    let (answer, ending) = Child.run(seconds: 20) {
      var order = torture_shim_order(
        mode: Shim.Mode.failAllocations.rawValue, times: times, at: Int64(at), error: 0, shortBy: 0,
        recordTo: 0,
        dropsSyncs: 0)
      torture_shim_arm(&order)
      do { try scenario.play(at: scratch.store) } catch {
        torture_shim_disarm()
        return [2] + Array("\(type(of: error)): \(error)".utf8)
      }
      torture_shim_disarm()
      return [1]
    }
    run.add(to: "failures")
    let words = String(decoding: answer.dropFirst(), as: UTF8.self)
    switch (ending, answer.first) {
    case (.returned, 1?): run.add(to: "survived")
    case (.returned, 2?): run.add(to: "errors")
    // Swift itself traps without memory.
    default: run.violation("\(what): \(ending) \(words)")
    }
    let (state, looked) = Child.run {
      let state = try Scenario.state(of: scratch.store)
      let last = scenario.states.last ?? nil
      if state == last || answer.first != 1 && scenario.states.contains(where: { $0 == state }) { return [1] }
      return Array("\(words): \(last.flatMap { state?.difference(from: $0) } ?? "no store")".utf8)
    }
    if looked != .returned || state != [1] {
      run.violation("\(what): and then: \(looked) \(String(decoding: state, as: UTF8.self))")
    }
  }
}
