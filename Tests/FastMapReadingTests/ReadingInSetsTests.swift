import FastMapCore
import FastMapLMDB
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapReading

private final class Owner {
  var id = 0
  var name: String?
  var items: [Item] = []
  var first: Item?

  static let mapping: Mapping<Owner> = Mapping(Owner.self, "Owner", primaryKey: "id", make: { Owner() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToMany("items", \.items, Item.mapping)
    ToOne("first", \.first, Item.mapping)
  }

  /// Owners with items of their own, which refer to them.
  static func payload(_ owners: Range<Int>, items: Int) -> String {
    let objects = owners.map { owner in
      let own = (0..<items).map { #"{"code":"\#(owner)-\#($0)","size":\#($0),"owner":{"id":\#(owner)}}"# }
      return #"{"id":\#(owner),"name":"Owner \#(owner)","items":[\#(own.joined(separator: ","))],"#
        + #""first":{"code":"\#(owner)-0"}}"#
    }
    return "[\(objects.joined(separator: ","))]"
  }
}

private final class Item {
  var code = ""
  var size: Int?
  var owner: Owner?

  static let mapping: Mapping<Item> = Mapping(Item.self, "Item", primaryKey: "code", make: { Item() }) {
    Attribute("code", \.code)
    Attribute("size", \.size)
    ToOne("owner", \.owner, Owner.mapping)
  }
}

/// The number of questions to a store that prefers sets.
@Suite struct ReadingInSetsTests {
  private static func load(_ owners: Range<Int>, items: Int) throws -> ScratchStore {
    let store = try ScratchStore()
    _ = try Mapper(store).importJSON(Owner.payload(owners, items: items), as: Owner.mapping)
    return store
  }

  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("friends", person)
  }

  private static let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("next", node)
  }

  @Test func anObjectWithAHundredRelatedOnesTakesFewQuestions() throws {
    let store = try Self.load(1..<4, items: 100)
    let plan = try Owner.mapping.plan()
    let made = try store.readInSets(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      let owner = try #require(try snapshot.object(Owner.mapping, key: 2, depth: .max))
      #expect(owner.items.map(\.code) == (0..<100).map { "2-\($0)" })
      #expect(owner.items.allSatisfy { $0.owner === owner })
      #expect(owner.first === owner.items[0])
      for item in owner.items { item.owner = nil }
    }
    #expect(made.count.total <= 6)
    #expect(made.count.rows == 101)

    let serializer = try Serializer(Owner.mapping)
    let written = try store.readInSets(plan.schema) { reader in
      let id = try #require(try reader.find(2, of: 0))
      var output = JSONWriter()
      try serializer.write(id, from: &reader, to: &output)
      return output.bytes
    }
    #expect(written.count.total <= 4)
    #expect(written.count.rows == 101)
    let direct = try store.read(plan.schema) { reader in
      let id = try #require(try reader.find(2, of: 0))
      var output = JSONWriter()
      try serializer.write(id, from: &reader, to: &output)
      return output.bytes
    }
    #expect(written.result == direct)

    let copied = try store.readInSets(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      let owner = try #require(try snapshot.record("Owner", key: 2))
      let items = try snapshot.records("items", of: owner)
      #expect(items.map(\.key) == (0..<100).map { .string("2-\($0)") })
    }
    #expect(copied.count.total <= 6)
  }

  @Test func anExportOfTenThousandOwnersTakesFewQuestions() throws {
    let owners = TestSize.count(small: 1000, whole: 10_000)
    let store = try Self.load(1..<owners + 1, items: 4)
    let serializer = try Serializer(Owner.mapping)
    for format in [JSONFormat.json, .ndjson] {
      let options = ExportOptions(format: format)
      let (text, count) = try store.readInSets(serializer.plan.schema) { reader in
        var text: [UInt8] = []
        try serializer.export(from: &reader, options: options) { text += $0 }
        return text
      }
      #expect(count.total <= TestSize.count(small: 16, whole: 40))
      #expect(count.rows == 5 * owners)
      let direct = try store.read(serializer.plan.schema) { reader in
        var text: [UInt8] = []
        try serializer.export(from: &reader, options: options) { text += $0 }
        return text
      }
      #expect(text == direct)
    }
  }

  @Test func keyListsAndRangesTakeFewQuestions() throws {
    let store = try Self.load(1..<3001, items: 2)
    let plan = try Owner.mapping.plan()
    let keys = stride(from: 3000, to: 0, by: -3).map { PrimaryKey.integer(Int64($0)) }
    let listed = try store.readInSets(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      let records = try snapshot.records(plan.query(of: "Owner").keys(keys + [0]))
      #expect(records.map(\.key) == keys.reversed())
      #expect(
        records.allSatisfy { $0.targets("items").count == 2 && $0.target("first") == $0.targets("items")[0] })
    }
    #expect(listed.count.total == 3)
    let ranged = try store.readInSets(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      let records = try snapshot.records(
        plan.query(of: "Owner").keys(100..<2000).sorted(by: "id", descending: true).limit(1500))
      #expect(records.map(\.key) == (500..<2000).reversed().map { .integer(Int64($0)) })
    }
    #expect(ranged.count.total == 3)
    let objects = try store.readInSets(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      let owners = try snapshot.objects(Owner.mapping.keys(keys), depth: .max)
      #expect(owners.map { .integer(Int64($0.id)) } == keys.reversed())
      for owner in owners { owner.items.forEach { $0.owner = nil } }
    }
    #expect(objects.count.total <= 6)
    let rows = try store.readInSets(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      var found: [PrimaryKey?] = []
      try snapshot.forEachRow(plan) { row, key in
        let stored = try row["id"].key
        #expect(stored == key)
        found.append(key)
        return found.count < 2500
      }
      #expect(found == (1...2500).map { .integer(Int64($0)) })
    }
    #expect(rows.count.total <= 4)
  }

  /// An object that will be abbreviated needs its row only.
  @Test func nothingIsReadThatTheOutputDoesNotNeed() throws {
    let plan = try Plan(Self.person)
    let store = try ScratchStore()
    let people = (0..<1000).map { id in
      #"{"id":\#(id),"friends":[\#((0..<10).map { #"{"id":\#((id * 7 + $0 * 31) % 1000)}"# }.joined(separator: ","))]}"#
    }
    _ = try Mapper(store).importJSON("[\(people.joined(separator: ","))]", as: plan)
    func rows(_ change: (inout SerializerOptions) -> Void) throws -> (rows: Int, lists: Int) {
      var options = SerializerOptions()
      change(&options)
      let serializer = Serializer(plan, options: options)
      let (_, count) = try store.readInSets(plan.schema) { reader in
        let id = try #require(try reader.find(5, of: 0))
        var output = JSONWriter()
        try serializer.write(id, from: &reader, to: &output)
      }
      return (count.rows, count.lists)
    }
    let one = try rows { _ in }
    #expect(one == (11, 1))
    let two = try rows {
      $0.cycles = .repeatAsKey
      $0.depth = 1
    }
    #expect(two.rows <= 1 + 10 + 100 && two.lists == 11)
    let none = try rows {
      $0.cycles = .repeatAsKey
      $0.depth = 0
    }
    #expect(none == (11, 1))
    let all = try rows { $0.cycles = .repeatAsKey }
    #expect(all == (1000, 1000))
  }

  @Test func aLongRingIsReadOnce() throws {
    let plan = try Plan(Self.node)
    let store = MemoryStore()
    let count = TestSize.count(small: 5000, whole: 30_000, long: 100_000)
    let nodes = (0..<count).map { #"{"id":\#($0),"next":{"id":\#(($0 + 1) % count)}}"# }
    _ = try Mapper(store).importJSON("[\(nodes.joined(separator: ","))]", as: plan)
    for (cycles, questions) in [(SerializerOptions.Cycles.entityAsKey, 200), (.repeatAsKey, count + 200)] {
      let serializer = Serializer(plan, options: SerializerOptions.with { $0.cycles = cycles })
      let (report, asked) = try store.readInSets(plan.schema) { reader in
        try serializer.export(from: &reader) { _ in }
      }
      #expect(report.objects == count)
      #expect(asked.total <= questions)
      #expect(asked.rows <= 2 * count + 10_000)
    }
  }

  /// Nothing is lost without a sign, and nothing is read behind the end of an answer.
  @Test(arguments: StoreFault.ofReads)
  func aStoreThatAnswersAboutOtherObjectsThanItWasAskedAboutIsAnError(
    _ fault: StoreFault
  ) throws {
    let store = try Self.load(1..<9, items: 3)
    let plan = try Owner.mapping.plan()
    let serializer = try Serializer(Owner.mapping)
    let words =
      switch fault {
      case .shortRows: "read(_:of:_:): expected 4 fields in a row, found 3"
      case .farRows: "read(_:of:_:): expected positions below 8, found"
      case .fewerLists: "targets(of:entity:fields:): expected 8 lists, found 7"
      case .fewerFields: "targets(of:entity:fields:): expected"
      default: "find(_:of:): expected 8 results, found 7"
      }
    func expect(_ body: (inout SetsReader<LMDBReader>) throws -> Void) throws {
      _ = try store.readInSets(plan.schema) { reader in
        reader.fault = fault
        let error = #expect(throws: StoreContractError.self) { try body(&reader) }
        #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
      }
    }
    let keys = (1..<9).map { PrimaryKey.integer(Int64($0)) }
    try expect { reader in
      var snapshot = Snapshot(reader, plan.schema)
      _ = try snapshot.records(plan.query(of: "Owner").keys(keys))
    }
    if fault == .fewerResults { return }
    try expect { reader in
      var snapshot = Snapshot(reader, plan.schema)
      _ = try snapshot.objects(Owner.mapping.keys(keys), depth: .max)
    }
    try expect { reader in try serializer.export(from: &reader) { _ in } }
  }

  /// A level of the output does not take more than the limit, however many objects it has.
  @Test func readingAheadStaysWithinItsLimit() throws {
    let plan = try Plan(Self.person)
    let store = try ScratchStore()
    // Few objects, and many ways to each.
    let friends = (0..<200).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let people = (0..<200).map { #"{"id":\#($0),"friends":[\#(friends)]}"# }
    _ = try Mapper(store).importJSON("[\(people.joined(separator: ","))]", as: plan)
    let serializer = Serializer(plan, options: SerializerOptions.with { $0.cycles = .repeatAsKey })
    let limit = 600_000
    _ = try store.readInSets(plan.schema) { reader in
      var run = try serializer.borrowRun()
      let gatherer = PrefetchingReader(reader, for: run, limit: limit)
      let ids = try reader.find((0..<200).map { .integer($0) }, of: 0).compactMap(\.self)
      // 40 000 targets are 320 000 bytes in the lists, and as many in the next level.
      let isWhole = try gatherer.gather(ids, as: 0, level: 0, in: &run)
      #expect(!isWhole)
      #expect(gatherer.mostBytes <= limit + 200 * 8 + GatheredObjects.entrySize * 2)
      let room = PrefetchingReader(reader, for: run, limit: limit * 2)
      let fits = try room.gather(ids, as: 0, level: 0, in: &run)
      #expect(fits)
      #expect(room.mostBytes > limit)
    }
  }

  @Test func pagesAreLentOneByOne() throws {
    let store = try Self.load(1..<101, items: 0)
    let serializer = try Serializer(Owner.mapping)
    let (_, count) = try store.readInSets(serializer.plan.schema) { reader in
      let run = try serializer.borrowRun()
      let gatherer = PrefetchingReader(reader, for: run)
      var found: [ObjectID] = []
      try gatherer.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: 10) { reader, page in
        found += page.ids
        // The reader can be asked meanwhile.
        let items = try reader.targets(of: page.ids, entity: 0, field: 2)
        #expect(items.count == 10)
        return found.count < 30
      }
      #expect(found.count == 30)
    }
    #expect((count.pages, count.targets) == (3, 3))
  }

  /// A reader without a snapshot may see a deletion between two questions.
  @Test func aTargetThatIsGoneIsNotThere() throws {
    let store = try Self.load(1..<3, items: 3)
    let plan = try Owner.mapping.plan()
    let serializer = try Serializer(Owner.mapping)
    _ = try store.readInSets(plan.schema) { reader in
      let (items, owner) = (
        try #require(plan.schema.entity(named: "Item")), try #require(try reader.find(1, of: 0))
      )
      reader.gone = Set(try reader.find(["1-0", "1-1"], of: items).compactMap(\.self))
      var output = JSONWriter()
      try serializer.write(owner, from: &reader, to: &output)
      #expect(
        String(decoding: output.bytes, as: UTF8.self)
          == #"{"id":1,"name":"Owner 1","items":[{"code":"1-2","size":2,"owner":{"id":1}}]}"#)
      var snapshot = Snapshot(reader, plan.schema)
      let object = try #require(try snapshot.object(Owner.mapping, key: 1, depth: .max))
      #expect(object.items.map(\.code) == ["1-2"])
      #expect(object.first == nil)
      object.items.forEach { $0.owner = nil }
      let record = try #require(try snapshot.record("Owner", key: 1))
      let keys = try snapshot.records("items", of: record).map(\.key)
      #expect(keys == ["1-2"])
      reader.gone.insert(owner)
      let isFound = try serializer.write(owner, from: &reader, to: &output)
      #expect(!isFound)
    }
  }
}
