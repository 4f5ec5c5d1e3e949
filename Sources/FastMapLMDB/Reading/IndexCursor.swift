internal import FastMapStoreKit

/// Goes through the entries of one index.
///
/// A block is verified when it is read. Entries are borrowed from the store until the next change.
struct IndexCursor: ~Copyable {
  private let cursor: Cursor
  private let view: TransactionView
  let number: UInt16
  private var key = KeyBytes()
  private var block: IndexBlock?
  private var offsets = EntryOffsets()
  /// The place of the current entry in `offsets`.
  private var place = 0

  init(_ index: IndexLayout, _ view: TransactionView, _ tables: Tables) throws {
    self.view = view
    number = index.number
    cursor = try view.unsafeCursor(tables.index)
  }

  /// The current entry; nil before the first move and after either end.
  var entry: IndexEntryView? {
    guard let block, place >= 0, place < offsets.count else { return nil }
    return IndexEntryView(block.bytes, at: offsets[place])
  }

  // MARK: Moving

  /// Moves to the first entry that is not less than some bytes.
  mutating func seek(atLeast bytes: UnsafeRawBufferPointer) throws -> IndexEntryView? {
    if isInBlock(bytes) {
      place = lowerBound(bytes)
      return entry
    }
    key.setIndex(number, UnsafeRawBufferPointer(rebasing: bytes.prefix(KeyBytes.capacity - 3)))
    let found = try cursor.seek(atLeast: key.bytes)
    if let found, found.key.equals(key.bytes) {
      try open(found)
      return entry
    }
    let before = try found == nil ? cursor.last() : cursor.previous()
    if let before, isOurs(before.key) {
      try open(before)
      place = lowerBound(bytes)
      return place < offsets.count ? entry : try next()
    }
    guard let first = try cursor.seek(atLeast: key.bytes), isOurs(first.key) else { return leave() }
    try open(first)
    return entry
  }

  mutating func seek(before bytes: UnsafeRawBufferPointer) throws -> IndexEntryView? {
    try seek(atLeast: bytes) != nil ? previous() : last()
  }

  mutating func last() throws -> IndexEntryView? {
    key.setIndex(number, UnsafeRawBufferPointer(start: nil, count: 0))
    let last: Cursor.Entry?
    if number == .max {
      last = try cursor.last()
    } else {
      key.setIndex(number + 1, UnsafeRawBufferPointer(start: nil, count: 0))
      last = try cursor.seek(atLeast: key.bytes) == nil ? cursor.last() : cursor.previous()
    }
    guard let last, isOurs(last.key) else { return leave() }
    try open(last)
    place = offsets.count - 1
    return entry
  }

  mutating func next() throws -> IndexEntryView? {
    place += 1
    if place < offsets.count { return entry }
    guard block != nil, let next = try cursor.next(), isOurs(next.key) else { return leave() }
    try open(next)
    return entry
  }

  mutating func previous() throws -> IndexEntryView? {
    place -= 1
    if place >= 0 { return entry }
    guard block != nil, let previous = try cursor.previous(), isOurs(previous.key) else { return leave() }
    try open(previous)
    place = offsets.count - 1
    return entry
  }

  // MARK: Blocks

  private mutating func leave() -> IndexEntryView? {
    block = nil
    offsets.removeAll()
    return nil
  }

  private func isOurs(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count > 2 && key.bigEndian(at: 0, as: UInt16.self) == number
  }

  private mutating func open(_ found: Cursor.Entry) throws {
    if let block, block.bytes.baseAddress == found.value.baseAddress.map({ $0 + Checksum.size }) {
      // The block is open, and verified.
      return place = 0
    }
    let rest = try Checksum.open(.index, found.key, found.value, in: view)
    guard let block = IndexBlock(found.key, rest) else { throw IndexBlocks.notABlock(found.key, view) }
    guard offsets.read(block.bytes) else { throw IndexBlocks.notABlock(found.key, view) }
    self.block = block
    place = 0
  }

  /// Whether the first entry of the current block that is not less than some bytes is after its first one.
  private func isInBlock(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let block, offsets.count > 0, let first = IndexEntryView(block.bytes, at: offsets[0]),
      first.body.precedes(bytes), let end = IndexEntryView(block.bytes, at: offsets[offsets.count - 1])
    else { return false }
    return !end.body.precedes(bytes)
  }

  private func lowerBound(_ bytes: UnsafeRawBufferPointer) -> Int {
    var (low, high) = (0, offsets.count)
    while low < high {
      let middle = (low + high) / 2
      let body = block.flatMap { IndexEntryView($0.bytes, at: offsets[middle])?.body }
      if let body, body.precedes(bytes) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
