internal import CFastMap
import CFastMapLMDB

/// A snapshot of the store, valid while the body that receives it runs.
struct ReadTransaction: ~Copyable, TransactionReading {
  let view: TransactionView
  /// The snapshot points to them. Nil if reads go through LMDB.
  private let pages: CommitPages?

  /// - Parameter memory: Must outlive the transaction.
  init(
    beginning environment: Environment, _ memory: UnsafeMutablePointer<fastmap_snapshot>
  ) throws(LMDBError) {
    for _ in 0..<Environment.mostOvertaken {
      let handle = try environment.beginRead()
      guard environment.readsPages else {
        pages = nil
        view = TransactionView(handle: handle, environment: environment, snapshot: nil)
        return
      }
      do throws(LMDBError) {
        if let found = try environment.pages(of: handle) {
          environment.lend(found, to: memory)
          pages = found
          view = TransactionView(handle: handle, environment: environment, snapshot: memory)
          return
        }
      } catch {
        environment.endRead(handle)
        throw error
      }
      environment.endRead(handle)  // two other commits came in between: take the newest one
    }
    throw environment.overtaken()
  }

  deinit { view.environment.endRead(view.handle) }
}

/// The changes of one write, valid while the body that receives it runs, on one thread.
///
/// Without a commit, all changes are undone.
struct WriteTransaction: ~Copyable, TransactionWriting {
  let view: TransactionView

  init(beginning environment: Environment) throws(LMDBError) {
    view = TransactionView(handle: try environment.beginWrite(), environment: environment, snapshot: nil)
  }

  deinit { mdb_txn_abort(view.handle) }

  /// The transaction of another thread, which waits to get it back.
  init(borrowing handle: OpaquePointer, of environment: Environment) {
    view = TransactionView(handle: handle, environment: environment, snapshot: nil)
  }

  consuming func giveBack() { discard self }

  /// Undoes everything when the body returns, without an error. Every rollback uses it.
  func discardChanges() { view.environment.turn.isDiscarded = true }

  /// - Returns: The status. LMDB ends the transaction in any case.
  consuming func commit() -> CInt {
    assert(view.environment.isTurnOfThisThread, "A write transaction must not leave its thread.")
    let handle = view.handle
    discard self
    return mdb_txn_commit(handle)
  }
}

/// The part of a transaction that reads need. A copy that outlives the transaction is a dangling pointer.
struct TransactionView: TransactionReading {
  /// C: `MDB_txn *`
  let handle: OpaquePointer
  unowned(unsafe) let environment: Environment
  /// The pages of a read; nil if LMDB reads them.
  let snapshot: UnsafeMutablePointer<fastmap_snapshot>?

  var view: TransactionView { self }

  @inline(__always)
  fileprivate func entry(
    _ answer: fastmap_page_answer, _ entry: fastmap_page_entry, _ fault: fastmap_page_fault,
    _ database: Database
  ) throws(LMDBError) -> Cursor.Entry? {
    switch answer {
    case FASTMAP_PAGE_FOUND: return Cursor.Entry(key: entry.keyBytes, value: entry.valueBytes)
    case FASTMAP_PAGE_FAULT: throw environment.failure(fault, entry, of: database)
    default: return nil
    }
  }
}

/// The queries of every transaction. Code for both kinds takes `some TransactionReading & ~Copyable`.
///
/// Lent bytes are valid until the transaction ends or, in a write, until its next change.
protocol TransactionReading: ~Copyable {
  var view: TransactionView { get }
}

extension TransactionReading where Self: ~Copyable {
  /// The number of the commit that a read sees, or that a write makes. C: `mdb_txn_id`
  var id: Int { mdb_txn_id(view.handle) }

  /// The value of a key. C: `mdb_get`
  @inline(__always)
  func get(
    _ database: Database, _ key: UnsafeRawBufferPointer
  ) throws(LMDBError) -> UnsafeRawBufferPointer? {
    if view.snapshot != nil { return try entry(database, key)?.value }
    var key = MDB_val(lending: key)
    var value = MDB_val()
    let status = mdb_get(view.handle, database.handle, &key, &value)
    if status == MDB_SUCCESS { return value.bytes }
    if status == MDB_NOTFOUND { return nil }
    throw view.environment.failure(status)
  }

  /// The entry of a key, with the key as it is stored. C: `MDB_SET_KEY`
  @inline(__always)
  func entry(_ database: Database, _ key: UnsafeRawBufferPointer) throws(LMDBError) -> Cursor.Entry? {
    guard let snapshot = view.snapshot else { return try unsafeCursor(database).seek(key) }
    var entry = fastmap_page_entry()
    var fault = fastmap_page_fault()
    let answer = fastmap_snapshot_get(
      snapshot, UInt32(truncatingIfNeeded: database.place), key.baseAddress, key.count, &entry, &fault)
    return try view.entry(answer, entry, fault, database)
  }

  /// The entry of one of many keys that ascend, in a snapshot that reads pages itself.
  @inline(__always)
  func sweep(
    _ snapshot: UnsafeMutablePointer<fastmap_snapshot>, _ database: Database, _ key: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Cursor.Entry? {
    var entry = fastmap_page_entry()
    var fault = fastmap_page_fault()
    let answer = fastmap_snapshot_sweep(
      snapshot, UInt32(truncatingIfNeeded: database.place), key.baseAddress, key.count, &entry, &fault)
    return try view.entry(answer, entry, fault, database)
  }

  /// Makes a cursor that can be stored, and must be destroyed before the transaction ends.
  @inline(__always)
  func unsafeCursor(_ database: Database) throws(LMDBError) -> Cursor {
    try Cursor(database, in: view)
  }

  /// The size and shape of a table. C: `mdb_stat`
  func statistics(_ database: Database) throws(LMDBError) -> DatabaseStatistics {
    var statistics = MDB_stat()
    let status = mdb_stat(view.handle, database.handle, &statistics)
    guard status == MDB_SUCCESS else { throw view.environment.failure(status) }
    return DatabaseStatistics(statistics)
  }
}

/// The operations of a transaction that writes.
///
/// After an error, the transaction is always undone, even if the body continues. Errors of size
/// (`bad-size`) are an exception, because they come before any change.
protocol TransactionWriting: TransactionReading, ~Copyable {}

extension TransactionWriting where Self: ~Copyable {
  /// Stores the value of a key. C: `mdb_put`
  @inline(__always)
  func put(
    _ database: Database, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(LMDBError) {
    var value = MDB_val(lending: value)
    let status = put(database, key, &value, 0)
    guard status == MDB_SUCCESS else { throw view.environment.changeFailure(status) }
  }

  /// Stores the value of a key that has none.
  ///
  /// - Returns: `false`, without a change, if the key has a value. C: `MDB_NOOVERWRITE`
  @inline(__always)
  func insert(
    _ database: Database, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Bool {
    var value = MDB_val(lending: value)
    let status = put(database, key, &value, MDB_NOOVERWRITE)
    if status == MDB_SUCCESS { return true }
    if status == MDB_KEYEXIST { return false }
    throw view.environment.changeFailure(status)
  }

  /// Removes a key. C: `mdb_del`
  ///
  /// - Returns: `false` if there was none.
  @inline(__always)
  @discardableResult
  func delete(_ database: Database, _ key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
    assert(view.environment.isTurnOfThisThread, "A write transaction must not leave its thread.")
    var key = MDB_val(lending: key)
    let status = mdb_del(view.handle, database.handle, &key, nil)
    if status == MDB_SUCCESS {
      view.environment.markChanged()
      return true
    }
    if status == MDB_NOTFOUND { return false }
    throw view.environment.changeFailure(status)
  }

  @inline(__always)
  private func put(
    _ database: Database, _ key: UnsafeRawBufferPointer, _ value: inout MDB_val, _ flags: CInt
  ) -> CInt {
    assert(view.environment.isTurnOfThisThread, "A write transaction must not leave its thread.")
    var key = MDB_val(lending: key)
    let status = mdb_put(view.handle, database.handle, &key, &value, UInt32(flags))
    if status == MDB_SUCCESS { view.environment.markChanged() }
    return status
  }
}

extension fastmap_page_entry {
  @inline(__always)
  var keyBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: key, count: key_length) }

  @inline(__always)
  var valueBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: value, count: value_length) }
}

extension MDB_val {
  /// LMDB does not write to these bytes, although its type allows it.
  @inline(__always)
  init(lending bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
