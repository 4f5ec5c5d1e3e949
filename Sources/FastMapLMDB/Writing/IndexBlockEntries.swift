/// The entries to write next into the blocks of an index, one after the other. Before the first is room for a checksum.
struct IndexBlockEntries: ~Copyable {
  private var memory = UnsafeMutableRawPointer.allocate(byteCount: 4 * IndexBlock.limit, alignment: 8)
  private var capacity = 4 * IndexBlock.limit
  private(set) var end = Checksum.size
  /// Where each entry begins.
  private var starts = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
  private var startCapacity = 256
  private(set) var count = 0

  init() {}

  deinit {
    memory.deallocate()
    starts.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  /// The length of all entries.
  var byteCount: Int { end - Checksum.size }

  mutating func removeAll() { (end, count) = (Checksum.size, 0) }

  mutating func removeFirst(_ removed: Int) {
    let start = start(removed)
    (memory + Checksum.size).copyMemory(from: memory + start, byteCount: end - start)
    for place in removed..<count { starts[place - removed] = starts[place] - UInt32(start - Checksum.size) }
    end -= start - Checksum.size
    count -= removed
  }

  /// Where an entry begins; the end of all for the place after the last one.
  @inline(__always)
  func start(_ place: Int) -> Int { place < count ? Int(starts[place]) : end }

  @inline(__always)
  func entry(_ place: Int) -> IndexEntryView? {
    IndexEntryView(UnsafeRawBufferPointer(start: memory, count: end), at: Int(starts[place]))
  }

  /// An entry without its header, checked or made here.
  func body(_ place: Int) -> UnsafeRawBufferPointer {
    entry(place)?.body ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// - Parameter entry: With its header.
  @inline(__always)
  mutating func append(_ entry: UnsafeRawBufferPointer) {
    guard let start = entry.baseAddress else { return }
    reserve(entry.count)
    addStart(end)
    (memory + end).copyMemory(from: start, byteCount: entry.count)
    end += entry.count
  }

  /// Adds where an entry begins that ``append(bytes:)`` appends with others.
  @inline(__always)
  mutating func addStart(_ start: Int) {
    if count == startCapacity { growStarts() }
    starts[count] = UInt32(truncatingIfNeeded: start)
    count += 1
  }

  /// Appends entries whose places were noted.
  mutating func append(bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (memory + end).copyMemory(from: start, byteCount: bytes.count)
    end += bytes.count
  }

  /// Puts the entries of a block before all others.
  ///
  /// - Parameter offsets: Where they begin in the block.
  mutating func prepend(_ bytes: UnsafeRawBufferPointer, at offsets: borrowing EntryOffsets) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    let first = memory + Checksum.size
    (first + bytes.count).copyMemory(from: first, byteCount: byteCount)
    first.copyMemory(from: start, byteCount: bytes.count)
    end += bytes.count
    while startCapacity < count + offsets.count { growStarts() }
    for place in (0..<count).reversed() {
      starts[place + offsets.count] = starts[place] + UInt32(bytes.count)
    }
    for place in 0..<offsets.count { starts[place] = UInt32(Checksum.size + offsets[place]) }
    count += offsets.count
  }

  /// Completes a block with the checksum of its entries, and lends it. The checksum overwrites the bytes in front of
  /// the entries: the end of the previous block, which is already written.
  func seal(_ range: Range<Int>, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let entries = UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
    let sealed = memory + range.lowerBound - Checksum.size
    sealed.storeBytes(of: Checksum.make(.index, key, entries).littleEndian, as: UInt32.self)
    return UnsafeRawBufferPointer(start: sealed, count: Checksum.size + range.count)
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if end + more > capacity { grow(by: more) }
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    capacity = max(2 * capacity, end + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: memory, byteCount: end)
    memory.deallocate()
    memory = larger
  }

  @inline(never)
  private mutating func growStarts() {
    startCapacity *= 2
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: startCapacity)
    larger.moveInitialize(from: starts, count: count)
    starts.deallocate()
    starts = larger
  }
}
