internal import FastMapCore

/// Collects new and removed entries of one index, and writes them to its blocks.
///
/// As with ``InverseBlocks``, each block that a change belongs to is read once and written once. New blocks at the end are filled
/// to seven eighths, a full block elsewhere is split evenly, and a block of less than a quarter joins a neighbour.
final class IndexBlocks {
  private let number: UInt16
  private var changes: [Change] = []
  /// The headers and entries of the changes.
  private var arena: [UInt8] = []

  /// The entries to write next, with a checksum's room before them.
  private var out: [UInt8] = []
  /// The offsets of these entries in `out`.
  private var starts: [Int] = []
  private var key = KeyBytes()
  private var next = KeyBytes()

  private struct Change {
    /// The first bytes of the entry, which decide most comparisons.
    let prefix: UInt64
    let offset: Int
    let isAdded: Bool
  }

  init(_ index: IndexLayout) { number = index.number }

  /// The index, if it is unique. Set before the first change of a write.
  var unique: IndexLayout?
  /// The values of a unique index that several entries had at some time of the write: where one was added beside another.
  /// So all that are there at its end are among them.
  var suspects: Set<[UInt8]> = []
  /// Whether the last entry to write was added.
  private var isLastAdded = false

  /// The bytes of the changes that are not written yet.
  var pendingBytes: Int { arena.count }

  func add(_ entry: borrowing IndexEntry) { append(entry, isAdded: true) }

  func remove(_ entry: borrowing IndexEntry) { append(entry, isAdded: false) }

  private func append(_ entry: borrowing IndexEntry, isAdded: Bool) {
    let body = entry.body
    var prefix: UInt64 = 0
    if body.count >= 8 {
      prefix = body.bigEndian(at: 0, as: UInt64.self)
    } else {
      for byte in body { prefix = prefix << 8 | UInt64(byte) }
      prefix <<= UInt64(8 * (8 - body.count))
    }
    changes.append(Change(prefix: prefix, offset: arena.count, isAdded: isAdded))
    arena.append(contentsOf: entry.bytes)
  }

  /// Writes the collected changes, in the order of the entries.
  ///
  /// - Returns: By how much the number of entries has grown.
  func write(_ view: TransactionView, _ tables: Tables) throws -> Int {
    if changes.isEmpty { return 0 }
    var (changes, arena) = ([Change](), [UInt8]())
    swap(&changes, &self.changes)
    swap(&arena, &self.arena)
    var growth = 0
    try arena.withUnsafeBytes { arena in
      func body(_ change: Change) -> UnsafeRawBufferPointer { Self.body(arena, change.offset) }
      changes.sort { a, b in
        if a.prefix != b.prefix { return a.prefix < b.prefix }
        let (first, second) = (body(a), body(b))
        // Of several changes of an entry, the last one counts.
        return first.equals(second) ? a.offset < b.offset : first.precedes(second)
      }
      var run = Run(changes: changes, arena: arena, cursor: try view.unsafeCursor(tables.index), view: view)
      while run.index < changes.count { growth += try write(&run) }
    }
    changes.removeAll(keepingCapacity: true)
    arena.removeAll(keepingCapacity: true)
    swap(&changes, &self.changes)
    swap(&arena, &self.arena)
    return growth
  }

  /// The entry at an offset of an arena or a block, without its header. It was checked or made here.
  private static func body(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UnsafeRawBufferPointer {
    IndexEntryView(bytes, at: offset)?.body ?? UnsafeRawBufferPointer(rebasing: bytes[offset..<offset])
  }

  private struct Run: ~Copyable {
    let changes: [Change]
    let arena: UnsafeRawBufferPointer
    let cursor: Cursor
    let view: TransactionView
    /// The next change.
    var index = 0

    func body(_ index: Int) -> UnsafeRawBufferPointer { IndexBlocks.body(arena, changes[index].offset) }
  }

  // MARK: One block, and those that it joins

  /// - Returns: By how much the number of entries has grown.
  private func write(_ run: inout Run) throws -> Int {
    out.removeAll(keepingCapacity: true)
    out.append(contentsOf: [0, 0, 0, 0])
    starts.removeAll(keepingCapacity: true)
    isLastAdded = false
    var growth = 0
    var isMixed = false
    /// The key of a stored block that the first new one may have, too.
    var replaced: [UInt8]?
    var found = try seek(run.body(run.index), &run)
    while true {
      let hasNext = try found != nil && isNextOurs(&run)
      if hasNext, let found, !found.key.precedes(next.bytes) {
        throw Checksum.damaged(.index, found.key, "the key is out of order", run.view.environment)
      }
      let stored = found.map { Array($0.key) }
      growth += try merge(found, &run, before: hasNext ? next.bytes : nil, &isMixed)
      found = nil  // a change may move its bytes
      if let stored {
        if replaced == nil { replaced = stored } else { try delete(stored, run.cursor) }
      }
      // A block that became too small takes the next one.
      guard out.count < IndexBlock.limit / 4, hasNext, let entry = try run.cursor.seek(next.bytes),
        entry.value.count + out.count <= IndexBlock.limit - KeyBytes.capacity
      else {
        if let old = replaced, !isKeyOfFirst(old) {
          try delete(old, run.cursor)
          replaced = nil
        }
        if !starts.isEmpty, out.count < IndexBlock.limit / 4, try joinBefore(run.cursor, run.view),
          let replaced
        {
          try delete(replaced, run.cursor)
        }
        try writeBlocks(run.cursor, isAtEnd: !hasNext, isMixed: isMixed)
        return growth
      }
      found = entry
    }
  }

  /// Goes to the block that an entry belongs to: the last one that does not begin after it, or else the first one.
  private func seek(_ entry: UnsafeRawBufferPointer, _ run: inout Run) throws -> Cursor.Entry? {
    key.setIndex(number, entry)
    let found = try run.cursor.seek(atLeast: key.bytes)
    if let found, found.key.equals(key.bytes) { return found }
    let before = found == nil ? try run.cursor.last() : try run.cursor.previous()
    if let before, isOurs(before.key) { return before }
    return try run.cursor.seek(atLeast: key.bytes).flatMap { isOurs($0.key) ? $0 : nil }
  }

  private func isOurs(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count > 2 && key.bigEndian(at: 0, as: UInt16.self) == number
  }

  /// Whether a block of the index follows the cursor's. Its key is `next` then. The cursor moves there.
  private func isNextOurs(_ run: inout Run) throws -> Bool {
    guard let entry = try run.cursor.next(), isOurs(entry.key) else { return false }
    next.set(entry.key)
    return true
  }

  /// Merges a block with the changes before `end` into the entries to write.
  private func merge(
    _ found: Cursor.Entry?, _ run: inout Run, before end: UnsafeRawBufferPointer?, _ isMixed: inout Bool
  ) throws -> Int {
    let end = end.map { UnsafeRawBufferPointer(rebasing: $0[2...]) }
    var growth = 0
    var hasAdded = false
    func mergeChange(_ isStored: Bool) {
      let (first, body) = (run.index, run.body(run.index))
      repeat { run.index += 1 } while run.index < run.changes.count && run.body(run.index).equals(body)
      let isAdded = run.changes[run.index - 1].isAdded
      if isAdded {
        appendEntry(run.arena, run.changes[first].offset, isAdded: true)
        hasAdded = true
      }
      growth += (isAdded ? 1 : 0) - (isStored ? 1 : 0)
    }
    func isDue(before body: UnsafeRawBufferPointer?) -> Bool {
      guard run.index < run.changes.count else { return false }
      guard let body else { return true }
      return run.body(run.index).precedes(body)
    }
    if let found {
      let rest = try Checksum.open(.index, found.key, found.value, in: run.view)
      guard let block = IndexBlock(found.key, rest) else { throw Self.notABlock(found.key, run.view) }
      let isWhole = block.forEach { offset, entry in
        while isDue(before: entry.body) { mergeChange(false) }
        if run.index < run.changes.count, run.body(run.index).equals(entry.body) {
          mergeChange(true)
        } else {
          if hasAdded { isMixed = true }
          appendEntry(rest, offset, isAdded: false)
        }
        return true
      }
      guard isWhole else { throw Self.notABlock(found.key, run.view) }
    }
    while isDue(before: end) { mergeChange(false) }
    if let unique, isLastAdded, let end, let last = starts.last {
      out.withUnsafeBytes { out in
        guard let entry = IndexEntryView(out, at: last), end.starts(with: entry.values) else { return }
        suspect(entry, unique)
      }
    }
    return growth
  }

  static func notABlock(_ key: UnsafeRawBufferPointer, _ view: TransactionView) -> LMDBError {
    Checksum.damaged(.index, key, "not a block of an index", view.environment)
  }

  private func appendEntry(_ bytes: UnsafeRawBufferPointer, _ offset: Int, isAdded: Bool) {
    guard let entry = IndexEntryView(bytes, at: offset) else { return }
    if let unique {
      if isAdded || isLastAdded, let last = starts.last {
        out.withUnsafeBytes { out in
          let before = IndexEntryView(out, at: last)
          if let before, before.values.equals(entry.values) { suspect(entry, unique) }
        }
      }
      isLastAdded = isAdded
    }
    starts.append(out.count)
    out.append(contentsOf: bytes[offset..<(offset + entry.size)])
  }

  private func suspect(_ entry: IndexEntryView, _ unique: IndexLayout) {
    if !entry.lacksValue(unique) { suspects.insert(Array(entry.values)) }
  }

  private func delete(_ key: [UInt8], _ cursor: borrowing Cursor) throws {
    try key.withUnsafeBytes { if try cursor.seek($0) != nil { try cursor.delete() } }
  }

  /// Whether the first block to write will have this key.
  private func isKeyOfFirst(_ key: [UInt8]) -> Bool {
    guard let first = starts.first else { return false }
    return key.withUnsafeBytes { key in
      out.withUnsafeBytes { Self.body($0, first).equals(UnsafeRawBufferPointer(rebasing: key[2...])) }
    }
  }

  /// Puts the block before the entries to write in front of them, if all fit in one block.
  ///
  /// - Returns: Whether they do.
  private func joinBefore(_ cursor: borrowing Cursor, _ view: TransactionView) throws -> Bool {
    let first = out.withUnsafeBytes { Array(Self.body($0, starts[0])) }
    first.withUnsafeBytes { key.setIndex(number, $0) }
    let before = try cursor.seek(atLeast: key.bytes) == nil ? cursor.last() : cursor.previous()
    guard let before, isOurs(before.key),
      before.value.count + out.count <= IndexBlock.limit - KeyBytes.capacity
    else { return false }
    let rest = try Checksum.open(.index, before.key, before.value, in: view)
    guard let block = IndexBlock(before.key, rest) else { throw Self.notABlock(before.key, view) }
    var joined: [Int] = []
    guard
      block.forEach({ offset, _ in
        joined.append(Checksum.size + offset); return true
      })
    else {
      throw Self.notABlock(before.key, view)
    }
    starts = joined + starts.map { $0 + rest.count }
    out.insert(contentsOf: rest, at: Checksum.size)
    try delete(Array(before.key), cursor)
    return true
  }

  // MARK: Blocks

  /// Writes the entries in as many blocks as they need.
  private func writeBlocks(_ cursor: borrowing Cursor, isAtEnd: Bool, isMixed: Bool) throws {
    guard !starts.isEmpty else { return }
    let total = out.count - Checksum.size
    var first = 0
    while first < starts.count {
      let room = out.withUnsafeBytes { IndexBlock.room(for: Self.body($0, starts[first])) }
      let left = out.count - starts[first]
      let share: Int
      if left <= room {
        share = left
      } else if isMixed {
        let parts = (total + room * 7 / 8 - 1) / (room * 7 / 8)
        share = min(room, (total + parts - 1) / parts)
      } else {
        share = room * 7 / 8
      }
      var last = first + 1
      while last < starts.count,
        (last + 1 < starts.count ? starts[last + 1] : out.count) - starts[first] <= share
      {
        last += 1
      }
      let end = last < starts.count ? starts[last] : out.count
      try put(starts[first]..<end, cursor, appends: isAtEnd && first > 0)
      first = last
    }
  }

  private func put(_ range: Range<Int>, _ cursor: borrowing Cursor, appends: Bool) throws {
    try out.withUnsafeMutableBytes { out in
      let entries = UnsafeRawBufferPointer(rebasing: out[range])
      key.setIndex(number, Self.body(entries, 0))
      // The checksum overwrites the end of the block before, which is written.
      let value = UnsafeMutableRawBufferPointer(
        rebasing: out[(range.lowerBound - Checksum.size)..<range.upperBound])
      let crc = Checksum.make(.index, key.bytes, entries).littleEndian
      value.storeBytes(of: crc, as: UInt32.self)
      let sealed = UnsafeRawBufferPointer(value)
      if appends { try cursor.append(key.bytes, sealed) } else { try cursor.put(key.bytes, sealed) }
    }
  }
}
