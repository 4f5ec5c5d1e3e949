package import FastMapCore

extension StoreContract {
  /// Asks random queries about random objects, with indexes and inverses, and compares what the store finds with an
  /// array of the same objects.
  ///
  ///     try StoreContract { MyStore() }.runQueries(1000, seed: .random(in: 0 ... .max))
  ///
  /// - Parameters:
  ///   - count: The number of queries. Each store has a dozen objects and some hundred queries.
  ///   - seed: Another one makes other objects and queries.
  /// - Throws: ``ContractViolationError``, with the seed and the query, or the store's own error.
  public func runQueries(_ count: Int, seed: UInt64) throws {
    var random = SplitMix(state: seed)
    do {
      var left = count
      while left > 0 {
        let asked = min(left, 100)
        try checkQueries(asked, on: try makePlace()(), &random)
        left -= asked
      }
    } catch let failure as Failure {
      throw ContractViolationError(
        promise: "A query finds what an array has", reason: "seed \(seed): \(failure.reason)")
    }
  }
}

/// Fills an empty store with random objects, and asks it random queries.
///
/// - Throws: What differs from an array of the same objects.
package func checkQueries(
  _ count: Int, on store: some Store, _ random: inout some RandomNumberGenerator
) throws {
  let model = Model(&random)
  _ = try Mapper(store).importJSON(model.tagJSON, as: Model.tag)
  _ = try Mapper(store).importJSON(model.json, as: Model.person)
  var filters = RandomFilter(random: random)
  defer { random = filters.random }
  try store.read(Model.person) { snapshot in
    for _ in 0..<count { try RandomQuery(&filters, model).check(&snapshot, model) }
  }
}
