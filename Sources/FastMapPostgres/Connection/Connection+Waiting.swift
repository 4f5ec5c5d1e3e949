#if Postgres
  internal import CFastMapPostgres
  internal import FastMapSystem

  /// Waiting for the server. A wait ends early if the task is cancelled, or if it takes too long: the server is asked to
  /// cancel the statement, and its answer is the error then.
  extension Connection {
    /// Waits until input has come, and takes it.
    func waitForInput() throws { try wait(for: POLLIN) }

    /// Waits until the socket can be read or written, and takes input.
    func wait(for events: Int32) throws {
      let start = ContinuousClock.now
      var nextLook = lockWatch?.delay
      while true {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        let count = poll(&descriptor, 1, 100)
        if count < 0, errno != EINTR { throw lost() }
        if count > 0 {
          if descriptor.revents & ~Int16(POLLOUT) != 0, PQconsumeInput(handle) == 0 { throw lost() }
          return
        }
        try checkTime(since: start)
        if let look = nextLook, interruption == nil, ContinuousClock.now - start > look {
          nextLook = lockWatch?.look(for: self) ?? true ? nil : (ContinuousClock.now - start) * 2
        }
      }
    }

    private func checkTime(since start: ContinuousClock.Instant) throws {
      let elapsed = ContinuousClock.now - start
      if let interruption {
        guard ContinuousClock.now - interruption.time > grace else { return }
        isBroken = true
        throw replaced(
          PostgresError(
            server: place, message: "the server did not answer a cancellation", isConnectionLost: true))
      }
      if Task.isCancelled {
        interruption = Interruption(time: .now, reason: .task)
      } else if let statementTimeout, elapsed > statementTimeout + grace {
        interruption = Interruption(time: .now, reason: .time)
      } else {
        return
      }
      cancel()
    }

    /// The error to throw for an error of the server. If the server only reports an aborted transaction, this is
    /// the error that has aborted it.
    func noted(_ error: PostgresError) -> any Error {
      if error.code == "25P02", let transactionError { return transactionError }
      let thrown = replaced(error)
      transactionError = transactionError ?? thrown
      return thrown
    }

    /// The error to throw for an error of the server: the interruption's own error, if an interruption caused it.
    func replaced(_ error: PostgresError) -> any Error {
      guard let interruption, error.code == "57014" || error.isConnectionLost else { return error }
      self.interruption = nil
      switch interruption.reason {
      case .task: return CancellationError()
      case .time:
        return PostgresError(
          server: place, code: error.sqlState,
          message: "the statement was cancelled after \(statementTimeout ?? .zero)",
          isConnectionLost: error.isConnectionLost)
      }
    }
  }

  /// A cancellation that was sent to the server.
  struct Interruption {
    enum Reason { case task, time }

    let time: ContinuousClock.Instant
    let reason: Reason
  }
#endif
