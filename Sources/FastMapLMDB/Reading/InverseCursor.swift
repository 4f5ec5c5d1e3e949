internal import FastMapStoreKit

/// Finds references in the blocks of the table `inverse`.
///
/// A block is verified when it is read. Neighbouring references are mostly in one block, so the last block is not
/// verified again.
final class InverseCursor {
  let cursor: Cursor
  private let view: TransactionView
  private var key = KeyBytes()
  /// The first entry of the last verified block. A block that was written since needs no verification either.
  private var verified: InverseEntry?
  /// The last block of a snapshot, whose bytes stay. In a write, any change may move them.
  private var last: InverseBlock?

  init(_ view: TransactionView, _ tables: Tables) throws {
    self.view = view
    cursor = try view.unsafeCursor(tables.inverse)
  }

  /// Whether a reference is stored.
  func contains(_ entry: InverseEntry) throws -> Bool {
    if let last, last.first <= entry, entry <= last.last { return last.contains(entry) }
    return try seek(entry)?.contains(entry) ?? false
  }

  /// Calls `body` with all references from `start` on, in order, until it returns false. The table must not change
  /// meanwhile.
  func forEach(from start: InverseEntry, _ body: (InverseEntry) throws -> Bool) throws {
    var found = try seek(start)
    var index = found?.place(of: start) ?? 0
    while let block = found {
      while index < block.count {
        guard try body(block[index]) else { return }
        index += 1
      }
      found = try cursor.next().map { try open($0) }
      index = 0
    }
  }

  /// Calls `body` with all references to a target, in order. The table must not change meanwhile.
  func forEach(to target: ObjectID, _ body: (InverseEntry) throws -> Void) throws {
    try forEach(from: InverseEntry(firstTo: target)) { entry in
      guard entry.target == target else { return false }
      try body(entry)
      return true
    }
  }

  /// Calls `body` with all references.
  func forEach(_ body: (InverseEntry) throws -> Void) throws {
    var found = try cursor.first()
    while let entry = found {
      let block = try open(entry)
      for index in 0..<block.count { try body(block[index]) }
      found = try cursor.next()
    }
  }

  // MARK: Blocks

  /// Goes to the last block that does not begin after an entry, or else to the first one.
  ///
  /// - Returns: Nil if the table is empty.
  func seek(_ entry: InverseEntry) throws -> InverseBlock? {
    key.setInverse(entry)
    guard let found = try cursor.seek(atLeast: key.bytes) else {
      return try cursor.last().map { try open($0) }
    }
    if found.key.equals(key.bytes) { return try open(found) }
    if let before = try cursor.previous() { return try open(before) }
    return try cursor.first().map { try open($0) }
  }

  /// Goes to the block before an entry. No block contains the entry, or the entry is the first one of its block.
  func seek(before entry: InverseEntry) throws -> InverseBlock? {
    key.setInverse(entry)
    let found = try cursor.seek(atLeast: key.bytes) == nil ? cursor.last() : cursor.previous()
    return try found.map { try open($0) }
  }

  /// Goes to the next block.
  ///
  /// - Returns: Its first entry; nil at the end of the table.
  func nextFirst() throws -> InverseEntry? {
    guard let next = try cursor.next() else { return nil }
    guard next.key.count == InverseEntry.size else { throw damaged(next.key, "not a block of references") }
    return InverseEntry(next.key)
  }

  private func open(_ found: Cursor.Entry) throws -> InverseBlock {
    var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    if let verified, found.key.count == InverseEntry.size, InverseEntry(found.key) == verified,
      found.value.count > Checksum.size
    {
      rest = UnsafeRawBufferPointer(rebasing: found.value[Checksum.size...])
    } else {
      rest = try Checksum.open(.inverse, found.key, found.value, in: view)
    }
    guard let block = InverseBlock(found.key, rest) else {
      throw damaged(found.key, "not a block of references")
    }
    verified = block.first
    if view.snapshot != nil { last = block }
    return block
  }

  func damaged(_ key: UnsafeRawBufferPointer, _ detail: String) -> LMDBError {
    Checksum.damaged(.inverse, key, detail, view.environment)
  }
}
