import CFastMap
import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// An index whose entries differ from the records.
@Suite struct IndexLieTests {
  let scratch = Scratch()

  enum Lie: CaseIterable {
    case missing, surplus, otherValues, twice, otherCount

    private func differing(_ key: Int, _ name: String) -> [String] {
      let entry = #"an entry of "\#(name)" differs from key \#(key) of entity 0"#
      let other =
        #"key \#(key + 1) of entity 0 has the same values as another object in the unique index "\#(name)""#
      return name.hasPrefix("-") ? [entry] : [entry, other]
    }

    /// The problems that `check` reports.
    func problems(of name: String, _ count: Int) -> [String] {
      switch self {
      case .missing:
        [
          "has \(count - 1) entries for \(count) objects",
          "has \(count - 1) entries, the recorded count is \(count)",
        ]
      case .surplus:
        [
          "key 5000 of entity 0 does not exist", "has \(count + 1) entries for \(count) objects",
          "has \(count + 1) entries, the recorded count is \(count)",
        ]
      case .otherValues: differing(50, name)
      case .twice: differing(51, name)
      case .otherCount: ["has \(count) entries, the recorded count is \(count + 1)"]
      }
    }
  }

  static let item = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("number", .integer)
    Attribute("other", .integer)
    Index("-number")
    Index("number", "other", isUnique: true)
  }

  private static let count = TestSize.count(small: 100, whole: 500)

  private func makeStore() throws -> LMDBStore {
    let store = try LMDBStore(at: scratch.store)
    let objects = (0..<Self.count).map { #"{"id":\#($0),"number":\#($0 * 3),"other":\#(1000 + $0)}"# }
    try store.take("[" + objects.joined(separator: ",") + "]", as: Self.item)
    return store
  }

  /// The entry of an object's values.
  ///
  /// - Parameter own: The key that it ends with.
  private func entry(
    of id: Int64, as own: Int64, _ index: IndexLayout, _ view: TransactionView, _ tables: Tables
  ) throws -> IndexEntry {
    var key = KeyBytes()
    PrimaryKey.integer(id).withSlot { key.setRecord(entity: 0, key: $0.pointee) }
    guard let found = try view.entry(tables.records, key.bytes) else { throw CancellationError() }
    let record = try RecordView(found, in: view)
    PrimaryKey.integer(own).withSlot { key.setRecord(entity: 0, key: $0.pointee) }
    var entry = IndexEntry()
    entry.encode(index, record.id, key.bytes) { record.slot($0) ?? fastmap_slot() }
    return entry
  }

  private func tell(_ lie: Lie, _ number: Int, in store: LMDBStore) throws {
    try store.environment.write { transaction in
      let (view, tables) = (transaction.view, store.tables)
      let index = try StoreLayout(view, tables).indexes[number]
      if lie == .otherCount {
        let old = try StoreLayout(view, tables, isWriting: true)
        var layout = old
        layout.indexes[number].entries += 1
        return try layout.write(WriteView(view: view), tables, since: old)
      }
      let blocks = IndexBlocks(index)
      if lie == .surplus {
        blocks.add(try entry(of: 50, as: 5000, index, view, tables))
      } else {
        blocks.remove(try entry(of: 50, as: 50, index, view, tables))
      }
      if lie == .otherValues { blocks.add(try entry(of: 51, as: 50, index, view, tables)) }
      if lie == .twice { blocks.add(try entry(of: 52, as: 51, index, view, tables)) }
      _ = try blocks.write(view, tables)
    }
  }

  @Test(arguments: Lie.allCases, [0, 1])
  func checkFindsALieOfOneEntryAndARepairMendsIt(_ lie: Lie, _ number: Int) throws {
    do {
      let store = try makeStore()
      try store.expectSound()
      try tell(lie, number, in: store)
      let report = try store.check()
      let name = ["-number", "number,other"][number]
      #expect(report.problems.map(\.detail) == lie.problems(of: name, Self.count))
    }
    let mended = scratch.path + "/mended"
    #expect(try LMDBStore.repair(from: scratch.store, to: mended).isComplete)
    let store = try LMDBStore(at: mended)
    try store.expectSound()
    #expect(try store.statistics().entities[0].indexes.count == 2)
  }

  /// A block with two entries swapped, or with one repeated. Its checksum is right.
  @Test(arguments: [false, true], [0, 1])
  func checkFindsEntriesThatAreNotInOrder(_ isRepeated: Bool, _ number: Int) throws {
    let store = try makeStore()
    try store.environment.write { transaction in
      let (view, table) = (transaction.view, store.tables.index)
      let cursor = try view.unsafeCursor(table)
      var found = try cursor.first()
      while let entry = found, entry.key.bigEndian(at: 0, as: UInt16.self) != number {
        found = try cursor.next()
      }
      let block = try #require(found)
      let key = Array(block.key)
      let bytes = Array(try Checksum.open(.index, block.key, block.value, in: view))
      var offsets = EntryOffsets()
      #expect(bytes.withUnsafeBytes { offsets.read($0) })
      let (first, second, end) = (offsets[1], offsets[2], offsets[3])
      let kept = isRepeated ? bytes[first..<second] : bytes[second..<end]
      let changed = bytes[..<first] + kept + bytes[first..<second] + bytes[end...]
      try key.withUnsafeBytes { key in
        try Checksum.sealed(.index, key, ArraySlice(Array(changed))).withUnsafeBytes { value in
          try WriteView(view: view).put(table, key, value)
        }
      }
    }
    let details = try store.check().problems.map(\.detail)
    #expect(details.contains("an entry is not greater than the one before it"), "\(details)")
  }

  /// Records that no write would have made.
  @Test func checkFindsDuplicatesAndARepairKeepsThem() throws {
    do {
      let store = try makeStore()
      try store.dropIndex("number,other", of: "Item")
      let plain = Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("number", .integer)
        Attribute("other", .integer)
        Index("number", "other")
      }
      try store.take(#"{"id":7,"number":9,"other":1003}"#, as: plain)
      try store.environment.write { transaction in
        let old = try StoreLayout(transaction.view, store.tables, isWriting: true)
        var layout = old
        layout.indexes[1].isUnique = true
        try layout.write(WriteView(view: transaction.view), store.tables, since: old)
      }
      let report = try store.check()
      #expect(report.problemCount == 1)
      #expect(report.problems.first?.detail.contains("the same values as another object") ?? false)
      try store.dump(to: scratch.path + "/dump")
      let copy = try LMDBStore(at: scratch.path + "/copy")
      #expect(throws: UniquenessError.self) { try copy.load(dump: scratch.path + "/dump") }
      #expect(try copy.statistics().entities.isEmpty)
    }
    let mended = scratch.path + "/mended"
    let report = try LMDBStore.repair(from: scratch.store, to: mended)
    #expect(report.problems.map(\.detail).contains { $0.hasPrefix("no longer unique: Item:") })
    let store = try LMDBStore(at: mended)
    try store.expectSound()
    #expect(try store.statistics().entities[0].objectCount == Self.count)
    #expect(try store.statistics().entities[0].indexes.map(\.isUnique) == [false, false])
  }
}
