internal import FastMapStoreKit

/// Collects new and removed references, and writes them to the blocks of the table `inverse`.
///
/// Each block that a change belongs to is read once and written once. References to the last objects of an entity fill
/// new blocks to seven eighths, so that a later one finds room. Otherwise a full block is split evenly. A block with
/// less than a quarter of the entries joins a neighbour if both fit in one block. So of two neighbours, at least one
/// has a quarter.
struct InverseBlocks: ~Copyable {
  let cursor: InverseCursor
  private var changes: [Change] = []
  private var isSorted = true
  private var key = KeyBytes()

  /// The maximum number of entries of a block.
  private let limit: Int
  /// The number of entries of a new block whose changes were all at its end.
  private let fill: Int
  /// A block with fewer entries joins a neighbour.
  private let least: Int

  /// Room for a checksum, and the entries to write next.
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var count = 0
  private var lastAdded: InverseEntry?
  /// Whether stored references to the same entity follow a new one.
  private var isMixed = false

  private struct Change {
    let entry: InverseEntry
    let isAdded: Bool

    /// Changes of one reference lie together, and their additions, too. Any addition makes the reference stay.
    @inline(__always)
    static func < (a: Change, b: Change) -> Bool {
      a.entry == b.entry ? !a.isAdded && b.isAdded : a.entry < b.entry
    }
  }

  /// - Parameter limit: Fewer entries in a block than usual, for tests.
  init(_ view: TransactionView, _ tables: Tables, limit: Int = InverseBlock.limit) throws {
    cursor = try InverseCursor(view, tables)
    self.limit = limit
    fill = max(1, limit * 7 / 8)
    least = (limit + 3) / 4
    capacity = 2 * limit
    memory = .allocate(byteCount: Checksum.size + capacity * InverseEntry.size, alignment: 8)
  }

  deinit { memory.deallocate() }

  /// The number of changes that are not written yet.
  var pendingCount: Int { changes.count }

  @inline(__always)
  mutating func add(_ entry: InverseEntry) { append(Change(entry: entry, isAdded: true)) }

  @inline(__always)
  mutating func remove(_ entry: InverseEntry) { append(Change(entry: entry, isAdded: false)) }

  @inline(__always)
  private mutating func append(_ change: Change) {
    if isSorted, let last = changes.last, change < last { isSorted = false }
    changes.append(change)
  }

  /// Writes the collected changes, in the order of the keys.
  mutating func write() throws {
    guard !changes.isEmpty else { return }
    if !isSorted { changes.sort(by: <) }
    var index = 0
    while index < changes.count { index = try write(from: index) }
    changes.removeAll(keepingCapacity: true)
    isSorted = true
  }

  /// Writes the changes of a block, and of the blocks after it that it joins.
  ///
  /// - Returns: The index of the first change that belongs to another block.
  private mutating func write(from start: Int) throws -> Int {
    var index = start
    count = 0
    lastAdded = nil
    isMixed = false
    /// A stored block that the first new one replaces.
    var replaced: InverseEntry?
    var found = try cursor.seek(changes[start].entry)
    while true {
      let end = found == nil ? nil : try cursor.nextFirst()
      if let end, let block = found, end <= changes[start].entry || end <= block.first {
        key.setInverse(end)
        throw cursor.damaged(key.bytes, "the key is out of order")
      }
      let before = count
      index = merge(found, changesFrom: index, before: end)
      if let block = found {
        let first = block.first
        found = nil  // a change may move its bytes
        if before == 0, count > 0, self[0] == first { replaced = first } else { try delete(first) }
      }
      // A block that became too small takes the next one.
      guard count < least, let end, let next = try cursor.seek(end), next.count + count <= limit else {
        if count > 0, count < least { try joinBefore(&replaced) }
        try writeBlocks(isAtEnd: end == nil)
        return index
      }
      found = next
    }
  }

  /// Merges a block with changes into the entries to write.
  ///
  /// - Parameter end: The first entry of the next block; nil at the end of the table.
  /// - Returns: The index of the first change that belongs to the next block.
  private mutating func merge(
    _ block: InverseBlock?, changesFrom start: Int, before end: InverseEntry?
  ) -> Int {
    let stored = block?.count ?? 0
    var old = 0
    var index = start
    reserve(count + stored)
    while index < changes.count {
      let change = changes[index]
      if let end, change.entry >= end { break }
      if let block, old < stored {
        let place = block.place(of: change.entry, from: old)
        if place > old { append(block, old..<place) }
        old = place
        if old < stored, block[old] == change.entry { old += 1 }
      }
      if change.isAdded {
        // A list may repeat a target.
        if index == start || changes[index - 1].entry != change.entry || !changes[index - 1].isAdded {
          reserve(count + 1 + stored - old)
          change.entry.write(to: place(of: count))
          count += 1
          lastAdded = change.entry
        }
      }
      index += 1
    }
    if let block, old < stored { append(block, old..<stored) }
    return index
  }

  // MARK: Entries to write

  @inline(__always)
  private func place(of index: Int) -> UnsafeMutableRawPointer {
    memory + Checksum.size + index * InverseEntry.size
  }

  private subscript(index: Int) -> InverseEntry {
    InverseEntry(UnsafeRawBufferPointer(start: place(of: index), count: InverseEntry.size))
  }

  /// - Parameter range: Not empty.
  private mutating func append(_ block: InverseBlock, _ range: Range<Int>) {
    if let lastAdded,
      ObjectNumber.entity(lastAdded.target) == ObjectNumber.entity(block[range.lowerBound].target)
    {
      isMixed = true
    }
    copy(block, range, to: count)
    count += range.count
  }

  private func copy(_ block: InverseBlock, _ range: Range<Int>, to index: Int) {
    let entries = block[range]
    if let start = entries.baseAddress { place(of: index).copyMemory(from: start, byteCount: entries.count) }
  }

  @inline(__always)
  private mutating func reserve(_ needed: Int) {
    if needed > capacity { grow(to: needed) }
  }

  @inline(never)
  private mutating func grow(to needed: Int) {
    capacity = max(needed, 2 * capacity)
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: Checksum.size + capacity * InverseEntry.size, alignment: 8)
    larger.copyMemory(from: memory, byteCount: Checksum.size + count * InverseEntry.size)
    memory.deallocate()
    memory = larger
  }

  // MARK: Blocks

  private mutating func delete(_ first: InverseEntry) throws {
    key.setInverse(first)
    if try cursor.cursor.seek(key.bytes) != nil { try cursor.cursor.delete() }
  }

  /// Puts the block before the entries to write in front of them, if all fit in one block.
  private mutating func joinBefore(_ replaced: inout InverseEntry?) throws {
    guard let block = try cursor.seek(before: self[0]), block.count + count <= limit else { return }
    reserve(block.count + count)
    place(of: block.count).copyMemory(from: place(of: 0), byteCount: count * InverseEntry.size)
    copy(block, 0..<block.count, to: 0)
    count += block.count
    if let first = replaced { try delete(first) }
    replaced = nil
  }

  /// Writes the entries in as many blocks as they need.
  private mutating func writeBlocks(isAtEnd: Bool) throws {
    let isSplit = count > limit
    var start = 0
    while start < count {
      let left = count - start
      let size =
        if left <= limit {
          left
        } else if isMixed {
          Self.share(of: left, fill)
        } else {
          isAtEnd ? fill : min(fill, left - least)  // the next block may be small
        }
      let entries = place(of: start)
      let block = UnsafeRawBufferPointer(start: entries, count: size * InverseEntry.size)
      let key = UnsafeRawBufferPointer(start: entries, count: InverseEntry.size)
      // The checksum overwrites the end of the block before, which is written.
      let value = entries - Checksum.size
      value.storeBytes(of: Checksum.make(.inverse, key, block).littleEndian, as: UInt32.self)
      let sealed = UnsafeRawBufferPointer(start: value, count: Checksum.size + block.count)
      if isAtEnd, isSplit, start > 0 {
        try cursor.cursor.append(key, sealed)
      } else {
        try cursor.cursor.put(key, sealed)
      }
      start += size
    }
  }

  /// The size of the first of as many equal parts as hold `count` entries.
  private static func share(of count: Int, _ fill: Int) -> Int {
    let parts = (count + fill - 1) / fill
    return (count + parts - 1) / parts
  }
}
