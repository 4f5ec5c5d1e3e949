internal import CFastMap
import CFastMapLMDB
import FastMapSystem

extension Environment {
  /// Lends one snapshot of the store to `body`: the newest commit, even if a write is in progress.
  ///
  /// Any number of threads may read at once. Readers and the writer never wait for each other, with one exception: a
  /// write that grows the map waits for open reads to end, and new reads wait for it. So keep reads short, and never
  /// wait in a read for a write on another thread.
  ///
  /// A read inside a read or a write on the same thread has its own snapshot, without the changes of an
  /// unfinished write.
  ///
  /// - Parameter body: Runs on this thread. Everything lent to it is valid until it returns.
  /// - Throws: ``LMDBError``; errors of `body`.
  ///
  /// C: `mdb_txn_begin` with `MDB_RDONLY`
  func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    try withUnsafeTemporaryAllocation(of: fastmap_snapshot.self, capacity: 1) { memory in
      guard let snapshot = memory.baseAddress else { preconditionFailure("a snapshot has room") }
      let transaction = try ReadTransaction(beginning: self, snapshot)
      return try body(transaction)
    }
  }

  @inline(__always)
  func beginRead() throws(LMDBError) -> OpaquePointer {
    try checkOurs()
    try enter()
    var transaction: OpaquePointer?
    let status = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    if status == MDB_SUCCESS, let transaction { return transaction }
    return try beginRead(after: status)
  }

  @inline(__always)
  func endRead(_ transaction: OpaquePointer) {
    mdb_txn_abort(transaction)
    leave()
  }

  @inline(__always)
  func enter() throws(LMDBError) {
    let isNested = thread.beginRead()
    guard gate.enter(nested: isNested) else {
      thread.endRead()
      closeIfDrained()
      throw closedError
    }
  }

  @inline(__always)
  func leave() {
    thread.endRead()
    if gate.leave() { closeIfDrained() }
  }

  /// Handles a failure of `mdb_txn_begin`. Frees reader slots of dead processes, or follows a map that another
  /// process has grown. The thread is inside the gate, and outside again if this throws.
  @inline(never)
  private func beginRead(after firstStatus: CInt) throws(LMDBError) -> OpaquePointer {
    var status = firstStatus
    var hasCheckedReaders = false
    while true {
      if status == MDB_READERS_FULL, !hasCheckedReaders {
        checkReaders()
        hasCheckedReaders = true
      } else if status == MDB_MAP_RESIZED {
        let mayMoveMap = thread.hasOnlyOneRead
        leave()
        guard mayMoveMap else { throw error(.growthInsideRead) }
        try followMapFromRead()
        try enter()
      } else {
        leave()
        throw failure(status)
      }
      var transaction: OpaquePointer?
      status = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
      if status == MDB_SUCCESS, let transaction { return transaction }
    }
  }

  /// Follows another process's growth, if no thread has the turn. A thread with the turn has followed when it began,
  /// so the next try finds a large enough map.
  private func followMapFromRead() throws(LMDBError) {
    guard gate.tryTurn() else {
      usleep(1000)
      return
    }
    defer { gate.endTurn() }
    guard !gate.isDead else { return }  // the next try reports it
    try followMap()
  }

  /// Frees the reader slots of killed processes, whose snapshots prevent the reuse of pages.
  ///
  /// C: `mdb_reader_check`
  func checkReaders() {
    // After a failure, slots stay taken. A reader that needs one gets an error.
    _ = mdb_reader_check(handle, nil)
  }
}
