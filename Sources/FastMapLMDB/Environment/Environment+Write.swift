import CFastMapLMDB
import FastMapSystem

extension Environment {
  /// Lends a transaction to `body` and commits when it returns. If it throws, nothing is changed.
  ///
  /// Writers take turns, also with other processes. A body that changes nothing writes nothing.
  ///
  /// - Important: `body` may run more than once. If the map is full, everything is undone, the map grows, and `body`
  ///   starts again. So it must change nothing but the store.
  /// - Parameter body: Runs on this thread. The body may read on the same thread, but not write.
  /// - Throws: Errors of `body`, or ``LMDBError``:
  ///   - `.reentrantWrite` inside another write.
  ///   - `.growthInsideRead` inside a read, if the map must grow.
  ///   - `.diskFull` and `.mapFull` if there is no more space.
  ///   - `.removed` if a file no longer belongs to the directory.
  ///   - `.damaged` if the first write finds damage in the store.
  ///   - The error of a change that failed midway, if the body caught it and then committed.
  ///
  ///   The store is unchanged then. The exception is an I/O error of the commit itself: the commit may or may not
  /// have happened, and the environment closes.
  ///
  /// C: `mdb_txn_begin`, `mdb_txn_commit`
  func write<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    try beginTurn()
    defer { endTurn() }
    while true {
      switch try attempt(body) {
      case .finished(let result): return result
      case .mapIsFull: try grow()
      }
    }
  }

  func write<R>(
    isSharing: Bool, _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    try isSharing ? writeSharing(body) : write(body)
  }

  private enum Attempt<R> {
    case finished(R)
    case mapIsFull
  }

  private func attempt<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> Attempt<R> {
    let transaction = try WriteTransaction(beginning: self)
    let result: R
    do { result = try body(transaction) } catch {
      // The body may have wrapped the error or thrown another one because of it.
      if turn.failure == MDB_MAP_FULL { return .mapIsFull }
      throw error
    }
    // The body may also have ignored it.
    if turn.failure == MDB_MAP_FULL { return .mapIsFull }
    guard turn.failure == MDB_SUCCESS else { throw failure(turn.failure) }
    if turn.isDiscarded { return .finished(result) }
    if let error = turn.unfinished { throw error }

    if hasChanges, try !commit(transaction) { return .mapIsFull }
    return .finished(result)
  }

  /// Runs a change of several tables. If it throws midway, the transaction cannot be committed any more, even if the
  /// body catches the error.
  @inline(__always)
  func whole<R>(_ change: () throws -> R) throws -> R {
    do { return try change() } catch {
      turn.unfinished = turn.unfinished ?? error
      throw error
    }
  }

  /// Commits the changes.
  ///
  /// - Returns: False if the map is full. Nothing is committed then.
  func commit(_ transaction: consuming WriteTransaction) throws(LMDBError) -> Bool {
    var status = putCommitRecord(transaction.view.handle)
    if status == MDB_MAP_FULL { return false }
    guard status == MDB_SUCCESS else { throw failure(status) }
    if let file = files.missing { throw error(.removed(file: file)) }
    status = transaction.commit()
    if status == MDB_MAP_FULL { return false }
    if status != MDB_SUCCESS { throw commitFailure(status) }
    try finishCommit()
    return true
  }

  /// Completes a commit that wrote something.
  private func finishCommit() throws(LMDBError) {
    #if canImport(Darwin)
      // There, `fsync` only reaches the drive's cache, and so does LMDB before 0.9.36.
      if configuration.durability == .full, fcntl(descriptor, F_FULLFSYNC) != 0 {
        let status = errno
        close(after: status)
        throw error(.io(errno: status))
      }
    #endif
  }

  /// Checks whether this thread may write. Before the first write, this verifies the store, while others may read and write.
  func checkMayWrite() throws(LMDBError) {
    try checkOurs()
    guard !thread.isWriting else { throw error(.reentrantWrite) }
    guard !configuration.isReadOnly else { throw error(.readOnly) }
    try verifyOnce()
  }

  func beginTurn() throws(LMDBError) {
    try checkMayWrite()
    switch gate.waitForTurn(isReading: thread.isReading) {
    case .granted: break
    case .dead: throw closedError
    case .growing: throw error(.growthInsideRead)
    }
    thread.beginWrite()
    waitForWriters()
    turn.isMarked = isMarked
  }

  func endTurn() {
    if turn.isMarked { putMark() }
    letOthersWrite()
    thread.endWrite()
    gate.endTurn()
  }

  func beginWrite() throws(LMDBError) -> OpaquePointer {
    let now = ContinuousClock.now
    if turn.readerCheck.duration(to: now) >= configuration.readerCheckInterval {
      checkReaders()
      turn.readerCheck = now
    }
    turn.failure = MDB_SUCCESS
    turn.unfinished = nil
    turn.isDiscarded = false
    turn.hasEarlierChanges = false
    forgetChanges()
    turn.thread = pthread_self()
    while true {
      var transaction: OpaquePointer?
      let status = mdb_txn_begin(handle, nil, 0, &transaction)
      if status == MDB_SUCCESS, let transaction { return transaction }
      guard status == MDB_MAP_RESIZED else {
        if status == MDB_PANIC { close(after: status) }
        throw failure(status)
      }
      guard !thread.isReading else { throw error(.growthInsideRead) }
      try followMap()
    }
  }

  /// Whether the calling thread has the turn to write. LMDB's lock belongs to a thread.
  var isTurnOfThisThread: Bool {
    guard let owner = turn.thread else { return false }
    return pthread_equal(owner, pthread_self()) != 0
  }

  /// The error for a failed commit. If LMDB cannot tell how far the commit came, the environment closes.
  private func commitFailure(_ status: CInt) -> LMDBError {
    let error = failure(status)
    switch error.reason {
    case .diskFull, .transactionTooLarge: break
    // The transaction was invalid, or there was no memory for its lists. Nothing was written.
    case .unexpected(MDB_BAD_TXN), .io(ENOMEM): break
    default: close(after: status)
    }
    return error
  }
}
