import FastMapCore
import FastMapLMDB
import Foundation

/// Kills a process that commits again and again, at a random time. The store is kept from kill to kill. Some processes
/// have threads that share their commits, and some commit within an import, each on a store of its own.
struct KillCampaign {
  static let campaign = Campaign(
    name: "kills", title: "`kill -9` of a process that commits", cases: .count("kills"),
    rule:
      "acknowledged ≤ stored ≤ acknowledged + 1, of each thread; `check` clean; the next import leaves nothing of one"
  ) { run in
    var alone = KillCampaign(run, try Scratch())
    var threads = try SharedCommitKills(run, Scratch())
    var unfinished = try UnfinishedKills(run, Scratch())
    let kills = run.count(short: 800, long: 200_000)
    for number in 0..<kills where run.goesOn(number, of: kills, "kills") {
      let goesOn =
        switch number % 4 {
        case 0, 2: alone.kill(number)
        case 1: threads.kill(number)
        default: unfinished.kill(number)
        }
      guard goesOn else { return }
    }
  }

  private let run: Run
  private let scratch: Scratch
  private var killer: Killer
  private var world = World(hasTextKeys: false)
  /// The number of imports in the store, and its contents after them.
  private var done = 0
  private var model = Model()

  private init(_ run: Run, _ scratch: Scratch) {
    self.run = run
    self.scratch = scratch
    killer = Killer(run, SeededNumbers(seed: run.seed), writers: 1)
  }

  /// The n-th import.
  private func work(_ number: Int) -> (payload: [PayloadNode], policies: Policies) {
    var random = SeededNumbers(seed: run.seed, case: number)
    let policies = Policies(Policy.allCases[random.next(below: 3)])
    let roots = random.once(in: 20) ? 100 : 1 + random.next(below: 4)
    var maker = PayloadMaker(random, hasTextKeys: false, keyCount: 60)
    return (maker.payload(roots: roots), policies)
  }

  private mutating func kill(_ number: Int) -> Bool {
    var configuration = LMDBStore.Configuration()
    // Unsynced writes survive the end of the process, too.
    if killer.random.once(in: 4) {
      configuration.durability = .lastTransactionMayBeLost
      run.add(to: "kills amid commits of one sync")
    }
    let (first, world, scratch) = (done, world, scratch)
    let work = work
    let answer = killer.kill(number) { descriptor in
      var world = world
      let store = try LMDBStore(at: scratch.store, configuration: configuration)
      var number = first
      while true {
        let (payload, policies) = work(number)
        _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: world.plan(policies))
        number += 1
        Child.write([1], to: descriptor)
      }
    }
    guard let answer else { return false }
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
