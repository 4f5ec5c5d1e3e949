package import FastMapCore
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

/// Imports forty random payloads into an empty store.
///
/// - Parameters:
///   - number: Chooses the policy of lists.
///   - makeStore: Makes an empty store.
/// - Throws: A difference from the model, with the fewest steps that show it.
package func checkForms(number: Int, seed: UInt64, on makeStore: () throws -> any Store) throws {
  try FormRun.check(number: number, seed: seed, steps: 40) { StorePlayer(store: try makeStore()) }
}

private struct StorePlayer: FormPlayer {
  let store: any Store

  func play(_ step: FormStep, _ run: FormRun) throws {
    _ = try run.play(step, on: store)
    try run.compare(store)
  }
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
    let lines = try FormRun.lines(of: store, plans.items) + FormRun.lines(of: store, plans.shelves)
    if let first { try expect("the export of \(texts)", lines, is: first) }
    first = lines
  }
}
