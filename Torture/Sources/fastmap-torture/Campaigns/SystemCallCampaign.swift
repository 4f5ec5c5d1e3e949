import CProcess
import FastMapCore
import FastMapLMDB
import Foundation

/// Ends the process at every call that changes a file or a map, or makes that call fail.
struct SystemCallCampaign {
  static let killing = Campaign(
    name: "exits", title: "the process exits at each system call", cases: .count("exits"),
    rule: "the store is as before or after the commit at hand; a copy is whole, or not there; `check` clean",
    needsShim: true
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    let rounds = run.count(short: 1, long: 20)
    for round in 0..<rounds where run.goesOn(round, of: rounds, "rounds") {
      try SystemCallCampaign(run, scratch, round).exits()
    }
  }

  static let failing = Campaign(
    name: "failures", title: "each system call fails in 8 ways", cases: .count("failures"),
    rule: """
      a typed error or success; the store as before or after; a copy whole, or not there; the same work then \
      succeeds; `check` clean
      """,
    needsShim: true
  ) { run in
    let scratch = try Scratch(isInMemory: true)
    let rounds = run.count(short: 1, long: 2 * failureStep)
    for round in 0..<rounds where run.goesOn(round, of: rounds, "rounds") {
      try SystemCallCampaign(run, scratch, round).failures()
    }
  }

  let run: Run
  let scratch: Scratch
  let round: Int
  private let scenarios: [Scenario]

  private init(_ run: Run, _ scratch: Scratch, _ round: Int) throws {
    self.run = run
    self.scratch = scratch
    self.round = round
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path) {
      scratch.clear(scratch.path + "/" + name)
    }
    scenarios = try Scenario.all(run.seed &+ UInt64(round), in: scratch)
  }

  // MARK: Steps

  func prepare(_ scenario: Scenario) throws {
    scratch.clear(scratch.store)
    if scenario.makesCopy { scratch.clear(Scenario.copy(of: scratch.store)) }
    if let start = scenario.start { try scratch.copy(start, to: scratch.store) }
  }

  /// The number of calls of the whole scenario.
  func countCalls(_ scenario: Scenario) throws -> Int {
    try prepare(scenario)
    let (answer, ending) = Child.run(seconds: 60) {
      let count = try Shim.counting { try scenario.play(at: scratch.store) }
      return Array(String(count).utf8)
    }
    let text = String(decoding: answer, as: UTF8.self)
    guard ending == .returned, let count = Int(text) else {
      throw OddStore(description: "\(scenario.name) without a fault: \(ending) \(text)")
    }
    look(scenario, done: scenario.steps.count...scenario.steps.count, "\(scenario.name) without a fault")
    return count
  }

  /// Runs one case of each piece of work, then the next of each. So all have their share if time runs out.
  ///
  /// - Parameter cases: The cases of a piece of work with this many calls.
  func eachInTurn(
    _ cases: (Scenario, _ calls: Int) -> [Int], _ body: (Scenario, _ number: Int) throws -> Void
  ) throws {
    let work = try scenarios.map { ($0, cases($0, try countCalls($0))) }
    let most = work.map(\.1.count).max() ?? 0
    for index in 0..<most {
      for (scenario, cases) in work where index < cases.count {
        let words = "of each of \(work.count) pieces of work, round \(round)"
        guard run.goesOn(index, of: most, words) else { return }
        try body(scenario, cases[index])
      }
    }
  }

  /// A sample of the cases, one from each stretch, chosen by the seed.
  func sample(_ count: Int, of all: Int, _ scenario: Scenario) -> [Int] {
    var random = SeededNumbers(seed: run.seed, case: scenario.name.utf8.reduce(round) { $0 &* 31 &+ Int($1) })
    let count = min(count, all)
    var cases = (0..<count).map { index in
      let (first, end) = (index * all / count, (index + 1) * all / count)
      return first + random.next(below: end - first)
    }
    for index in cases.indices { cases.swapAt(index, random.next(below: index + 1)) }
    return cases
  }

  /// Checks the result in a child process.
  ///
  /// - Parameter done: The possible numbers of completed steps.
  func look(_ scenario: Scenario, done: ClosedRange<Int>, _ what: String) {
    let (answer, ending) = Child.run {
      try scenario.fault(of: scratch.store, done: done).map { Array($0.utf8) } ?? []
    }
    if ending != .returned || !answer.isEmpty {
      run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
  }

  /// Repeats the work, as a program would at its next start.
  func finish(_ scenario: Scenario, _ what: String, from first: Int = 0) -> Again? {
    let (answer, ending) = Child.run { [scratch] in
      [try Again.play(scenario, at: scratch.store, from: first).rawValue]
    }
    if ending == .returned, let again = answer.first.flatMap(Again.init) { return again }
    run.violation("\(what): and then again: \(ending) \(String(decoding: answer, as: UTF8.self))")
    return nil
  }

  // MARK: Exits

  private func exits() throws {
    let committed = try SharedCount()
    try eachInTurn {
      sample(run.count(short: 24, long: $1), of: $1, $0)
    } _: {
      try exit(in: $0, at: $1 + 1, committed)
    }
  }

  private func exit(in scenario: Scenario, at: Int, _ committed: SharedCount) throws {
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
    let what = "round \(round), \(scenario.name), exit at call \(at)"
    if ending != .exited(99), ending != .returned {
      run.violation("\(what): \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
    let done = committed.value
    // A new store may exist without being complete. Opening it completes it.
    if scenario.start != nil { look(scenario, done: done...done + 1, what) }
    if scenario.start == nil || scenario.makesCopy {
      finish(scenario, what, from: done)?.count(in: run)
      look(scenario, done: scenario.steps.count...scenario.steps.count, "\(what), and then again")
    }
  }
}

/// The result of repeated work.
enum Again: UInt8 {
  case succeeded = 1
  /// The work makes a copy that already exists.
  case copyWasThere

  static func play(_ scenario: Scenario, at store: String, from first: Int) throws -> Again {
    do { try scenario.play(at: store, from: first) } catch let error as LMDBError
      where error.code == "target-exists" && Scenario.hasCopy(of: store)
    {
      return .copyWasThere
    }
    return .succeeded
  }

  func count(in run: Run) {
    if self == .copyWasThere { run.add(to: "→ copies that were whole already") }
  }
}

/// A number that a child leaves behind, even if it is killed.
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
