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
  static let texts = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("price", .string)
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

  @Test func stringsBecomeDecimalsAndAreStringsAgain() throws {
    do {
      let store = try LMDBStore(at: scratch.store)
      try store.take(#"[{"id":1,"price":"1.10"},{"id":2,"price":"1e5"},{"id":3}]"#, as: Self.texts)
    }
    var configuration = LMDBStore.Configuration()
    configuration.migrations = [.convert("price", of: "Item", to: .decimal)]
    do {
      let store = try LMDBStore(at: scratch.store, configuration: configuration)
      try #expect(
        store.export(Self.priced) == [#"{"id":1,"price":1.10}"#, #"{"id":2,"price":1e5}"#, #"{"id":3}"#])
      try store.take(#"{"id":1,"price":1.1}"#, as: Self.priced)
      try #expect(features(of: store) == [8, 1])
      try store.expectSound()
    }
    configuration.migrations.append(.convert("price", of: "Item", to: .string))
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    try #expect(
      store.export(Self.texts) == [#"{"id":1,"price":"1.10"}"#, #"{"id":2,"price":"1e5"}"#, #"{"id":3}"#])
    try store.expectSound()
  }

  @Test func aStringThatIsNoDecimalStaysAString() throws {
    try LMDBStore(at: scratch.store).take(#"[{"id":1,"price":"1,10"}]"#, as: Self.texts)
    var configuration = LMDBStore.Configuration()
    configuration.migrations = [.convert("price", of: "Item", to: .decimal)]
    let found = message { _ = try LMDBStore(at: scratch.store, configuration: configuration) }
    #expect(
      found?.contains(#"expected a decimal of at most 38 digits, found the string "1,10""#) == true,
      "\(found ?? "none")")
  }
}
