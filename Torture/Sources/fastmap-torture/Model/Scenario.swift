import FastMapCore
import FastMapLMDB
import Foundation

/// A piece of work on a store whose states before and after are known: one state for each commit.
struct Scenario {
  let name: String
  /// The store it begins with, in a directory of its own; nil where there is none.
  let start: String?
  let configuration: LMDBStore.Configuration
  /// What is imported, one commit after the other.
  let steps: [Step]
  /// The store before the first step, and after each; nil where there is no store.
  let states: [Model?]

  struct Step {
    let text: [UInt8]
    let plan: Plan
  }

  static let plan: Result<Plan, any Error> = Result {
    var world = World(hasTextKeys: false)
    return try world.plan(Policies(.assign))
  }

  /// Reads a store that may not be there.
  static func state(of store: String) throws -> Model? {
    guard access(store + "/data.mdb", F_OK) == 0 else { return nil }
    var configuration = LMDBStore.Configuration()
    configuration.createsIfMissing = false
    let opened = try LMDBStore(at: store, configuration: configuration)
    let report = try opened.check()
    guard report.isSound else {
      throw OddStore(description: "check: \(report.problems.prefix(3).map(\.description))")
    }
    return try Model(opened, plan.get())
  }

  /// Opens the store and does the steps.
  ///
  /// - Parameter first: The step to begin with. The one that was done last may be done again, and changes nothing then;
  ///   an earlier one would bring back what a later one has deleted.
  func play(at store: String, from first: Int = 0, _ committed: (Int) -> Void = { _ in }) throws {
    let opened = try LMDBStore(at: store, configuration: configuration)
    for (index, step) in steps.enumerated().dropFirst(first) {
      _ = try Mapper(opened).importJSON(step.text, as: step.plan)
      committed(index + 1)
    }
  }

  // MARK: All of them

  /// Eight pieces of work, from a seed.
  static func all(_ seed: UInt64, in scratch: Scratch) throws -> [Scenario] {
    let base = payload(seed, 1, roots: 60)
    let other = payload(seed, 2, roots: 60)
    let assign = Policies(.assign)
    let replace = Policies(.replace)
    var small = LMDBStore.Configuration()
    small.mapSize = 64 << 10
    return [
      try make("create", nil, [], in: scratch),
      try make("import new", [], [(base, assign)], in: scratch),
      try make("import again", [(base, assign)], [(base, assign)], in: scratch),
      try make("update", [(base, assign)], [(other, assign)], in: scratch),
      try make("replace with deletions", [(base, replace)], [(cleared(base), replace)], in: scratch),
      try make("growth", [(base, assign)], [(payload(seed, 3, roots: 400), assign)], small, in: scratch),
      try make(
        "several commits", [(base, assign)],
        (4..<8).map { (payload(seed, $0, roots: 8), $0 % 2 == 0 ? assign : replace) }, in: scratch),
      try makeLayoutChange([(base, assign)], in: scratch),
    ]
  }

  /// A rename and a conversion, which are made when the store is opened.
  private static func makeLayoutChange(
    _ before: [([PayloadNode], Policies)], in scratch: Scratch
  ) throws -> Scenario {
    let old = try make("layout change", before, [], in: scratch)
    var configuration = LMDBStore.Configuration()
    configuration.layoutChanges = [
      .rename("ratio", of: "Node", to: "old ratio"), .convert("name", of: "Node", to: .string, louder),
    ]
    var changed = old.states.last.flatMap(\.self) ?? Model()
    changed.nodes = changed.nodes.mapValues { old in
      var node = old
      node.values["ratio"] = nil
      node.values["name"] = old.values["name"].flatMap(louder)
      return node
    }
    return Scenario(
      name: old.name, start: old.start, configuration: configuration, steps: [],
      states: old.states + [changed])
  }

  @Sendable private static func louder(_ value: Value) -> Value? {
    if case .string(let text) = value { .string(text + "!") } else { value }
  }

  private static func payload(_ seed: UInt64, _ number: Int, roots: Int) -> [PayloadNode] {
    var maker = PayloadMaker(SeededNumbers(seed: seed, case: number), hasTextKeys: false, keyCount: 150)
    return maker.payload(roots: roots)
  }

  /// The same objects without most of what they refer to.
  private static func cleared(_ payload: [PayloadNode]) -> [PayloadNode] {
    payload.prefix(20).map { old in
      var node = PayloadNode(old.key)
      node.friends = .null
      node.kids = .null
      node.tags = .null
      node.notes = .null
      return node
    }
  }

  private static func make(
    _ name: String, _ before: [([PayloadNode], Policies)]?, _ steps: [([PayloadNode], Policies)],
    _ configuration: LMDBStore.Configuration = .init(), in scratch: Scratch
  ) throws -> Scenario {
    var model = Model()
    var start: String?
    var world = World(hasTextKeys: false)
    if let before {
      let path = scratch.path + "/" + name
      start = path
      let store = try LMDBStore(at: path, configuration: configuration)
      for (payload, policies) in before {
        _ = try Mapper(store).importJSON(Array(PayloadText.json(payload).utf8), as: world.plan(policies))
        _ = ModelImport.apply(payload, policies, to: &model)
      }
    }
    var states: [Model?] = [before == nil ? nil : model]
    if before == nil { states.append(model) }
    for (payload, policies) in steps {
      _ = ModelImport.apply(payload, policies, to: &model)
      states.append(model)
    }
    return Scenario(
      name: name, start: start, configuration: configuration,
      steps: try steps.map { Step(text: Array(PayloadText.json($0).utf8), plan: try world.plan($1)) },
      states: states)
  }
}
