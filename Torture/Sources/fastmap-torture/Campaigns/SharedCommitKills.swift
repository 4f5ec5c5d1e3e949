import FastMapCore
import FastMapLMDB
import Foundation

/// Kills a process whose threads share commits. Each thread has its own objects. Its n-th import defines their state
/// completely.
struct SharedCommitKills {
  private static let threadCount = 6

  private let run: Run
  private let scratch: Scratch
  private var killer: Killer
  private let plan: Plan
  /// The number of each thread's newest import in the store.
  private var done = [Int](repeating: 0, count: threadCount)

  init(_ run: Run, _ scratch: Scratch) throws {
    self.run = run
    self.scratch = scratch
    killer = Killer(run, SeededNumbers(seed: run.seed, case: -1), writers: Self.threadCount)
    var world = World(hasTextKeys: false)
    plan = try world.plan(Policies(.replace))
  }

  /// The n-th import of a thread: one node, whose former kids are deleted.
  private static func payload(_ thread: Int, _ number: Int) -> [PayloadNode] {
    func node(_ place: Int) -> PayloadNode {
      var node = PayloadNode(key(thread, place))
      node.size = .given(Int64(number))
      return node
    }
    var root = node(0)
    root.name = .given(String(repeating: "x", count: number * 37 % 2500))
    root.kids = .given((0..<1 + number % 3).map { node(1 + (2 * number + $0) % 100) })
    return [root]
  }

  private static func key(_ thread: Int, _ place: Int) -> PrimaryKey {
    .integer(Int64(thread * 1000 + place))
  }

  mutating func kill(_ number: Int) -> Bool {
    var configuration = LMDBStore.Configuration()
    configuration.sharesCommits = true
    if killer.random.once(in: 2) {
      configuration.durability = .lastTransactionMayBeLost
      run.add(to: "kills amid commits of one sync")
    }
    let (store, plan, done) = (scratch.store, plan, done)
    let answer = killer.kill(number) { descriptor in
      let store = try LMDBStore(at: store, configuration: configuration)
      for thread in 0..<Self.threadCount {
        Thread.detachNewThread { Self.write(thread, behind: done[thread], store, plan, descriptor) }
      }
      while true { pause() }
    }
    guard let answer else { return false }
    run.add(to: "kills of \(Self.threadCount) threads that share commits")
    return look(number, answer)
  }

  private static func write(
    _ thread: Int, behind done: Int, _ store: LMDBStore, _ plan: Plan, _ descriptor: Int32
  ) {
    var number = done
    do {
      while true {
        number += 1
        let text = PayloadText.json(payload(thread, number))
        _ = try Mapper(store).importJSON(Array(text.utf8), as: plan)
        Child.write([UInt8(thread)], to: descriptor)
      }
    } catch { Killer.fail(error, descriptor) }
  }

  private mutating func look(_ number: Int, _ acknowledged: [UInt8]) -> Bool {
    let least = done.indices.map { thread in done[thread] + acknowledged.count { Int($0) == thread } }
    let (answer, ending) = Child.run { [scratch] in
      let state = try Scenario.state(of: scratch.store) ?? Model()
      let found = least.indices.map { thread in
        guard case .integer(let size)? = state.nodes[Self.key(thread, 0)]?.values["size"] else { return 0 }
        return Int(size)
      }
      for (found, least) in zip(found, least) where found != least && found != least + 1 {
        throw OddStore(description: "\(found) for \(least) acknowledged")
      }
      var expected = Model()
      for (thread, number) in found.enumerated() where number > 0 {
        _ = ModelImport.apply(Self.payload(thread, number), Policies(.replace), to: &expected)
      }
      if let difference = state.difference(from: expected) { throw OddStore(description: difference) }
      return Array(found.map { String($0) }.joined(separator: " ").utf8)
    }
    let words = String(decoding: answer, as: UTF8.self)
    let found = words.split(separator: " ").compactMap { Int($0) }
    guard ending == .returned, found.count == done.count else {
      run.violation("kill \(number), threads: \(ending) \(words)")
      return false
    }
    if found != least { run.add(to: "kills behind a commit that could not be acknowledged") }
    done = found
    return true
  }
}
