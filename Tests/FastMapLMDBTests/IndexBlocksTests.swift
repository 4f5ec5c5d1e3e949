import CFastMap
import FastMapCore
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
    for (count, removals) in [
      (3000, 0), (1, 0), (3000, 4), (40, 10), (5000, 9), (200, 5), (3000, 1), (4000, 10),
    ] {
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
}
