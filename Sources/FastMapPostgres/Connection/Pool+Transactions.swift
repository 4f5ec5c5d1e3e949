#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSystem

  /// Transactions. A transaction begins with its first question, and an error of the server ends it.
  extension Pool {
    /// Lends a connection whose transaction only reads, from one snapshot.
    ///
    /// Begins again if the connection was lost, or a standby has ended the transaction, before `body` has received an
    /// answer. For at most `reconnectTimeout`.
    ///
    /// - Parameter isRepeatable: Whether `body` may also run again when it has received answers.
    /// - Throws: Errors of `body`; ``PostgresError``.
    @discardableResult
    func read<R>(isRepeatable: Bool = false, _ body: (Connection) throws -> R) throws -> R {
      let end = ContinuousClock.now + settings.reconnectTimeout
      var delay = Duration.milliseconds(1)
      while true {
        var mayRepeat = false
        do {
          return try withConnection(isRepeatable: true) { connection in
            do {
              try connection.begin(connection.beginnings.read)
              let result = try body(connection)
              connection.discardAll()
              try connection.sendAhead(Statement("ROLLBACK"))
              return result
            } catch {
              rollBack(connection)
              mayRepeat = isRepeatable || !connection.hasAnswered
              throw error
            }
          }
        } catch let error as PostgresError {
          let isOutdated = isOutdated(error)
          if error.isFailover || isOutdated { closeAll() }
          guard mayRepeat, error.isTransient || isOutdated, ContinuousClock.now < end,
            !Task.isCancelled
          else {
            throw error
          }
          usleep(UInt32(delay.milliseconds * 1000))
          delay = min(delay * 2, .milliseconds(500))
        }
      }
    }

    /// Lends a connection whose transaction reads and writes.
    ///
    /// - Parameters:
    ///   - queue: Learns whether the write has conflicted.
    ///   - isQueued: Whether the write lines up behind others.
    ///   - line: The table that the writes of the queue lock first; nil for a write beside the queue.
    ///   - body: Returns whether to commit, and its result.
    /// - Throws: `ConflictError` if a repeat may succeed and nothing was changed. `UnknownOutcomeError` if the
    ///   connection was lost in COMMIT. ``PostgresError``. Errors of `body`.
    @discardableResult
    func write<R>(
      _ queue: WriteQueue, isQueued: Bool, in line: String?,
      _ body: (Connection) throws -> TransactionCompletion<R>
    ) throws -> R {
      do {
        let result = try write(in: line, body)
        queue.succeeded(inQueue: isQueued)
        return result
      } catch let error as ConflictError {
        if !error.isConnectionLost {
          queue.conflicted(inQueue: isQueued, isTimeOut: error.reason.contains("55P03"))
        }
        throw error
      }
    }

    @discardableResult
    func write<R>(in line: String? = nil, _ body: (Connection) throws -> TransactionCompletion<R>)
      throws -> R
    {
      try withConnection { connection in
        let completion: TransactionCompletion<R>
        do {
          try connection.begin(connection.beginnings.write)
          if let line { try WriteQueue.sendLock(line, connection) }
          completion = try body(connection)
        } catch {
          rollBack(connection)
          throw translated(error)
        }
        switch completion {
        case .commit(let result):
          try commit(connection)
          return result
        case .rollBack(let result):
          rollBack(connection)
          return result
        }
      }
    }

    /// Runs `body` without a transaction of ours: each statement is one of its own.
    func outsideTransactions<R>(_ body: (Connection) throws -> R) throws -> R {
      try withConnection { connection in
        do {
          let result = try body(connection)
          try connection.finish()
          return result
        } catch {
          connection.discardAll()
          throw error
        }
      }
    }
  }

  extension Pool {
    /// The statements that begin a transaction.
    static func beginning(
      _ isWrite: Bool, _ server: Server, _ settings: PostgresStore.Configuration
    ) -> [Statement] {
      var texts = [
        isWrite ? beginsWrite(server, settings) : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
      ]
      // The questions of a write find rows by an index. A scan of a whole table would conflict with every other write.
      if isWrite, server.flavour == .postgres {
        for method in ["seqscan", "hashjoin", "mergejoin", "material"] {
          texts.append("SET LOCAL enable_\(method) = off")
        }
        texts.append("SET LOCAL jit = off")
      }
      // The operator's time-out stays where it is stricter. An idle read has no lock that others wait for but DDL.
      for (name, own, session) in [
        ("statement_timeout", settings.statementTimeout, server.sessionTimeouts.statement),
        ("lock_timeout", settings.lockTimeout, server.sessionTimeouts.lock),
        (
          "idle_in_transaction_session_timeout", isWrite ? settings.idleTimeout : nil,
          server.sessionTimeouts.idle
        ),
      ] {
        guard let own = own?.milliseconds, session == 0 || own < session else { continue }
        texts.append("SET LOCAL \(name) = \(own)")
      }
      return texts.map { Statement($0) }
    }

    private static func beginsWrite(_ server: Server, _ settings: PostgresStore.Configuration) -> String {
      // On Citus, isolation levels do not hold across nodes. After the locks of `KeyLocks`, each question must see all
      // commits.
      let level = server.flavour == .citus ? "READ COMMITTED" : "SERIALIZABLE"
      // A dry run changes nothing, so `default_transaction_read_only` is not about it.
      return "BEGIN ISOLATION LEVEL \(level)" + (settings.isDryRun ? " READ WRITE" : "")
    }

    private func rollBack(_ connection: Connection) {
      connection.discardAll()
      // The server has not answered a cancellation.
      if connection.interruption != nil { connection.isBroken = true }
      guard !connection.isBroken else { return }
      do { try connection.execute("ROLLBACK") } catch { connection.isBroken = true }
    }

    /// Commits, in the same trip as the statements sent before. If one of them fails, the server skips the COMMIT.
    private func commit(_ connection: Connection) throws {
      let isAborted: Bool
      do {
        connection.notices.hasUnconfirmedCommit = false
        connection.notices.hasRefusedCommit = false
        // The server answers so if an error has aborted the transaction.
        isAborted = try connection.run(Statement("COMMIT")).tag == "ROLLBACK"
        // A task that was cancelled, a time-out or an administrator has ended the wait, and not the commit.
        if connection.notices.hasUnconfirmedCommit {
          throw UnknownOutcomeError(
            "PostgreSQL at \(connection.place) has the commit, and no longer waits for its synchronous standby, "
              + "which may lack it")
        }
      } catch let error as PostgresError {
        guard error.leavesOutcomeUnknown else {
          rollBack(connection)
          // A node that has refused gives the reason in a warning. Else it may have committed before its connection was lost.
          if error.isFailedCommitOfNode, !connection.notices.hasRefusedCommit {
            throw UnknownOutcomeError("\(error)")
          }
          throw translated(error)
        }
        connection.isBroken = true
        closeAll()
        throw UnknownOutcomeError("\(error)")
      } catch is CancellationError {
        // The server may have committed before the cancellation came, but has answered that it has not.
        guard connection.isBroken else {
          rollBack(connection)
          throw CancellationError()
        }
        throw UnknownOutcomeError(
          "the commit was cancelled, and PostgreSQL at \(connection.place) did not answer")
      }
      guard !isAborted else {
        let error = connection.transactionError
        rollBack(connection)
        throw translated(
          error
            ?? PostgresError(
              server: connection.place, code: "25P02",
              message: "the transaction was aborted, and rolled back"))
      }
      connection.stash.removeAll()  // unread answers
    }

    /// The error to throw for an error before COMMIT, when nothing was changed.
    private func translated(_ error: any Error) -> any Error {
      guard let error = error as? PostgresError else { return error }
      let isOutdated = isOutdated(error)
      if error.isFailover || isOutdated { closeAll() }
      // One server that takes no writes takes none at the next attempt either.
      if error.code == "25006", !hasSeveralHosts { return error }
      guard error.isConflict || error.isFailover || isOutdated else { return error }
      return ConflictError("\(error)", isConnectionLost: !error.isConflict && error.isLoss)
    }

    /// Whether a statement was prepared before a table got another column. Other connections prepare it again.
    private func isOutdated(_ error: PostgresError) -> Bool {
      settings.preparesStatements && error.code == "0A000"
    }
  }

  extension Duration {
    /// At least 1, because 0 means none.
    var milliseconds: Int64 {
      max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
