import FastMapCore
import FastMapLMDB
import Foundation

/// T3: a process that commits again and again is killed at a random time; the store lives on from kill to kill.
struct KillCampaign {
  static let campaign = Campaign(
    name: "kills", title: "T3 `kill -9` of a process that commits again and again",
    rule: "acknowledged ≤ stored ≤ acknowledged + 1; `check` clean"
  ) { run in
    var campaign = KillCampaign(run, try Scratch())
    let kills = run.count(short: 800, long: 200_000)
    for number in 0..<kills where run.goesOn(number, of: kills, "kills") {
      guard try campaign.kill(number) else { return }
    }
  }

  private let run: Run
  private let scratch: Scratch
  private var random: SeededNumbers
  private var world = World(hasTextKeys: false)
  /// The imports that are in the store, and what it holds then.
  private var done = 0
  private var model = Model()
  /// The microseconds in which a writer dies; as many as let it commit once or twice, whatever else the machine does.
  private var window = 25_000

  private init(_ run: Run, _ scratch: Scratch) {
    self.run = run
    self.scratch = scratch
    random = SeededNumbers(seed: run.seed)
  }

  /// The n-th import.
  private func work(_ number: Int) -> (payload: [PayloadNode], policies: Policies) {
    var random = SeededNumbers(seed: run.seed, case: number)
    let policies = Policies(Policy.allCases[random.next(below: 3)])
    let roots = random.once(in: 20) ? 100 : 1 + random.next(below: 4)
    var maker = PayloadMaker(random, hasTextKeys: false, keyCount: 60)
    return (maker.payload(roots: roots), policies)
  }

  private mutating func kill(_ number: Int) throws -> Bool {
    let first = done
    // Some die while they open the store, most amid their commits.
    let delay = random.once(in: 8) ? random.next(below: 3000) : 1000 + random.next(below: window)
    let child = Child.start { [self] descriptor in
      do {
        var world = world
        let store = try LMDBStore(at: scratch.store)
        var number = first
        while true {
          let (payload, policies) = work(number)
          _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: world.plan(policies))
          number += 1
          Child.write([1], to: descriptor)
        }
      } catch {
        Child.write([0] + Array("\(error)".utf8), to: descriptor)
      }
    }
    usleep(UInt32(delay))
    Foundation.kill(child.process, SIGKILL)
    var answer: [UInt8] = []
    Child.read(child.output) { answer += $0 }
    let ending = Child.wait(for: child.process)
    if ending != .killed(signal: SIGKILL) {
      let words = String(decoding: answer.filter { $0 > 1 }, as: UTF8.self)
      run.violation("kill \(number): the writer ended by itself: \(ending) \(words)")
      return false
    }
    window =
      answer.isEmpty
      ? min(200_000, window + window / 20) : answer.count > 2 ? max(2000, window - window / 20) : window
    run.add(to: "kills")
    run.add(answer.count, to: "acknowledged commits")
    return look(number, acknowledged: first + answer.count)
  }

  private mutating func advance(to number: Int) {
    while done < number {
      let (payload, policies) = work(done)
      _ = ModelImport.apply(payload, policies, to: &model)
      done += 1
    }
  }

  private mutating func look(_ number: Int, acknowledged: Int) -> Bool {
    advance(to: acknowledged)
    let before = model
    advance(to: acknowledged + 1)
    let (answer, ending) = Child.run { [self] in
      let state = try Scenario.state(of: scratch.store) ?? Model()
      if state == before { return [0] }
      if state == model { return [1] }
      return Array("neither \(acknowledged) nor one more: \(state.difference(from: before) ?? "")".utf8)
    }
    switch (ending, answer) {
    case (.returned, [0]):
      model = before
      done = acknowledged
    case (.returned, [1]):
      run.add(to: "kills behind a commit that could not be acknowledged")
    default:
      run.violation("kill \(number): \(ending) \(String(decoding: answer, as: UTF8.self))")
      return false
    }
    return true
  }
}
