internal import CFastMap
internal import FastMapSystem

/// Entries that were added to an index or removed from it and are not written yet, in one piece of memory.
struct IndexChanges: ~Copyable {
  struct Change {
    /// The first bytes of the entry as a big-endian number, which decides most comparisons. A shorter entry is filled with zeros.
    var prefix: UInt64
    /// Where its header begins.
    let offset: UInt32
    /// The length of the entry without its header.
    let length: UInt16
    let isAdded: Bool
  }

  /// The headers and the entries. From `malloc`, because `realloc` moves many pages without copying them.
  private var memory: UnsafeMutableRawPointer
  private var capacity = 4096
  private var end = 0
  private var changes: UnsafeMutablePointer<Change>
  private var changeCapacity = 64
  private(set) var count = 0

  init() {
    memory = Self.reallocate(nil, capacity)
    changes = Self.changes(nil, changeCapacity)
  }

  deinit {
    free(memory)
    free(changes)
  }

  private static func reallocate(_ old: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = realloc(old, size) else { preconditionFailure("there is no memory for \(size) bytes") }
    return memory
  }

  private static func changes(_ old: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutablePointer<Change> {
    reallocate(old, count * MemoryLayout<Change>.stride).bindMemory(to: Change.self, capacity: count)
  }

  var byteCount: Int { end + count * MemoryLayout<Change>.stride }

  /// Forgets all changes, and returns the memory of many.
  mutating func removeAll() {
    if capacity > 1 << 20 { self = IndexChanges() }
    (end, count) = (0, 0)
  }

  /// - Parameter entry: With its header.
  mutating func append(_ entry: UnsafeRawBufferPointer, isAdded: Bool) {
    guard let start = entry.baseAddress else { return }
    if end + entry.count > capacity { growBytes(by: entry.count) }
    if count == changeCapacity { growChanges() }
    (memory + end).copyMemory(from: start, byteCount: entry.count)
    let length = entry.count - IndexEntry.headerSize
    changes[count] = Change(
      prefix: Self.chunk(memory + end + IndexEntry.headerSize, length),
      offset: UInt32(truncatingIfNeeded: end),
      length: UInt16(truncatingIfNeeded: length), isAdded: isAdded)
    end += entry.count
    count += 1
  }

  @inline(never)
  private mutating func growBytes(by more: Int) {
    capacity = max(2 * capacity, end + more)
    memory = Self.reallocate(memory, capacity)
  }

  @inline(never)
  private mutating func growChanges() {
    changeCapacity *= 2
    changes = Self.changes(changes, changeCapacity)
  }

  @inline(__always)
  subscript(place: Int) -> Change { changes[place] }

  /// A changed entry with its header.
  @inline(__always)
  func bytes(_ place: Int) -> UnsafeRawBufferPointer {
    let change = changes[place]
    return UnsafeRawBufferPointer(
      start: memory + Int(change.offset), count: IndexEntry.headerSize + Int(change.length))
  }

  /// A changed entry without its header.
  @inline(__always)
  func body(_ place: Int) -> UnsafeRawBufferPointer {
    let change = changes[place]
    return UnsafeRawBufferPointer(
      start: memory + Int(change.offset) + IndexEntry.headerSize, count: Int(change.length))
  }

  /// Whether two changes are of the same entry.
  @inline(__always)
  func areOfOne(_ first: Int, _ second: Int) -> Bool {
    changes[first].prefix == changes[second].prefix && body(first).equals(body(second))
  }

  /// The order of a changed entry and another one, below zero if the changed one comes first.
  @inline(__always)
  func order(_ place: Int, _ body: UnsafeRawBufferPointer) -> Int {
    guard let start = body.baseAddress else { return 1 }
    let (change, prefix) = (changes[place], Self.chunk(start, body.count))
    if change.prefix != prefix { return change.prefix < prefix ? -1 : 1 }
    let length = Int(change.length)
    let shared = min(length, body.count)
    if shared > 8 {
      let order = memcmp(memory + Int(change.offset) + IndexEntry.headerSize, start, shared)
      if order != 0 { return Int(order) }
    }
    return length - body.count
  }

  /// The first bytes of an entry, as in ``Change/prefix``.
  @inline(__always)
  static func chunk(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var chunk: UInt64 = 0
    for place in 0..<max(0, count) {
      chunk |= UInt64(bytes.load(fromByteOffset: place, as: UInt8.self)) << UInt64(56 - 8 * place)
    }
    return chunk
  }

  /// Sorts the changes by their entries. Changes of one entry keep their order.
  mutating func sort() {
    guard count > 1 else { return }
    let spare = UnsafeMutablePointer<Change>.allocate(capacity: count)
    let digits = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
    defer {
      spare.deallocate()
      digits.deallocate()
    }
    IndexSorter(bytes: memory + IndexEntry.headerSize, spare: spare, digits: digits).sort(changes, count)
  }
}
