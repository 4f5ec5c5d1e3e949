import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The first of many objects that refer to one.
@Suite struct FirstOwnerTests {
  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("hub", hub)
    ToMany("hubs", hub)
  }
  private static let hub: Mapping<Record> = Mapping("Hub", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("items", inverseOf: "hub", of: item)
    ToOne("first", inverseOf: "hubs", of: item)
  }

  /// Items that refer to a hub, by their keys.
  private func store(_ items: [(id: Int, hub: Int)]) throws -> ScratchStore {
    let store = try ScratchStore()
    let json = items.map { #"{"id":\#($0.id),"hub":\#($0.hub),"hubs":[\#($0.hub)]}"# }
    _ = try Mapper(store).importJSON("[\(json.joined(separator: ","))]", as: Self.item)
    return store
  }

  private func count(_ filter: String, _ store: ScratchStore) throws -> Int {
    try store.read(Self.hub.plan()) { try $0.count(Self.hub.where(Filter(filter))) }
  }

  /// Few and many owners, at the beginning of all objects, far behind it, and in the order of creation or not.
  @Test(arguments: [0, 1, 2, 300], [0, 100])
  func theFirstOfFewOwnersHasTheLeastKey(_ owners: Int, _ others: Int) throws {
    try expectFirst(owners, others)
  }

  @Test(arguments: [0, 1023, 1024, 1500])
  func theFirstOfManyOwnersHasTheLeastKey(_ others: Int) throws {
    try expectFirst(TestSize.count(small: others == 0 ? 4096 : 4097, whole: 5000), others)
  }

  private func expectFirst(_ owners: Int, _ others: Int) throws {
    let items = (0..<owners + others).map { (id: $0, hub: $0 < others ? 2 : 1) }
    let store = try store(items.reversed())
    #expect(try count("@.items[0].id == \(others)", store) == (owners > 0 ? 1 : 0))
    #expect(try count("@.first == \(others)", store) == (owners > 0 ? 1 : 0))
    #expect(try count("@.items[0] == 0", store) == (others > 0 || owners > 0 ? 1 : 0))
    // Others than the first one are found as before.
    #expect(try count("@.items[1] == \(others + 1)", store) == (owners > 1 ? 1 : 0))
  }

  @Test func theTimeDoesNotGrowWithTheOwners() throws {
    let large = TestSize.count(small: 40_000, whole: 80_000)
    let times = try growth(from: large / 8, to: large) { count, measure in
      let store = try store((0..<count).map { (id: ($0 * 7919) % count, hub: 1) })
      try measure {
        for _ in 0..<20 { _ = try self.count("@.items[0] == 1 || @.first == 1", store) }
      }
    }
    #expect(times < 4)
  }
}
