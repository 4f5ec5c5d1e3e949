import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Random queries over random stores, beside an array.
@Suite struct QueryModelTests {
  @Test(arguments: StoreKind.allCases)
  func aQueryFindsWhatAnArrayHas(_ kind: StoreKind) throws {
    var random = Random(for: "queries on \(kind)")
    let perStore = kind == .postgres ? 100 : 50
    for _ in 0..<(TestSize.rounds(small: 100, whole: 500) / perStore) {
      try checkQueries(perStore, on: try kind.make(), &random)
    }
  }
}
