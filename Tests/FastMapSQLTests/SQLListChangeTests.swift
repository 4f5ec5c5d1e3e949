import FastMapCore
import FastMapSQL
import Testing

/// Positions are 0, 10, 20, …
@Suite struct SQLListChangeTests {
  @Test(
    arguments: [
      // old, new, removed from, added, the position of the first
      ([], [], nil, [], 0), ([], [1, 2], nil, [1, 2], 0), ([1, 2], [1, 2], nil, [], 11),
      ([1, 2], [1, 2, 3, 3], nil, [3, 3], 11), ([1, 2, 3], [1], 10, [], 1), ([1, 2], [], 0, [], 0),
      ([1, 2, 3], [1, 3, 2], 10, [3, 2], 1), ([1, 1], [1], 10, [], 1),
    ] as [([UInt64], [UInt64], Int64?, [UInt64], Int64)])
  func aSetListKeepsItsCommonBeginning(
    _ old: [UInt64], _ new: [UInt64], _ removedFrom: Int64?, _ added: [UInt64], _ first: Int64
  ) {
    for update in [ListUpdate.assign, .replace] {
      let change = SQLListChange(from: links(old), to: ids(new), update: update)
      #expect(change.removedFrom == removedFrom)
      #expect(Array(change.added) == ids(added))
      #expect(change.firstAdded == first)
      #expect(change.isEmpty == (old == new))
    }
  }

  @Test(
    arguments: [
      ([], [1, 1], [1]), ([1, 2], [3, 1, 3], [3]), ([1, 1], [1], []), ([2, 1], [], []),
    ] as [([UInt64], [UInt64], [UInt64])])
  func aMergedListGrowsByEachNewTargetOnce(_ old: [UInt64], _ new: [UInt64], _ added: [UInt64]) {
    let change = SQLListChange(from: links(old), to: ids(new), update: .merge)
    #expect(change.removedFrom == nil)
    #expect(Array(change.added) == ids(added))
    #expect(change.firstAdded == (old.isEmpty ? 0 : Int64(old.count - 1) * 10 + 1))
    #expect(change.isEmpty == added.isEmpty)
  }

  private func ids(_ numbers: [UInt64]) -> [ObjectID] { numbers.map { ObjectID(rawValue: $0) } }

  private func links(_ numbers: [UInt64]) -> [SQLLink] {
    numbers.enumerated().map { SQLLink(position: Int64($0 * 10), target: ObjectID(rawValue: $1)) }
  }
}
