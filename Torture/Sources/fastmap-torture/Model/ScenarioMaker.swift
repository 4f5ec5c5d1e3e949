import FastMapCore
import FastMapLMDB
import Foundation

/// Makes a scenario step by step, with its states.
struct ScenarioMaker {
  private let name: String
  private let seed: UInt64
  private let path: String
  private var world = World(hasTextKeys: false)
  /// How the store is read before each change of the mapping, the last one first.
  private var earlier: [Scenario.Reading] = []
  private var steps: [Scenario.Step] = []
  private var states: [Model?] = [nil]
  private var start: String?
  /// How the initial store is opened, and later how it is opened unless a step opens it in another way.
  var configuration = LMDBStore.Configuration()
  private(set) var model = Model()

  init(_ name: String, _ seed: UInt64, in scratch: Scratch) {
    self.name = name
    self.seed = seed
    path = scratch.path + "/" + name
  }

  /// Continues with string keys.
  mutating func useTextKeys() { world = World(hasTextKeys: true) }

  /// Runs everything requested so far, to make the initial store.
  mutating func begin() throws {
    let store = path + ".store"
    _ = try LMDBStore(at: store, configuration: configuration)
    try scenario().play(at: store)
    start = store
    steps = []
    states = [model]
  }

  mutating func scenario() throws -> Scenario {
    Scenario(
      name: name, start: start, configuration: configuration, steps: steps, states: states,
      readings: [try reading()] + earlier)
  }

  private mutating func reading() throws -> Scenario.Reading {
    (try world.plan(Policies(.assign)), world.names)
  }

  private mutating func add(_ work: Scenario.Work, _ policy: Policy = .assign, between: [Model] = []) throws {
    steps.append(.init(work: work, plan: try world.plan(Policies(policy)), between: between))
    states.append(model)
  }

  // MARK: Payloads

  func payload(_ number: Int, roots: Int) -> [PayloadNode] {
    var maker = PayloadMaker(
      SeededNumbers(seed: seed, case: number), hasTextKeys: world.hasTextKeys, keyCount: 150)
    return maker.payload(roots: roots)
  }

  /// Nodes that refer only to themselves.
  func island(_ numbers: Range<Int64>) -> [PayloadNode] {
    numbers.map { number in
      var node = PayloadNode(.integer(number))
      node.name = .given("node \(number)")
      node.friends = .given(numbers.map { .integer($0) })
      node.tag = .given(PayloadTag(name: "tag of \(number)"))
      return node
    }
  }

  var keys: [PrimaryKey] { model.nodes.keys.sorted() }

  private static func text(_ payload: [PayloadNode]) -> [UInt8] { Array(PayloadText.json(payload).utf8) }

  // MARK: Steps

  /// - Parameter interval: The number of objects per commit.
  mutating func importing(_ payload: [PayloadNode], _ policy: Policy = .assign, interval: Int? = nil) throws {
    let between = apply(payload, policy, interval)
    var options = ImportOptions()
    options.commitInterval = interval
    try add(.importJSON(Self.text(payload), options), policy, between: between)
  }

  /// - Returns: The states between the ones before and after it.
  private mutating func apply(_ payload: [PayloadNode], _ policy: Policy, _ interval: Int?) -> [Model] {
    let step = interval ?? max(payload.count, 1)
    let between = stride(from: 0, to: payload.count, by: step).map { first in
      _ = ModelImport.apply(
        Array(payload[first..<min(first + step, payload.count)]), Policies(policy), to: &model)
      return model
    }
    return between.dropLast()
  }

  /// Ends with a faulty object, so that only earlier commits stay.
  mutating func importingUntilFault(_ payload: [PayloadNode], interval: Int? = nil) throws {
    var options = ImportOptions()
    options.commitInterval = interval
    let between = interval == nil ? [] : apply(payload, .assign, interval)
    let text = Self.text(payload).dropLast() + Array(#",{"name":"no key"}]"#.utf8)
    try add(.importUntilFault(Array(text), options), between: between)
  }

  mutating func trying(_ payload: [PayloadNode]) throws {
    var options = ImportOptions()
    options.isDryRun = true
    try add(.importJSON(Self.text(payload), options))
  }

  mutating func importingFile(_ payload: [PayloadNode]) throws {
    let file = path + ".json"
    try File.write(Self.text(payload), to: file)
    _ = apply(payload, .assign, nil)
    try add(.importFile(file))
  }

  /// - Parameter payloads: Three payloads without common objects. Any of them may be in the store without the others.
  mutating func importingTogether(_ payloads: [[PayloadNode]]) throws {
    let subsets = (1..<(1 << payloads.count)).map { subset in
      var model = model
      for (index, payload) in payloads.enumerated() where subset >> index & 1 == 1 {
        _ = ModelImport.apply(payload, Policies(.assign), to: &model)
      }
      return model
    }
    model = subsets.last ?? model
    try add(.importTogether(payloads.map(Self.text)), between: subsets.dropLast())
  }

  /// Imports with an attribute that the store does not have yet.
  mutating func importingWider(_ payload: [PayloadNode]) throws {
    world = World(hasTextKeys: world.hasTextKeys, isWider: true)
    _ = apply(payload, .assign, nil)
    var rest = payload
    while let node = rest.popLast() {
      model.nodes[node.key]?.values["extra"] = .string("more")
      rest += node.kids.content ?? []
    }
    let text = PayloadText.json(payload).replacing(#"{"id":"#, with: #"{"extra":"more","id":"#)
    try add(.importJSON(Array(text.utf8), ImportOptions()))
  }

  mutating func deleting(_ entity: String, _ choice: Scenario.Choice, _ policy: Policy = .assign) throws {
    let isNode = entity == "Node"
    let all = isNode ? keys : model.tags.keys.sorted()
    let chosen =
      switch choice {
      case .key(let key): [key]
      case .keys(let keys): keys
      case .range(let range): all.filter(range.contains)
      case .all: all
      }
    model.delete(Set(chosen.map { isNode ? .node($0) : .tag($0) }), Policies(policy))
    try add(.delete(entity, choice), policy)
  }

  mutating func reading() throws { try add(.read(model)) }

  mutating func working(_ work: Scenario.Work) throws { try add(work) }

  /// Imports nothing, with other names or types.
  mutating func declaring(_ change: (inout World) -> Void) throws {
    earlier.insert(try reading(), at: 0)
    change(&world)
    try add(.importJSON(Array("[]".utf8), ImportOptions()))
  }

  /// Opens the store in another way.
  mutating func opening(_ configure: (inout LMDBStore.Configuration) -> Void = { _ in }) throws {
    var configuration = configuration
    configure(&configuration)
    try add(.open(configuration))
  }
}
