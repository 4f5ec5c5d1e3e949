import FastMapCore
import FastMapLMDB
import Foundation

/// Runs every sequence of up to three of fourteen operations, on stores of three sizes, with both kinds of keys.
struct SequenceCampaign {
  static let campaign = Campaign(
    name: "sequences",
    title: "every sequence of up to 3 of 14 operations", cases: .count("sequences"),
    rule: "report and store as in the model; `check` clean"
  ) { run in
    let sequences = all()
    let step = run.count(short: 11, long: 1)
    for isText in [false, true] {
      for size in [0, 6, 900] {
        let campaign = try SequenceCampaign(run, isText, size)
        for index in stride(from: Int(run.seed % UInt64(step)), to: sequences.count, by: step) {
          guard run.goesOn(index, of: sequences.count, "sequences of \(size) nodes") else { return }
          do { try campaign.play(sequences[index]) } catch {
            run.violation("\(campaign.words(sequences[index])): \(error)")
          }
          run.add(to: "sequences")
        }
      }
    }
  }

  private static let operationCount = 14

  private static func all() -> [[Int]] {
    let operations = Array(0..<operationCount)
    let pairs = operations.flatMap { first in operations.map { [first, $0] } }
    let triples = pairs.flatMap { pair in operations.map { pair + [$0] } }
    return operations.map { [$0] } + pairs + triples
  }

  private let run: Run
  private let scratch: Scratch
  private let isText: Bool
  private let size: Int
  private let start: Model
  private var plans: [Policies: Plan] = [:]

  private init(_ run: Run, _ isText: Bool, _ size: Int) throws {
    self.run = run
    self.isText = isText
    self.size = size
    scratch = try Scratch(isInMemory: true)
    var world = World(hasTextKeys: isText)
    for policy in Policy.allCases { plans[Policies(policy)] = try world.plan(Policies(policy)) }
    var model = Model()
    let payload = (0..<size).map { number in
      var node = PayloadNode(Self.key(number, isText))
      node.name = .given("name \(number)")
      node.friends = .given([Self.key((number + 1) % size, isText), Self.key(number / 2, isText)])
      node.tag = .given(PayloadTag(name: "tag \(number / 3)", rank: .given(1)))
      node.notes = .given([PayloadNote(text: .given("note")), PayloadNote()])
      return node
    }
    let store = try LMDBStore(at: scratch.path + "/start")
    _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: world.plan(Policies(.assign)))
    _ = ModelImport.apply(payload, Policies(.assign), to: &model)
    start = model
  }

  private static func key(_ number: Int, _ isText: Bool) -> PrimaryKey {
    isText ? .string("key \(number)") : .integer(Int64(number))
  }

  private func words(_ sequence: [Int]) -> String {
    "\(sequence), \(size) nodes, \(isText ? "text" : "integer") keys"
  }

  /// One of the operations. Nil reopens the store.
  private func operation(_ number: Int) -> (payload: [PayloadNode], policy: Policy)? {
    let (a, b, c) = (Self.key(1, isText), Self.key(2, isText), Self.key(1000, isText))
    var node = PayloadNode(a)
    switch number {
    case 0: node.name = .given("another")
    case 1:
      node = PayloadNode(c)
      node.name = .given("new")
      node.parent = .given(a)
    case 2: node.name = .null
    case 3: node.friends = .given([b, c, b])
    case 4:
      node.friends = .given([c, b])
      return ([node], .merge)
    case 5:
      node.friends = .given([b])
      return ([node], .replace)
    case 6:
      node.friends = .null
      node.tag = .null
      return ([node], .replace)
    case 7:
      node.tag = .given(PayloadTag(name: "tag new", rank: .given(2)))
      return ([node], .replace)
    case 8: node.notes = .given([PayloadNote(text: .given("changed"), about: .given(c))])
    case 9:
      node.notes = .given([PayloadNote(text: .given("added"))])
      return ([node], .merge)
    case 10:
      var kid = PayloadNode(c)
      kid.kids = .given([PayloadNode(b)])
      node.kids = .given([kid])
      return ([node], .replace)
    case 11:
      node.kids = .null
      node.box = .given(PayloadNote(text: .given("box")))
      return ([node], .replace)
    case 12: node.box = .null
    default: return nil
    }
    return ([node], .assign)
  }

  private func play(_ sequence: [Int]) throws {
    try scratch.copy(scratch.path + "/start", to: scratch.store)
    var model = start
    var store = try LMDBStore(at: scratch.store)
    for number in sequence {
      run.add(to: "operations")
      guard let (payload, policy) = operation(number) else {
        withExtendedLifetime(consume store) {}
        store = try LMDBStore(at: scratch.store)
        continue
      }
      guard let plan = plans[Policies(policy)] else { continue }
      let report = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: plan)
      let expected = ModelImport.apply(payload, Policies(policy), to: &model)
      let row = report["Node"] ?? .init()
      let found = ModelImport.Counts(
        inserted: row.inserted, updated: row.updated, unchanged: row.unchanged, deleted: row.deleted)
      if found != expected.node { run.violation("\(words(sequence)): \(found) for \(expected.node)") }
    }
    guard let plan = plans[Policies(.assign)] else { return }
    let check = try store.check()
    if !check.isSound { run.violation("\(words(sequence)): \(check.problems.prefix(3).map(\.description))") }
    if let difference = try Model(store, plan).difference(from: model) {
      run.violation("\(words(sequence)): \(difference)")
    }
  }
}
