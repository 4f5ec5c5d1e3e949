import FastMapCore
import FastMapLMDB

/// T1: random operations on a store and on a model of it, and both are compared.
struct ModelCampaign {
  static let campaign = Campaign(
    name: "model", title: "T1 random operations beside a model written from the rules",
    rule: "report and store as in the model; `check` clean"
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

  private let run: Run
  private let scratch: Scratch
  private let number: Int
  private var random: SeededNumbers
  private var world: World
  private var model = Model()
  private var store: LMDBStore?
  private let keyCount: Int
  private let startsSmall: Bool

  private init(_ run: Run, _ scratch: Scratch, _ number: Int) {
    self.run = run
    self.scratch = scratch
    self.number = number
    random = SeededNumbers(seed: run.seed, case: number)
    world = World(hasTextKeys: random.once(in: 2))
    keyCount = random.pick([4, 12, 40, 300])
    startsSmall = random.once(in: 2)
  }

  private var configuration: LMDBStore.Configuration {
    var configuration = LMDBStore.Configuration()
    if startsSmall { configuration.mapSize = 128 << 10 }
    return configuration
  }

  private mutating func open() throws -> LMDBStore {
    if let store { return store }
    let opened = try LMDBStore(at: scratch.store, configuration: configuration)
    store = opened
    return opened
  }

  private mutating func play(operations: Int) throws {
    let policies = (0..<3).map { _ in Policies(&random) }
    for index in 0..<operations {
      try step(index, random.pick(policies))
      run.add(to: "operations")
      if index % 20 == 19 { guard try compare(index) else { return } }
    }
  }

  private mutating func step(_ index: Int, _ policies: Policies) throws {
    if random.once(in: 25) {
      store = nil
      run.add(to: "reopened")
    }
    var maker = PayloadMaker(
      SeededNumbers(seed: random.next()), hasTextKeys: world.hasTextKeys, keyCount: keyCount)
    let payload = maker.payload(roots: random.once(in: 30) ? 150 : random.next(below: 5))
    let text = PayloadText.json(payload)
    let plan = try world.plan(policies)
    let store = try open()
    switch random.next(below: 12) {
    case 0:
      try abort(store, plan, text, index)
    case 1:
      var options = ImportOptions()
      options.isDryRun = true
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan, options: options)
      run.add(to: "dry runs")
    case 2:
      var options = ImportOptions()
      options.commitInterval = 1 + random.next(below: 3)
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan, options: options)
      _ = ModelImport.apply(payload, policies, to: &model)
      run.add(to: "imports in several commits")
    default:
      let report = try Mapper(store).importJSON(Array(text.utf8), as: plan)
      let expected = ModelImport.apply(payload, policies, to: &model)
      compare(report["Node"], expected.node, "Node", index, policies)
      compare(report["Tag"], expected.tag, "Tag", index, policies)
      run.add(to: "imports")
      run.add(expected.node.inserted + expected.tag.inserted, to: "objects inserted")
      run.add(expected.node.updated + expected.tag.updated, to: "updated")
      run.add(expected.node.deleted + expected.tag.deleted, to: "deleted")
    }
  }

  /// An import that must fail, and leave no trace.
  private mutating func abort(_ store: LMDBStore, _ plan: Plan, _ text: String, _ index: Int) throws {
    let bad = random.pick([#"{"id":[]}"#, #"{"name":"no key"}"#, "{", "1 2", #"{"id":{},"size":"x"}"#])
    let broken = text == "[]" ? "[\(bad)]" : text.dropLast() + "," + bad + "]"
    do {
      _ = try Mapper(store).importJSON(Array(broken.utf8), as: plan)
      run.violation("sequence \(number), operation \(index): \(bad) was taken")
    } catch is MappingError {
    } catch is JSONSyntaxError {
    }
    run.add(to: "aborted imports")
  }

  private func compare(
    _ row: ImportReport.Counts?, _ expected: ModelImport.Counts, _ entity: String, _ index: Int,
    _ policies: Policies
  ) {
    let row = row ?? .init()
    let found = ModelImport.Counts(
      inserted: row.inserted, updated: row.updated, unchanged: row.unchanged, deleted: row.deleted)
    if found != expected || row.skipped != 0 {
      run.violation(
        "sequence \(number), operation \(index), \(policies.words): \(entity): \(found) for \(expected)")
    }
  }

  private mutating func compare(_ index: Int) throws -> Bool {
    let store = try open()
    let found = try Model(store, world.plan(Policies(.assign)))
    let report = try store.check()
    run.add(to: "comparisons")
    if !report.isSound {
      run.violation("sequence \(number), operation \(index): \(report.problems.prefix(3).map(\.description))")
      return false
    }
    if let difference = found.difference(from: model) {
      run.violation("sequence \(number), operation \(index): \(difference)")
      return false
    }
    return true
  }
}
