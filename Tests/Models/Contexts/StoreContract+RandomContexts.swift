package import FastMapCore
public import FastMapStoreTesting

extension StoreContract {
  /// Reads, edits, saves and rolls back at random in contexts, while others write, and compares the contexts and the stores with a
  /// model.
  ///
  ///     try StoreContract { MyStore() }.runContexts(100, seed: .random(in: 0 ... .max))
  ///
  /// The objects refer to each other, own others and have inverses. Some imports go into the context.
  ///
  /// By turns the contexts have instances and records.
  ///
  /// - Parameters:
  ///   - count: The number of contexts. Each has a dozen objects and 60 steps. They use one store, which is emptied after each.
  ///   - seed: Another one makes other objects and steps.
  /// - Throws: ``ContractViolationError``, with the seed and the steps.
  public func runContexts(_ count: Int, seed: UInt64) throws {
    var random = SplitMix(state: seed)
    do {
      let store = try makePlace()()
      for number in 0..<count {
        let hasRecords = number % 2 == 1
        try checkContext(on: store, hasRecords: hasRecords, seed: random.next())
        let left = hasRecords ? try ContextItem.record.plan() : try ContextItem.mapping.plan()
        for entity in ["Item", "Note"] { _ = try store.delete(left.query(of: entity)) }
      }
    } catch let failure as Failure {
      throw ContractViolationError(
        promise: "A context does what its model does", reason: "seed \(seed): \(failure.reason)")
    }
  }
}

/// Fills an empty store, and does sixty things at random in a context of it.
///
/// - Throws: A difference from the model, with all steps before.
package func checkContext(on store: any Store, hasRecords: Bool, seed: UInt64) throws {
  var run = try ContextRun(store, hasRecords: hasRecords, SplitMix(state: seed))
  for _ in 0..<60 { try run.step() }
  try run.end()
}

/// The same, with imports and saves that are awaited, and edits meanwhile.
@MainActor
package func checkContextAwaiting(on store: any Store, hasRecords: Bool, seed: UInt64) async throws {
  var run = try ContextRun(store, hasRecords: hasRecords, SplitMix(state: seed))
  for _ in 0..<60 { try await run.awaitingStep() }
  try run.end()
}
