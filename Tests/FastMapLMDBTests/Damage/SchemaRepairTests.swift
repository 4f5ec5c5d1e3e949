import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Files that lost several pages at once: a cut, or a block of a disk.
@Suite struct SchemaRepairTests {
  let scratch = Scratch()
  private var repaired: String { scratch.path + "/repaired.db" }
  private let page = Int(getpagesize())
  private static let count = 1500

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
    ToOne("first", item)
    Index("text")
  }

  private func makeStore(rounds: Int = 1) throws -> [UInt8] {
    let store = try LMDBStore(at: scratch.store)
    for round in 0..<rounds {
      let items = (0..<Self.count).map {
        #"{"id": \#($0), "text": "\#(round) \#(String(repeating: "x", count: 150))\#($0)", "first": \#($0 / 9)}"#
      }
      try store.take("[\(items.joined(separator: ","))]", as: Self.item)
    }
    withExtendedLifetime(consume store) {}
    return try Files.bytes(of: scratch.dataFile)
  }

  /// The keys whose record is on a whole page of a file.
  private func keys(in bytes: [UInt8]) -> Set<Int> {
    var keys: Set<Int> = []
    for number in 2..<bytes.count / page {
      let leaf = Array(bytes[number * page..<(number + 1) * page])
      let header = leaf.withUnsafeBytes { PageHeader($0) }
      guard header.isLeaf, header.number == UInt64(number) else { continue }
      for node in PageNode.all(on: leaf) {
        let key = Array(node.key(on: leaf))
        guard let value = node.value(on: leaf), key.count == 11 else { continue }
        let isRecord = key.withUnsafeBytes { key in
          value.withUnsafeBytes { Checksum.matches(.records, key, $0) }
        }
        if isRecord { keys.insert(Int(key[9]) << 8 | Int(key[10])) }
      }
    }
    return keys
  }

  private func repair(_ bytes: [UInt8], _ words: String) throws -> (keys: Set<Int>, report: RepairReport) {
    write(bytes, to: scratch.dataFile)
    truncate(scratch.dataFile, off_t(bytes.count))
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    let store = try LMDBStore(at: repaired)
    #expect(try store.check().isSound, "\(words)")
    let isKnown = report.entities.contains { $0.name == "Item" }
    let lines = isKnown ? try store.export(Self.item) : []
    withExtendedLifetime(consume store) {}
    for name in ["data.mdb", "lock.mdb", SchemaFile.name] { unlink(repaired + "/" + name) }
    rmdir(repaired)
    let keys = lines.compactMap { Int($0.dropFirst(#"{"id":"#.count).prefix { $0 != "," }) }
    return (Set(keys), report)
  }

  @Test(arguments: [1, 2, 3]) func aCutFileKeepsEveryRecordOfItsWholePages(rounds: Int) throws {
    let bytes = try makeStore(rounds: rounds)
    for cut in TestSize.cases([1, 2, 3, 4, 8, 16, 40], small: 3) + [2] {
      let rest = Array(bytes.dropLast(cut * page))
      let found = try repair(rest, "without \(cut) pages")
      #expect(found.keys == keys(in: rest), "without \(cut) pages: \(found.report.problems.prefix(5))")
      #expect(!found.report.isComplete)
    }
  }

  @Test(arguments: [2, 4, 16]) func aLostBlockKeepsEveryRecordOfTheOtherPages(pages: Int) throws {
    let bytes = try makeStore()
    let blocks = Array(0..<bytes.count / page / pages)
    for block in TestSize.cases(blocks, small: 4) + [blocks.count - 1] {
      var rest = bytes
      let range = block * pages * page..<(block + 1) * pages * page
      rest.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
      let found = try repair(rest, "block \(block)")
      #expect(found.keys == keys(in: rest), "block \(block): \(found.report.problems.prefix(5))")
      let lost = found.report.entities.first?.lostCount
      #expect(lost == nil || lost == Self.count - found.keys.count, "block \(block): \(lost ?? -1)")
    }
  }

  /// A description of other fields, or of fields that records do not have, must not make a store that is not sound.
  @Test(arguments: [
    nil, "x", #"{"fastmap": 1, "entities": [{"name": "Item", "fields": []}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "Item", "key": "integer", "fields": [{"name": "id", "type": "integer", "isKey": true}, {"name": "text", "type": "string"}, {"name": "first", "type": "to-one", "entity": "B"}]}, {"name": "B", "fields": []}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "B", "key": "string", "fields": [{"name": "x", "type": "string", "isKey": true}]}]}"#,
  ]) func noDescriptionMakesAStoreThatIsNotSound(_ text: String?) throws {
    let bytes = try makeStore()
    let file = scratch.store + "/" + SchemaFile.name
    unlink(file)
    if let text { write(Array(text.utf8), to: file) }
    for cut in [1, 2, 3] { _ = try? repair(Array(bytes.dropLast(cut * page)), "\(text ?? "none"), \(cut)") }
  }

  @Test func aFileThatIsShorterThanAPageIsRefused() throws {
    let bytes = try makeStore()
    for length in [0, 1, 150, 151, 512, 2048, 4095, 4096, 4097, 8191] {
      truncate(scratch.dataFile, off_t(length))
      write(Array(bytes.prefix(length)), to: scratch.dataFile)
      let error = thrown(LMDBError.self) { _ = try LMDBStore.repair(from: scratch.store, to: repaired) }
      guard case .damaged = error?.reason else {
        Issue.record("\(length) bytes: \(error?.description ?? "no error")")
        continue
      }
      #expect(size(of: repaired) == -1)
    }
  }

  @Test func aPipeIsRefusedAtOnce() throws {
    mkdir(scratch.store, 0o700)
    #expect(mkfifo(scratch.dataFile, 0o600) == 0)
    #expect(
      thrown(LMDBError.self) { _ = try LMDBStore.repair(from: scratch.store, to: repaired) }?.reason
        == .notAStore(detail: "data.mdb is not a file"))
    #expect(size(of: repaired) == -1)
  }
}
