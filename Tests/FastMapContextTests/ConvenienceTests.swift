import FastMapCore
import TestSupport
import Testing

private final class Item {
  var id = 0
  var name: String?

  static var mapping: Mapping<Item> {
    Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }
}

/// A user's first lines, and code that must compile as it stands.
@Suite struct ConvenienceTests {
  @Test(arguments: StoreKind.allCases)
  func aTextIsAStringBytesOrABuffer(_ kind: StoreKind) throws {
    let mapper = Mapper(try kind.make())
    let text = #"[{"id": 1}]"#
    _ = try mapper.importJSON("[]", as: Item.mapping)
    #expect(try mapper.importJSON(text, as: Item.mapping).entities.first?.counts.inserted == 1)
    #expect(
      try mapper.importJSON(Substring(text), as: Item.mapping.plan()).entities.first?.counts.unchanged == 1)
    #expect(try mapper.importJSON(Array(text.utf8), as: Item.mapping).rootObjects == 1)
    #expect(try mapper.importJSON(Array(text.utf8)[...], as: Item.mapping).rootObjects == 1)
    #expect(try mapper.roundTrip(text, as: Item.mapping).map(\.id) == [1])
    #expect(try mapper.roundTrip(#"{"id": 2}"#, as: Item.mapping).last?.id == 2)
    try Item.mapping.fill(Item(), from: #"{"id": 3}"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aTextIsImportedWithAwait(_ kind: StoreKind) async throws {
    let mapper = Mapper(try kind.make())
    let report = try await mapper.importJSON(#"[{"id": 1}]"#, as: Item.mapping)
    #expect(report.entities.first?.counts.inserted == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func aTreeIsImportedThroughAMapping(_ kind: StoreKind) throws {
    let mapper = Mapper(try kind.make())
    try Array(#"[{"id": 1}, {"id": 2}]"#.utf8).withUnsafeBytes { bytes in
      let document = try JSONDocument(parsing: bytes)
      let dry = try mapper.importJSON(document, as: Item.mapping, options: ImportOptions(isDryRun: true))
      #expect(dry.isDryRun && dry.rootObjects == 2)
      let none = try mapper.store.read { try $0.count(Item.mapping) }
      let report = try mapper.importJSON(document, as: Item.mapping)
      let both = try mapper.store.read { try $0.count(Item.mapping) }
      #expect(none == 0 && report.rootObjects == 2 && both == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func rangesOfKeysAreSwiftsRanges(_ kind: StoreKind) throws {
    let store = try kind.make()
    let text = "[" + (0..<10).map { #"{"id":\#($0 * 10),"name":"\#($0)"}"# }.joined(separator: ",") + "]"
    _ = try Mapper(store).importJSON(text, as: Item.mapping)
    let (low, high) = (20, 50)
    try store.read { reader in
      func expect(_ keys: any KeyRangeExpression, _ expected: [Int]) throws {
        let objects = try reader.objects(Item.mapping.keys(keys)).map(\.id)
        let count = try reader.count(Item.mapping.keys(keys))
        let reversed = try reader.objects(Item.mapping.sorted(by: \.id, descending: true).keys(keys)).map(
          \.id)
        #expect(objects == expected && count == expected.count && reversed == expected.reversed())
      }
      try expect(20..<50, [20, 30, 40])
      try expect(20...50, [20, 30, 40, 50])
      try expect(low..<high, [20, 30, 40])
      try expect(70..., [70, 80, 90])
      try expect(..<20, [0, 10])
      try expect(...20, [0, 10, 20])
      try expect(20..<20, [])
      try expect((20 as UInt8)..<30, [20])
      try expect((20 as PrimaryKey)..<30, [20])
      try expect(KeyRange(from: 20, to: 30), [20, 30])
      let listed = try reader.objects(Item.mapping.keys([30, 20])).map(\.id)
      let one = try reader.object(Item.mapping, key: low)
      #expect(listed == [20, 30] && one?.id == 20)
    }
    let plan = try Item.mapping.plan()
    try store.read(plan) { reader in
      let records = try reader.records(plan.query(of: "Item").keys(20..<40)).compactMap(\.key)
      let count = try reader.count(plan.keys(20..<40))
      #expect(records == [20, 30] && count == 2)
      var seen: [PrimaryKey?] = []
      try reader.forEachRow(plan.keys(20..<40)) { _, key in
        seen.append(key)
        return true
      }
      #expect(seen == [20, 30])
      var text: [UInt8] = []
      try Serializer(Item.mapping).export(plan.keys(20..<40), from: &reader.reader) { text += $0 }
      #expect(String(decoding: text, as: UTF8.self) == #"[{"id":20,"name":"2"},{"id":30,"name":"3"}]"#)
    }
    #expect(try store.delete(Item.mapping.keys(0..<30)).total == 3)
    #expect(try store.delete(Item.mapping, key: 30).total == 1)
    #expect(try store.delete(Item.mapping.keys([40, 41])).total == 1)
    #expect(try store.delete(plan.keys(90...)).total == 1)
    #expect(try store.delete(plan.query(of: "Item").keys(50..<60)).total == 1)
    #expect(try store.read { try $0.objects(Item.mapping).map(\.id) } == [60, 70, 80])
  }

  @Test(arguments: StoreKind.allCases)
  func rangesOfStringsEndBeforeTheirEnd(_ kind: StoreKind) throws {
    let tag = Mapping("Tag", primaryKey: "name") { Attribute("name", .string, at: .wholeValue) }
    let store = try kind.make(#"["a", "ab", "b", "ba", "c"]"#, as: tag)
    let found = try store.read(tag.plan()) {
      try $0.records(tag.plan().query(of: "Tag").keys("ab"..<"ba")).compactMap(\.key)
    }
    #expect(found == ["ab", "b"])
  }

  @Test func keysAreMadeOfIntegersAndStrings() {
    #expect(PrimaryKey(5) == 5)
    #expect(PrimaryKey(Int(-5)) == .integer(-5))
    #expect(PrimaryKey(UInt32.max) == .integer(4_294_967_295))
    #expect(PrimaryKey(String("a")) == "a")
    #expect(PrimaryKey("ab".dropFirst()) == "b")
    #expect(PrimaryKey(exactly: UInt64(7)) == 7)
    #expect(PrimaryKey(exactly: UInt64.max) == nil)
    #expect(PrimaryKey(exactly: Int64.min) == .integer(.min))
  }

  @Test func everyOptionHasItsArgument() {
    let progress = ImportProgress()
    let options = ImportOptions(
      format: .ndjson, rootPath: "a.b", faults: .skip, commitInterval: 7, isDryRun: true, maxDepth: 3,
      readsAhead: false, onProgress: { _ in }, progress: progress)
    #expect(options.format == .ndjson && options.rootPath?.description == "a.b" && options.faults == .skip)
    #expect(options.commitInterval == 7 && options.isDryRun && options.maxDepth == 3 && !options.readsAhead)
    #expect(options.onProgress != nil && options.progress === progress && options.delegate == nil)
    let export = ExportOptions(format: .ndjson, isPretty: true)
    #expect(export.format == .ndjson && export.isPretty && export.onProgress == nil)
  }
}

/// Integer keys have 64 bits with a sign: greater values are refused, even if the property could hold them.
@Suite struct LargeKeyTests {
  private final class Wide {
    var id: UInt64 = 0
    var count: UInt64 = 0

    static var mapping: Mapping<Wide> {
      Mapping(Wide.self, "Wide", primaryKey: "id", make: Wide.init) {
        Attribute("id", \.id)
        Attribute("count", \.count)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aPropertyOf64BitsIsAKeyUpToTheLargestInteger(_ kind: StoreKind) throws {
    let mapper = Mapper(try kind.make())
    let largest = #"[{"id": 9223372036854775807, "count": 18446744073709551615}]"#
    let found = try mapper.roundTrip(largest, as: Wide.mapping)
    #expect(found.first?.id == UInt64(Int64.max) && found.first?.count == .max)
    for text in ["9223372036854775808", "18446744073709551615"] {
      let error = #expect(throws: MappingError.self) {
        try mapper.roundTrip(#"[{"id": \#(text)}]"#, as: Wide.mapping)
      }
      #expect(
        error.map { "\($0)" } == """
          $[0].id: expected an integer from 0 to 9223372036854775807, found the number \(text) \
          (line 1, column 9)
          """)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anIntegerKeyOfAMappingFileIsRefusedToo(_ kind: StoreKind) throws {
    let mappings = try MappingSet(
      file: Array(
        #"{"fastmap": 1, "mappings": {"Item": {"primaryKey": "id", "attributes": {"id": "integer"}}}}"#.utf8))
    let mapper = Mapper(try kind.make())
    let error = #expect(throws: MappingError.self) {
      try mapper.importJSON(#"[{"id": 9223372036854775808}]"#, as: mappings.plan(for: "Item"))
    }
    #expect(
      error.map { "\($0)" } == """
        $[0].id: expected an integer from -9223372036854775808 to 9223372036854775807, \
        found the number 9223372036854775808 (line 1, column 9)
        """)
  }
}
