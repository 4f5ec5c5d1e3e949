import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

/// The data file after imports: faults, dry runs, values without a change, growth, and long keys.
@Suite struct StoreImportTests {
  let scratch = Scratch()

  static let item = Mapping("Item", primaryKey: "key") {
    Attribute("key", .string)
    Attribute("text", .string)
    Attribute("size", .integer)
    ToOne("parent", parent, at: "parent_key")
  }
  static let parent = Mapping("ParentRef", entity: "Item", primaryKey: "key") {
    Attribute("key", .string, at: .wholeValue)
  }

  private func items(_ range: Range<Int>, _ text: String = "text") -> String {
    let items = range.map { #"{"key": "k\#($0)", "text": "\#(text) \#($0)", "size": \#($0)}"# }
    return "[\(items.joined(separator: ",\n"))]"
  }

  // MARK: All or nothing

  @Test func aFaultLeavesTheFileAsItWas() throws {
    let store = try LMDBStore(at: scratch.store, holding: items(0..<2000), as: Self.item)
    let before = try Files.bytes(of: scratch.dataFile)
    let commits = try store.commits
    let faulty = items(1000..<5000, "new").dropLast() + #", {"key": "last", "size": "big"}]"#
    let error = thrown(MappingError.self) { try store.take(faulty + "", as: Self.item) }
    #expect(
      error?.description
        == #"$[4000].size: expected an integer, found the string "big" (line 4000, column 77)"#)
    #expect(try store.commits == commits)
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    #expect(try store.count(Self.item) == 2000)
    try store.expectSound()
  }

  @Test func aDryRunLeavesTheFileAsItWasAndReportsTheSame() throws {
    let store = try LMDBStore(at: scratch.store, holding: items(0..<2000), as: Self.item)
    let before = try Files.bytes(of: scratch.dataFile)
    let commits = try store.commits
    var dry = try store.take(items(1990..<2500, "new"), as: Self.item) { $0.isDryRun = true }
    #expect(dry.isDryRun)
    #expect(dry["Item"] == .init(inserted: 500, updated: 10))
    #expect(try store.commits == commits)
    #expect(try Files.bytes(of: scratch.dataFile) == before)

    let real = try store.take(items(1990..<2500, "new"), as: Self.item)
    dry.isDryRun = false
    dry.duration = real.duration
    #expect(dry == real)
    #expect(try store.commits == commits + 1)
  }

  @Test func aValueSetAndSetBackIsNotWritten() throws {
    let store = try LMDBStore(at: scratch.store, holding: #"{"key": "a", "size": 1}"#, as: Self.item)
    let before = try Files.bytes(of: scratch.dataFile)
    let report = try store.take(
      #"[{"key": "a", "size": 2}, {"key": "b"}, {"key": "a", "size": 1}]"#, as: Self.item)
    #expect(report["Item"] == .init(inserted: 1, unchanged: 1, stubs: 1))
    let again = try store.take(#"[{"key": "a", "size": 2}, {"key": "a", "size": 1}]"#, as: Self.item)
    #expect(again["Item"] == .init(unchanged: 1))
    #expect(try Files.bytes(of: scratch.dataFile) != before)
  }

  // MARK: Growing

  @Test func theMapGrowsInTheMidstOfAnImport() throws {
    let configuration = LMDBStore.Configuration.with { $0.mapSize = 1 << 20 }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    let text = String(repeating: "x", count: 400)
    let count = TestSize.count(small: 4000, whole: 20_000)
    let report = try store.take(items(0..<count, text), as: Self.item)
    #expect(report["Item"] == .init(inserted: count))
    #expect(report.rootObjects == count)
    let file = try store.file
    #expect(file.size > count * 400)
    #expect(file.mapSize > 1 << 20)
    #expect(file.mapSize >= file.size)
    #expect(try store.count(Self.item) == count)
    try store.expectSound()
  }

  @Test func aFullStoreIsAsItWas() throws {
    let configuration = LMDBStore.Configuration.with { ($0.mapSize, $0.maxMapSize) = (1 << 20, 2 << 20) }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    try store.take(items(0..<1000), as: Self.item)
    let commits = try store.commits
    let lines = try store.export(Self.item)
    let error = thrown(LMDBError.self) {
      try store.take(items(0..<9000, String(repeating: "x", count: 400)), as: Self.item)
    }
    guard case .mapFull(let limit)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(((2 << 20)...(2 << 20 + 0xFFFF)).contains(limit))
    #expect(try (store.commits, store.export(Self.item)) == (commits, lines))
    try store.expectSound()
  }

  // MARK: Keys

  private static let longest = String(repeating: "é", count: 254)

  @Test func aKeyOf508BytesIsHeld() throws {
    let store = try LMDBStore(at: scratch.store)
    let report = try store.take(#"{"key": "\#(Self.longest)", "size": 1}"#, as: Self.item)
    #expect(report["Item"] == .init(inserted: 1))
    #expect(try store.id(.string(Self.longest), Self.item) != nil)
    #expect(try store.id(.string(Self.longest + "x"), Self.item) == nil)
    try store.expectSound()
  }
}
