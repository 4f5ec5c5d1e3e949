import FastMapCore
import TestSupport
import Testing

@testable import FastMapLMDB

private final class Item {
  var id = 0
  var name = ""
  var next: Item?

  static let mapping: Mapping<Item> = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("next", \.next, mapping)
  }
}

/// Instances and records of many keys in one snapshot.
@Suite struct ManyInstancesTests {
  let scratch = Scratch()

  /// Stores objects with every third key from -3000 to 3000, in random order, so that numbers and keys are in two orders.
  private func load() throws -> [Int] {
    var numbers = Random(seed: 3)
    let ids = stride(from: -3000, through: 3000, by: 3).map(\.self).shuffled(using: &numbers)
    let store = try LMDBStore(at: scratch.store)
    let json = ids.map { #"{"id":\#($0),"name":"n\#($0)","next":{"id":\#(-$0)}}"# }.joined(separator: ",")
    _ = try Mapper(store).importJSON("[\(json)]", as: Item.mapping)
    return ids
  }

  /// A store that is open for reading only is never verified as a whole.
  private func open(isReadOnly: Bool) throws -> LMDBStore {
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = isReadOnly }
    return try LMDBStore(at: scratch.store, configuration: configuration)
  }

  @Test(arguments: [false, true]) func everyObjectHasOneInstanceHoweverItIsReached(isReadOnly: Bool) throws {
    _ = try load()
    var numbers = Random(seed: 4)
    let wanted = (0..<5000).map { _ in Int.random(in: -3100...3100, using: &numbers) }
    try open(isReadOnly: isReadOnly).read { snapshot in
      let single = try snapshot.object(Item.mapping, key: 3, depth: .max)
      let found = try snapshot.objects(Item.mapping.keys(wanted), depth: .max)
      #expect(found.map(\.id) == Set(wanted).filter { $0.magnitude <= 3000 && $0 % 3 == 0 }.sorted())
      #expect(found.allSatisfy { $0.name == "n\($0.id)" && $0.next?.id == -$0.id })
      let all = try snapshot.objects(Item.mapping, depth: .max)
      #expect(all.map(\.id) == Array(stride(from: -3000, through: 3000, by: 3)))
      let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
      #expect(found.allSatisfy { byID[$0.id] === $0 })
      #expect(all.allSatisfy { byID[-$0.id] === $0.next })
      #expect(single === byID[3])
      for id in [-3000, -1, 0, 9, 3000] {
        #expect(try snapshot.object(Item.mapping, key: id, depth: .max) === byID[id])
      }
      let some = try snapshot.objects(
        Item.mapping.keys(-10..<100).sorted(by: \.id, descending: true).limit(20), depth: .max)
      #expect(some.map(\.id) == Array(stride(from: 99, to: -10, by: -3).prefix(20)))
      #expect(some.allSatisfy { byID[$0.id] === $0 })
    }
  }

  @Test func keysInAnyOrderAreFoundOnce() throws {
    let ids = try load()
    let wanted = (ids + [1, 2] + ids.reversed()).map { PrimaryKey.integer(Int64($0)) }
    let records = try open(isReadOnly: true).read(Item.mapping) { try $0.records(Item.mapping.keys(wanted)) }
    #expect(records.map(\.key) == ids.sorted().map { .integer(Int64($0)) })
    #expect(records.allSatisfy { record in record["name"] == record.key.map { .string("n\($0)") } })
  }

  private static let orders: [[PrimaryKey]] = {
    var numbers = Random(seed: 5)
    let some = (0..<10_000).map { _ in Int64.random(in: -20_000...20_000, using: &numbers) }
    let wide = (0..<10_000).map { _ in Int64.random(in: .min ... .max, using: &numbers) }
    let few = (0..<100).map { _ in Int64.random(in: -5...5, using: &numbers) }
    let mixed: [PrimaryKey] = some.prefix(50).flatMap { [.integer($0), .string("\($0)")] }
    return [some, wide, few, some.sorted(), [.max, .min, 0], [], [7]].map { $0.map { .integer($0) } } + [
      mixed
    ]
  }()

  @Test(arguments: orders) func keysAreVisitedInAscendingOrder(_ keys: [PrimaryKey]) {
    let order = KeyOrder(keys)
    let places = keys.indices.map { order[$0] }
    #expect(places.map { keys[$0] } == keys.sorted())
    #expect(places.sorted() == Array(keys.indices))
  }
}
