import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Random imports, edits, deletions and refreshes of things, beside a model of plain values, on every store.
@Suite struct RandomParityTests {
  @Test(arguments: StoreKind.allCases)
  func randomSequencesMatchTheModel(_ kind: StoreKind) throws {
    var random = Random(for: "RandomParityTests")
    for _ in 0..<TestSize.rounds(small: 1, whole: 8) {
      let seed = random.next()
      var run = try ThingRun(kind.make(), seed: seed)
      defer { run.end() }
      for step in 0..<30 {
        let action = try run.step()
        if let fault = try run.fault() {
          Issue.record("sequence \(seed), step \(step), \(action): \(fault)")
          return
        }
      }
    }
  }
}
