internal import FastMapStoreKit

/// One reference from an owner to a target: an entry of a block.
///
///     target 8 | field 2 | owner 8
///
/// Entries are ordered like their bytes.
struct InverseEntry: Comparable, Hashable {
  static let size = 18

  let target: ObjectID
  let owner: ObjectID
  let field: UInt16

  @inline(__always)
  init(target: ObjectID, field: UInt16, owner: ObjectID) {
    (self.target, self.owner, self.field) = (target, owner, field)
  }

  /// A bound that precedes every reference to a target.
  init(firstTo target: ObjectID) { self.init(target: target, field: 0, owner: .unset) }

  /// - Parameter bytes: At least 18 bytes from `offset`.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    target = bytes.id(inKeyAt: offset)
    field = bytes.bigEndian(at: offset + 8, as: UInt16.self)
    owner = bytes.id(inKeyAt: offset + 10)
  }

  @inline(__always)
  func write(to memory: UnsafeMutableRawPointer) {
    memory.storeBytes(of: target.rawValue.bigEndian, as: UInt64.self)
    memory.storeBytes(of: field.bigEndian, toByteOffset: 8, as: UInt16.self)
    memory.storeBytes(of: owner.rawValue.bigEndian, toByteOffset: 10, as: UInt64.self)
  }

  @inline(__always)
  static func < (a: InverseEntry, b: InverseEntry) -> Bool {
    if a.target != b.target { return a.target < b.target }
    if a.field != b.field { return a.field < b.field }
    return a.owner < b.owner
  }
}

/// The entries of a block of the table `inverse`, ascending. The bytes are borrowed from the store.
///
/// The key of a block is its first entry. Blocks do not overlap, so an entry can only be in the last block that does
/// not begin after it.
struct InverseBlock {
  /// The maximum number of entries. With the checksum and the key, they fit in a node of 2038 bytes, two a page.
  static let limit = 111

  private let bytes: UnsafeRawBufferPointer

  /// - Parameter rest: The value of a block without its checksum.
  /// - Returns: Nil if it is not a block. The order of the entries is not verified.
  @inline(__always)
  init?(_ key: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer) {
    guard key.count == InverseEntry.size, rest.count % InverseEntry.size == 0, rest.starts(with: key) else {
      return nil
    }
    bytes = rest
  }

  var count: Int {
    @inline(__always) get { bytes.count / InverseEntry.size }
  }

  /// Never empty.
  var first: InverseEntry { self[0] }
  var last: InverseEntry { self[count - 1] }

  subscript(index: Int) -> InverseEntry {
    @inline(__always) get { InverseEntry(bytes, at: index * InverseEntry.size) }
  }

  /// The bytes of some entries.
  @inline(__always)
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: bytes[(range.lowerBound * InverseEntry.size)..<(range.upperBound * InverseEntry.size)])
  }

  /// The index of the first entry that is not less than `entry`, at or after `start`.
  @inline(__always)
  func place(of entry: InverseEntry, from start: Int = 0) -> Int {
    var (low, high) = (start, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < entry { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func contains(_ entry: InverseEntry) -> Bool {
    let place = place(of: entry)
    return place < count && self[place] == entry
  }

  /// The index of the first entry that is not greater than the one before it; nil if all are in order.
  var disorder: Int? { (1..<count).first { self[$0] <= self[$0 - 1] } }
}
