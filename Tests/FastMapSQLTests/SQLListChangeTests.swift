import FastMapCore
import FastMapSQL
import Testing

@Suite struct SQLListChangeTests {
  @Test(
    arguments: [
      // old, new, kept, removes the rest, added
      ([], [], 0, false, []), ([], [1, 2], 0, false, [1, 2]), ([1, 2], [1, 2], 2, false, []),
      ([1, 2], [1, 2, 3, 3], 2, false, [3, 3]), ([1, 2, 3], [1], 1, true, []), ([1, 2], [], 0, true, []),
      ([1, 2, 3], [1, 3, 2], 1, true, [3, 2]), ([1, 1], [1], 1, true, []),
    ] as [([UInt64], [UInt64], Int, Bool, [UInt64])])
  func aSetListKeepsItsCommonBeginning(
    _ old: [UInt64], _ new: [UInt64], _ kept: Int, _ removesRest: Bool, _ added: [UInt64]
  ) {
    for policy in [RelationshipPolicy.assign, .replace] {
      let change = SQLListChange(from: ids(old), to: ids(new), policy: policy)
      #expect(change.kept == kept)
      #expect(change.removesRest == removesRest)
      #expect(Array(change.added) == ids(added))
      #expect(change.isEmpty == (old == new))
    }
  }

  @Test(
    arguments: [
      ([], [1, 1], [1]), ([1, 2], [3, 1, 3], [3]), ([1, 1], [1], []), ([2, 1], [], []),
    ] as [([UInt64], [UInt64], [UInt64])])
  func aMergedListGrowsByWhatIsNewEachOnce(_ old: [UInt64], _ new: [UInt64], _ added: [UInt64]) {
    let change = SQLListChange(from: ids(old), to: ids(new), policy: .merge)
    #expect(change.kept == old.count)
    #expect(!change.removesRest)
    #expect(Array(change.added) == ids(added))
    #expect(change.isEmpty == added.isEmpty)
  }

  private func ids(_ numbers: [UInt64]) -> [ObjectID] { numbers.map { ObjectID(rawValue: $0) } }
}
