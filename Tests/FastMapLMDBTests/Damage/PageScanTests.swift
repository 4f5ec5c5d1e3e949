import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Pages that are damaged are found before LMDB follows them. All of it is in one process, which must live.
@Suite struct PageScanTests {
  let scratch = Scratch()
  private let page = Int(getpagesize())

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .string)
    Attribute("text", .string)
    ToMany("items", item)
    ToMany("notes", Mapping("Note") { Attribute("text", .string) })
  }

  /// A store whose tables all have branches, with free pages and a long value.
  private func makeStore() throws -> [String] {
    let store = try LMDBStore(at: scratch.store)
    for round in 0..<3 {
      let items = (0..<400).map { id in
        let text = String(repeating: "\(round)", count: id == 7 ? 10_000 : id % 50)
        return
          #"{"id": "item \#(id)", "text": "\#(text)", "items": ["item \#(id * 7 % 400)", "item \#(id / 2)"], "#
          + #""notes": [{"text": "\#(id)"}]}"#
      }
      try store.take("[\(items.joined(separator: ","))]", as: Self.item)
    }
    try store.delete(Self.item, key: "item 3")
    try store.expectSound()
    return try store.export(Self.item)
  }

  private func expectFoundOrHarmless(_ lines: [String], _ name: String) throws -> Bool {
    do {
      let store = try LMDBStore(at: scratch.store)
      if let found = try? store.export(Self.item) {
        #expect(found == lines, "\(name): the export is wrong")
      } else {
        #expect(scratch.refusalOfAWrite() != nil, "\(name): a write is accepted, a read is not")
      }
      guard try store.check().isSound else {
        #expect(scratch.refusalOfAWrite() != nil, "\(name): a write is accepted")
        return true
      }
      return false
    } catch is LMDBError {
      return true
    }
  }

  /// Where a transaction writes a long value twice, LMDB leaves the shorter one in the pages of the longer one.
  @Test func aValueThatWasMadeShorterKeepsItsPages() throws {
    let environment = try Environment.open(at: scratch.store, .test)
    try environment.write { transaction in
      for length in [20_000, 10_000] { try transaction.fill(environment.things, 0..<3, length: length) }
    }
    #expect(try environment.read { try environment.scanPages($0) })
    try environment.write { try $0.delete(environment.things, 1) }
    #expect(try environment.read { try environment.scanPages($0) })
  }

  @Test func everyByteOfABranchIsFoundOrDoesNoHarm() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var random = Random(for: "PageScanTests")
    var found = 0
    var branches = 0
    let rarity = TestSize.count(small: 300, whole: 36)
    for start in stride(from: 2 * page, to: bytes.count, by: page) where bytes[start + 10] == 1 {
      branches += 1
      // The header, the slots and the nodes; the space between them is empty.
      let lower = Int(bytes[start + 12]) | Int(bytes[start + 13]) << 8
      let upper = Int(bytes[start + 14]) | Int(bytes[start + 15]) << 8
      for offset in [Array(0..<lower), Array(upper..<page)].joined() where random.next(rarity) == 0 {
        let flipped = bytes[start + offset] ^ (1 << random.next(8))
        write([flipped], to: scratch.dataFile, at: start + offset)
        if try expectFoundOrHarmless(lines, "byte \(start + offset)") { found += 1 }
        write([bytes[start + offset]], to: scratch.dataFile, at: start + offset)
      }
    }
    print("PageScanTests: \(found) found in \(branches) branches")
    #expect(branches >= 4)
    #expect(found >= TestSize.count(small: 0, whole: 1))
    #expect(try LMDBStore(at: scratch.store).export(Self.item) == lines)
  }

  /// Keys in branches have no checksum, and going over a table does not meet them; looking something up does.
  @Test func aBranchThatLeadsAstrayIsFound() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    func integer16(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    var changed = 0
    for start in stride(from: 2 * page, to: bytes.count, by: page) where bytes[start + 10] == 1 {
      // The second entry of the branch: the first one that has a key.
      let node = start + integer16(start + 18)
      guard integer16(node + 6) == 18 else { continue }  // a list or a block of references
      write([bytes[node + 8 + 7] &+ 1], to: scratch.dataFile, at: node + 8 + 7)
      let store = try LMDBStore(at: scratch.store)
      let details = try store.check().problems.map(\.detail)
      // Branches of old commits are in no tree any more.
      if details.isEmpty {
        #expect(try store.export(Self.item) == lines)
      } else {
        #expect(details == ["a key is out of order"])
        changed += 1
      }
      write([bytes[node + 8 + 7]], to: scratch.dataFile, at: node + 8 + 7)
    }
    #expect(changed >= 1)
  }

  /// A branch of one entry, and a leaf of none: LMDB has no such pages, and this one would hide what was on it.
  @Test(arguments: [UInt8(1), 2]) func aPageWithTooFewEntriesIsFound(_ pageKind: UInt8) throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var found = 0
    let starts = stride(from: 2 * page, to: bytes.count, by: page).filter { bytes[$0 + 10] == pageKind }
    for start in TestSize.cases(starts, small: 8) {
      let whole = Array(bytes[start..<(start + page)])
      func integer16(_ offset: Int) -> Int { Int(whole[offset]) | Int(whole[offset + 1]) << 8 }
      var changed = whole
      func set(_ number: Int, at offset: Int) {
        (changed[offset], changed[offset + 1]) = (UInt8(number & 0xFF), UInt8(number >> 8))
      }
      // The first node of a branch goes to the end of the page: a header of 8 bytes, and its key.
      let node = integer16(16)
      let size = pageKind == 1 ? (8 + integer16(node + 6) + 1) & ~1 : 0
      changed.replaceSubrange((page - size)..., with: whole[node..<(node + size)])
      set(pageKind == 1 ? 18 : 16, at: 12)
      set(page - size, at: 14)
      if pageKind == 1 { set(page - size, at: 16) }
      write(changed, to: scratch.dataFile, at: start)
      if try expectFoundOrHarmless(lines, "page \(start / page)") { found += 1 }
      write(whole, to: scratch.dataFile, at: start)
    }
    #expect(found >= 1)
    #expect(try LMDBStore(at: scratch.store).export(Self.item) == lines)
  }

  @Test func anyFlippedBitIsFoundOrDoesNoHarm() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var random = Random(for: "PageScanTests")
    var found = 0
    let count = TestSize.rounds(small: 5, whole: 60)
    for _ in 0..<count {
      let offset = 2 * page + random.next(bytes.count - 2 * page)
      write([bytes[offset] ^ (1 << random.next(8))], to: scratch.dataFile, at: offset)
      if try expectFoundOrHarmless(lines, "byte \(offset)") { found += 1 }
      write([bytes[offset]], to: scratch.dataFile, at: offset)
    }
    print("PageScanTests: \(found) of \(count) found")
    #expect(found > count / 12 - 1)
  }
}
