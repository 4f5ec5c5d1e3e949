import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// Decimals in the file: the feature of the format, dumps, copies and conversions.
@Suite struct DecimalFormatTests {
  let scratch = Scratch()

  static let priced = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("price", .decimal)
    Index("price")
  }
  private static let objects = [
    #"{"id":1,"price":1.10}"#, #"{"id":2,"price":-12345678901234567890.10}"#, #"{"id":3}"#,
    #"{"id":4,"price":0}"#,
  ]
  private static var json: String { "[\(objects.joined(separator: ","))]" }

  /// The features to read, and the features to write.
  private func features(of store: LMDBStore) throws -> [UInt32] {
    try store.environment.read { view in
      let key = StoreLayout.formatKey
      let value = try key.withUnsafeBytes { try view.get(store.tables.meta, $0) }
      let bytes = Array(try #require(value))
      return bytes.suffix(8).withUnsafeBytes {
        [
          $0.loadUnaligned(fromByteOffset: 0, as: UInt32.self),
          $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
        ]
      }
    }
  }

  @Test func aStoreWithDecimalsHasTheirFeature() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"{"id":1}"#, as: Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
    try #expect(features(of: store) == [0, 0])
    try store.take(Self.json, as: Self.priced)
    try #expect(features(of: store) == [8, 1])
    try store.expectSound()
  }

  @Test func dumpsAndRepairedCopiesHaveTheSameDecimals() throws {
    let file = scratch.path + "/dump"
    do {
      let store = try LMDBStore(at: scratch.store, holding: Self.json, as: Self.priced)
      try store.dump(to: file)
    }
    let loaded = try LMDBStore(at: scratch.path + "/loaded")
    try loaded.load(dump: file)
    let repaired = scratch.path + "/repaired"
    #expect(try LMDBStore.repair(from: scratch.store, to: repaired).isComplete)
    for copy in [loaded, try LMDBStore(at: repaired)] {
      try #expect(copy.export(Self.priced) == Self.objects)
      try #expect(features(of: copy) == [8, 1])
      try copy.expectSound()
    }
  }

  @Test func integersBecomeDecimalsAndAreIntegersAgainWithoutValues() throws {
    let integers = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("price", .integer)
    }
    let store = try LMDBStore(at: scratch.store, holding: #"[{"id":1,"price":7},{"id":3}]"#, as: integers)
    try store.take("[]", as: Self.priced)
    try #expect(store.export(Self.priced) == [#"{"id":1,"price":7}"#, #"{"id":3}"#])
    try #expect(features(of: store) == [8, 1])
    try store.take(#"{"id":1,"price":null}"#, as: Self.priced)
    try store.take(#"{"id":3,"price":5}"#, as: integers)
    try #expect(store.export(integers) == [#"{"id":1}"#, #"{"id":3,"price":5}"#])
    try store.expectSound()
  }
}
