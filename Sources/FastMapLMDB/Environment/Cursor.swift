internal import CFastMap
import CFastMapLMDB

/// A position in a table. Keys are ordered as by `memcmp`; if one is a prefix of the other, the shorter one comes
/// first.
///
/// Finding and storing sorted keys through one cursor is many times faster than one by one.
///
/// An ``Entry`` is valid until the transaction ends or, in a write, until its next change.
///
/// While a cursor is in use, change its table only through this cursor.
///
/// C: `MDB_cursor *`
struct Cursor: ~Copyable {
  struct Entry {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
  }

  /// Nil if `pages` is used.
  private let handle: OpaquePointer?
  /// The cursor of a snapshot that reads pages itself.
  private let pages: UnsafeMutablePointer<fastmap_page_cursor>?
  private let database: Database
  private unowned(unsafe) let environment: Environment

  @inline(__always)
  init(_ database: Database, in view: TransactionView) throws(LMDBError) {
    environment = view.environment
    self.database = database
    if let snapshot = view.snapshot {
      let pages = UnsafeMutablePointer<fastmap_page_cursor>.allocate(capacity: 1)
      fastmap_snapshot_open(snapshot, UInt32(truncatingIfNeeded: database.place), pages)
      self.pages = pages
      handle = nil
      return
    }
    var handle: OpaquePointer?
    let status = mdb_cursor_open(view.handle, database.handle, &handle)
    guard status == MDB_SUCCESS, let handle else { throw view.environment.failure(status) }
    self.handle = handle
    pages = nil
  }

  deinit {
    if let pages { pages.deallocate() } else { mdb_cursor_close(handle) }
  }
}

// MARK: - Moving

extension Cursor {
  @inline(__always)
  func first() throws(LMDBError) -> Entry? {
    if let pages { return try entry(fastmap_page_first(pages), pages) }
    return try move(MDB_FIRST)
  }

  @inline(__always)
  func last() throws(LMDBError) -> Entry? {
    if let pages { return try entry(fastmap_page_last(pages), pages) }
    return try move(MDB_LAST)
  }

  /// The next entry. The first one if the cursor has no position yet. After a deletion, the entry after the deleted
  /// one.
  @inline(__always)
  func next() throws(LMDBError) -> Entry? {
    if let pages { return try entry(fastmap_page_next(pages), pages) }
    return try move(MDB_NEXT)
  }

  /// The previous entry. The last one if the cursor has no position yet.
  @inline(__always)
  func previous() throws(LMDBError) -> Entry? {
    if let pages { return try entry(fastmap_page_previous(pages), pages) }
    return try move(MDB_PREV)
  }

  /// The entry with this key. If there is none, the position of the cursor is undefined.
  @inline(__always)
  func seek(_ key: UnsafeRawBufferPointer) throws(LMDBError) -> Entry? {
    if let pages {
      let answer = fastmap_page_seek(pages, key.baseAddress, key.count)
      return answer == FASTMAP_PAGE_AFTER ? nil : try entry(answer, pages)
    }
    return try move(MDB_SET_KEY, MDB_val(lending: key))
  }

  /// The entry with this key, or the next one after it.
  @inline(__always)
  func seek(atLeast key: UnsafeRawBufferPointer) throws(LMDBError) -> Entry? {
    if let pages { return try entry(fastmap_page_seek(pages, key.baseAddress, key.count), pages) }
    return try move(MDB_SET_RANGE, MDB_val(lending: key))
  }

  /// Goes on to some entries of the page after the current one, and verifies their checksums. A snapshot that reads
  /// pages itself has such entries; where there are none, ``next()`` goes on.
  ///
  /// - Returns: Their number. The cursor is at the last one.
  @inline(__always)
  func nextVerified(_ entries: UnsafeMutableBufferPointer<fastmap_page_entry>) -> Int {
    guard let pages else { return 0 }
    return Int(fastmap_page_next_intact(pages, entries.baseAddress, UInt32(entries.count)))
  }

  @inline(__always)
  private func move(_ operation: MDB_cursor_op, _ key: MDB_val = MDB_val()) throws(LMDBError) -> Entry? {
    var key = key
    var value = MDB_val()
    let status = mdb_cursor_get(handle, &key, &value, operation)
    if status == MDB_SUCCESS { return Entry(key: key.bytes, value: value.bytes) }
    if status == MDB_NOTFOUND { return nil }
    throw environment.failure(status)
  }

  @inline(__always)
  private func entry(
    _ answer: fastmap_page_answer, _ pages: UnsafeMutablePointer<fastmap_page_cursor>
  ) throws(LMDBError) -> Entry? {
    switch answer {
    case FASTMAP_PAGE_NONE: return nil
    case FASTMAP_PAGE_FAULT:
      throw environment.failure(pages.pointee.fault, pages.pointee.entry, of: database)
    default:
      let entry = pages.pointee.entry
      return Entry(key: entry.keyBytes, value: entry.valueBytes)
    }
  }
}

// MARK: - Changing, in a write

extension Cursor {
  /// Stores the value of a key, and moves there. C: `mdb_cursor_put`
  @inline(__always)
  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(LMDBError) {
    let status = put(key, value, 0)
    guard status == MDB_SUCCESS else { throw environment.changeFailure(status) }
  }

  /// Stores the value of a key that has none, and moves there.
  ///
  /// - Returns: False, without a change, if the key has a value. C: `MDB_NOOVERWRITE`
  @inline(__always)
  func insert(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
    let status = put(key, value, MDB_NOOVERWRITE)
    if status == MDB_KEYEXIST { return false }
    guard status == MDB_SUCCESS else { throw environment.changeFailure(status) }
    return true
  }

  /// Like ``put(_:_:)``, but faster for ascending keys after the table's last one, and pages are filled completely.
  /// Any other key is stored at its place as usual. C: `MDB_APPEND`
  @inline(__always)
  func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(LMDBError) {
    let status = put(key, value, MDB_APPEND)
    if status == MDB_KEYEXIST { return try put(key, value) }
    guard status == MDB_SUCCESS else { throw environment.changeFailure(status) }
  }

  /// Removes the current entry. C: `mdb_cursor_del`
  @inline(__always)
  func delete() throws(LMDBError) {
    assert(environment.isTurnOfThisThread, "A write transaction must not leave its thread.")
    environment.markChanged()
    let status = mdb_cursor_del(handle, 0)
    guard status == MDB_SUCCESS else { throw environment.changeFailure(status) }
  }

  @inline(__always)
  private func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ flags: CInt) -> CInt {
    assert(environment.isTurnOfThisThread, "A write transaction must not leave its thread.")
    var key = MDB_val(lending: key)
    var value = MDB_val(lending: value)
    environment.markChanged()
    return mdb_cursor_put(handle, &key, &value, UInt32(flags))
  }
}
