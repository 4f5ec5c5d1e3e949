import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// Dumps of a file. `FastMapParityTests` test every store.
@Suite struct DumpTests {
  let scratch = Scratch()

  private func text(_ store: LMDBStore) throws -> String {
    var bytes: [UInt8] = []
    try store.dump { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private var file: String { scratch.path + "/all.dump" }
  private var copy: String { scratch.path + "/copy.db" }

  /// Loads a store's dump into another one, and expects it to be the same.
  @discardableResult
  private func expectSame(
    _ store: LMDBStore, _ configuration: LMDBStore.Configuration = LMDBStore.Configuration()
  ) throws -> LMDBStore {
    try store.dump(to: file)
    let loaded = try LMDBStore(at: copy, configuration: configuration)
    try loaded.load(dump: file)
    try loaded.expectSound()
    #expect(try text(loaded) == text(store))
    return loaded
  }

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("others", item)
  }

  @Test(arguments: [1, 4, 240])
  func listsAreTheSameHoweverTheyAreCut(_ perSegment: Int) throws {
    var configuration = LMDBStore.Configuration()
    configuration.lists = ListShape(perSegment: perSegment, step: 1 << 62)
    let store = try LMDBStore(at: scratch.store)
    let targets = (0..<700).map { "\($0 % 300)" }.joined(separator: ",")
    try store.take(#"[{"id": 1, "others": [\#(targets)]}]"#, as: Self.item)
    let shorter = (0..<350).map { "\($0 % 300)" } + (355..<700).map { "\($0 % 300)" }
    try store.take(#"[{"id": 1, "others": [\#(shorter.joined(separator: ","))]}]"#, as: Self.item)
    try expectSame(store, configuration)
  }

  @Test func aStoreThatIsEmptyAgainTakesADump() throws {
    let store = try LMDBStore(at: scratch.store, holding: #"[{"id": 1, "others": [2, 1]}]"#, as: Self.item)
    try store.dump(to: file)
    let other = try LMDBStore(at: copy)
    let note = Mapping("Note") { Attribute("text", .string) }
    try other.take(#"[{"text": "a"}]"#, as: note)
    let refused = thrown(DumpError.self) { try other.load(dump: file) }
    #expect(
      refused?.description
        == "\(file): the store already has an object; a dump can only be loaded into an empty store"
    )
    let plan = try Plan(note)
    let ids = try other.read(plan.schema) { reader in
      var ids: [ObjectID] = []
      try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, _ in
        ids.append(id)
        return true
      }
      return ids
    }
    try other.write(plan.schema) { writer in .commit(try writer.delete(ids[0], of: 0)) }
    try other.load(dump: file)
    // It keeps the entity that it had.
    #expect(try other.statistics().entities.map(\.name) == ["Note", "Item"])
    #expect(try other.export(Self.item) == store.export(Self.item))
    try other.expectSound()
  }

  @Test func aFileIsReplacedWhenTheDumpIsComplete() throws {
    let store = try LMDBStore(at: scratch.store, holding: #"[{"id": 1}]"#, as: Self.item)
    try store.dump(to: file)
    let before = try Files.bytes(of: file)
    try store.take(#"[{"id": 2}]"#, as: Self.item)
    struct Enough: Error {}
    #expect(throws: Enough.self) { try store.dump { _ in throw Enough() } }
    #expect(try Files.bytes(of: file) == before)
    try store.dump(to: file)
    #expect(try Files.bytes(of: file) == Array(text(store).utf8))
  }

  @Test func aLoadThatMakesTheStoreGrowBeginsAnew() throws {
    let store = try LMDBStore(at: scratch.store)
    let count = TestSize.count(small: 2000, whole: 10_000)
    let rows = (0..<count).map { #"{"id": \#($0), "others": [\#(($0 * 7) % count)]}"# }
    try store.take("[" + rows.joined(separator: ",") + "]", as: Self.item)
    var configuration = LMDBStore.Configuration()
    configuration.mapSize = TestSize.count(small: 1 << 17, whole: 1 << 20)
    let loaded = try expectSame(store, configuration)
    #expect(try loaded.file.mapSize > configuration.mapSize)
  }

  private static let account = Mapping("Account", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("code", .string)
    Index("code", isUnique: true)
    Index("-code", "id")
  }

  @Test func aLoadBuildsTheIndexesAndRefusesDuplicates() throws {
    let store = try LMDBStore(at: scratch.store)
    let codes = (0..<300).map { #"{"id":\#($0),"code":"code \#(1000 + $0)"}"# }
    try store.take("[\(codes.joined(separator: ","))]", as: Self.account)
    let loaded = try expectSame(store)
    #expect(try loaded.statistics().entities[0].indexes.count == 2)
    let query = try Plan(Self.account).where(try Filter("@.code == 'code 1250'"))
    let (explanation, keys) = try loaded.read(Self.account) {
      ("\(try $0.explain(query))", try $0.keys(query))
    }
    #expect(explanation.contains("index"))
    #expect(keys == [250])

    // As somebody may edit it by hand. The last line may lack its checksum.
    let edited = String(decoding: try Files.bytes(of: file), as: UTF8.self)
      .replacing("code 1250", with: "code 1017").replacing(/,"checksum":"[^"]*"/, with: "")
    try scratch.write(edited, to: "edited.dump")
    let other = try LMDBStore(at: scratch.path + "/other.db")
    let error = try #require(
      thrown(UniquenessError.self) { try other.load(dump: scratch.path + "/edited.dump") })
    #expect(Set(error.keys) == [17, 250])
    #expect(error.values == [.string("code 1017")])
    #expect(try other.statistics().entities.isEmpty)
  }

  @Test func aStoreForReadingTakesNone() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.dump(to: file)
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = true }
    let reader = try LMDBStore(at: scratch.store, configuration: configuration)
    #expect(thrown(LMDBError.self) { try reader.load(dump: file) }?.reason == .readOnly)
  }
}
