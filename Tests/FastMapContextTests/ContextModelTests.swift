import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// Random reads, edits, imports, saves and rollbacks, against a model: of instances on every store of values, and of
/// records on every store.
@Suite struct ContextModelTests {
  /// The sequences of 60 steps on a store. One with questions that take long has a third of them.
  private static func count(_ kind: StoreKind) -> Int {
    let isFar = kind == .remote || kind == .postgres
    return TestSize.rounds(small: kind == .lmdb ? 2 : 1, whole: isFar ? 5 : 10)
  }

  private static let stores: [StoreKind] = StoreKind.allCases

  @Test(arguments: stores)
  func randomSequencesMatchTheModel(_ kind: StoreKind) throws {
    try Self.run(kind, hasRecords: false, Random(for: "randomSequencesMatchTheModel"))
  }

  @Test(arguments: StoreKind.allCases)
  func randomSequencesOfRecordsMatchTheModel(_ kind: StoreKind) throws {
    try Self.run(kind, hasRecords: true, Random(for: "randomSequencesOfRecordsMatchTheModel"))
  }

  @Test(arguments: StoreKind.allCases)
  func randomSequencesWithAwaitMatchTheModel(_ kind: StoreKind) async throws {
    var random = Random(for: "randomSequencesWithAwaitMatchTheModel")
    for number in 0..<Self.count(kind) {
      let hasRecords = number % 3 == 0
      try await checkContextAwaiting(on: kind.make(), hasRecords: hasRecords, seed: random.next())
    }
  }

  private static func run(_ kind: StoreKind, hasRecords: Bool, _ random: Random) throws {
    var random = random
    for _ in 0..<count(kind) {
      try checkContext(on: kind.make(), hasRecords: hasRecords, seed: random.next())
    }
  }
}
