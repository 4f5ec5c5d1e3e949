import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Damage to single pages that hides entries, brings entries back or holds them from earlier commits.
extension RepairTests {
  /// To the checksum, such a bit is another table's number.
  @Test func aFlippedBitInTheFirstByteOfAKeyDoesNotMakeItAnotherTables() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    var count = 0
    for start in stride(from: 2 * page, to: bytes.count, by: page) where bytes[start + 10] == 2 {
      let offset = Int(bytes[start + 16]) | Int(bytes[start + 17]) << 8
      // A block of references: 18 bytes of key, a checksum, and the key as the first entry.
      guard bytes[start + 12] > 16, bytes[start + offset + 6] == 18 else { continue }
      let key = bytes[(start + offset + 8)..<(start + offset + 26)]
      guard bytes[(start + offset + 30)...].starts(with: key) else { continue }
      count += 1
      guard count % TestSize.count(small: 8, whole: 1) == 1 % TestSize.count(small: 8, whole: 1) else {
        continue
      }
      for bit in TestSize.cases([0, 2], small: 1) {
        write([bytes[start + offset + 8] ^ 1 << bit], to: scratch.dataFile, at: start + offset + 8)
        _ = try LMDBStore.repair(from: scratch.store, to: repaired)
        let store = try LMDBStore(at: repaired)
        try store.expectSound()
        #expect(try store.export(Self.item) == lines)
        withExtendedLifetime(consume store) {}
        remove(repaired)
      }
      write([bytes[start + offset + 8]], to: scratch.dataFile, at: start + offset + 8)
    }
    #expect(count > 0)
  }

  @Test func pagesThatWereSwappedAreNotTakenForEachOther() throws {
    let lines = try makeStore()
    let known = Set(texts(lines))
    let bytes = try Files.bytes(of: scratch.dataFile)
    let pages = bytes.count / page
    let numbers = (2..<pages).filter { $0 & 16 == 0 && $0 + 16 < pages }
    for number in TestSize.cases(numbers, small: 2) {
      let (one, other) = (number * page, (number + 16) * page)
      // The rest of a long value does not say which page it is.
      guard Int(bytes[one]) == number & 255, Int(bytes[other]) == (number + 16) & 255 else { continue }
      write(Array(bytes[one..<(one + page)]), to: scratch.dataFile, at: other)
      write(Array(bytes[other..<(other + page)]), to: scratch.dataFile, at: one)
      if let report = try? LMDBStore.repair(from: scratch.store, to: repaired) {
        let store = try LMDBStore(at: repaired)
        try store.expectSound()
        #expect(report.commit == 3 || !report.isComplete)
        if report.commit == 3, let found = try? texts(store.export(Self.item)) {
          #expect(known.isSuperset(of: found), "pages \(number) and \(number + 16)")
          #expect(found.count == known.count || !report.isComplete)
        }
        withExtendedLifetime(consume store) {}
        remove(repaired)
      }
      write(bytes, to: scratch.dataFile)
    }
  }

  /// LMDB does not clear deleted or moved entries.
  @Test func bytesBesideEntriesDoNotComeBack() throws {
    let lines = try makeStore()
    let bytes = try Files.bytes(of: scratch.dataFile)
    // A leaf of records: the entry of its last slot, once more and older, where nothing is, and its first slot
    // leads there.
    let text = Array("new item 41".utf8)
    let place = try #require(bytes.indices.dropLast(16).last { Array(bytes[$0..<($0 + 11)]) == text })
    let start = place / page * page
    var leaf = Array(bytes[start..<(start + page)])
    let node = try #require(PageNode.all(on: leaf).last)
    let key = Array(node.key(on: leaf))
    let (entry, nodeValue, length) = (Int(node.offset), Int(node.value), Int(node.value_length))
    leaf.withUnsafeMutableBytes { leaf in
      let header = PageHeader(UnsafeRawBufferPointer(leaf))
      let size = (nodeValue + length - entry + 1) & ~1
      let copy = Int(header.upper) - size
      #expect(copy >= Int(header.lower))
      for offset in 0..<size { leaf[copy + offset] = leaf[entry + offset] }
      let value = copy + nodeValue - entry
      let older = (value..<(Int(header.upper) - 3)).first { Array(leaf[$0..<($0 + 3)]) == Array("new".utf8) }
      if let older { leaf[older] = UInt8(ascii: "N") }
      let rest = UnsafeRawBufferPointer(rebasing: leaf[(value + 4)..<(value + length)])
      let checksum = key.withUnsafeBytes { Checksum.make(.records, $0, rest) }
      leaf.storeBytes(of: checksum.littleEndian, toByteOffset: value, as: UInt32.self)
      leaf.storeBytes(of: UInt16(copy), toByteOffset: PageHeader.size, as: UInt16.self)
    }
    write(leaf, to: scratch.dataFile, at: start)
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(!report.isComplete)
    // Its slot leads to the older entry, so the intact one is lost. The older one does not take its place.
    #expect(report.entities.map(\.lostCount) == [1, 0])
    let found = try texts(LMDBStore(at: repaired).export(Self.item))
    #expect(Set(texts(lines)).isSuperset(of: found) && found.count == texts(lines).count - 1)
  }
}
