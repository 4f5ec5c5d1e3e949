import CFastMap
import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Where one page or one bit is damaged, a repair gives every record whose page is intact, as the newest commit has it.
@Suite struct RepairPromiseTests {
  enum Kind: CaseIterable { case fresh, compacted, withHistory }

  static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
    ToOne("first", item)
    ToMany("items", item)
    ToMany("notes", Mapping("Note") { Attribute("text", .string) })
    Index("text")
  }

  static let page = 4096

  /// A closed store, and the records of its newest commit.
  final class Sample {
    let scratch = Scratch()
    let bytes: [UInt8]
    let lines: [String]
    /// The values of an item's own record, by its key.
    var texts: [Int: Substring] = [:]
    /// The pages of each item's record, by its key.
    var pages: [Int: Set<Int>] = [:]
    var noteCounts: [Int: Int] = [:]
    var repaired: String { scratch.path + "/repaired.db" }

    init(_ kind: Kind) throws {
      let rounds = kind == .withHistory ? ["oldest", "older", "newest"] : ["newest"]
      for (place, round) in rounds.enumerated() {
        let store = try LMDBStore(at: scratch.store)
        // An item that only the first commit has.
        let keys = (0..<64).filter { place == 0 || $0 != 63 }
        let items = keys.map { id in
          let text = "\(round) \(id)" + String(repeating: "x", count: id == 7 ? 9000 : 80)
          return #"{"id": \#(id), "text": "\#(text)", "first": {"id": \#(id / 7)}, "#
            + #""items": [\#(id / 2), \#(id / 3)], "notes": [{"text": "\#(round) \#(id)"}]}"#
        }
        try store.take("[\(items.joined(separator: ","))]", as: RepairPromiseTests.item)
        if place > 0 {
          _ = try store.delete(Plan(RepairPromiseTests.item).query(of: "Item").keys(KeyRange(from: 63)))
        }
      }
      if kind == .compacted { try LMDBStore.compact(at: scratch.store) }
      let store = try LMDBStore(at: scratch.store)
      lines = try store.export(RepairPromiseTests.item)
      let free = try store.environment.read { try #require(try store.environment.freePages($0.view.handle)) }
      withExtendedLifetime(consume store) {}
      bytes = try Files.bytes(of: scratch.dataFile)
      for line in lines {
        let text = RepairPromiseTests.text(line)
        texts[text.key] = text.text
      }
      findRecords(free)
    }

    /// Finds the leaves of records that are not free.
    private func findRecords(_ free: FreePages) {
      let size = RepairPromiseTests.page
      for number in 2..<bytes.count / size where free.bits[number / 64] >> UInt64(number % 64) & 1 == 0 {
        let leaf = Array(bytes[number * size..<(number + 1) * size])
        guard leaf.withUnsafeBytes({ PageHeader($0) }).isLeaf else { continue }
        for node in PageNode.all(on: leaf) {
          let key = Array(node.key(on: leaf))
          var pages: Set = [number]
          var value = node.value(on: leaf)
          if node.isElsewhere {
            let count = Int(fastmap_run_pages(node.value_length, UInt32(size)))
            let start = Int(node.run) * size + PageHeader.size
            guard start + Int(node.value_length) <= bytes.count else { continue }
            pages.formUnion(Int(node.run)..<Int(node.run) + count)
            value = Array(bytes[start..<start + Int(node.value_length)])
          }
          let isRecord = key.withUnsafeBytes { key in
            value?.withUnsafeBytes { Checksum.matches(.records, key, $0) } ?? false
          }
          guard isRecord else { continue }
          if key[1] == 0 { self.pages[Int(key[10])] = pages } else { noteCounts[number, default: 0] += 1 }
        }
      }
    }
  }

  private static func text(_ line: String) -> (key: Int, text: Substring) {
    let parts = line.split(separator: ",")
    return (Int(parts[0].dropFirst(#"{"id":"#.count)) ?? -1, parts[1])
  }

  /// Repairs the store with a damaged page, and compares the new store with the old values.
  ///
  /// - Parameter most: The records of that page that may be lost.
  private func expectAll(_ sample: Sample, but page: Int, most: Int = .max, _ name: String) throws {
    let report = try LMDBStore.repair(from: sample.scratch.store, to: sample.repaired)
    let store = try LMDBStore(at: sample.repaired)
    try store.expectSound()
    let words = { "\(name): \(report.problems.prefix(6).map(\.description))" }
    #expect(report.entities.map(\.name) == ["Item", "Note"], "\(words())")
    guard report.entities.count == 2 else { return }
    let lines = try store.export(Self.item)
    withExtendedLifetime(consume store) {}
    for name in ["/data.mdb", "/lock.mdb", "/" + SchemaFile.name] { unlink(sample.repaired + name) }
    rmdir(sample.repaired)

    let found = Dictionary(uniqueKeysWithValues: lines.map { Self.text($0) })
    let intact = sample.pages.filter { !$0.value.contains(page) }.keys
    #expect(
      intact.allSatisfy { found[$0] != nil },
      "\(intact.filter { found[$0] == nil }.sorted()) are lost; \(words())")
    let lost =
      sample.pages.count - found.count + sample.noteCounts.values.reduce(0, +) - report.entities[1].savedCount
    #expect(lost <= most, "\(words())")
    // Else the page says so: nothing else may be older.
    let isOlder = report.problems.contains { $0.detail.contains("may be older") }
    let older = found.filter { $0.value != sample.texts[$0.key] }
    #expect(older.isEmpty || isOlder, "\(older.keys.sorted()) are older; \(words())")
    let notes = sample.noteCounts.filter { $0.key != page }.values.reduce(0, +)
    #expect(report.entities[1].savedCount >= notes, "\(words())")
    if report.isComplete { #expect(lines == sample.lines, "\(name)") }
  }

  @Test(arguments: Kind.allCases) func aLostPageCostsItsRecordsAlone(_ kind: Kind) throws {
    let sample = try Sample(kind)
    #expect(sample.pages.count == sample.lines.count)
    let pages = Array(0..<sample.bytes.count / Self.page)
    for number in TestSize.cases(pages, small: 8) {
      let start = number * Self.page
      write([UInt8](repeating: 0, count: Self.page), to: sample.scratch.dataFile, at: start)
      try expectAll(sample, but: number, "\(kind), page \(number)")
      write(Array(sample.bytes[start..<start + Self.page]), to: sample.scratch.dataFile, at: start)
    }
  }

  @Test(arguments: Kind.allCases) func aWrongBitCostsAtMostTheRecordsOfItsPage(_ kind: Kind) throws {
    let sample = try Sample(kind)
    var random = Random(for: "RepairPromiseTests \(kind)")
    for round in 0..<TestSize.rounds(small: 6, whole: 30) {
      // A tenth of the bits are in the headers.
      let header = random.next(2) * Self.page + random.next(152)
      let place = round % 10 == 0 ? header : random.next(sample.bytes.count)
      let bit = UInt8(1) << UInt8(random.next(8))
      write([sample.bytes[place] ^ bit], to: sample.scratch.dataFile, at: place)
      try expectAll(sample, but: place / Self.page, "\(kind), byte \(place), bit \(bit)")
      write([sample.bytes[place]], to: sample.scratch.dataFile, at: place)
    }
  }

  /// Two faults at once: the values are of the newest commit, or the report speaks of an earlier one.
  @Test func aLostHeaderAndALostPageBringNothingOlderInSilence() throws {
    let sample = try Sample(.withHistory)
    let pairs = (0..<2).flatMap { header in (2..<sample.bytes.count / Self.page).map { (header, $0) } }
    let zeros = [UInt8](repeating: 0, count: Self.page)
    for (header, page) in TestSize.cases(pairs, small: 10) {
      for number in [header, page] { write(zeros, to: sample.scratch.dataFile, at: number * Self.page) }
      let report = try LMDBStore.repair(from: sample.scratch.store, to: sample.repaired)
      let store = try LMDBStore(at: sample.repaired)
      try store.expectSound()
      let lines = try report.entities.contains { $0.name == "Item" } ? store.export(Self.item) : []
      withExtendedLifetime(consume store) {}
      for name in ["/data.mdb", "/lock.mdb", "/" + SchemaFile.name] { unlink(sample.repaired + name) }
      rmdir(sample.repaired)
      let saysSo = report.problems.contains {
        $0.detail.contains("newer commit may be lost") || $0.detail.contains("may be older")
      }
      let older = lines.map(Self.text).filter { $0.text != sample.texts[$0.key] }
      let words = "header \(header), page \(page): \(report.problems.prefix(6).map(\.description))"
      #expect(older.isEmpty || saysSo, "\(older.count) older; \(words)")
      for number in [header, page] {
        let start = number * Self.page
        write(Array(sample.bytes[start..<start + Self.page]), to: sample.scratch.dataFile, at: start)
      }
    }
  }

  @Test(arguments: Kind.allCases) func theLayoutIsStoredTwice(_ kind: Kind) throws {
    let sample = try Sample(kind)
    let key = Array("layout".utf8) + [0, 0]
    var count = 0
    for place in sample.bytes.indices.dropLast(64) where sample.bytes[place...].starts(with: key) {
      let value = place + key.count + 8
      write([sample.bytes[value] ^ 1], to: sample.scratch.dataFile, at: value)
      try expectAll(sample, but: -1, most: 0, "\(kind), byte \(value)")
      count += 1
      write([sample.bytes[value]], to: sample.scratch.dataFile, at: value)
    }
    #expect(count >= 2)
  }
}
