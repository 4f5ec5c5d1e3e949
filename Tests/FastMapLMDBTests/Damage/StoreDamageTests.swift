import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import Foundation
import TestSupport
import Testing

@testable import FastMapLMDB

/// Bytes that change on the disk are found, and never come back as data.
@Suite struct StoreDamageTests {
  let scratch = Scratch()

  private static let mappingFile = """
    {"fastmap": 1, "mappings": {
      "Person": {
        "primaryKey": "id", "attributes": {"id": "integer", "name": "string", "born": {"type": "date"}},
        "relationships": {
          "boss": {"mapping": "Ref", "keyPath": "boss_id"}, "phones": {"mapping": "Phone", "toMany": true},
          "friends": {"mapping": "Ref", "toMany": true, "policy": "merge"}
        }
      },
      "Ref": {"entity": "Person", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}},
      "Phone": {"attributes": {"number": "string"}}
    }}
    """
  private var mappings: String { scratch.path + "/mappings.json" }

  /// A store of a hundred people, made in two imports.
  private func makeStore() throws -> (plan: Plan, lines: [String]) {
    write(Array(Self.mappingFile.utf8), to: mappings)
    let plan = try MappingSet(at: mappings).plan(for: "Person")
    let store = try LMDBStore(at: scratch.store)
    for version in ["old", "new"] {
      let people = (0..<100).map { id in
        #"{"id": \#(id), "name": "\#(version) person \#(id)", "born": "1815-12-10T00:00:00Z", "#
          + #""boss_id": \#(id / 2), "friends": [\#((id + 1) % 100), \#((id + 2) % 100)], "#
          + #""phones": [{"number": "+\#(id)"}, {"number": "-\#(id)"}]}"#
      }
      _ = try Mapper(store).importJSON(Array("[\(people.joined(separator: ","))]".utf8), as: plan)
    }
    return (plan, try store.export(plan))
  }

  /// Where a text stands in the data file for the last time.
  private func offset(of text: String) throws -> Int {
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile))
    return try #require(data.range(of: Data(text.utf8), options: .backwards)?.lowerBound)
  }

  // MARK: Pages

  @Test func twoSwappedEntriesOfAPageAreAnErrorAndHideNoObject() throws {
    let (plan, _) = try makeStore()
    let (bytes, page) = (try Files.bytes(of: scratch.dataFile), 4096)
    func integer16(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    var (errors, hidden) = (0, 0)
    // Leaves with two entries or more: a header of 16 bytes, and then two bytes for the place of each entry.
    for start in stride(from: 2 * page, to: bytes.count, by: page)
    where bytes[start + 10] == 2 && integer16(start + 12) >= 20 {
      let (first, last) = (start + 16, start + integer16(start + 12) - 2)
      write([bytes[last], bytes[last + 1]], to: scratch.dataFile, at: first)
      write([bytes[first], bytes[first + 1]], to: scratch.dataFile, at: last)
      do {
        let store = try LMDBStore(at: scratch.store)
        for key in 0..<100 {
          do {
            let isFound = try store.read(plan) { try $0.record("Person", key: key) } != nil
            if !isFound { hidden += 1 }
          } catch is LMDBError { errors += 1 }
        }
      } catch is LMDBError { errors += 1 }
      write(bytes, to: scratch.dataFile)
    }
    #expect(hidden == 0)
    #expect(errors > 0)
  }

  // MARK: Records

  // BUG-68
  @Test func aDamagedRecordIsAnErrorWhereverItIsMet() throws {
    let (plan, lines) = try makeStore()
    let place = try offset(of: "new person 41")
    write([0x58], to: scratch.dataFile, at: place + 4)

    let expected = LMDBError.Reason.damaged(
      place: "records, key 41 of entity 0", detail: "the checksum does not match")
    #expect(scratch.refusalOfAWrite()?.reason == expected)
    let store = try scratch.openLarge()
    let report = try store.check()
    #expect(
      report.problems.first?.description == "records, key 41 of entity 0: the checksum does not match")
    #expect(!report.isSound)
    #expect(thrown(LMDBError.self) { _ = try store.export(plan) }?.reason == expected)
    let before = try Files.bytes(of: scratch.dataFile)
    for json in [#"{"id": 41, "name": "another"}"#, #"{"id": 41, "boss_id": 7}"#] {
      let error = thrown(LMDBError.self) { _ = try Mapper(store).importJSON(Array(json.utf8), as: plan) }
      #expect(error?.reason == expected)
    }
    #expect(try Files.bytes(of: scratch.dataFile) == before)

    // All others are as they were.
    try store.read(plan.schema) { reader in
      for id in 0..<100 where id != 41 {
        let values = try reader.values(.integer(Int64(id)), of: 0, plan.schema)
        #expect(values["name"] == .string("new person \(id)"))
      }
    }
    #expect(lines.count == 100)
  }

  @Test func everyBitOfARecordCounts() throws {
    let (plan, _) = try makeStore()
    let text = "new person 77"
    let place = try offset(of: text)
    let bytes = try Files.bytes(of: scratch.dataFile)
    for offset in place..<(place + text.utf8.count) {
      for bit in 0..<8 {
        write([bytes[offset] ^ (1 << bit)], to: scratch.dataFile, at: offset)
        let store = try LMDBStore(at: scratch.store)
        let error = thrown(LMDBError.self) {
          _ = try store.read(plan.schema) { try $0.values(77, of: 0, plan.schema) }
        }
        #expect(
          error?.reason
            == .damaged(place: "records, key 77 of entity 0", detail: "the checksum does not match"))
      }
      write([bytes[offset]], to: scratch.dataFile, at: offset)
    }
    try LMDBStore(at: scratch.store).expectSound()
  }

  // MARK: Headers

  private let page = Int(getpagesize())
  /// Where a header has the number of its commit.
  private static let commitNumber = 144

  @Test func anOldCommitNeverComesBack() throws {
    let (plan, lines) = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var believed: [String] = []
    for header in 0..<2 {
      for bit in TestSize.cases(Array(0..<64), small: 5) {
        let offset = header * page + Self.commitNumber + bit / 8
        write([bytes[offset] ^ (1 << (bit % 8))], to: scratch.dataFile, at: offset)
        _ = thrown(LMDBError.self) {
          let found = try LMDBStore(at: scratch.store).export(plan)
          if found != lines { believed.append("bit \(bit) of header \(header)") }
        }
        write([bytes[offset]], to: scratch.dataFile, at: offset)
      }
    }
    #expect(believed.isEmpty)
    #expect(try LMDBStore(at: scratch.store).export(plan) == lines)
  }

  /// All that a commit refers to is on the disk before its number is: where the number alone is missing, the
  /// commit is there.
  @Test func aHeaderWithoutItsNumberIsCompleted() throws {
    let (plan, lines) = try makeStore()
    // Commit 3 is in header 1, which had commit 1 before.
    write(UInt64(1), to: scratch.dataFile, at: page + Self.commitNumber)
    let reading = LMDBStore.Configuration.with { $0.isReadOnly = true }
    #expect(
      thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store, configuration: reading) }?.reason
        == .damaged(
          place: "data.mdb, meta page 1",
          detail: "the commit number differs from the tree's; open the store for writing once"))
    let store = try LMDBStore(at: scratch.store)
    #expect(try (store.commits, store.export(plan)) == (3, lines))
  }

  @Test func theRootOfTheCommitBeforeIsRefused() throws {
    _ = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    let (newer, older) = bytes.withUnsafeBytes { bytes in
      (MetaPage(UnsafeRawBufferPointer(rebasing: bytes[page...])), MetaPage(bytes))
    }
    #expect(newer.commit == older.commit + 1)
    write(older.names.root, to: scratch.dataFile, at: page + 128)
    #expect(
      thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store) }?.reason
        == .damaged(place: "data.mdb, meta page 1", detail: "commit 3, with the tree of commit 2"))
  }

  @Test func aCommitThatDoesNotSayItsNumberIsRefused() throws {
    _ = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    let key = CommitRecord.key
    for place in bytes.indices.dropLast(key.count)
    where bytes[place] == key[0] && Array(bytes[place..<(place + key.count)]) == key {
      write([UInt8(ascii: "C")], to: scratch.dataFile, at: place)
    }
    guard case .damaged? = thrown(LMDBError.self, { _ = try LMDBStore(at: scratch.store) })?.reason else {
      Issue.record("it was opened")
      return
    }
  }

  /// The record completes a header, so none of its bytes is believed without its checksum.
  @Test(arguments: 0..<CommitRecord.size)
  func aCommitThatSaysAnotherNumberIsRefused(_ place: Int) throws {
    _ = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    let key = CommitRecord.key
    for start in bytes.indices.dropLast(key.count)
    where bytes[start] == key[0] && Array(bytes[start..<(start + key.count)]) == key {
      let offset = start + key.count + place
      write([bytes[offset] ^ 0x10], to: scratch.dataFile, at: offset)
    }
    let damaged = try Files.bytes(of: scratch.dataFile)
    guard case .damaged? = thrown(LMDBError.self, { _ = try LMDBStore(at: scratch.store) })?.reason else {
      Issue.record("it was opened")
      return
    }
    #expect(try Files.bytes(of: scratch.dataFile) == damaged)
  }

  /// A table under another name is refused: creating it again would lose its entries.
  @Test(arguments: Table.allCases) func aTableOfAnotherNameIsRefused(_ table: Table) throws {
    _ = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    let name = Array(table.name.utf8)
    for place in bytes.indices.dropLast(name.count) where bytes[place...].starts(with: name) {
      write([name[name.count - 1] ^ 1], to: scratch.dataFile, at: place + name.count - 1)
    }
    let damaged = try Files.bytes(of: scratch.dataFile)
    #expect(damaged != bytes)
    #expect(
      thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store) }?.reason
        == .damaged(place: "data.mdb", detail: "a table has an unknown name"))
    #expect(try Files.bytes(of: scratch.dataFile) == damaged)
  }

  // MARK: Any byte

  /// In processes of their own: LMDB falls over pages that are damaged, and is to be kept from them.
  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"), .timeLimit(.minutes(5)))
  func aFlippedBitIsFoundOrDoesNoHarm() throws {
    let lines = try makeStore().lines
    let bytes = try Files.bytes(of: scratch.dataFile)
    var random = Random(for: "StoreDamageTests")
    var tally = ["found": 0, "harmless": 0, "crashed": 0]
    for _ in 0..<TestSize.rounds(small: 4, whole: 80) {
      // A third of the flips are in the two headers, which are small and count most.
      let isHeader = random.next(3) == 0
      let offset = isHeader ? random.next(2) * page + random.next(152) : random.next(bytes.count)
      if offset < 2 * page, offset % page >= Self.commitNumber { continue }  // has a test of its own
      let flipped = bytes[offset] ^ (1 << random.next(8))
      write([flipped], to: scratch.dataFile, at: offset)
      let name = "byte \(offset): \(bytes[offset]) → \(flipped)"
      tally[try verdict(lines, name), default: 0] += 1
      #expect(size(of: scratch.dataFile) == bytes.count, "\(name)")
      write([bytes[offset]], to: scratch.dataFile, at: offset)
    }
    print("StoreDamageTests: \(tally)")
    #expect(tally["crashed"] == 0)
    #expect(try Files.bytes(of: scratch.dataFile) == bytes)
    try LMDBStore(at: scratch.store).expectSound()
  }

  private func verdict(_ lines: [String], _ name: String) throws -> String {
    let check = try FastMapTool.run(["check", "--store", scratch.store], in: scratch, seconds: 20)
    switch check.ending {
    case .exited(1): return "found"
    case .killed: return "crashed"
    case .exited(0): break
    default: Issue.record("\(name): check: \(check.ending) \(check.errors)")
    }
    let call = ["export", "--store", scratch.store, "--mappings", mappings, "--as", "Person"]
    let export = try FastMapTool.run(call, in: scratch, seconds: 20)
    switch export.ending {
    case .exited(1): return "found"
    case .killed: return "crashed"
    case .exited(0): break
    default: Issue.record("\(name): export: \(export.ending) \(export.errors)")
    }
    let isRight = export.lines == lines
    #expect(isRight, "\(name): sound, but the export is wrong")
    return "harmless"
  }
}
