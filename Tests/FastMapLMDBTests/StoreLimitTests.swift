import FastMapCore
import FastMapLMDB
import Testing

/// What a store holds at most, and what it says to more.
@Suite struct StoreLimitTests {
  let scratch = Scratch()

  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  @Test func aValueOf64MiBIsHeldAndALongerOneRefused() throws {
    let store = try LMDBStore(at: scratch.store)
    let length = 64 << 20
    let text = String(repeating: "x", count: length)
    try store.take(#"{"id":1,"name":"\#(text)"}"#, as: Self.person)
    let commits = try store.commits
    let error = thrown(StoreLimit.self) { try store.take(#"{"id":2,"name":"\#(text)x"}"#, as: Self.person) }
    #expect(
      error?.description
        == #"entity Person: "name" has 67108865 bytes, a store holds values of at most 67108864"#)
    #expect(try store.commits == commits)
    let plan = try Plan(Self.person)
    let found = try store.read(plan.schema) { reader in
      let id = try #require(try reader.find(1, of: 0))
      return try reader.withRow(id, of: 0) { row in row.withBytes(at: 1) { $0.count } }
    }
    #expect(found == length)
  }

  @Test func hundredsOfReadsAreOpenAtOnce() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"{"id":1}"#, as: Self.person)
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
      var configuration = LMDBStore.Configuration()
      configuration.maxReaders = maxReaders
      let store = try LMDBStore(at: scratch.store, configuration: configuration)
      func nest(_ depth: Int) throws { try store.read(schema) { _ in if depth > 1 { try nest(depth - 1) } } }
      let error = thrown(LMDBError.self) { try nest(depth) }
      #expect((error?.reason == .readersFull) == isRefused)
      if isRefused {
        #expect(
          error?.description == "\(scratch.store): too many readers at once; open it with a larger maxReaders")
      }
      try nest(50)
    }
  }

  @Test func aStoreForReadingMakesNothing() throws {
    var configuration = LMDBStore.Configuration()
    configuration.isReadOnly = true
    let error = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store, configuration: configuration) }
    #expect(error?.reason == .notFound)
    #expect(size(of: scratch.store) == -1)
  }
}
