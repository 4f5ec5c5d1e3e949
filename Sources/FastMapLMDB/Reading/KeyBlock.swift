internal import CFastMap
import FastMapCore

/// The keys of some searches to come, whose pages are asked for together: in a tree that no cache holds a search waits for
/// memory some ten times, and these wait for each other.
struct KeyBlock: ~Copyable {
  static let capacity = 64
  /// The most records that are asked for ahead.
  static let remembered = 4096

  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: capacity * KeyBytes.capacity, alignment: 8)
  private let keys = UnsafeMutablePointer<fastmap_page_key>.allocate(capacity: capacity)
  private var count = 0

  deinit {
    memory.deallocate()
    keys.deallocate()
  }

  mutating func removeAll() { count = 0 }

  /// A key of the index. One that is too long to be there stays empty.
  mutating func append(entity: UInt16, key: borrowing fastmap_slot) {
    let fits = KeyLimit.reason(key) == nil
    append(length: fits ? KeyBytes.writeIndex(entity, key, to: end) : 0)
  }

  mutating func append(record id: ObjectID) {
    end.storeBytes(of: id.bigEndian, as: UInt64.self)
    append(length: 8)
  }

  private var end: UnsafeMutableRawPointer {
    precondition(count < Self.capacity, "a block has room")
    return memory + count * KeyBytes.capacity
  }

  private mutating func append(length: Int) {
    (keys + count).initialize(to: fastmap_page_key(bytes: end, length: length))
    count += 1
  }

  /// The key at a place; nil where it is empty.
  subscript(place: Int) -> UnsafeRawBufferPointer? {
    let key = keys[place]
    return key.length == 0 ? nil : UnsafeRawBufferPointer(start: key.bytes, count: key.length)
  }

  /// Asks the memory for what the searches for the keys will look at. C: `fastmap_snapshot_ahead`
  func ask(for database: Database, in view: TransactionView) {
    guard let snapshot = view.snapshot, count > 1 else { return }
    fastmap_snapshot_ahead(snapshot, UInt32(truncatingIfNeeded: database.place), keys, count)
  }
}
