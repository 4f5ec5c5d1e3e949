import FastMapCore
import Foundation
import TestSupport
import Testing

@testable import FastMapLMDB

/// A store that an earlier FastMap made, compared to the byte: no change of the format slips in unseen.
///
/// `scripts/renew-golden` makes both files anew, when the format is meant to change.
@Suite struct GoldenTests {
  let scratch = Scratch()

  private static let store = Files.golden + "/data.mdb"
  private static let records = Files.golden + "/records.txt"
  private static let isRenewed = ProcessInfo.processInfo.environment["FASTMAP_RENEW_GOLDEN"] != nil
  private static let hasItsPages = getpagesize() == 4096

  /// Where a copy of the golden store is opened.
  private func copy() throws -> LMDBStore {
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Self.store, toPath: scratch.dataFile)
    return try LMDBStore(at: scratch.store, configuration: GoldenStore.configuration)
  }

  // MARK: Today's writer

  @Test func todaysWriterWritesTheSameRecords() throws {
    let lines = try GoldenStore.make(at: scratch.store)
    if Self.isRenewed {
      try lines.joined().write(toFile: Self.records, atomically: true, encoding: .utf8)
      try Data(Files.bytes(of: scratch.dataFile)).write(to: URL(fileURLWithPath: Self.store))
    }
    let golden = String(decoding: try Files.bytes(of: Self.records), as: UTF8.self)
    let expected = golden.split(separator: "\n").map { "\($0)\n" }
    #expect(lines.count == expected.count)
    for (found, expected) in zip(lines, expected) { #expect(found == expected) }
  }

  /// The longest form of a length takes a value that is too long for the file.
  @Test func aLongStringHasALengthOfFourBytes() throws {
    let store = try LMDBStore(at: scratch.store)
    let text = String(repeating: "x", count: 0x1_0000)
    try store.take(#"{"name":"\#(text)"}"#, as: Mapping("Long") { Attribute("name", .string) })
    let line = try #require(try store.dump().first { $0.hasPrefix("records ") })
    #expect(
      line.dropFirst("records 0000f0000000000001 ".count + 8)
        .hasPrefix("0100000000000001000b0000010078787878"))
  }

  /// Writes an entry of `meta` and its copy, as another FastMap would.
  private func put(_ rest: [UInt8], under key: String, in store: LMDBStore) throws {
    let key = Array(key.utf8)
    try store.environment.write { transaction in
      try key.withUnsafeBytes { key in
        for table in StoreLayout.isSpared(key) ? [Table.meta, .spare] : [.meta] {
          let database = store.environment.databases[table.rawValue]
          try Checksum.sealed(table, key, rest[...])
            .withUnsafeBytes { try transaction.put(database, key, $0) }
        }
      }
    }
  }

  /// The value of `format` that another FastMap would write.
  private func header(version: UInt16, toRead: UInt32 = 0, toWrite: UInt32 = 0) -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(version)
    bytes.append(UInt16(1))
    bytes.append(toRead)
    bytes.append(toWrite)
    return bytes.bytes
  }

  private static let mapping = Mapping("Long") { Attribute("name", .string) }

  /// Calls `body` with a store of one object that has another header.
  private func withHeader(_ header: [UInt8], _ body: (LMDBStore) throws -> Void) throws {
    let store = try LMDBStore(at: scratch.store, holding: "{}", as: Self.mapping)
    try put(header, under: "format", in: store)
    try body(store)
  }

  private func expectNoRepair(_ expected: LMDBError.Reason) {
    let repaired = scratch.store + "-repaired"
    #expect(reason { _ = try LMDBStore.repair(from: scratch.store, to: repaired) } == expected)
    #expect(!FileManager.default.fileExists(atPath: repaired))
  }

  @Test(arguments: [UInt16(0), 1, 2, 4])
  func aStoreOfAnotherVersionIsRefused(_ version: UInt16) throws {
    let expected = LMDBError.Reason.foreignFile(
      detail: "its format version is \(version), this FastMap has 3")
    try withHeader(header(version: version)) { store in
      #expect(reason { _ = try store.count(Self.mapping) } == expected)
      #expect(reason { try store.take("{}", as: Self.mapping) } == expected)
    }
    expectNoRepair(expected)
  }

  @Test func aStoreWithFeaturesOfALaterFastMapIsNotRead() throws {
    let expected = LMDBError.Reason.foreignFile(
      detail: "a later FastMap wrote it, with features that this one cannot read (0, 31)")
    try withHeader(header(version: 3, toRead: 1 << 31 | 1)) { store in
      #expect(reason { _ = try store.count(Self.mapping) } == expected)
      #expect(reason { try store.take("{}", as: Self.mapping) } == expected)
      #expect(reason { _ = try store.check() } == expected)
      #expect(reason { _ = try store.statistics() } == expected)
    }
    expectNoRepair(
      .foreignFile(detail: "a later FastMap wrote it, with features that this one cannot read (0, 31)"))
  }

  @Test func aStoreWithFeaturesThatWritesMustKeepIsReadAndNotWritten() throws {
    let expected = LMDBError.Reason.foreignFile(
      detail: "a later FastMap wrote it, with features that this one can read but not write (3)")
    try withHeader(header(version: 3, toWrite: 8)) { store in
      try #expect(store.count(Self.mapping) == 1)
      #expect(try store.export(Self.mapping) == ["{}"])
      try store.expectSound()
      #expect(reason { try store.take("{}", as: Self.mapping) } == expected)
      try #expect(store.count(Self.mapping) == 1)
    }
    expectNoRepair(expected)
  }

  @Test func aHeaderThatIsTooShortIsDamage() throws {
    try withHeader([3, 0, 1, 0]) { store in
      #expect(
        reason { _ = try store.count(Self.mapping) }
          == .damaged(place: "meta, format", detail: "too short"))
    }
  }

  @Test func unknownEntriesOfMetaAreTolerated() throws {
    let store = try LMDBStore(at: scratch.store)
    let mapping = Mapping("Long") { Attribute("name", .string) }
    try store.take("{}", as: mapping)
    try put([1, 2, 3], under: "later", in: store)
    try #expect(store.count(mapping) == 1)
    try store.take("{}", as: mapping)
    try store.expectSound()
  }

  // MARK: Yesterday's store

  @Test(.enabled(if: hasItsPages, "the golden store has pages of 4096 bytes, this machine has others"))
  func yesterdaysStoreHasTheSameRecords() throws {
    let golden = String(decoding: try Files.bytes(of: Self.records), as: UTF8.self)
    #expect(try copy().dump().joined() == golden)
  }

  @Test(.enabled(if: hasItsPages, "the golden store has pages of 4096 bytes, this machine has others"))
  func yesterdaysStoreIsReadAndWritten() throws {
    let store = try copy()
    try store.expectSound()
    for (found, expected) in zip(try store.export(GoldenStore.thing), GoldenStore.things) {
      #expect(found == expected)
    }
    #expect(try store.count(GoldenStore.thing) == GoldenStore.things.count)
    #expect(try store.export(try Plan(Total.mapping)) == GoldenStore.totals)
    let thing = try Plan(GoldenStore.thing)
    let parts = try store.read(thing.schema) { reader in
      let id = try reader.find(1, of: 0)
      let field = try #require(thing.schema.entities[0].fields.firstIndex { $0.name == "parts" })
      return try reader.targets(of: [try #require(id)], entity: 0, field: field)[0]
    }
    let names = try #require(thing.schema.entity(named: "Part"))
    let ids = try store.read(thing.schema) { reader in
      try ["a", "b", "c", "d"].map { try reader.find(.string($0), of: names) }
    }
    #expect(parts == GoldenStore.parts.map { ids[["a", "b", "c", "d"].firstIndex(of: $0) ?? 0] })

    // The store accepts imports: known objects stay unchanged, and new ones are added.
    let known = try store.take("[\(GoldenStore.things.joined(separator: ","))]", as: GoldenStore.thing)
    #expect(known.entities.allSatisfy { $0.counts.inserted + $0.counts.updated + $0.counts.deleted == 0 })
    let new = try store.take(
      #"{"id":3,"title":"new","maker":{"name":"Bob"},"notes":[{"text":"first"}]}"#, as: GoldenStore.thing)
    #expect(new["Thing"] == .init(inserted: 1))
    #expect(new["Maker"] == .init(inserted: 1))
    #expect(try store.export(GoldenStore.thing).count == GoldenStore.things.count + 1)
    try store.expectSound()
  }
}

/// A property that holds integers above `Int64.max`.
private final class Total {
  var id = 0
  var sum: UInt64 = 0
  static let mapping = Mapping(Total.self, "Total", primaryKey: "id", make: Total.init) {
    Attribute("id", \.id)
    Attribute("sum", \.sum)
  }
}

/// The recipe of the golden store, and its contents: every kind of value in every length but the longest, and
/// every kind of relationship. It also has an edited list of several segments, deleted objects and attributes, and other
/// names and types than it had at first.
private enum GoldenStore {
  static let maker = Mapping("Maker", primaryKey: "name", was: "Creator") { Attribute("name", .string) }
  static let part = Mapping("Part", primaryKey: "name") { Attribute("name", .string, at: .wholeValue) }
  static let note = Mapping("Note") { Attribute("text", .string) }
  static let size = Mapping("Size") {
    Attribute("width", .integer)
    Attribute("height", .integer)
  }

  /// As the store has it in the end.
  static let thing = Mapping("Thing", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("isNew", .boolean)
    Attribute("count", .integer)
    Attribute("ratio", .number)
    Attribute("title", .string, was: "name")
    Attribute("made", .date(.iso8601))
    Attribute("bytes", .data)
    Attribute("extra", .json)
    Attribute("labels", .list(.string), was: "label")
    ToOne("maker", maker)
    ToOne("size", size)
    ToMany("parts", part)
    ToMany("notes", note, policy: .replace, was: "remarks")
  }

  /// As it was at first.
  private static let firstThing = Mapping("Thing", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("isNew", .boolean)
    Attribute("count", .integer)
    Attribute("ratio", .number)
    Attribute("name", .string)
    Attribute("made", .date(.iso8601))
    Attribute("bytes", .data)
    Attribute("extra", .json)
    Attribute("label", .string)
    ToOne("maker", Mapping("Creator", primaryKey: "name") { Attribute("name", .string) })
    ToOne("size", size)
    ToMany("parts", part)
    ToMany("remarks", note, policy: .replace)
  }

  static let configuration = LMDBStore.Configuration.with { $0.mapSize = 1 << 20 }

  /// 500 targets, three segments.
  private static let firstParts = (0..<500).map { (number: Int) -> String in
    ["a", "b", "c"][(number * 7 + number / 5) % 3]
  }
  /// Eleven more in the midst of them: a segment is cut in two.
  static let parts: [String] = {
    var parts = firstParts
    parts.insert(contentsOf: Array(repeating: "d", count: 11), at: 120)
    return parts
  }()

  private static func json(_ names: [String]) -> String {
    "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
  }

  private static let long = String(repeating: "long ", count: 60)

  /// - Returns: All that is in its tables.
  static func make(at path: String) throws -> [String] {
    let store = try LMDBStore(at: path, configuration: configuration)
    try store.take(
      """
      [{"id":1,"isNew":true,"count":1,"ratio":0.5,"name":"first","label":"new","made":"2026-01-02T03:04:05Z","bytes":"AAEC",
        "extra":{"a":[1,null]},"maker":{"name":"Ada"},"size":{"width":1,"height":2},"parts":\(json(firstParts)),
        "remarks":[{"text":"gone"},{"text":"kept"}]},
       {"id":-300,"isNew":false,"count":-300,"ratio":-1e300,"name":"\(long)","made":"1969-12-31T23:59:59.25Z",
        "bytes":"\(String(repeating: "AAAA", count: 100))","extra":"\(long)"},
       {"id":70000,"count":70000,"name":"é","maker":{"name":"Ada"}},
       {"id":5000000000,"count":5000000000,"name":""},
       {"id":2,"name":"goes"}]
      """, as: firstThing)
    let total = #"[{"id":1,"sum":18446744073709551615},{"id":2,"sum":7}]"#
    _ = try Mapper(store).importJSON(Array(total.utf8), as: Total.mapping)
    try store.take(
      #"[{"id":1,"parts":\#(json(parts)),"remarks":[{"text":"kept"}]},{"id":70000,"name":null}]"#,
      as: firstThing)
    let plan = try Plan(firstThing)
    try store.write(plan.schema) { writer in
      guard let id = try writer.reader.find(2, of: 0) else { return .rollBack(()) }
      _ = try writer.delete(id, of: 0)
      return .commit(())
    }
    try store.take("[]", as: thing)
    return try store.dump()
  }

  static let things = [
    #"{"id":-300,"isNew":false,"count":-300,"ratio":-1e300,"title":"\#(long)","made":"1969-12-31T23:59:59.25Z","#
      + #""bytes":"\#(String(repeating: "AAAA", count: 100))","extra":"\#(long)"}"#,
    #"{"id":1,"isNew":true,"count":1,"ratio":0.5,"title":"first","made":"2026-01-02T03:04:05Z","bytes":"AAEC","#
      + #""extra":{"a":[1,null]},"labels":["new"],"maker":{"name":"Ada"},"size":{"width":1,"height":2},"parts":\#(json(parts)),"#
      + #""notes":[{"text":"kept"}]}"#,
    #"{"id":70000,"count":70000,"maker":{"name":"Ada"}}"#,
    #"{"id":5000000000,"count":5000000000,"title":""}"#,
  ]
  static let totals = [#"{"id":1,"sum":18446744073709551615}"#, #"{"id":2,"sum":7}"#]
}

extension LMDBStore {
  /// Every key and value of every table, in hexadecimal digits, one a line.
  fileprivate func dump() throws -> [String] {
    try environment.read { transaction in
      var lines: [String] = []
      for table in Table.allCases {
        let cursor = try transaction.view.unsafeCursor(environment.databases[table.rawValue])
        var entry = try cursor.first()
        while let found = entry {
          lines.append("\(table.name) \(hexadecimal(found.key)) \(hexadecimal(found.value))\n")
          entry = try cursor.next()
        }
      }
      return lines
    }
  }
}

private func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
