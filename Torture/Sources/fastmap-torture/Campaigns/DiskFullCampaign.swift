import FastMapCore
import FastMapLMDB
import Foundation

/// Limits the size of files during an import, at many sizes.
enum DiskFullCampaign {
  static let campaign = Campaign(
    name: "full", title: "the disk is full, at many sizes", cases: .count("limits"),
    rule: "`diskFull` or success; the store as before or after; the same import then succeeds; `check` clean"
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    let scenarios = try Scenario.all(
      run.seed, only: ["import new", "growth", "update"], in: scratch)
    let limits = run.count(short: 40, long: 1000)
    for scenario in scenarios {
      guard let start = scenario.start else { continue }
      try scratch.copy(start, to: scratch.store)
      let small = try File.bytes(of: scratch.dataFile).count
      _ = Child.run(seconds: 60) {
        try scenario.play(at: scratch.store)
        return []
      }
      let large = try File.bytes(of: scratch.dataFile).count
      for number in 0..<limits where run.goesOn(number, of: limits, "limits of \(scenario.name)") {
        let limit = small / 2 + (large + 8192 - small / 2) * number / limits
        try scratch.copy(start, to: scratch.store)
        full(run, scratch, scenario, limit)
      }
    }
  }

  private static func full(_ run: Run, _ scratch: Scratch, _ scenario: Scenario, _ limit: Int) {
    let what = "\(scenario.name), files of at most \(limit) bytes"
    let (answer, ending) = Child.run(seconds: 20) {
      signal(SIGXFSZ, SIG_IGN)
      var room = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t.max)
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      room.rlim_cur = rlim_t(limit)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      var verdict: UInt8 = 1
      do { try scenario.play(at: scratch.store) } catch let error as LMDBError where error.code == "disk-full"
      {
        verdict = 2
      }
      let state = try Scenario.state(of: scratch.store)
      guard state == (verdict == 1 ? scenario.states.last : scenario.states.first) else {
        return Array("another state".utf8)
      }
      room.rlim_cur = room.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      try scenario.play(at: scratch.store)
      return try Scenario.state(of: scratch.store) == scenario.states.last
        ? [verdict] : Array("another state in the end".utf8)
    }
    run.add(to: "limits")
    switch (ending, answer) {
    case (.returned, [1]): run.add(to: "that did no harm")
    case (.returned, [2]): run.add(to: "errors that say so")
    default: run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
  }
}
