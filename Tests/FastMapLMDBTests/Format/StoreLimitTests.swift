import CFastMap
import FastMapCore
import FastMapLMDB
import TestSupport
import Testing

/// The limits of a store, and its errors beyond them.
@Suite struct StoreLimitTests {
  let scratch = Scratch()

  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  /// One of 64 MiB is held: that takes too long here, and is a case of the torture campaign `limits`.
  @Test func aValueBeyond64MiBIsRefusedWithBothSizes() throws {
    let store = try LMDBStore(at: scratch.store)
    let schema = try Plan(Self.person).schema
    let error = thrown(StoreLimitError.self) {
      try store.write(schema) { writer in
        var slots = [fastmap_slot(), fastmap_slot()]
        slots[0].set(FASTMAP_INTEGER, integer: 1)
        slots[1].tag = UInt8(FASTMAP_STRING)
        slots[1].length = 64 << 20 + 1  // refused before its bytes are looked at
        return try slots.withUnsafeMutableBufferPointer { slots in
          var batch = ChangeBatch(schema: schema)
          batch.changes.append(
            ObjectChange(
              id: try writer.reserve(of: 0), entity: 0, isNew: true, keyField: 0,
              row: Row(slots: try #require(slots.baseAddress), count: 2)))
          try writer.apply(&batch)
          try writer.finish(&batch)
          return .commit(())
        }
      }
    }
    #expect(
      error?.description
        == #"entity Person: "name" has 67108865 bytes, a store holds values of at most 67108864"#)
    #expect(try store.count(Self.person) == 0)
    try store.expectSound()
  }

  /// Applies a new object whose key nobody has resolved.
  private func apply(_ key: Value?, as mapping: Mapping<Record>, to store: LMDBStore) throws -> String? {
    let schema = try Plan(mapping).schema
    let error = thrown(StoreLimitError.self) {
      try store.write(schema) { writer in
        var buffer = RowBuffer()
        buffer.reset(count: schema.entities[0].fields.count)
        if let key { buffer.set(key, at: 0) }
        var batch = ChangeBatch(schema: schema)
        batch.changes.append(
          ObjectChange(id: try writer.reserve(of: 0), entity: 0, isNew: true, keyField: 0, row: buffer.row))
        try writer.apply(&batch)
        return .commit(())
      }
    }
    return error?.description
  }

  /// The import refuses such keys before it applies anything. `apply` is public, and checks them itself.
  @Test(arguments: [509, 4096, 1 << 20]) func aKeyThatIsTooLongIsNotApplied(_ length: Int) throws {
    let mapping = Mapping("Tag", primaryKey: "name") { Attribute("name", .string) }
    let store = try LMDBStore(at: scratch.store)
    let found = try apply(.string(String(repeating: "k", count: length)), as: mapping, to: store)
    #expect(found == "expected a key of at most 508 bytes, found one of \(length) bytes")
    #expect(try store.count(mapping) == 0)
    try store.expectSound()
  }

  @Test func aKeyThatIsMissingIsNotApplied() throws {
    let store = try LMDBStore(at: scratch.store)
    let found = try apply(nil, as: Self.person, to: store)
    #expect(found == "expected a key that is an integer or a string")
    #expect(try store.count(Self.person) == 0)
    try store.expectSound()
  }

  @Test func hundredsOfReadsAreOpenAtOnce() throws {
    let store = try LMDBStore(at: scratch.store, holding: #"{"id":1}"#, as: Self.person)
    let schema = try Plan(Self.person).schema
    func nest(_ depth: Int) throws -> Int {
      try store.read(schema) { reader in
        try reader.count(of: 0) + (depth > 1 ? nest(depth - 1) : 0)
      }
    }
    #expect(try nest(500) == 500)
  }

  @Test func moreReadersThanThereIsRoomForAreToldTheRemedy() throws {
    let schema = try Plan(Self.person).schema
    for (maxReaders, depth, isRefused) in [(100, 200, true), (300, 200, false)] {
      let configuration = LMDBStore.Configuration.with { $0.maxReaders = maxReaders }
      let store = try LMDBStore(at: scratch.store, configuration: configuration)
      func nest(_ depth: Int) throws { try store.read(schema) { _ in if depth > 1 { try nest(depth - 1) } } }
      let error = thrown(LMDBError.self) { try nest(depth) }
      #expect((error?.reason == .readersFull) == isRefused)
      if isRefused {
        #expect(
          error?.description == "\(scratch.store): too many readers at once; open it with a larger maxReaders"
        )
      }
      try nest(50)
    }
  }

  @Test(.enabled(if: FastMapTool.isBuilt))
  func theToolProposesNothingThatItCannotDo() throws {
    let configuration = LMDBStore.Configuration.with { $0.maxReaders = 1 }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    try store.take(#"{"id":1}"#, as: Self.person)
    try store.read(Plan(Self.person).schema) { _ in
      let run = try FastMapTool.run(["stats", "--store", scratch.store], in: scratch)
      #expect(run.ending == .exited(1))
      #expect(
        run.errors
          == "\(scratch.store): too many programs read it at once; try again when some have ended\n")
    }
  }

  @Test func aStoreForReadingMakesNothing() throws {
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = true }
    let error = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store, configuration: configuration) }
    #expect(error?.reason == .notFound)
    #expect(size(of: scratch.store) == -1)
  }
}
