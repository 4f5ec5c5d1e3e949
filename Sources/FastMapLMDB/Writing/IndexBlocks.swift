internal import FastMapStoreKit

/// Collects new and removed entries of one index, and writes them to its blocks.
///
/// As with ``InverseBlocks``, each block that a change belongs to is read once and written once. New blocks at the end are filled
/// to seven eighths, a full block elsewhere is split evenly, and a block of less than a quarter joins a neighbour.
final class IndexBlocks {
  private let number: UInt16

  // One write has an object of this class, on one thread. To check each access for others took a quarter of the time.
  @exclusivity(unchecked) private var changes = IndexChanges()
  @exclusivity(unchecked) private var out = IndexBlockEntries()
  @exclusivity(unchecked) private var key = KeyBytes()
  /// The key of the block after the current one.
  @exclusivity(unchecked) private var next = KeyBytes()
  /// The key of a merged block after the first.
  @exclusivity(unchecked) private var merged = KeyBytes()
  /// The key of a stored block that the first new one may have, too.
  @exclusivity(unchecked) private var replaced = KeyBytes()
  /// Whether the last entry to write was added.
  @exclusivity(unchecked) private var isLastAdded = false

  init(_ index: IndexLayout) { number = index.number }

  /// The index, if it is unique. Set before the first change of a write.
  var unique: IndexLayout?
  /// The values of a unique index that several entries had at some time of the write: where one was added beside another, or was
  /// to change and is cut. So all that are there at its end are among them.
  var suspects: Set<[UInt8]> = []

  /// The memory of the changes that are not written yet.
  var pendingBytes: Int { changes.byteCount }

  func add(_ entry: borrowing IndexEntry) { changes.append(entry.bytes, isAdded: true) }

  func remove(_ entry: borrowing IndexEntry) { changes.append(entry.bytes, isAdded: false) }

  /// Writes the collected changes, in the order of the entries.
  ///
  /// - Returns: By how much the number of entries has grown.
  func write(_ view: TransactionView, _ tables: Tables) throws -> Int {
    if changes.count == 0 { return 0 }
    defer { changes.removeAll() }
    changes.sort()
    var run = Run(cursor: try view.unsafeCursor(tables.index), view: view)
    var growth = 0
    while run.index < changes.count { growth += try write(&run) }
    return growth
  }

  private struct Run: ~Copyable {
    let cursor: Cursor
    let view: TransactionView
    /// The next change.
    var index = 0
    /// Whether a stored entry follows a new one in the entries to write.
    var isMixed = false
    /// Whether a stored block has the key in `replaced`.
    var hasReplaced = false
    /// Whether a stored block has the key in `merged`.
    var hasMerged = false
    /// Whether some of the blocks are written already.
    var hasBegun = false

    init(cursor: consuming Cursor, view: TransactionView) {
      self.cursor = cursor
      self.view = view
    }
  }

  // MARK: One block, and the blocks that it joins

  /// - Returns: By how much the number of entries has grown.
  private func write(_ run: inout Run) throws -> Int {
    out.removeAll()
    isLastAdded = false
    run.isMixed = false
    run.hasReplaced = false
    run.hasBegun = false
    var growth = 0
    var found = try seek(changes.body(run.index), run.cursor)
    while true {
      let hasNext = try found != nil && isNextOurs(run.cursor)
      if let found {
        if hasNext, !found.key.precedes(next.bytes) {
          throw Checksum.damaged(.index, found.key, "the key is out of order", run.view.environment)
        }
        run.hasMerged = run.hasReplaced
        if run.hasMerged { merged.set(found.key) } else { replaced.set(found.key) }
        run.hasReplaced = true
      }
      growth += try merge(found, &run, before: hasNext ? next.bytes : nil)
      try removeMerged(&run)
      found = nil  // the change may have moved its bytes
      // A block that became too small takes the next one.
      guard out.end < IndexBlock.limit / 4, hasNext, let entry = try run.cursor.seek(next.bytes),
        entry.value.count + out.end <= IndexBlock.limit - KeyBytes.capacity
      else {
        try removeReplaced(&run)
        if !run.hasBegun, !out.isEmpty, out.end < IndexBlock.limit / 4, try joinBefore(run.cursor, run.view),
          run.hasReplaced
        {
          try delete(replaced.bytes, run.cursor)
        }
        try writeBlocks(&run, isAtEnd: !hasNext, keepsRest: false)
        return growth
      }
      found = entry
    }
  }

  /// Removes a merged block after the first. Its entries are among the entries to write.
  private func removeMerged(_ run: inout Run) throws {
    if run.hasMerged { try delete(merged.bytes, run.cursor) }
    run.hasMerged = false
  }

  /// Removes the first merged block, whose entries are among the entries to write. The block stays if the first new block has
  /// its key.
  private func removeReplaced(_ run: inout Run) throws {
    guard run.hasReplaced, out.isEmpty || !isKeyOfFirst(replaced.bytes) else { return }
    try delete(replaced.bytes, run.cursor)
    run.hasReplaced = false
  }

  /// Goes to the block that an entry belongs to: the last block that does not begin after the entry, or else the first.
  private func seek(
    _ entry: UnsafeRawBufferPointer, _ cursor: borrowing Cursor
  ) throws -> Cursor.Entry? {
    key.setIndex(number, entry)
    let found = try cursor.seek(atLeast: key.bytes)
    if let found, found.key.equals(key.bytes) { return found }
    let before = found == nil ? try cursor.last() : try cursor.previous()
    if let before, isOurs(before.key) { return before }
    return try cursor.seek(atLeast: key.bytes).flatMap { isOurs($0.key) ? $0 : nil }
  }

  private func isOurs(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count > 2 && key.bigEndian(at: 0, as: UInt16.self) == number
  }

  /// Whether a block of the index follows the cursor's. Its key is `next` then. The cursor moves there.
  private func isNextOurs(_ cursor: borrowing Cursor) throws -> Bool {
    guard let entry = try cursor.next(), isOurs(entry.key) else { return false }
    next.set(entry.key)
    return true
  }

  // MARK: Merging

  /// Merges a block with the changes before `end` into the entries to write.
  private func merge(
    _ found: Cursor.Entry?, _ run: inout Run, before end: UnsafeRawBufferPointer?
  ) throws -> Int {
    let end = end.map { UnsafeRawBufferPointer(rebasing: $0[2...]) }
    var last = changes.count
    if let end {
      last = run.index
      while last < changes.count, changes.body(last).precedes(end) { last += 1 }
    }
    var growth = 0
    if let found {
      let block = try Checksum.open(.index, found.key, found.value, in: run.view)
      guard IndexBlock(found.key, block) != nil, let more = merge(block, &run, last) else {
        throw Self.notABlock(found.key, run.view)
      }
      growth = more
    }
    while run.index < last {
      growth += mergeChange(&run.index, last, isStored: false)
      if end == nil, out.end > Self.mostBytes, !run.isMixed { try writeBegin(&run) }
    }
    if let unique, isLastAdded, let end, let entry = out.entry(out.count - 1),
      end.starts(with: entry.values)
    {
      suspect(entry, unique)
    }
    return growth
  }

  /// Merges a block with the changes before the place `last` that do not follow its last entry. Stored entries are copied
  /// together.
  ///
  /// - Returns: By how much the number of entries has grown; nil if an entry of the block is not whole.
  private func merge(_ block: UnsafeRawBufferPointer, _ run: inout Run, _ last: Int) -> Int? {
    guard let start = block.baseAddress else { return nil }
    var growth = 0
    /// Entries in front of this offset are already copied, or removed.
    var copied = 0
    var offset = 0
    func copy() {
      out.append(bytes: UnsafeRawBufferPointer(start: start + copied, count: offset - copied))
      copied = offset
    }
    while offset < block.count {
      guard let size = IndexEntryView.size(block, at: offset) else { return nil }
      if run.index < last {
        let body = UnsafeRawBufferPointer(
          start: start + offset + IndexEntry.headerSize, count: size - IndexEntry.headerSize)
        var order = changes.order(run.index, body)
        while order < 0 {
          copy()
          growth += mergeChange(&run.index, last, isStored: false)
          order = run.index < last ? changes.order(run.index, body) : 1
        }
        if order == 0 {
          copy()
          growth += mergeChange(&run.index, last, isStored: true)
          offset += size
          copied = offset
          continue
        }
      }
      if isLastAdded {
        run.isMixed = true
        if let unique { suspectNeighbours(block, offset, unique) }
        isLastAdded = false
      }
      out.addStart(out.end + offset - copied)
      offset += size
    }
    copy()
    return growth
  }

  /// Appends the next changed entry to the entries to write, unless it was removed.
  ///
  /// - Returns: By how much the number of entries has grown.
  private func mergeChange(_ index: inout Int, _ last: Int, isStored: Bool) -> Int {
    let first = index
    // If an entry has several changes, the last one counts.
    repeat { index += 1 } while index < last && changes.areOfOne(first, index)
    guard changes[index - 1].isAdded else { return isStored ? -1 : 0 }
    let entry = changes.bytes(first)
    if let unique { suspectNeighbours(entry, 0, unique) }
    out.append(entry)
    isLastAdded = true
    return isStored ? 0 : 1
  }

  static func notABlock(_ key: UnsafeRawBufferPointer, _ view: TransactionView) -> LMDBError {
    Checksum.damaged(.index, key, "not a block of an index", view.environment)
  }

  /// Records the values of an entry that comes after the last one to write, if these are the same.
  ///
  /// If an added entry comes first, this method does not see its predecessor, which is in the previous block. If both
  /// have the same values, so had the first entry of the stored block, which lay between them and was removed. Whole
  /// values were then noted when the index got them twice. Cut values may be equal although the omitted parts differ,
  /// so this method notes them.
  private func suspectNeighbours(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ unique: IndexLayout) {
    guard let entry = IndexEntryView(bytes, at: offset) else { return }
    if out.isEmpty {
      if entry.isValueCut { suspect(entry, unique) }
    } else if let before = out.entry(out.count - 1), before.values.equals(entry.values) {
      suspect(entry, unique)
    }
  }

  /// Records the values of an unchanged entry whose object has new values: they differ in the parts that the entry omits.
  func suspect(_ entry: borrowing IndexEntry) {
    if let unique, let entry = IndexEntryView(entry.bytes, at: 0) { suspect(entry, unique) }
  }

  private func suspect(_ entry: IndexEntryView, _ unique: IndexLayout) {
    if !entry.lacksValue(unique) { suspects.insert(Array(entry.values)) }
  }

  private func delete(_ key: UnsafeRawBufferPointer, _ cursor: borrowing Cursor) throws {
    if try cursor.seek(key) != nil { try cursor.delete() }
  }

  /// Whether the first block to write will have this key.
  private func isKeyOfFirst(_ key: UnsafeRawBufferPointer) -> Bool {
    out.body(0).equals(UnsafeRawBufferPointer(rebasing: key[2...]))
  }

  /// Puts the block before the entries to write in front of them, if all fit in one block.
  ///
  /// - Returns: Whether they do.
  private func joinBefore(_ cursor: borrowing Cursor, _ view: TransactionView) throws -> Bool {
    key.setIndex(number, out.body(0))
    let before = try cursor.seek(atLeast: key.bytes) == nil ? cursor.last() : cursor.previous()
    guard let before, isOurs(before.key),
      before.value.count + out.end <= IndexBlock.limit - KeyBytes.capacity
    else { return false }
    let block = try Checksum.open(.index, before.key, before.value, in: view)
    var offsets = EntryOffsets()
    guard IndexBlock(before.key, block) != nil, offsets.read(block) else {
      throw Self.notABlock(before.key, view)
    }
    out.prepend(block, at: offsets)
    merged.set(before.key)
    try delete(merged.bytes, cursor)
    return true
  }

  // MARK: Blocks

  /// New entries at the end of the index are written when they have this size.
  private static let mostBytes = 16 * IndexBlock.limit

  /// Writes the first of many new entries at the end of the index, so that not all have to be in memory.
  private func writeBegin(_ run: inout Run) throws {
    try removeMerged(&run)
    try removeReplaced(&run)
    run.hasReplaced = false  // the first new block takes its key
    try writeBlocks(&run, isAtEnd: true, keepsRest: true)
    run.hasBegun = true
  }

  /// Writes the entries in as many blocks as they need.
  ///
  /// - Parameter keepsRest: Whether more entries follow, so that the last ones wait for them.
  private func writeBlocks(_ run: inout Run, isAtEnd: Bool, keepsRest: Bool) throws {
    var first = 0
    while first < out.count {
      let room = IndexBlock.room(for: out.body(first))
      let start = out.start(first)
      let left = out.end - start
      if keepsRest, left <= 2 * IndexBlock.limit { break }
      let share: Int
      if left <= room {
        share = left
      } else if run.isMixed {
        let parts = (out.byteCount + room * 7 / 8 - 1) / (room * 7 / 8)
        share = min(room, (out.byteCount + parts - 1) / parts)
      } else {
        share = room * 7 / 8
      }
      var last = first + 1
      while last < out.count, out.start(last + 1) - start <= share { last += 1 }
      key.setIndex(number, out.body(first))
      let sealed = out.seal(start..<out.start(last), key.bytes)
      if isAtEnd, first > 0 || run.hasBegun {
        try run.cursor.append(key.bytes, sealed)
      } else {
        try run.cursor.put(key.bytes, sealed)
      }
      first = last
    }
    out.removeFirst(first)
  }
}
