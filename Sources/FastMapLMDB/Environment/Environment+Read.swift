internal import CFastMap
import CFastMapLMDB
import FastMapSystem

extension Environment {
  /// Lends one snapshot of the store to `body`: the newest commit, whatever is written meanwhile.
  ///
  /// Many threads may read at once; none waits for a writer, and no writer for it, but when the map grows:
  /// the growing write waits for open reads to end, and new ones wait for it. So keep reads short, and never
  /// wait in a read for a write on another thread.
  ///
  /// A read inside a read, or inside a write, on the same thread is a snapshot of its own. It does not see
  /// what an unfinished write has done.
  ///
  /// - Parameter body: Runs on this thread. What it is lent is valid until it returns.
  /// - Throws: ``LMDBError``, or what `body` throws.
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

  /// Goes on when `mdb_txn_begin` did not: frees reader slots of dead processes, or follows a map that
  /// another process has made larger. The thread is in the gate, and is out again if this throws.
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

  /// Follows another process's growth, if nobody here has the turn. Whoever has it follows at its begin, or
  /// did; then the next try finds a map that is large enough.
  private func followMapFromRead() throws(LMDBError) {
    guard gate.tryTurn() else {
      usleep(1000)
      return
    }
    defer { gate.endTurn() }
    guard !gate.isDead else { return }  // the next try says so
    try followMap()
  }

  /// Frees the reader slots of processes that were killed; their snapshots keep pages from being used again.
  ///
  /// C: `mdb_reader_check`
  func checkReaders() {
    // A failure leaves slots taken; whoever needs one is told.
    _ = mdb_reader_check(handle, nil)
  }
}
