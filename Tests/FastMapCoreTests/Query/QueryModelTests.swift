import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

/// Random queries over random stores, beside an array.
@Suite struct QueryModelTests {
  /// Queries for each store. `FASTMAP_QUERIES` sets another number.
  static let count = getenv("FASTMAP_QUERIES").flatMap { Int(String(cString: $0)) } ?? 500

  @Test(arguments: StoreKind.allCases)
  func aQueryFindsWhatAnArrayHas(_ kind: StoreKind) throws {
    var random = Random(for: "queries on \(kind)")
    let perStore = kind == .postgres ? 100 : 50
    for _ in 0..<(Self.count / perStore) { try checkQueries(perStore, on: try kind.make(), &random) }
  }
}
