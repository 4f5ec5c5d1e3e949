public import FastMapCore
import FastMapStoreTesting

/// Does steps to stores, as a check of its own.
public protocol FormPlayer {
  /// Does one step, and compares the stores with the run.
  func play(_ step: FormStep, _ run: FormRun) throws
  func finish(_ run: FormRun) throws
}

extension FormPlayer {
  public func finish(_ run: FormRun) throws {}
}

/// A random sequence of payloads, beside a model of a store.
public struct FormRun {
  /// The mappings of shelves, tags and items.
  public var plans: [Plan] { [worlds.shelves, worlds.tags, worlds.items] }
  /// The forms of each object of the last payload.
  public private(set) var met: [Set<Form>] = []

  private let worlds: (shelves: Plan, items: Plan, tags: Plan)
  private let policy: FormModel.Policy
  private var model = FormModel()
  private var counts = FormModel.Counts()
  private var steps: [FormStep] = []

  /// Plays random steps in an empty store, each of them twice.
  ///
  /// - Parameters:
  ///   - number: Chooses the policy of lists.
  ///   - makePlayer: Makes a player with an empty store. Where the steps fail, others play fewer of them.
  /// - Throws: ``ContractViolationError``, with the fewest steps that fail.
  public static func check(
    number: Int, seed: UInt64, steps count: Int, by makePlayer: () throws -> any FormPlayer
  ) throws {
    let choice = number % FormModel.Policy.allCases.count
    let (worlds, policy) = (try FormWorld.plans.get()[choice], FormModel.Policy.allCases[choice])
    var payloads = FormPayloads(random: SplitMix(state: seed))
    /// Does steps, and then some random ones.
    func difference(after steps: [FormStep], more: Int = 0) throws -> Failure? {
      var run = FormRun(worlds: worlds, policy: policy)
      do {
        let player = try makePlayer()
        for number in 0..<steps.count + more {
          let step =
            number < steps.count
            ? steps[number] : number % 2 == 1 ? run.steps[number - 1] : payloads.step(over: run.model)
          let before = run.model
          run.advance(step)
          if more > 0, number % 2 == 1, step.isRepeatable,
            run.model != before || step.isPlain && !run.counts.areNone
          {
            throw Failure(reason: "a second import changes the model")
          }
          try player.play(step, run)
        }
        try player.finish(run)
        return nil
      } catch {
        // Fewer objects may miss a kind, which is no difference.
        if more == 0, error is MappingError { return nil }
        let reason = (error as? Failure)?.reason ?? "\(error)"
        let shown = run.steps.map(\.description).joined(separator: " | ")
        let failure = Failure(reason: "\(policy), \(shown): \(reason)")
        return more > 0 ? try fewest(run.steps) ?? failure : failure
      }
    }
    /// Leaves out every step and every object that the failure does not need.
    func fewest(_ steps: [FormStep]) throws -> Failure? {
      guard var result = try difference(after: steps) else { return nil }
      var steps = steps
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
    if let failure = try difference(after: [], more: count) {
      throw ContractViolationError(
        promise: "An import of any form does what its model does", reason: "seed \(seed): \(failure.reason)")
    }
  }

  private init(worlds: (shelves: Plan, items: Plan, tags: Plan), policy: FormModel.Policy) {
    (self.worlds, self.policy) = (worlds, policy)
  }

  private mutating func advance(_ step: FormStep) {
    steps.append(step)
    var next = model
    switch step.work {
    case .items(let texts, let least):
      met = Form.sets(of: texts, over: model, policy)
      counts = next.load(texts, policy, replacingFrom: least)
    case .shelves(let texts, let isComplete): counts = next.load(texts, isComplete: isComplete)
    case .deletion(let shelf): next.delete(shelf: shelf, policy)
    }
    if !step.isDryRun { model = next }
  }

  /// Does a step to a store.
  ///
  /// - Parameter isCounted: Whether the report is compared with the model.
  /// - Returns: The report of an import.
  public func play(_ step: FormStep, on store: any Store, isCounted: Bool = true) throws -> ImportReport? {
    let (plan, entity): (Plan, String)
    switch step.work {
    case .items: (plan, entity) = (worlds.items, "Item")
    case .shelves: (plan, entity) = (worlds.shelves, "Shelf")
    case .deletion(let shelf):
      _ = try store.delete(worlds.shelves, key: shelf)
      return nil
    }
    let report = try Mapper(store).importJSON(step.json, as: plan, options: step.options)
    let found = report[entity] ?? .init()
    let counted = FormModel.Counts(
      inserted: found.inserted, updated: found.updated, deleted: found.deleted, stale: found.stale)
    // An import in several commits counts an object again in each.
    if isCounted, step.commitInterval == nil { try expect("the counts", counted, is: counts) }
    return report
  }

  /// Compares the exports of a store with the model.
  ///
  /// - Parameter place: Where a difference is, for its message.
  public func compare(_ store: any Store, _ place: String = "the store") throws {
    let lines = [model.shelfLines, model.tagLines, model.itemLines]
    for (plan, lines) in zip(plans, lines) { try expect(place, Self.lines(of: store, plan), is: lines) }
  }

  /// The export of a plan's root objects.
  public static func lines(of store: any Store, _ plan: Plan) throws -> [String] {
    var text: [UInt8] = []
    _ = try store.read(plan) { snapshot in
      try Serializer(plan).export(from: &snapshot.reader, options: ExportOptions(format: .ndjson)) {
        text += $0
      }
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
