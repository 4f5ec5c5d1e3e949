import CFastMapLMDB
import FastMapSystem

extension Environment {
  /// Like ``write(_:)``, but concurrent writers share one commit. Each gets its own result or error after the commit.
  ///
  /// - Important: `body` may run more than once, as in ``write(_:)``.
  func writeSharing<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    while true {
      try checkMayWrite()
      // A thread that is reading cannot grow the map, and must not delay others.
      guard !thread.isReading else { return try write(body) }
      let outcome =
        if let follower = group.join() { try follow(follower, body) } else { try lead(body) }
      switch outcome {
      case .finished(let result): return try result.get()
      case .startAfresh: continue
      case .startAlone: return try write(body)
      }
    }
  }

  private enum Outcome<R> {
    case finished(Result<R, any Error>)
    case startAfresh, startAlone
  }

  // MARK: Leading

  private func lead<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> Outcome<R> {
    do { try beginTurn() } catch {
      group.disband()
      throw error
    }
    defer { endTurn() }
    return try leadTurn(body)
  }

  private func leadTurn<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> Outcome<R> {
    let transaction: WriteTransaction
    do { transaction = try WriteTransaction(beginning: self) } catch {
      group.disband()
      throw error
    }
    let (result, own) = run(body, transaction)
    if own.isSpoiled {
      group.disband()
      // The write ran in its own transaction. Only if that failed is there more to do.
      return turn.failure == MDB_SUCCESS ? .finished(result) : .startAlone
    }
    var hasChanged = own.hasChanged
    var followers: [CommitFollower] = []
    while let follower = group.next(behind: followers.count + 1) {
      turn.hasEarlierChanges = hasChanged
      let ran = follower.lend(transaction.view.handle)
      turn.thread = pthread_self()
      if ran.isSpoiled {
        group.disband()
        follower.tell(.startAlone)
        for other in followers { other.tell(.startAfresh) }
        return .startAfresh
      }
      followers.append(follower)
      hasChanged = hasChanged || ran.hasChanged
    }
    var error: LMDBError?
    var isMapFull = false
    if hasChanged {
      do throws(LMDBError) { isMapFull = try !commit(transaction) } catch let failure { error = failure }
    }
    // If the commit failed, each writer tries its own write again.
    for follower in followers { follower.tell(isMapFull || error != nil ? .startAlone : .committed) }
    if let error, followers.isEmpty || gate.isDead { throw error }
    return isMapFull || error != nil ? .startAlone : .finished(result)
  }

  // MARK: Following

  private func follow<R>(
    _ follower: CommitFollower, _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> Outcome<R> {
    var result: Result<R, any Error>?
    while true {
      switch follower.wait() {
      case .running(let handle):
        thread.beginWrite()
        turn.thread = pthread_self()
        let transaction = WriteTransaction(borrowing: handle, of: self)
        let (found, ran) = run(body, transaction)
        transaction.giveBack()
        thread.endWrite()
        result = found
        follower.tell(.ran(hasChanged: ran.hasChanged, isSpoiled: ran.isSpoiled))
      case .committed:
        guard let result else { return .startAlone }
        return .finished(result)
      case .startAlone: return .startAlone
      case .startAfresh, .waiting, .ran: return .startAfresh
      }
    }
  }

  /// Runs one body.
  ///
  /// - Returns: Its result, whether it changed anything, and whether the transaction must be undone.
  private func run<R>(
    _ body: (borrowing WriteTransaction) throws -> R, _ transaction: borrowing WriteTransaction
  ) -> (result: Result<R, any Error>, ran: (hasChanged: Bool, isSpoiled: Bool)) {
    forgetChanges()
    turn.isDiscarded = false
    turn.unfinished = nil
    var result: Result<R, any Error>
    var isUndone = false
    do { result = .success(try body(transaction)) } catch {
      result = .failure(error)
      isUndone = true
    }
    if let error = turn.unfinished, !turn.isDiscarded {
      result = .failure(error)
      isUndone = true
    }
    isUndone = isUndone || turn.isDiscarded
    let isSpoiled = turn.failure != MDB_SUCCESS || isUndone && hasChanges
    return (result, (hasChanges, isSpoiled))
  }
}
