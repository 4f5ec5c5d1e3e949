import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Repairs of pages with damaged numbers of their own: their nodes, their list of them, their name, the commit.
extension RepairTests {
  private func open(_ body: (LMDBStore) throws -> Void = { _ in }) throws {
    let store = try LMDBStore(at: scratch.store)
    try body(store)
    withExtendedLifetime(store) {}
  }

  /// The leaves of a table in the newest commit.
  private func leaves(of table: Table) throws -> [Int] {
    let bytes = try Files.bytes(of: scratch.dataFile)
    let store = try LMDBStore(at: scratch.store)
    let free = try store.environment.read { try #require(try store.environment.freePages($0.view.handle)) }
    withExtendedLifetime(consume store) {}
    return stride(from: 2 * page, to: bytes.count, by: page).filter { start in
      guard bytes[start + 10] == 2, bytes[start] == UInt8(start / page & 255) else { return false }
      guard free.bits[start / page / 64] >> UInt64(start / page % 64) & 1 == 0 else { return false }
      let leaf = Array(bytes[start..<(start + page)])
      guard let node = PageNode.all(on: leaf).first, let value = node.value(on: leaf) else { return false }
      return node.key(on: leaf).withUnsafeBytes { key in
        value.withUnsafeBytes { Checksum.matches(table, key, $0) }
      }
    }
  }

  /// Bits of places. If small, few of them, each in another byte and at another place of its byte.
  private func bits(of places: [Int], small: Int) -> [(place: Int, bit: Int)] {
    let all = places.flatMap { place in (0..<8).map { (place: place, bit: $0) } }
    // A step beside a whole byte.
    let count = all.count % small == 0 ? small - 1 : small
    return TestSize.cases(all, small: count)
  }

  private func repairs(_ body: (RepairReport, LMDBStore) throws -> Void) throws {
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    let store = try LMDBStore(at: repaired)
    try store.expectSound()
    try body(report, store)
    withExtendedLifetime(consume store) {}
    remove(repaired)
  }

  /// Most of its targets are in other segments too, so that the inverse does not miss them.
  @Test func aSegmentThatCannotBeReadIsReported() throws {
    let targets = (0..<3000).map { "\($0 % 2)" }.joined(separator: ",")
    try open { _ = try $0.take(#"{"id": 0, "items": [\#(targets)]}"#, as: Self.item) }
    let lines = try withExtendedLifetime(LMDBStore(at: scratch.store)) { try $0.export(Self.item) }
    let bytes = try Files.bytes(of: scratch.dataFile)
    let leaf = try #require(try leaves(of: .links).first)
    let slot = Int(bytes[leaf + 16]) | Int(bytes[leaf + 17]) << 8
    // `lower`, the first offset, and the header of its node.
    let places = [leaf + 12, leaf + 13, leaf + 16, leaf + 17] + (0..<10).map { leaf + slot + $0 }
    for (place, bit) in bits(of: places, small: 7) {
      write([bytes[place] ^ 1 << bit], to: scratch.dataFile, at: place)
      try repairs { report, store in
        let isSame = try store.export(Self.item) == lines
        #expect(isSame || !report.isComplete, "byte \(place), bit \(bit)")
        if !isSame {
          let problems = report.problems.map(\.description)
          #expect(problems.contains { $0.contains("of object 1 of entity 0") }, "\(problems)")
        }
      }
      write([bytes[place]], to: scratch.dataFile, at: place)
    }
  }

  @Test func entriesOfAnInterruptedImportAreNotLostInSilence() throws {
    try open { store in
      _ = try store.take(#"{"id": 0}"#, as: Self.item)
      try store.environment.write { transaction in
        let objects = [
          Leftover(id: ObjectID(rawValue: 1), entity: 0, isOwned: false, deletesShared: false)
        ]
        for commit in 1...40 {
          try LeftoverEntry(importNumber: 7, commit: UInt64(commit), objects: objects)
            .put(WriteView(view: transaction.view), store.tables)
        }
      }
    }
    let bytes = try Files.bytes(of: scratch.dataFile)
    let leaf = try #require(try leaves(of: .meta).last)
    let slots = (Int(bytes[leaf + 12]) | Int(bytes[leaf + 13]) << 8) - 16
    for place in TestSize.cases(Array(stride(from: leaf + 12, to: leaf + 16 + slots, by: 3)), small: 6) {
      write([bytes[place] ^ 4], to: scratch.dataFile, at: place)
      try repairs { report, store in
        let count = try store.environment.read { try LeftoverEntry.all($0.view, store.tables).count }
        #expect(count == 40 || !report.isComplete, "byte \(place)")
      }
      write([bytes[place]], to: scratch.dataFile, at: place)
    }
  }

  @Test func aDamagedNumberOfTheCommitLosesNoCommit() throws {
    try open {
      _ = try $0.take(#"{"id": 0, "text": "old"}"#, as: Self.item)
      _ = try $0.take(#"[{"id": 0, "text": "new"}, {"id": 1}, {"id": 2}]"#, as: Self.item)
    }
    let lines = try withExtendedLifetime(LMDBStore(at: scratch.store)) { try $0.export(Self.item) }
    let bytes = try Files.bytes(of: scratch.dataFile)
    let value = CommitRecord.value(3)
    let found = try #require(bytes.indices.dropLast(12).first { bytes[$0...].starts(with: value) })
    let (start, node) = (found / page * page, found - 8 - CommitRecord.key.count)
    let header = try #require(
      stride(from: start + 16, to: start + 64, by: 2)
        .first { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 == node - start })
    for (place, bit) in bits(
      of: [start + 12, start + 14, header, header + 1] + Array(node..<(found + 12)), small: 16)
    {
      write([bytes[place] ^ 1 << bit], to: scratch.dataFile, at: place)
      try repairs { report, store in
        #expect(report.commit == 3, "byte \(place - start), bit \(bit)")
        let found = try store.export(Self.item)
        #expect(found == lines, "byte \(place - start), bit \(bit)")
      }
      write([bytes[place]], to: scratch.dataFile, at: place)
    }
    write([bytes[found] ^ 1], to: scratch.dataFile, at: found)
    try repairs { report, _ in
      #expect(
        report.problems.map(\.detail).contains {
          $0.hasPrefix("the names of the tables are lost; all used pages were searched")
        })
    }
  }

  @Test func aDamagedNameOfATableLosesNoTable() throws {
    let lines = try makeStore(40)
    let bytes = try Files.bytes(of: scratch.dataFile)
    let value = CommitRecord.value(3)
    let found = try #require(bytes.indices.dropLast(12).first { bytes[$0...].starts(with: value) })
    let start = found / page * page
    let leaf = Array(bytes[start..<(start + page)])
    var number = 0
    for node in PageNode.all(on: leaf) where !node.key(on: leaf).elementsEqual(CommitRecord.key) {
      // The lengths and flags, then the name.
      for place in Int(node.offset)..<Int(node.value) {
        number += 1
        guard number % TestSize.count(small: 8, whole: 1) == 0 else { continue }
        write([leaf[place] ^ 2], to: scratch.dataFile, at: start + place)
        try repairs { report, store in
          #expect(report.entities.map(\.savedCount) == [40, 40], "byte \(place)")
          #expect(report.entities.map(\.lostCount) == [0, 0], "byte \(place)")
          let found = try store.export(Self.item)
          #expect(found == lines, "byte \(place)")
        }
        write([leaf[place]], to: scratch.dataFile, at: start + place)
      }
    }
  }

  @Test(arguments: [8192, 16_384])
  func aWrongPageSizeInBothHeadersIsCorrected(size: Int) throws {
    let lines = try makeStore(120)
    for header in 0..<2 { write(UInt32(size), to: scratch.dataFile, at: header * page + 40) }
    try repairs { report, store in
      #expect(!report.isComplete)
      let found = try store.export(Self.item)
      #expect(found == lines)
    }
  }
}
