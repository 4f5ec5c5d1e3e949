import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB
@testable import FastMapStoreTesting

/// Building, dropping, dumping and repairing secondary indexes in the file. The store contract promises their order.
@Suite struct IndexTests {
  let scratch = Scratch()

  private static func item(_ indexes: [Index]) -> Mapping<Record> { IndexedItems.mapping(.integer, indexes) }

  /// Objects with values that are hard to sort, the same each time.
  private static func objects(_ keys: Range<Int>, _ state: UInt64 = 5) -> String {
    var random = SplitMix(state: state)
    return "[" + keys.map { IndexedItems.object("\($0)", &random, longOnes: true) }.joined(separator: ",")
      + "]"
  }

  @Test func aDeletionFindsItsObjectsAlthoughItsMappingDeclaresANewIndex() throws {
    let store = try LMDBStore(at: scratch.store)
    let json = (0..<100).map { #"{"id":\#($0),"status":"s\#($0 % 50)"}"# }.joined(separator: ",")
    _ = try Mapper(store).importJSON("[\(json)]", as: Self.item([]))
    let declaring = try Plan(Self.item([Index("status")]))
    try store.delete(declaring.where(try Filter("@.status == 's7'")))
    #expect(try store.read(declaring) { try $0.count(declaring.query) } == 98)
    #expect(
      try store.read(declaring) { try $0.count(declaring.where(try Filter("@.status == 's7'"))) } == 0)
    #expect(try store.check().isSound)
  }

  @Test func aDumpHasTheIndexesAndARepairBuildsThemAgain() throws {
    let mapping = Self.item(IndexedItems.indexes + [Index("id", "flag", isUnique: true)])
    let (dump, repaired) = (scratch.path + "/dump", scratch.path + "/repaired")
    do {
      let store = try LMDBStore(at: scratch.store, holding: Self.objects(0..<100), as: mapping)
      try store.dump(to: dump)
    }
    let copy = try LMDBStore(at: scratch.path + "/copy")
    try copy.load(dump: dump)
    #expect(try LMDBStore.repair(from: scratch.store, to: repaired).isComplete)
    for (number, store) in [copy, try LMDBStore(at: repaired)].enumerated() {
      try store.expectSound()
      try store.dump(to: scratch.path + "/dump\(number)")
      #expect(try Files.bytes(of: dump) == Files.bytes(of: scratch.path + "/dump\(number)"))
    }
  }

  @Test func aRepairLeavesOutIndexesThatNameNothing() throws {
    let mapping = Self.item([Index("status")])
    do {
      let store = try LMDBStore(at: scratch.store)
      try store.take(#"[{"id":1,"status":"open"},{"id":2,"status":"closed"}]"#, as: mapping)
      let lost = IndexLayout(
        number: 7, entity: 0, parts: [.init(field: 40, isDescending: false)], isUnique: false)
      try put(lost.bytes, under: Array("index".utf8) + [0, 7], store)
      try put([1, 2, 3], under: Array("index".utf8) + [0, 8], store)
      #expect(throws: LMDBError.self) { try store.read(mapping) { try $0.records("Item").count } }
    }
    let repaired = scratch.path + "/repaired"
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(
      report.problems.contains { $0.description.contains("index 7: dropped, as the entity") })
    let copy = try LMDBStore(at: repaired)
    #expect(try copy.read(mapping) { try $0.records("Item").count } == 2)
    try copy.take(#"{"id":3,"status":"open"}"#, as: Self.item([Index("status"), Index("number")]))
    #expect(try copy.check().isSound)
  }

  private func put(_ rest: [UInt8], under key: [UInt8], _ store: LMDBStore) throws {
    try store.environment.write { transaction in
      try key.withUnsafeBytes { key in
        let checksum = rest.withUnsafeBytes { Checksum.make(.meta, key, $0) }
        let value = withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + rest
        try value.withUnsafeBytes { try transaction.put(store.tables.meta, key, $0) }
      }
    }
  }

  @Test(arguments: [
    (#"[{"fields":["number","-number"]}]"#, "$.entities[0].indexes[0].fields: a field occurs twice"),
    (
      #"[{"fields":["number"]},{"fields":["number"],"unique":true}]"#,
      "$.entities[0].indexes[1]: the same index occurs twice"
    ),
  ])
  func aDumpHasEachIndexOnce(_ indexes: String, _ message: String) throws {
    try expectFault(ofDumpWith: indexes, message)
  }

  @Test func aDumpWithTooManyIndexesIsRefused() throws {
    // Five of the fields in any order, each ascending or descending: more than there may be.
    let fields = ["status", "number", "real", "at", "flag", "blob", "team", "id"]
    var lists: [(text: String, used: Int)] = [("", 0)]
    for _ in 0..<5 {
      lists = lists.prefix(8192).flatMap { list in
        fields.enumerated().filter { list.used & 1 << $0.offset == 0 }.flatMap { place, field in
          ["\(list.text)\"\(field)\",", "\(list.text)\"-\(field)\","].map { ($0, list.used | 1 << place) }
        }
      }
    }
    let indexes = lists.prefix(65_536).map { #"{"fields":[\#($0.text.dropLast())]}"# }
    #expect(indexes.count == 65_536)
    try expectFault(
      ofDumpWith: "[" + indexes.joined(separator: ",") + "]",
      "$.entities[0].indexes[65535]: a store has at most 65535 indexes")
  }

  private func expectFault(ofDumpWith indexes: String, _ message: String) throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"[{"id":1,"number":1}]"#, as: Self.item([Index("number")]))
    let dump = scratch.path + "/dump"
    try store.dump(to: dump)
    let text = String(decoding: try Files.bytes(of: dump), as: UTF8.self)
      .replacing(#"[{"fields":["number"]}]"#, with: indexes)
    try scratch.write(text, to: "changed")
    let error = try #require(throws: DumpError.self) {
      try LMDBStore(at: scratch.path + "/copy").load(dump: scratch.path + "/changed")
    }
    #expect("\(error)".contains(message), "\(error)")
  }
}
