internal import FastMapCore

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
  /// - Returns: Nil if its first entry is not that of its key.
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
