internal import CFastMap
internal import FastMapStoreKit

/// The values of the first fields of a record, found in one pass. They borrow the bytes of the record.
struct IndexedSlots: ~Copyable {
  private var slots = UnsafeMutablePointer<fastmap_slot>.allocate(capacity: 16)
  private var places = Array(0..<16)

  init() {}
  deinit { slots.deallocate() }

  mutating func read(_ record: RecordView, fieldCount: Int) {
    if fieldCount > places.count {
      slots.deallocate()
      slots = .allocate(capacity: fieldCount)
      places = Array(0..<fieldCount)
    }
    slots.initialize(repeating: fastmap_slot(), count: fieldCount)
    places.withUnsafeBufferPointer {
      // After a value that is not whole, a record has no others.
      _ = record.decode(into: slots, UnsafeBufferPointer(rebasing: $0[..<fieldCount]))
    }
  }

  @inline(__always)
  subscript(field: Int) -> fastmap_slot { slots[field] }

  /// Whether the parts of an index have the same values in another record.
  func agree(with other: borrowing IndexedSlots, in index: IndexLayout) -> Bool {
    for part in index.parts {
      let (a, b) = (self[Int(part.field)], other[Int(part.field)])
      guard a.tag == b.tag, a.length == b.length,
        a.hasBytes
          ? UnsafeRawBufferPointer(a.span).equals(UnsafeRawBufferPointer(b.span)) : a.integer == b.integer
      else { return false }
    }
    return true
  }
}
