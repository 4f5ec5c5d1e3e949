internal import FastMapStoreKit

/// The entries of a block of the table `index`, ascending. The bytes are borrowed from the store.
///
///     index's number 2 | first entry      →  (length of the values 2 | length of the key 1 | entry)…
///
/// Blocks of an index do not overlap, so an entry can only be in the last block that does not begin after it.
struct IndexBlock {
  /// The most bytes of a block's key and value with its checksum: two such nodes fit in a page.
  static let limit = 2030

  let bytes: UnsafeRawBufferPointer

  /// - Parameter rest: The value of a block without its checksum.
  /// - Returns: Nil if the first entry does not match the key.
  init?(_ key: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer) {
    guard key.count > 2, let first = IndexEntryView(rest, at: 0),
      first.body.equals(UnsafeRawBufferPointer(rebasing: key[2...]))
    else { return nil }
    bytes = rest
  }

  /// The most bytes of entries of a block that begins with an entry.
  static func room(for first: UnsafeRawBufferPointer) -> Int { limit - Checksum.size - 2 - first.count }

  /// Calls `body` with every entry and its offset, in order, until it returns false.
  ///
  /// - Returns: False if an entry is not whole.
  @inline(__always)
  func forEach(from start: Int = 0, _ body: (Int, IndexEntryView) throws -> Bool) rethrows -> Bool {
    var offset = start
    while offset < bytes.count {
      guard let entry = IndexEntryView(bytes, at: offset) else { return false }
      guard try body(offset, entry) else { return true }
      offset += entry.size
    }
    return true
  }
}

/// The offsets of the entries of a block.
struct EntryOffsets: ~Copyable {
  private static let most = IndexBlock.limit / IndexEntry.headerSize + 1

  private let memory: UnsafeMutablePointer<UInt16>
  private(set) var count = 0

  init() { memory = .allocate(capacity: Self.most) }
  deinit { memory.deallocate() }

  @inline(__always)
  subscript(place: Int) -> Int { Int(memory[place]) }

  mutating func removeAll() { count = 0 }

  /// Finds the entries of a block.
  ///
  /// - Returns: False if one is not whole.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    count = 0
    var offset = 0
    while offset < bytes.count {
      guard count < Self.most, let size = IndexEntryView.size(bytes, at: offset) else {
        count = 0
        return false
      }
      memory[count] = UInt16(truncatingIfNeeded: offset)
      count += 1
      offset += size
    }
    return true
  }
}
