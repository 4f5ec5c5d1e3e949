import FastMapCore
import FastMapLMDB
import Foundation

/// Kills a process that commits within its imports. Each commit stores the objects that the import may delete at its end.
/// The next import deletes them, and the store is as it would be without the kill. Some kills continue on a copy.
struct UnfinishedKills {
  private static let rootCount = 60

  private let run: Run
  private let scratch: Scratch
  private var killer: Killer
  private let plan: Plan
  /// The number of imports in the store, and its contents after them.
  private var done = 0
  private var model = Model()

  init(_ run: Run, _ scratch: Scratch) throws {
    self.run = run
    self.scratch = scratch
    killer = Killer(run, SeededNumbers(seed: run.seed, case: -2), writers: 1)
    var world = World(hasTextKeys: false)
    plan = try world.plan(Policies(.replace))
  }

  /// The n-th import. Each list drops some targets, and some of these return in a later root.
  private static func payload(_ number: Int) -> [PayloadNode] {
    (0..<rootCount).map { root in
      func key(_ place: Int) -> PrimaryKey { .integer(Int64(1000 + (root * 5 + place + number * 2) % 310)) }
      var node = PayloadNode(.integer(Int64(root)))
      node.size = .given(Int64(number))
      node.kids = .given(
        (0..<(1 + (root + number) % 3)).map { place in
          var kid = PayloadNode(key(place))
          kid.name = .given("\(root) \(place)")
          return kid
        })
      node.tags = .given(
        (0..<((root + 2 * number) % 4)).map {
          PayloadTag(name: "\(root)-\((number + $0) % 5)", rank: .given(Int64($0)))
        })
      node.notes = .given(
        (0..<((2 * root + number) % 4)).map { PayloadNote(text: .given("\(number) \($0)"), about: .null) })
      node.box = (root + number) % 3 == 0 ? .null : .given(box(number))
      return node
    }
  }

  /// An operation on the store between the kill and the next import.
  private enum Meanwhile: CaseIterable {
    case compaction, backup, repair

    func run(on store: String) throws {
      let copy = store + "-copy"
      switch self {
      case .compaction:
        try LMDBStore.compact(at: store)
        return
      case .backup: try LMDBStore(at: store).backup(to: copy)
      case .repair:
        guard try LMDBStore.repair(from: store, to: copy).isComplete else {
          throw OddStore(description: "the repair has lost something")
        }
      }
      try FileManager.default.removeItem(atPath: store)
      try FileManager.default.moveItem(atPath: copy, toPath: store)
    }
  }

  private static func box(_ number: Int) -> PayloadNote { PayloadNote(text: .given("box \(number)")) }

  private static func text(_ number: Int) -> [UInt8] { Array(PayloadText.json(payload(number)).utf8) }

  mutating func kill(_ number: Int) -> Bool {
    let (store, plan, first) = (scratch.store, plan, done)
    let interval = killer.random.pick([1, 1, 7, 25])
    let answer = killer.kill(number) { descriptor in
      let store = try LMDBStore(at: store)
      var options = ImportOptions()
      options.commitInterval = interval
      var number = first
      while true {
        number += 1
        _ = try Mapper(store).importJSON(Self.text(number), as: plan, options: options)
        Child.write([1], to: descriptor)
      }
    }
    guard let answer else { return false }
    run.add(to: "kills between the commits of one import")
    return finish(number, acknowledged: first + answer.count)
  }

  /// Repeats the interrupted import, and checks that nothing of the kill is left.
  private mutating func finish(_ number: Int, acknowledged: Int) -> Bool {
    while done <= acknowledged {
      done += 1
      _ = ModelImport.apply(Self.payload(done), Policies(.replace), to: &model)
    }
    let (store, plan, expected, last) = (scratch.store, plan, model, done)
    let meanwhile = killer.random.once(in: 2) ? killer.random.pick(Meanwhile.allCases) : nil
    let (answer, ending) = Child.run {
      let left = try LMDBStore(at: store).check()
      guard left.isSound else { throw OddStore(description: "check: \(left.problems.prefix(3))") }
      try meanwhile?.run(on: store)
      let opened = try LMDBStore(at: store)
      let kept = try opened.check().leftoverCount
      guard kept == left.leftoverCount else {
        throw OddStore(
          description: "\(kept) leftovers of \(left.leftoverCount) after \(meanwhile.map { "\($0)" } ?? "")")
      }
      _ = try Mapper(opened).importJSON(Self.text(last), as: plan)
      let found = try opened.check()
      if found.leftoverCount > 0 { throw OddStore(description: "\(found.leftoverCount) leftovers") }
      let state = try Scenario.state(of: store) ?? Model()
      if let difference = state.difference(from: expected) { throw OddStore(description: difference) }
      return [left.leftoverCount > 0 ? 1 : 0]
    }
    switch (ending, answer) {
    case (.returned, [1]):
      run.add(to: "kills that left something for the next import to delete")
      if let meanwhile { run.add(to: "→ of them, to that of a \(meanwhile)") }
    case (.returned, [0]): break
    default:
      run.violation("kill \(number), between commits: \(ending) \(String(decoding: answer, as: UTF8.self))")
      return false
    }
    return true
  }
}
