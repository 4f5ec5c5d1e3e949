import CFastMap
import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// Blocks of the entries of an index against a model: a set.
@Suite struct IndexBlocksTests {
  let scratch = Scratch()

  /// Values that agree in their first bytes, contain zeros, and end at any place.
  private static let starts = [
    "", "a", "aaaaaaa", "aaaaaaaaaaaaaaaa", "b\u{0}", "the same words in front of all others ",
  ]

  private func entry(_ index: IndexLayout, _ random: inout Random) -> IndexEntry {
    var text = Self.starts[random.next(Self.starts.count)]
    for _ in 0..<random.next(12) { text.unicodeScalars.append(Unicode.Scalar(UInt8(random.next(3) * 48))) }
    // Keys of which one is the start of another.
    let key = PrimaryKey.string(String(repeating: "\u{0}", count: random.next(10)))
    var bytes = KeyBytes()
    key.withSlot { bytes.setRecord(entity: 0, key: $0.pointee) }
    var entry = IndexEntry()
    PrimaryKey.string(text).withSlot { slot in
      let value = slot.pointee
      entry.encode(index, ObjectID(rawValue: 1), bytes.bytes) { _ in value }
    }
    return entry
  }

  @Test(arguments: [false, true])
  func theBlocksHaveTheEntriesOfAllChangesInTheirOrder(_ isDescending: Bool) throws {
    let store = try LMDBStore(at: scratch.store)
    let parts = [IndexLayout.Part(field: 0, isDescending: isDescending)]
    let index = IndexLayout(number: 3, entity: 0, parts: parts, isUnique: false)
    var random = Random(for: "entries of an index, descending: \(isDescending)")
    var model: Set<[UInt8]> = []
    // Large batches are sorted in another way than small ones.
    for (largest, removals) in [
      (3000, 0), (1, 0), (3000, 4), (40, 10), (5000, 9), (200, 5), (3000, 1), (4000, 10),
    ] {
      let count = min(largest, TestSize.count(small: 400, whole: 5000))
      try store.environment.write { transaction in
        let blocks = IndexBlocks(index)
        var kept = model
        for _ in 0..<count {
          let entry = entry(index, &random)
          if random.next(10) < removals {
            blocks.remove(entry)
            kept.remove(Array(entry.body))
          } else {
            blocks.add(entry)
            kept.insert(Array(entry.body))
          }
        }
        #expect(try blocks.write(transaction.view, store.tables) == kept.count - model.count)
        model = kept
        var cursor = try IndexCursor(index, transaction.view, store.tables)
        var found: [[UInt8]] = []
        var next = try cursor.seek(atLeast: UnsafeRawBufferPointer(start: nil, count: 0))
        while let entry = next {
          found.append(Array(entry.body))
          next = try cursor.next()
        }
        #expect(found == model.sorted { $0.lexicographicallyPrecedes($1) })
      }
    }
  }

  // MARK: Unique indexes

  /// Values of which a block has about five. Every second one is cut.
  private static let longValues = (0..<60).map { number in
    String(repeating: "v", count: number % 2 == 0 ? 250 : 341) + "\(number / 2) of the long values"
  }

  private func entry(_ index: IndexLayout, _ value: Int, key number: Int) -> IndexEntry {
    var key = KeyBytes()
    PrimaryKey.integer(Int64(number)).withSlot { key.setRecord(entity: 0, key: $0.pointee) }
    var entry = IndexEntry()
    PrimaryKey.string(Self.longValues[value]).withSlot { slot in
      let value = slot.pointee
      entry.encode(index, ObjectID(rawValue: UInt64(number) + 1), key.bytes) { _ in value }
    }
    return entry
  }

  /// The suspects of a unique index, against a set. Equal values meet at both sides of edges of blocks.
  ///
  /// A cut value may belong to several objects before a write, because the objects may differ in the part left out.
  @Test(arguments: [false, true])
  func everyValueThatIsAddedBesideAnEqualOneIsNoted(_ isDescending: Bool) throws {
    struct Place: Hashable { var value, key: Int }
    let store = try LMDBStore(at: scratch.store)
    let parts = [IndexLayout.Part(field: 0, isDescending: isDescending)]
    let index = IndexLayout(number: 3, entity: 0, parts: parts, isUnique: true)
    var random = Random(for: "neighbours in a unique index, descending: \(isDescending)")
    var model: Set<Place> = []
    func isCut(_ value: Int) -> Bool { value % 2 == 1 }
    for round in 0..<TestSize.rounds(small: 12, whole: 100) {
      try store.environment.write { transaction in
        let blocks = IndexBlocks(index)
        blocks.unique = index
        for _ in 0...random.next(2) {
          let (old, first) = (model, random.next(60))
          for _ in 0..<[3, 30, 200][random.next(3)] {
            let place = Place(
              value: (first + random.next(random.next(2) * 59 + 1)) % 60, key: random.next(12))
            let isThere = model.contains(place)
            // The first entry of a value goes, and one behind it comes.
            if isThere ? random.next(3) > 0 : random.next(6) == 0 {
              blocks.remove(entry(index, place.value, key: place.key))
              model.remove(place)
            } else if !isThere {
              blocks.add(entry(index, place.value, key: place.key))
              model.insert(place)
            }
          }
          #expect(try blocks.write(transaction.view, store.tables) == model.count - old.count)
          let counts = model.reduce(into: [Int: Int]()) { $0[$1.value, default: 0] += 1 }
          for place in model where counts[place.value] ?? 0 > 1 {
            if isCut(place.value), old.contains(place) { continue }
            let entry = entry(index, place.value, key: place.key)
            let values = try #require(IndexEntryView(entry.bytes, at: 0)).values
            #expect(blocks.suspects.contains(Array(values)), "round \(round), the value \(place.value)")
          }
        }
        // A write ends without two objects that have the same values.
        var known: Set<Int> = []
        for place in model.sorted(by: { $0.key < $1.key })
        where !isCut(place.value) && !known.insert(place.value).inserted {
          blocks.remove(entry(index, place.value, key: place.key))
          model.remove(place)
        }
        _ = try blocks.write(transaction.view, store.tables)
      }
    }
  }
}
