import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// A repair copies every intact record of a damaged store into a new one, and nothing else.
@Suite struct RepairTests {
  let scratch = Scratch()
  var repaired: String { scratch.path + "/repaired.db" }
  let page = Int(getpagesize())

  static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
    ToOne("first", item)
    ToMany("items", item)
    ToMany("notes", Mapping("Note") { Attribute("text", .string) })
  }

  /// A store of 300 items, or as many as asked for, with branches, a list of two segments, a long value and pages of old commits.
  func makeStore(_ count: Int = 300) throws -> [String] {
    let store = try LMDBStore(at: scratch.store)
    for round in ["old", "new"] {
      let items = (0..<count).map { id in
        let items = id == 5 ? Array(0..<count) : [id / 2, id / 3]
        let text = "\(round) item \(id)" + String(repeating: "x", count: id == 7 ? 9000 : 0)
        return #"{"id": \#(id), "text": "\#(text)", "first": {"id": \#(id / 7)}, "#
          + #""items": [\#(items.map { "\($0)" }.joined(separator: ","))], "notes": [{"text": "\#(id)"}]}"#
      }
      try store.take("[\(items.joined(separator: ","))]", as: Self.item)
    }
    return try store.export(Self.item)
  }

  /// The key and the text of each item. An item whose targets are lost ends with its text.
  func texts(_ lines: [String]) -> [String] {
    lines.map { line in
      let start = line.split(separator: ",").prefix(2).joined(separator: ",")
      return start.hasSuffix("}") ? String(start.dropLast()) : start
    }
  }

  func remove(_ path: String) {
    for name in ["data.mdb", "lock.mdb", SchemaFile.name] { unlink(path + "/" + name) }
    rmdir(path)
  }

  @Test func aSoundStoreComesOutAsItWas() throws {
    let lines = try makeStore()
    let before = try Files.bytes(of: scratch.dataFile)
    let names = Set(try FileSystem.names(in: scratch.store))
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(report.isComplete, "\(report.problems.prefix(5))")
    #expect((report.commit, report.entities.map(\.name)) == (3, ["Item", "Note"]))
    #expect((report.entities.map(\.savedCount), report.entities.map(\.lostCount)) == ([300, 300], [0, 0]))
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    #expect(Set(try FileSystem.names(in: scratch.store)) == names)
    #expect(Set(try FileSystem.names(in: repaired)) == ["data.mdb", SchemaFile.name])
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    #expect(try store.export(Self.item) == lines)
  }

  /// An old page, in a place to which a damaged record no longer leads: its version of the record is older.
  @Test func anOlderPageInALostPlaceBringsNothingBack() throws {
    let store = try LMDBStore(at: scratch.store)
    for (text, range) in [("old", 0..<1500), ("new", 200..<1500)] {
      let items = range.map { #"{"id": \#($0), "text": "\#(text) item \#($0)"}"# }
      try store.take("[\(items.joined(separator: ","))]", as: Self.item)
    }
    let long = String(repeating: "x", count: 3 * page)
    try store.take(#"{"id": 7, "text": "\#(long)"}"#, as: Self.item)
    let free = try store.environment.read { try #require(try store.environment.freePages($0.view.handle)) }
    withExtendedLifetime(consume store) {}
    let bytes = try Files.bytes(of: scratch.dataFile)
    let pages = stride(from: 0, to: bytes.count, by: page).map { Array(bytes[$0..<$0 + page]) }
    let text = Array("old item 7".utf8)
    let older = try #require(
      pages.indices.first { number in
        free.bits[number / 64] >> UInt64(number % 64) & 1 == 1
          && pages[number].indices.contains { pages[number][$0...].starts(with: text) }
      })
    let run = try #require(pages.firstIndex { $0.allSatisfy { $0 == UInt8(ascii: "x") } })
    // One bit of a page's number may be damaged: a page with such a number may be the lost page.
    let told = try #require(
      pages.indices.first {
        free.bits[$0 / 64] >> UInt64($0 % 64) & 1 == 1 && ($0 ^ run).nonzeroBitCount == 1
      })
    write(pages[older], to: scratch.dataFile, at: run * page)
    write(UInt64(told).littleEndian, to: scratch.dataFile, at: run * page)

    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(report.problems.map(\.description).contains("Item: the object with the key 7 is lost"))
    #expect(report.entities.first?.savedCount == 1499)
    let fixed = try LMDBStore(at: repaired)
    try fixed.expectSound()
    #expect(try fixed.id(7, Self.item) == nil)
  }

  @Test func aLostObjectIsNamedAndNothingRefersToIt() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    let text = Array("new item 41".utf8)
    let place = try #require(bytes.indices.dropLast(16).last { Array(bytes[$0..<($0 + 11)]) == text })
    write([0x58], to: scratch.dataFile, at: place)
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    let problems = report.problems.map(\.description)
    #expect(problems.first?.hasSuffix("the checksum does not match") == true)
    #expect(problems.contains("Item: the object with the key 41 is lost"))
    #expect((report.entities.map(\.savedCount), report.entities.map(\.lostCount)) == ([299, 300], [1, 0]))
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    #expect(texts(try store.export(Self.item)) == texts(lines.filter { !$0.hasPrefix(#"{"id":41,"#) }))
    let list = try store.read(try Plan(Self.item).schema) { reader in
      let id = try reader.find(5, of: 0)
      return try id.map { try reader.targets(of: [$0], entity: 0, field: 3)[0].count }
    }
    #expect(list == 299)
  }

  @Test func entriesBelowADamagedBranchAreFound() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var branches = 0
    for start in stride(from: 2 * page, to: bytes.count, by: page) where bytes[start + 10] == 1 {
      write([UInt8](repeating: 0, count: page), to: scratch.dataFile, at: start)
      let isRefused = scratch.refusalOfAWrite() != nil
      let report = try LMDBStore.repair(from: scratch.store, to: repaired)
      #expect(report.isComplete != isRefused)
      #expect(report.entities.map(\.lostCount) == [0, 0])
      let store = try LMDBStore(at: repaired)
      try store.expectSound()
      #expect(try store.export(Self.item) == lines)
      withExtendedLifetime(consume store) {}
      remove(repaired)
      write(Array(bytes[start..<(start + page)]), to: scratch.dataFile, at: start)
      if isRefused { branches += 1 }
    }
    #expect(branches >= 3)
  }

  /// A wrong length also covers other entries.
  @Test func aWrongLengthOfALongValueCostsThatValueAlone() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var count = 0
    let bits = TestSize.cases(Array(12...17), small: 2)
    for start in stride(from: 2 * page, to: bytes.count, by: page) where bytes[start + 10] == 2 {
      let leaf = Array(bytes[start..<(start + page)])
      let node = leaf.withUnsafeBytes { leaf -> Int? in
        let slots = (Int(leaf.loadUnaligned(fromByteOffset: 12, as: UInt16.self)) - PageHeader.size) / 2
        return (0..<slots).map { PageHeader.size + 2 * $0 }
          .map { Int(leaf.loadUnaligned(fromByteOffset: $0, as: UInt16.self)) }
          .first { leaf.loadUnaligned(fromByteOffset: $0 + 4, as: UInt16.self) == 1 }
      }
      guard let node else { continue }
      let length = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start + node, as: UInt32.self) }
      for bit in bits {
        write(length ^ 1 << bit, to: scratch.dataFile, at: start + node)
        let report = try LMDBStore.repair(from: scratch.store, to: repaired)
        let store = try LMDBStore(at: repaired)
        if report.entities.map(\.lostCount) != [0, 0] {
          count += 1
          #expect(report.entities.map(\.lostCount) == [1, 0])
          let others = lines.filter { !$0.hasPrefix(#"{"id":7,"#) }
          #expect(texts(try store.export(Self.item)) == texts(others))
        }
        withExtendedLifetime(consume store) {}
        remove(repaired)
      }
      write(length, to: scratch.dataFile, at: start + node)
    }
    #expect(count == bits.count)
  }

  @Test func withoutHeadersTheNewestCommitIsFound() throws {
    let lines = try makeStore()
    for number in 0..<4 {
      let store = try LMDBStore(at: scratch.store)
      try store.take(#"{"id": 1000, "text": "\#(number)"}"#, as: Self.item)
    }
    let newest = try withExtendedLifetime(LMDBStore(at: scratch.store)) { try $0.export(Self.item) }
    #expect(newest.count == lines.count + 1)
    write([UInt8](repeating: 0, count: 2 * page), to: scratch.dataFile)
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(!report.isComplete)
    #expect(report.commit == 7)
    #expect(report.problems.contains { $0.detail.contains("may be older") })
    #expect(try LMDBStore(at: repaired).export(Self.item) == newest)
  }

  @Test func aRepairedCutStoreIsSound() throws {
    let lines = try makeStore()
    let known = Set(texts(lines.map { $0.replacing("old", with: "new") }))
    let bytes = try Files.bytes(of: scratch.dataFile)
    let pages = bytes.count / page
    var repairs = 0
    let counts = (pages / 3..<pages).reversed().filter { $0 % 3 == 0 || $0 > pages - 12 }
    for count in TestSize.cases(counts, small: 4) {
      truncate(scratch.dataFile, off_t(count * page))
      guard let report = try? LMDBStore.repair(from: scratch.store, to: repaired) else { continue }
      repairs += 1
      #expect(!report.isComplete)
      let store = try LMDBStore(at: repaired)
      try store.expectSound()
      if let found = try? store.export(Self.item) {
        #expect(known.isSuperset(of: texts(found.map { $0.replacing("old", with: "new") })), "\(count) pages")
      }
      withExtendedLifetime(consume store) {}
      remove(repaired)
    }
    #expect(repairs > TestSize.count(small: 1, whole: 10))
  }

  @Test func anyFlippedBitIsRepairedOrNamed() throws {
    let lines = try makeStore()
    let known = Set(texts(lines))
    let bytes = try Files.bytes(of: scratch.dataFile)
    var random = Random(for: "RepairTests")
    var tally = (whole: 0, part: 0)
    for number in 0..<TestSize.rounds(small: 3, whole: 24) {
      let offset = number % 4 == 0 ? random.next(2) * page + random.next(152) : random.next(bytes.count)
      write([bytes[offset] ^ (1 << random.next(8))], to: scratch.dataFile, at: offset)
      let report = try LMDBStore.repair(from: scratch.store, to: repaired)
      let store = try LMDBStore(at: repaired)
      try store.expectSound()
      let found = try store.export(Self.item)
      withExtendedLifetime(consume store) {}
      remove(repaired)
      if report.isComplete {
        #expect(found == lines, "byte \(offset)")
      } else {
        #expect(texts(found).allSatisfy { known.contains($0) }, "byte \(offset)")
      }
      if found == lines { tally.whole += 1 } else { tally.part += 1 }
      write([bytes[offset]], to: scratch.dataFile, at: offset)
    }
    print("RepairTests: \(tally)")
    #expect(tally.whole >= TestSize.count(small: 0, whole: 1))
  }

  @Test func aFailedRepairLeavesNoFiles() throws {
    #expect(
      thrown(LMDBError.self) { _ = try LMDBStore.repair(from: scratch.store, to: repaired) }?.reason
        == .notFound)
    mkdir(scratch.store, 0o700)
    write([UInt8](repeating: 0x41, count: 50_000), to: scratch.dataFile)
    #expect(
      thrown(LMDBError.self) { _ = try LMDBStore.repair(from: scratch.store, to: repaired) }?.reason
        == .damaged(place: "data.mdb", detail: "no commit was found"))
    #expect(size(of: repaired) == -1)
    #expect(try FileSystem.names(in: scratch.store) == ["data.mdb"])
  }

  @Test func aStoreInUseIsNotRepaired() async throws {
    _ = try makeStore()
    let (path, repaired) = (scratch.store, repaired)
    let store = try LMDBStore(at: path)
    #expect(thrown(LMDBError.self) { _ = try LMDBStore.repair(from: path, to: repaired) }?.reason == .inUse)
    await #expect(processExitsWith: .success) { [path = path as String, repaired = repaired as String] in
      #expect(reason { _ = try LMDBStore.repair(from: path, to: repaired) } == .inUse)
    }
    #expect(size(of: repaired) == -1)
    try store.expectSound()
  }
}
