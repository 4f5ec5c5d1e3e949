import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// The end of a context leaves the records that the caller holds, and no other.
@Suite struct ContextRecordEndTests {
  private final class Weak {
    weak var record: EditableRecord?
    init(_ record: EditableRecord) { self.record = record }
  }

  private static func load(_ kind: StoreKind, _ nodes: [String]) throws -> (any Store, Plan) {
    let world = try World(kind, Library.records().plan(for: "Node"))
    try world.load("[\(nodes.joined(separator: ","))]")
    return (world.store, world.plan())
  }

  /// All records of a context.
  private static func all(_ context: ObjectContext) throws -> [Weak] {
    let graph = try context.open().graph
    return (graph.all.compactMap(\.record) + graph.made).map { Weak($0) }
  }

  @Test(arguments: StoreKind.allCases)
  func aRingIsReadOneLevelAtATimeAndReleasedWithoutRecursion(_ kind: StoreKind) throws {
    let count = TestSize.count(kind, small: 4000, others: 50, whole: 20_000)
    let (store, plan) = try Self.load(
      kind, (0..<count).map { #"{"id":\#($0),"next":\#(($0 + 1) % count)}"# })
    try store.withContext(for: plan) { context in
      let last = try #require(try context.record("Node", key: count - 1, including: ["next"]))
      #expect(try last.target("next")?.key == 0)
      #expect(try Self.all(context).count == 2)
      try context.load(["next.next.next"], of: [last])
      #expect(try Self.all(context).count == 4)
    }
    try onSmallStack {
      var left: [Weak] = []
      try store.withContext(for: plan) { context in
        let all = try context.records("Node", including: ["next", "referrers"])
        #expect(all.count == count)
        #expect(try all[5].target("next") === all[6])
        #expect(try all[5].keys("referrers") == [4])
        left = try Self.all(context)
      }
      #expect(left.count == count && left.allSatisfy { $0.record == nil })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func newRecordsThatReferToEachOtherLeaveNone(_ kind: StoreKind) throws {
    let (store, plan) = try Self.load(kind, [#"{"id":1}"#])
    var left: [Weak] = []
    let held = try store.withContext(for: plan) { context in
      let first = try #require(try context.record("Node", key: 1, including: ["friends"]))
      func pair(_ key: Int64) throws -> EditableRecord {
        let (a, b) = (
          try context.insert("Node", ["id": .integer(key)]),
          try context.insert("Node", ["id": .integer(key + 1)])
        )
        try a.set("friends", to: [b, first])
        try b.set("next", to: a)
        left += [Weak(a), Weak(b)]
        return a
      }
      try first.set("friends", to: [pair(10)])
      #expect(try summary(context.save()) == "Node +2 ~1")
      // Taken back, forgotten, and not saved.
      _ = try pair(20)
      try context.rollBack()
      try context.delete(pair(30))
      _ = try pair(40)
      return first
    }
    #expect(left.count == 8)
    #expect(left.allSatisfy { $0.record == nil })
    #expect(held.key == 1)
    #expect(throws: ContextError.hasEnded) { try held.targets("friends") }
  }
}
