import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// Random payloads of every form beside a model: keys of several parts, scoped keys, keyed collections, kinds, ages, deletions, weak
/// links, and complete lists.
@Suite struct FormModelTests {
  @Test(arguments: StoreKind.allCases)
  func payloadsMatchTheModel(_ kind: StoreKind) throws {
    var random = Random(for: "forms on \(kind)")
    for number in 0..<TestSize.rounds(small: 3, whole: 6) {
      try checkForms(number: number, seed: random.next()) { try kind.make() }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func pagesThatComeTwiceInAnyOrderGiveTheSameExport(_ kind: StoreKind) throws {
    var random = Random(for: "orders on \(kind)")
    for _ in 0..<TestSize.rounds(small: 3, whole: 8) {
      try checkFormOrders(seed: random.next()) { try kind.make() }
    }
  }
}
