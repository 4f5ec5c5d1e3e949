package import FastMapCore
public import FastMapStoreTesting

extension StoreContract {
  /// Asks random queries about random objects, with indexes and inverses, and compares the results with an array of the
  /// same objects.
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
        _ = try checkQueries(asked - asked / 2, on: try makePlace()(), &random)
        let count = left % 3 == 0 ? 600 : 40
        _ = try checkItemQueries(
          asked / 2, of: count, asRecords: random.below(2) == 0, on: try makePlace()(), &random)
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
/// - Returns: How they ran.
/// - Throws: A difference from an array of the same objects.
package func checkQueries(
  _ count: Int, on store: some Store, _ random: inout some RandomNumberGenerator
) throws -> QueryTally {
  let model = Model(&random)
  _ = try Mapper(store).importJSON(model.tagJSON, as: Model.tag)
  _ = try Mapper(store).importJSON(model.json, as: Model.person)
  var filters = RandomFilter(random: random)
  defer { random = filters.random }
  var tally = QueryTally()
  try store.read(Model.person) { snapshot in
    for _ in 0..<count {
      let query = try RandomQuery(&filters, model)
      let number = filters.random.below(4)
      for way in [nil, number] {
        try ForcedIndex.choosing(way) {
          try query.check(&snapshot, model)
          tally.add(try snapshot.explain(query.query), isForced: way != nil)
        }
      }
    }
  }
  return tally
}

/// How random queries ran: as they are, and with an index where there is a way through one.
package struct QueryTally {
  package private(set) var (asked, indexed, forcedThroughIndex) = (0, 0, 0)

  package init() {}

  mutating func add(_ explanation: QueryExplanation, isForced: Bool) {
    if !isForced { asked += 1 }
    guard case .index = explanation.access else { return }
    if isForced { forcedThroughIndex += 1 } else { indexed += 1 }
  }

  package static func += (a: inout QueryTally, b: QueryTally) {
    a.asked += b.asked
    a.indexed += b.indexed
    a.forcedThroughIndex += b.forcedThroughIndex
  }
}

/// Fills an empty store with plain objects at random, and asks it random queries.
///
/// - Parameter asRecords: Whether no class makes the objects. Then all numbers are numbers.
/// - Returns: How they ran.
/// - Throws: A difference from an array of the same objects.
package func checkItemQueries(
  _ count: Int, of size: Int, asRecords: Bool, on store: some Store,
  _ random: inout some RandomNumberGenerator
) throws -> QueryTally {
  let model = try ModelItems(size, asRecords: asRecords, &random)
  for payload in model.payloads { _ = try Mapper(store).importJSON(payload, as: model.plan) }
  var tally = QueryTally()
  try store.read(model.plan) { snapshot in
    for _ in 0..<count {
      let query = try RandomItemQuery(model, &random)
      let number = random.below(4)
      for way in [nil, number] {
        try ForcedIndex.choosing(way) {
          tally.add(try query.check(&snapshot), isForced: way != nil)
        }
      }
    }
  }
  return tally
}
