import FastMapCore
import TestSupport
import Testing

/// The questions of a deletion to the store are linear in the number of deleted objects, whatever the order.
@Suite struct ImportDeletionWorkTests {
  private static let item = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("next", link)
  }
  private static let link = Mapping("Link", entity: "Item", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }

  private static func list(_ policy: RelationshipPolicy) -> Mapping<Record> {
    Mapping("List", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("items", item, policy: policy)
      ToMany("others", link, policy: .merge)
    }
  }

  /// The first of them refers to the last, that to the second, that to the last but one…
  private static func zigZag(_ count: Int) -> String {
    var order: [Int] = []
    var ends = (0, count - 1)
    while ends.0 <= ends.1 {
      order.append(ends.0)
      if ends.0 < ends.1 { order.append(ends.1) }
      ends = (ends.0 + 1, ends.1 - 1)
    }
    var next = [Int?](repeating: nil, count: count)
    for (item, other) in zip(order, order.dropFirst()) { next[item] = other }
    let items = next.enumerated().map { id, next in
      "{\"id\":\(id),\"next\":\(next.map { "\($0)" } ?? "null")}"
    }
    return "{\"id\":1,\"items\":[\(items.joined(separator: ","))]}"
  }

  private static func work(
    _ kind: StoreKind, _ policy: RelationshipPolicy, _ texts: [String], deleting count: Int
  ) throws -> Int {
    func run(_ base: some Store) throws -> Int {
      let store = WatchedStore(base)
      let plan = try Plan(list(policy))
      for text in texts.dropLast() { _ = try Mapper(store).importJSON(Array(text.utf8), as: plan) }
      _ = store.takeCalls()
      let report = try Mapper(store).importJSON(Array((texts.last ?? "").utf8), as: plan)
      #expect(report["Item"]?.deleted == count)
      return store.takeCalls().reduce(0) { $0 + $1.count }
    }
    return try run(kind.make())
  }

  @Test(arguments: StoreKind.allCases)
  func aZigZagThatIsLetGoTakesLinearWork(_ kind: StoreKind) throws {
    let work = try [100, 200, 400].map { count in
      try Self.work(kind, .replace, [Self.zigZag(count), #"{"id":1,"items":[]}"#], deleting: count)
    }
    #expect(work[1] < work[0] * 5 / 2, "\(work)")
    #expect(work[2] < work[1] * 5 / 2, "\(work)")
    #expect(work[2] < 400 * 8, "\(work)")
  }

  @Test(arguments: StoreKind.allCases)
  func aListOfAnotherIsGoneOverOnce(_ kind: StoreKind) throws {
    func run(_ base: some Store) throws {
      let store = WatchedStore(base)
      let plan = try Plan(Self.list(.replace(deletesShared: true)))
      let ids = (0..<300).map { "\($0)" }.joined(separator: ",")
      let text = "[\(Self.zigZag(300)),{\"id\":2,\"others\":[\(ids)]}]"
      _ = try Mapper(store).importJSON(Array(text.utf8), as: plan)
      _ = store.takeCalls()
      let report = try Mapper(store).importJSON(Array(#"{"id":1,"items":[]}"#.utf8), as: plan)
      #expect(report["Item"]?.deleted == 300)
      #expect(store.takeCalls().count { $0.name == "delete" } == 1)
    }
    try run(kind.make())
  }

  /// An object that many refer to is let go by each of them in turn.
  @Test(arguments: StoreKind.allCases)
  func aSharedTargetIsCheckedOnceForEachDeletedReferrer(_ kind: StoreKind) throws {
    let hub = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("kept", Self.link, policy: .replace)
      ToOne("hub", Self.link, policy: .replace)
    }
    func run(_ base: some Store) throws {
      let store = WatchedStore(base)
      let plan = try Plan(hub)
      let owners = (0..<300).map { "{\"id\":\($0),\"hub\":7}" }.joined(separator: ",")
      _ = try Mapper(store).importJSON(Array("[\(owners),{\"id\":1000,\"kept\":[7]}]".utf8), as: plan)
      _ = store.takeCalls()
      let freed = (0..<300).map { "{\"id\":\($0),\"hub\":null}" }.joined(separator: ",")
      let report = try Mapper(store).importJSON(Array("[\(freed)]".utf8), as: plan)
      #expect(report["Item"] == nil)
      #expect(store.takeCalls().count { $0.name == "references" } <= 1)
      try #expect(
        Mapper(store).importJSON(Array(#"{"id":1000,"kept":[]}"#.utf8), as: plan)["Item"]?.deleted == 1)
    }
    try run(kind.make())
  }
}
