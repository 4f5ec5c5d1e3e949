internal import CFastMap
public import FastMapStoreKit

extension LMDBReader {
  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(of: entity, keys, isDescending, pageSize, { _ in true }, body)
  }

  /// Rows are lent from the map while the cursor moves. Objects that fail the test cost no look-up.
  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    where test: RowTest, _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    let test = RecordTest(test, binding.entities[entity], environment)
    try forEachPage(of: entity, keys, isDescending, pageSize, { try test.includes($0) }, body)
  }

  @inline(__always)
  private mutating func forEachPage(
    of entity: Int, _ keys: KeyRange?, _ isDescending: Bool, _ pageSize: Int,
    _ isIncluded: (RecordView) throws -> Bool, _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    guard let number = binding.entities[entity].number else { return }
    let range = RecordRange(number, keys, isDescending: isDescending)
    // Reading it from the reader would retain it for each record.
    let view = view
    // The first pages are small, because the caller may stop early.
    var size = min(pageSize, 16)
    let entries = UnsafeMutableBufferPointer<fastmap_page_entry>.allocate(capacity: RecordSweep.most)
    defer { entries.deallocate() }
    var start = KeyBytes()
    while true {
      // Collected in arrays of this module, whose appending is inlined here.
      var ids: [ObjectID] = []
      var found: [PrimaryKey?] = []
      var records: [RecordView] = []
      ids.reserveCapacity(size)
      found.reserveCapacity(size)
      records.reserveCapacity(size)
      // In a write, the body may change records, so the cursor does not outlive a page.
      let sweep = RecordSweep(try view.unsafeCursor(tables.records), view, entries)
      try sweep.forEach(in: range, after: start.bytes) { record in
        guard try isIncluded(record) else { return true }
        ids.append(record.id)
        found.append(try key(of: record))
        records.append(record)
        return ids.count < size
      }
      guard let last = records.last else { return }
      start.set(last.key.bytes)
      let isWhole = ids.count == size
      remember(records)
      guard try body(&self, ObjectPage(ids: ids, keys: found)), isWhole else { return }
      size = min(pageSize, size * 4)
    }
  }

  public mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    guard let number = binding.entities[entity].number else { return }
    if isWriting {
      return try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: 256) {
        reader, page in
        for (id, key) in zip(page.ids, page.keys) {
          guard try body(&reader, id, key) else { return false }
        }
        return true
      }
    }
    let range = RecordRange(number, keys, isDescending: isDescending)
    let cursor = try view.unsafeCursor(tables.records)
    var entry = try range.first(cursor)
    while let found = entry, range.contains(found.key) {
      let record = try RecordView(found, in: view)
      remember(record)
      guard try body(&self, record.id, try key(of: record)) else { return }
      entry = try range.next(cursor)
    }
  }

  public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    guard let number = binding.entities[entity].number else { return 0 }
    let range = RecordRange(number, keys, isDescending: false)
    let entries = UnsafeMutableBufferPointer<fastmap_page_entry>.allocate(capacity: RecordSweep.most)
    defer { entries.deallocate() }
    let sweep = RecordSweep(try view.unsafeCursor(tables.records), view, entries)
    var count = 0
    try sweep.forEach(in: range, after: UnsafeRawBufferPointer(start: nil, count: 0)) { _ in
      count += 1
      return true
    }
    return count
  }

  private func key(of record: RecordView) throws -> PrimaryKey? {
    guard record.key.isValid else {
      throw Checksum.damaged(.records, record.key.bytes, "not a key", environment)
    }
    return PrimaryKey(slot: record.key.slot)
  }
}

/// Goes through records and verifies each. Records of one page are verified together, in half the time.
private struct RecordSweep: ~Copyable {
  /// The most records that are verified together: as many as a page of small records has.
  static let most = 32

  private let cursor: Cursor
  private let view: TransactionView
  private let entries: UnsafeMutableBufferPointer<fastmap_page_entry>

  /// - Parameter entries: Memory for `most` entries, borrowed.
  init(
    _ cursor: consuming Cursor, _ view: TransactionView,
    _ entries: UnsafeMutableBufferPointer<fastmap_page_entry>
  ) {
    self.cursor = cursor
    self.view = view
    self.entries = entries
  }

  /// Calls `body` with the records of a range until it returns false.
  ///
  /// - Parameter key: Where to go on: after this key. Empty for the whole range.
  @inline(__always)
  func forEach(
    in range: borrowing RecordRange, after key: UnsafeRawBufferPointer, _ body: (RecordView) throws -> Bool
  ) throws {
    var entry = try key.count == 0 ? range.first(cursor) : range.next(after: key, cursor)
    while let found = entry, range.contains(found.key) {
      guard try body(RecordView(found, in: view)) else { return }
      let count = range.isDescending ? 0 : cursor.nextVerified(entries)
      if count > 0 {
        // Their keys ascend, so the last one tells for all.
        let areInside = range.contains(entries[count - 1].keyBytes)
        for place in 0..<count {
          guard areInside || range.contains(entries[place].keyBytes),
            try body(RecordView(verified: entries[place], in: view))
          else { return }
        }
      }
      entry = try range.next(cursor)
    }
  }
}

/// The records of an entity, or its records with keys in a range, in the order of their keys or in reverse.
///
/// Objects without a key come after all others, so all records of an entity are one range.
struct RecordRange: ~Copyable {
  let isDescending: Bool
  private var lower = KeyBytes()
  private var upper = KeyBytes()
  /// A stored key is never longer than the truncated bound. A key that equals it comes before the bound.
  private var isLowerCut = false
  /// Whether the range excludes the upper bound. A truncated bound comes before the requested one.
  private var isUpperOut = false

  init(_ entity: UInt16, _ range: KeyRange?, isDescending: Bool) {
    self.isDescending = isDescending
    if let key = range?.lower {
      isLowerCut = Self.set(&lower, entity, key)
    } else {
      lower.setRecords(of: entity)
    }
    if let key = range?.upper {
      let isCut = Self.set(&upper, entity, key)
      isUpperOut = range?.includesUpper == false && !isCut
    } else {
      upper.setRecords(of: entity, kind: range == nil ? KeyKind.end : KeyKind.none)
    }
  }

  /// - Returns: Whether the key was truncated to the length of stored keys.
  private static func set(_ bytes: inout KeyBytes, _ entity: UInt16, _ key: PrimaryKey) -> Bool {
    key.withSlot { slot in
      var slot = slot.pointee
      let isCut = KeyLimit.reason(slot) != nil
      if isCut { slot.length = UInt32(KeyLimit.stringBytes) }
      bytes.setRecord(entity: entity, key: slot)
      return isCut
    }
  }

  /// Moves to the first record in the order. The record may lie outside the range.
  func first(_ cursor: borrowing Cursor) throws -> Cursor.Entry? {
    if isDescending {
      guard let found = try cursor.seek(atLeast: upper.bytes) else { return try cursor.last() }
      return !isUpperOut && found.key.equals(upper.bytes) ? found : try cursor.previous()
    }
    let found = try cursor.seek(atLeast: lower.bytes)
    return isLowerCut && found?.key.equals(lower.bytes) == true ? try cursor.next() : found
  }

  /// Moves to the record that follows the current one, in the order of the range.
  @inline(__always)
  func next(_ cursor: borrowing Cursor) throws -> Cursor.Entry? {
    isDescending ? try cursor.previous() : try cursor.next()
  }

  /// Moves to the record that follows a key.
  func next(after key: UnsafeRawBufferPointer, _ cursor: borrowing Cursor) throws -> Cursor.Entry? {
    let found = try cursor.seek(atLeast: key)
    if isDescending { return found == nil ? try cursor.last() : try cursor.previous() }
    return found?.key.equals(key) == true ? try cursor.next() : found
  }

  /// Whether the bound at the end of the order is not passed.
  @inline(__always)
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    if isDescending { return isLowerCut ? lower.bytes.precedes(key) : !key.precedes(lower.bytes) }
    return isUpperOut ? key.precedes(upper.bytes) : !upper.bytes.precedes(key)
  }
}
