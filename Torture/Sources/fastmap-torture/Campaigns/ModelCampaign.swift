import FastMapCore
import FastMapLMDB

/// Runs random operations on a store and on a model of it, and compares both.
struct ModelCampaign {
  static let campaign = Campaign(
    name: "model", title: "random operations, compared with a model", cases: .count("operations"),
    rule: "report, answers and store as in the model; `check` clean"
  ) { run in
    let sequences = run.count(short: 100, long: 25_000)
    for number in 0..<sequences where run.goesOn(number, of: sequences, "sequences") {
      do {
        let scratch = try Scratch(isInMemory: true)
        var sequence = ModelCampaign(run, scratch, number)
        try sequence.play(operations: 200)
      } catch {
        run.violation("sequence \(number): \(error)")
      }
      run.add(to: "sequences")
    }
  }

  let run: Run
  let scratch: Scratch
  private let number: Int
  var random: SeededNumbers
  var world: World
  var model = Model()
  private var store: LMDBStore?
  let keyCount: Int
  private let startsSmall: Bool
  /// The number of the current operation.
  private var index = 0
  private var isWrong = false

  private init(_ run: Run, _ scratch: Scratch, _ number: Int) {
    self.run = run
    self.scratch = scratch
    self.number = number
    random = SeededNumbers(seed: run.seed, case: number)
    world = World(hasTextKeys: random.once(in: 2))
    keyCount = random.pick([4, 12, 40, 300])
    startsSmall = random.once(in: 2)
  }

  var configuration: LMDBStore.Configuration {
    var configuration = LMDBStore.Configuration()
    if startsSmall { configuration.mapSize = 128 << 10 }
    return configuration
  }

  mutating func open() throws -> LMDBStore {
    if let store { return store }
    let opened = try LMDBStore(at: scratch.store, configuration: configuration)
    store = opened
    return opened
  }

  mutating func close() { store = nil }

  /// Reports a violation and ends the sequence.
  mutating func fault(_ text: String) {
    isWrong = true
    run.violation("sequence \(number), operation \(index): \(text)")
  }

  private mutating func play(operations: Int) throws {
    let policies = (0..<3).map { _ in Policies(&random) }
    for index in 0..<operations where !isWrong {
      self.index = index
      try step(random.pick(policies))
      run.add(to: "operations")
      if index % 20 == 19, !isWrong { try compare(open()) }
    }
  }

  private mutating func step(_ policies: Policies) throws {
    if random.once(in: 25) {
      close()
      run.add(to: "reopened")
    }
    switch random.next(below: 120) {
    case 0: try compact()
    case 1: try backUp()
    case 2, 3: try changeMapping()
    case 4..<24: try delete(policies)
    case 24..<34: try read()
    default: try take(policies)
    }
  }

  // MARK: Imports

  private mutating func take(_ policies: Policies) throws {
    var maker = PayloadMaker(
      SeededNumbers(seed: random.next()), hasTextKeys: world.hasTextKeys, keyCount: keyCount)
    let payload = maker.payload(roots: random.once(in: 30) ? 150 : random.next(below: 5))
    let text = PayloadText.json(payload)
    let plan = try world.plan(policies)
    let store = try open()
    switch random.next(below: 12) {
    case 0:
      try abort(store, plan, text)
    case 1:
      var options = ImportOptions()
      options.isDryRun = true
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan, options: options)
      run.add(to: "dry runs")
    case 2:
      var options = ImportOptions()
      options.commitInterval = 1 + random.next(below: 3)
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan, options: options)
      _ = ModelImport.apply(payload, policies, without: world.dropped, to: &model)
      run.add(to: "imports in several commits")
    default:
      let report = try Mapper(store).importJSON(Array(text.utf8), as: plan)
      let expected = ModelImport.apply(payload, policies, without: world.dropped, to: &model)
      compare(report["Node"], expected.node, "Node", policies)
      compare(report["Tag"], expected.tag, "Tag", policies)
      run.add(to: "imports")
      run.add(expected.node.inserted + expected.tag.inserted, to: "objects inserted")
      run.add(expected.node.updated + expected.tag.updated, to: "updated")
      run.add(expected.node.deleted + expected.tag.deleted, to: "deleted")
    }
  }

  /// An import that must fail without a trace.
  private mutating func abort(_ store: LMDBStore, _ plan: Plan, _ text: String) throws {
    let bad = random.pick([#"{"id":[]}"#, #"{"name":"no key"}"#, "{", "1 2", #"{"id":{},"size":"x"}"#])
    let broken = text == "[]" ? "[\(bad)]" : text.dropLast() + "," + bad + "]"
    do {
      _ = try Mapper(store).importJSON(Array(broken.utf8), as: plan)
      fault("\(bad) was taken")
    } catch is MappingError {
    } catch is JSONSyntaxError {
    }
    run.add(to: "aborted imports")
  }

  // MARK: Comparisons

  private mutating func compare(
    _ row: ImportReport.Counts?, _ expected: ModelImport.Counts, _ entity: String, _ policies: Policies
  ) {
    let row = row ?? .init()
    let found = ModelImport.Counts(
      inserted: row.inserted, updated: row.updated, unchanged: row.unchanged, deleted: row.deleted)
    if found != expected || row.skipped != 0 {
      fault("\(policies.words): \(entity): \(found) for \(expected)")
    }
  }

  /// Compares a store, or its backup, with the model.
  mutating func compare(_ store: LMDBStore) throws {
    let found = try Model(store, world.plan(Policies(.assign), isWhole: true), names: world.names)
    let report = try store.check()
    run.add(to: "comparisons")
    if !report.isSound {
      fault("\(report.problems.prefix(3).map(\.description))")
    } else if let difference = found.difference(from: model) {
      fault(difference)
    }
  }
}
