import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// Random queries over random stores, beside an array. Each runs the cheapest way, and through an index where there is a way.
@Suite struct QueryModelTests {
  @Test(arguments: StoreKind.allCases)
  func aQueryMatchesAFilteredArray(_ kind: StoreKind) throws {
    var random = Random(for: "queries on \(kind)")
    let perStore = kind == .postgres ? 100 : 20
    var tally = QueryTally()
    let count = TestSize.rounds(small: kind == .remote ? 20 : 60, whole: 100)
    for _ in 0..<max(1, count / perStore) {
      tally += try checkQueries(perStore, on: try kind.make(), &random)
    }
    expectIndexes(kind, tally)
  }

  /// Few objects, each of whose values matters.
  @Test(arguments: StoreKind.allCases)
  func aQueryOfPlainObjectsMatchesAFilteredArray(_ kind: StoreKind) throws {
    var random = Random(for: "plain objects on \(kind)")
    var tally = QueryTally()
    for _ in 0..<TestSize.rounds(small: kind == .lmdb ? 4 : 1, whole: 5) {
      tally += try checkItemQueries(40, of: 24, asRecords: false, on: try kind.make(), &random)
    }
    expectIndexes(kind, tally)
  }

  /// More than are kept while they are sorted, and more than a page.
  @Test(arguments: StoreKind.allCases)
  func aQueryOfManyPlainObjectsMatchesAFilteredArray(_ kind: StoreKind) throws {
    var random = Random(for: "many plain objects on \(kind)")
    var tally = QueryTally()
    for _ in 0..<TestSize.rounds(small: 1, whole: 2) {
      let count = TestSize.count(small: kind == .lmdb ? 12 : 4, whole: 30, long: 40)
      tally += try checkItemQueries(count, of: 700, asRecords: false, on: try kind.make(), &random)
    }
    if tally.asked > 30 { expectIndexes(kind, tally) }
  }

  private func expectIndexes(_ kind: StoreKind, _ tally: QueryTally) {
    print("\(kind): \(tally)")
    // The others test the filter themselves, or have no indexes.
    guard kind == .memory || kind == .lmdb else { return }
    #expect(tally.forcedThroughIndex * 6 > tally.asked, "\(tally)")
  }
}
