import CFastMap
import FastMapCore
import TestSupport
import Testing

@testable import FastMapLMDB

/// Records are stored under their keys, and chunks of numbers lead to them.
@Suite struct ClusteredRecordTests {
  let scratch = Scratch()

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
    ToOne("next", item)
    ToMany("items", item)
  }
  /// Items without a key.
  private static let loose = Mapping("Item", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("id", .integer)
    Attribute("text", .string)
  }
  private static let word = Mapping("Word", primaryKey: "text") { Attribute("text", .string) }
  private static let note = Mapping("Note") { Attribute("text", .string) }

  private func items(_ ids: some Sequence<Int>) -> String {
    "[" + ids.map { #"{"id":\#($0),"text":"text \#($0)","next":{"id":\#($0 + 1)}}"# }.joined(separator: ",")
      + "]"
  }

  /// The chunks of the store: for each, its form and the keys by number.
  private func chunks(_ store: LMDBStore) throws -> [(form: UInt8, keys: [UInt64: String])] {
    try store.environment.read { transaction in
      var chunks: [(form: UInt8, keys: [UInt64: String])] = []
      let cursor = try transaction.view.unsafeCursor(store.tables.numbers)
      var entry = try cursor.first()
      while let found = entry {
        let chunk = try #require(NumberChunk(UnsafeRawBufferPointer(rebasing: found.value[Checksum.size...])))
        var keys: [UInt64: String] = [:]
        let isWhole = chunk.forEach(found.key.bigEndian(at: 0, as: UInt64.self)) {
          keys[$0.rawValue] = $1.noun
        }
        #expect(isWhole)
        chunks.append((chunk.form, keys))
        entry = try cursor.next()
      }
      return chunks
    }
  }

  // MARK: Numbers

  @Test func theFormOfAChunkIsTheLowestThatFits() throws {
    let store = try LMDBStore(at: scratch.store, holding: #"[{"text":"a"},{"text":"b"}]"#, as: Self.note)
    try store.take(#"[{"text":"é"},{"text":""}]"#, as: Self.word)
    try store.take(#"[{"id":-7},{"id":9}]"#, as: Self.item)
    var chunks = try chunks(store)
    #expect(
      chunks.map(\.form) == [NumberChunk.Form.keyless, NumberChunk.Form.any, NumberChunk.Form.integers])
    #expect(Set(chunks[0].keys.values) == ["object 1", "object 2"])
    #expect(Set(chunks[1].keys.values) == [#"the object with the key """#, #"the object with the key "é""#])
    #expect(Set(chunks[2].keys.values) == ["the object with the key -7", "the object with the key 9"])
    // Items with a key and without, and then only the items without one.
    try store.take(#"[{"text":"none"}]"#, as: Self.loose)
    chunks = try self.chunks(store)
    #expect(chunks[2].form == NumberChunk.Form.any)
    #expect(chunks[2].keys.count == 3)
    let plan = try Plan(Self.item)
    try store.write(plan.schema) { writer in
      let ids = try writer.reader.find([-7, 9], of: 0).compactMap(\.self)
      #expect(try writer.delete(ids.sorted(), of: 0).count == 2)
      return .commit(())
    }
    #expect(try self.chunks(store)[2].form == NumberChunk.Form.keyless)
    try store.expectSound()
  }

  @Test func aChunkWithoutObjectsIsGone() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(items(stride(from: 0, to: 600, by: 2)), as: Self.item)
    #expect(try chunks(store).count == 10)
    let plan = try Plan(Self.item)
    try store.write(plan.schema) { writer in
      let ids = try writer.reader.find((0..<130).map { .integer(Int64($0)) }, of: 0).compactMap(\.self)
        .sorted()
      #expect(try writer.delete(ids, of: 0) == ids)
      #expect(try writer.delete(ids, of: 0).isEmpty)
      return .commit(())
    }
    let left = try chunks(store)
    #expect(left.map(\.keys.count).reduce(0, +) == 470)
    #expect(left.allSatisfy { !$0.keys.isEmpty })
    try store.expectSound()
  }

  @Test func aNewObjectDoesNotReplaceAnother() throws {
    let store = try LMDBStore(at: scratch.store, holding: items(0..<3), as: Self.item)
    let lines = try store.export(Self.item)
    let plan = try Plan(Self.item)
    let error = thrown(LMDBError.self) {
      try store.write(plan.schema) { writer in
        let id = ObjectNumber.make(entity: 0, serial: 100)
        var buffer = RowBuffer()
        buffer.reset(count: plan.schema.entities[0].fields.count)
        buffer.set(.integer(1), at: 0)
        var batch = ChangeBatch(schema: plan.schema)
        batch.changes = [
          ObjectChange(id: id, entity: 0, isNew: true, keyField: 0, row: buffer.row, fingerprint: nil)
        ]
        try writer.apply(&batch)
        return .commit(())
      }
    }
    #expect(
      error?.reason == .damaged(place: "records, key 1 of entity 0", detail: "a new object has its key"))
    #expect(try store.export(Self.item) == lines)
    try store.expectSound()
  }

  // MARK: Reading

  /// The caches of a read change no answer.
  @Test func objectsAreTheSameHoweverTheyAreAskedFor() throws {
    let store = try LMDBStore(at: scratch.store)
    var random = Random(for: "ClusteredRecordTests")
    let ids = (0..<900).map { $0 * 3 }.shuffled(using: &random)
    for start in stride(from: 0, to: 900, by: 300) {
      try store.take(items(ids[start..<(start + 300)]), as: Self.item)
    }
    try store.take(#"[{"text":"first"},{"text":"second"}]"#, as: Self.loose)
    let plan = try Plan(Self.item)
    try store.read(plan.schema) { reader in
      var expected: [ObjectID: Value?] = [:]
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { reader, id, _ in
        expected.updateValue(try reader.withRow(id, of: 0) { $0[1].value } ?? nil, forKey: id)
        return true
      }
      #expect(expected.count == 1202 + 600)
      let all = Array(expected.keys)
      for _ in 0..<40 {
        let isDescending = random.next(2) == 0
        var count = 0
        try reader.forEachPage(of: 0, keys: nil, isDescending: isDescending, pageSize: 100) { reader, page in
          var wanted = page.ids
          switch random.next(4) {
          case 0: wanted = wanted.filter { _ in random.next(2) == 0 }
          case 1: wanted.shuffle(using: &random)
          case 2: wanted.append(all[random.next(all.count)])
          default: break
          }
          var met = 0
          try reader.read(wanted, of: 0) { index, row in
            #expect(row[1].value == expected[wanted[index]] ?? nil)
            met += 1
          }
          #expect(met == wanted.count)
          let single = all[random.next(all.count)]
          let found = try reader.withRow(single, of: 0) { $0[1].value }
          #expect(found == expected[single])
          count += page.count
          return random.next(6) > 0
        }
        #expect(count > 0)
      }
    }
  }

  /// A write may change the objects that it iterates over.
  @Test(arguments: [false, true]) func visitedObjectsMayBeChanged(isDescending: Bool) throws {
    let store = try LMDBStore(at: scratch.store, holding: items(0..<1000), as: Self.item)
    let plan = try Plan(Self.item)
    let long = String(repeating: "x", count: 300)
    try store.write(plan.schema) { writer in
      var visited: [PrimaryKey] = []
      var reader = writer.reader
      try reader.forEachObject(of: 0, keys: nil, isDescending: isDescending) { _, id, key in
        guard let key else { return true }
        visited.append(key)
        var buffer = RowBuffer()
        buffer.reset(count: plan.schema.entities[0].fields.count)
        buffer.set(.string(long), at: 1)
        var batch = ChangeBatch(schema: plan.schema)
        batch.changes = [
          ObjectChange(id: id, entity: 0, isNew: false, keyField: nil, row: buffer.row, fingerprint: nil)
        ]
        try writer.apply(&batch)
        #expect(batch.changes[0].isChanged)
        return true
      }
      let keys = (0...1000).map { PrimaryKey.integer(Int64($0)) }
      #expect(visited == (isDescending ? keys.reversed() : keys))
      return .commit(())
    }
    #expect(try store.export(Self.item).allSatisfy { $0.contains(long) })
    try store.expectSound()
  }

  // MARK: Damage

  private struct Entry {
    let table: Table
    let key: [UInt8]
    let rest: [UInt8]?
  }

  /// Writes or deletes an entry with the right checksum.
  private func put(_ entry: Entry, in store: LMDBStore) throws {
    try store.environment.write { transaction in
      let database = store.environment.databases[entry.table.rawValue]
      try entry.key.withUnsafeBytes { key in
        guard let rest = entry.rest else { return _ = try transaction.delete(database, key) }
        let checksum = rest.withUnsafeBytes { Checksum.make(entry.table, key, $0) }
        let value = withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + rest
        try value.withUnsafeBytes { try transaction.put(database, key, $0) }
      }
    }
  }

  private static func key(_ number: UInt8) -> [UInt8] { [0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, number] }

  private static let damages: [(name: String, entry: Entry, problem: String)] = [
    (
      "a chunk is missing", Entry(table: .numbers, key: [UInt8](repeating: 0, count: 8), rest: nil),
      "records, key 1 of entity 0: no number leads to the record"
    ),
    (
      "a record is missing", Entry(table: .records, key: key(2), rest: nil),
      "numbers, objects 0 to 63 of entity 0: key 2 of entity 0 does not exist"
    ),
    (
      "a record has another number",
      Entry(table: .records, key: key(2), rest: [9, 0, 0, 0, 0, 0, 0, 1, 0, 21]),
      "numbers, objects 0 to 63 of entity 0: key 2 of entity 0 does not have the number 2"
    ),
    (
      "a record without the tag of its key",
      Entry(table: .records, key: key(2), rest: [2, 0, 0, 0, 0, 0, 0, 0, 0]),
      "records, key 2 of entity 0: its primary key does not match its record"
    ),
    (
      "an unknown flag", Entry(table: .records, key: key(2), rest: [2, 0, 0, 0, 0, 0, 1, 1, 0, 21]),
      "records, key 2 of entity 0: not a record"
    ),
    (
      "a reserved kind of key",
      Entry(table: .records, key: [0, 0, 3, 1], rest: [2, 0, 0, 0, 0, 0, 0, 0, 0]),
      "records, key 00000301: not a record"
    ),
    (
      "a chunk with a form that is not the lowest",
      Entry(
        table: .numbers, key: [UInt8](repeating: 0, count: 8),
        rest: [2, 0, 0, 0, 0, 0, 0, 0, 2, 9, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 1]),
      "numbers, objects 0 to 63 of entity 0: a key is incomplete"
    ),
  ]

  @Test(arguments: damages.indices) func contradictionsAreNamedAndRepaired(_ index: Int) throws {
    let (name, entry, problem) = Self.damages[index]
    let repaired = scratch.path + "/repaired.db"
    do {
      let store = try LMDBStore(at: scratch.store, holding: items(1...3), as: Self.item)
      try put(entry, in: store)
      let problems = try store.check().problems.map(\.description)
      #expect(problems.contains(problem), "\(name): \(problems)")
    }
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(index == 0 || index == 6 || !report.isComplete, "\(name)")
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    let found = try store.export(Self.item)
    #expect(found.contains { $0.hasPrefix(#"{"id":3,"text":"text 3""#) }, "\(name)")
  }

  /// A lost chunk of numbers must not make a dump shorter, which reads the objects by their keys.
  @Test func aDumpHasAllObjects() throws {
    let store = try LMDBStore(at: scratch.store, holding: items(1...100), as: Self.item)
    try put(Entry(table: .numbers, key: [0, 0, 0, 0, 0, 0, 0, 1], rest: nil), in: store)
    var text: [UInt8] = []
    try store.dump { text += $0 }
    #expect(String(decoding: text, as: UTF8.self).contains(#"{"end":true,"objects":101,"#))
  }

  @Test func aNumberThatLeadsToAnotherObjectIsAnError() throws {
    let store = try LMDBStore(at: scratch.store, holding: items(1...3), as: Self.item)
    let plan = try Plan(Self.item)
    let id = try #require(try store.id(2, Self.item))
    for entry in [Self.damages[1].entry, Self.damages[2].entry] {
      try put(entry, in: store)
      #expect(throws: LMDBError.self) { try store.read(plan.schema) { try $0.withRow(id, of: 0) { _ in } } }
      #expect(throws: LMDBError.self) { try store.read(plan.schema) { try $0.read([id], of: 0) { _, _ in } } }
      #expect(throws: LMDBError.self) {
        try store.write(plan.schema) { .commit(try $0.delete([id], of: 0)) }
      }
    }
  }

  @Test func ofTwoRecordsWithOneNumberOneIsKept() throws {
    let repaired = scratch.path + "/repaired.db"
    do {
      let store = try LMDBStore(at: scratch.store, holding: items(1...3), as: Self.item)
      try put(Entry(table: .records, key: Self.key(77), rest: [2, 0, 0, 0, 0, 0, 0, 1, 0, 21]), in: store)
    }
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(
      report.problems.map(\.description) == [
        "records, key 77 of entity 0: another object has its number; left out"
      ])
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    #expect(try store.id(77, Self.item) == nil)
    #expect(try store.export(Self.item).count == 4)
  }
}
