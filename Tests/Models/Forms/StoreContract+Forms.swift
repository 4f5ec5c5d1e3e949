public import FastMapCore
public import FastMapStoreTesting

extension StoreContract {
  /// Imports random payloads with keys of several parts, scoped keys, keyed collections, kinds, ages, deletions, weak links and
  /// complete lists, and compares reports and store with a model. Then it imports the pages of payloads twice in several orders, and
  /// compares the exports.
  ///
  ///     try StoreContract { MyStore() }.runForms(10, seed: .random(in: 0 ... .max))
  ///
  /// - Parameters:
  ///   - count: The number of stores. Each has 40 payloads, and each of its payloads of pages 5 orders.
  ///   - seed: Another one makes other payloads.
  /// - Throws: ``ContractViolationError``, with the seed and the payloads.
  public func runForms(_ count: Int, seed: UInt64) throws {
    var random = SplitMix(state: seed)
    do {
      for number in 0..<count {
        try checkForms(number: number, seed: random.next()) { try makePlace()() }
        try checkFormOrders(seed: random.next()) { try makePlace()() }
      }
    } catch let failure as Failure {
      throw ContractViolationError(
        promise: "An import of any form does what its model does", reason: "seed \(seed): \(failure.reason)")
    }
  }
}

extension StoreContract {
  /// Imports sequences of four random payloads, and compares the store with a model after each; then it imports the payload a second
  /// time. Another store gets the same in other commits. In the end the store is checked, dumped and loaded, exported and imported.
  ///
  /// - Parameters:
  ///   - meetings: Counts the forms that meet in one object.
  ///   - dump: The path of a file for dumps.
  ///   - makeOther: Makes an empty store, for the other commits and the copies.
  /// - Throws: ``ContractViolationError``, with the seed and the fewest payloads that show it.
  public func runMeetings(
    _ count: Int, seed: UInt64, counting meetings: inout FormMeetings, dump: String,
    makeOther: () throws -> any Store
  ) throws {
    var random = SplitMix(state: seed)
    for number in 0..<count {
      do {
        try withoutActuallyEscaping(makeOther) { makeOther in
          try checkForms(
            number: number, seed: random.next(), steps: 4, meetings: &meetings,
            others: .init(dump: dump, make: makeOther)
          ) { try makePlace()() }
        }
      } catch let failure as Failure {
        throw ContractViolationError(
          promise: "An import of forms that meet does what its model does",
          reason: "seed \(seed): \(failure.reason)")
      }
    }
  }
}

/// Imports random payloads into an empty store.
///
/// - Parameters:
///   - number: Chooses the policy of lists.
///   - makeStore: Makes an empty store.
/// - Throws: A difference from the model, with the fewest steps that show it.
package func checkForms(number: Int, seed: UInt64, on makeStore: () throws -> any Store) throws {
  var meetings = FormMeetings()
  try checkForms(number: number, seed: seed, steps: 40, meetings: &meetings, others: nil, on: makeStore)
}

/// Makes other stores beside the one that is checked.
private struct Others {
  let dump: String
  let make: () throws -> any Store
}

private func checkForms(
  number: Int, seed: UInt64, steps count: Int, meetings: inout FormMeetings, others: Others?,
  on makeStore: () throws -> any Store
) throws {
  let choice = number % FormModel.Policy.allCases.count
  let (plans, policy) = (try FormWorld.plans.get()[choice], FormModel.Policy.allCases[choice])
  var payloads = FormPayloads(random: SplitMix(state: seed))
  /// Does steps in an empty store, and then some random ones.
  func difference(after steps: [FormStep], more: Int = 0) throws -> Failure? {
    var run = FormRun(
      store: try makeStore(), plans: plans, policy: policy, others: others, twin: try others?.make())
    do {
      for step in steps { try run.play(step) }
      for _ in 0..<more {
        let step = payloads.step(over: run.model)
        if case .items(let texts, _) = step.work { meetings.count(texts, over: run.model, policy) }
        try run.play(step)
      }
      try run.finish()
      return nil
    } catch let failure as Failure {
      let shown = run.steps.map(\.description).joined(separator: " | ")
      guard more > 0 else { return Failure(reason: "\(policy), \(shown): \(failure.reason)") }
      return try fewest(run.steps) ?? failure
    }
  }
  /// Leaves out every step and every object that the failure does not need.
  func fewest(_ steps: [FormStep]) throws -> Failure? {
    var (steps, result) = (steps, try difference(after: steps))
    for index in steps.indices.reversed() {
      var fewer = steps
      fewer.remove(at: index)
      if let failure = try? difference(after: fewer) {
        (steps, result) = (fewer, failure)
        continue
      }
      for part in (0..<steps[index].count).reversed() {
        fewer = steps
        fewer[index].remove(at: part)
        if let failure = try? difference(after: fewer) { (steps, result) = (fewer, failure) }
      }
    }
    return result
  }
  if let failure = try difference(after: [], more: count) { throw failure }
}

/// Imports a payload into empty stores in five orders, twice in pages of random sizes: the second time, all targets exist.
///
/// - Throws: A difference between two exports.
package func checkFormOrders(seed: UInt64, on makeStore: () throws -> any Store) throws {
  let plans = try FormWorld.plans.get()[0]
  var payloads = FormPayloads(random: SplitMix(state: seed))
  let texts = payloads.agreeingItems().map(\.json)
  var first: [String]?
  for _ in 0..<5 {
    let store = try makeStore()
    var rest = (texts.shuffled(using: &payloads.random) + texts.shuffled(using: &payloads.random))[...]
    while !rest.isEmpty {
      let page = rest.prefix(1 + payloads.random.next(8))
      rest = rest.dropFirst(page.count)
      let options = ImportOptions(
        commitInterval: payloads.random.next(3) == 0 ? 1 : nil,
        batchSize: [nil, 1, 3][payloads.random.next(3)])
      _ = try Mapper(store).importJSON("[\(page.joined(separator: ","))]", as: plans.items, options: options)
    }
    let lines = try store.lines(of: plans.items) + store.lines(of: plans.shelves)
    if let first { try expect("the export of \(texts)", lines, is: first) }
    first = lines
  }
}

/// A store beside its model.
private struct FormRun {
  let store: any Store
  let plans: (shelves: Plan, items: Plan, tags: Plan)
  let policy: FormModel.Policy
  let others: Others?
  /// A store that gets the same in other commits.
  let twin: (any Store)?
  var model = FormModel()
  var steps: [FormStep] = []

  mutating func play(_ step: FormStep) throws {
    steps.append(step)
    switch step.work {
    case .items(let texts, let least):
      var next = model
      let counts = next.load(texts, policy, replacingFrom: least)
      try play(step, as: plans.items, "Item", counts, next)
    case .shelves(let texts, let isComplete):
      var next = model
      let counts = next.load(texts, policy, isComplete: isComplete)
      try play(step, as: plans.shelves, "Shelf", counts, next)
    case .deletion(let shelf):
      _ = try store.delete(plans.shelves, key: shelf)
      _ = try twin?.delete(plans.shelves, key: shelf)
      model.delete(shelf: shelf)
    }
    try compare(store, "")
    if let twin { try compare(twin, " in other commits") }
  }

  private mutating func play(
    _ step: FormStep, as plan: Plan, _ entity: String, _ counts: FormModel.Counts, _ next: FormModel
  ) throws {
    let options = try step.options
    let report = try Mapper(store).importJSON(step.json, as: plan, options: options)
    let found = report[entity] ?? .init()
    let counted = FormModel.Counts(
      inserted: found.inserted, updated: found.updated, deleted: found.deleted, stale: found.stale)
    // An import in several commits counts an object again in each.
    if options.commitInterval == nil { try expect("the counts", counted, is: counts) }
    if !options.isDryRun { model = next }
    guard let twin else { return }
    _ = try Mapper(twin).importJSON(step.json, as: plan, options: step.otherwise.options)
    guard step.isRepeatable else { return }
    try compare(store, "")
    let again = try Mapper(store).importJSON(step.json, as: plan, options: options)
    try compare(store, " after a second import")
    let isChanged = again.entities.contains {
      $0.counts.inserted + $0.counts.updated + $0.counts.deleted > 0
    }
    if step.isPlain, isChanged { throw Failure(reason: "a second import: \(again)") }
  }

  private func compare(_ store: any Store, _ place: String) throws {
    try expect("the items\(place)", store.lines(of: plans.items), is: model.itemLines)
    try expect("the shelves\(place)", store.lines(of: plans.shelves), is: model.shelfLines)
    try expect("the tags\(place)", store.lines(of: plans.tags), is: model.tagLines)
  }

  /// Checks the store, and compares copies of it.
  func finish() throws {
    guard let others else { return }
    if let report = try (store as? any PersistentStore)?.check(), !report.isSound {
      throw Failure(reason: "\(report.problems)")
    }
    try store.dump(to: others.dump)
    let loaded = try others.make()
    _ = try loaded.load(dump: others.dump)
    try compare(loaded, " of a dump")
    let copy = try others.make()
    for plan in [plans.shelves, plans.tags, plans.items] {
      let text = try store.lines(of: plan).joined(separator: "\n")
      _ = try Mapper(copy).importJSON(text, as: plan, options: ImportOptions(format: .ndjson))
    }
    try compare(copy, " of an export")
  }
}

extension Store {
  /// The export of a plan's root objects.
  fileprivate func lines(of plan: Plan) throws -> [String] {
    var text: [UInt8] = []
    _ = try read(plan) { snapshot in
      try Serializer(plan).export(from: &snapshot.reader, options: ExportOptions(format: .ndjson)) {
        text += $0
      }
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
