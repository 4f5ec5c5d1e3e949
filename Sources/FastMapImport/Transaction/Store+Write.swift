extension Store {
  /// Runs `body` in one transaction. Its reads and writes are stored together when it returns, or not at all if it throws.
  ///
  ///     try store.write { transaction in
  ///       try transaction.update(Counter.mapping.keys([1])) { $0.count += 1 }
  ///     }
  ///
  /// A transaction that conflicts with another writer runs again from the start, as `retries` allows, and so does one for
  /// which the store has to grow or to make room. So `body` must change nothing else that it cannot change again.
  ///
  /// `body` must not write to the store in another way, nor save a context that was made outside: both are errors.
  ///
  /// - Parameters:
  ///   - retries: How often to try a transaction that conflicts with another one.
  ///   - body: Receives the transaction. Without a change, nothing is written.
  /// - Returns: The result of `body`.
  /// - Throws: The first error of a call of the transaction, even if `body` has caught it. Other errors of `body`.
  ///   ``TransactionError``; ``ConflictError`` after the last attempt; the store's own error. Nothing is changed then.
  ///   ``UnknownOutcomeError`` if the store cannot tell.
  @discardableResult
  public func write<R>(
    retries: RetryPolicy = RetryPolicy(), _ body: (inout Transaction) throws -> R
  ) throws -> R {
    if let transaction = openTransaction {
      _ = try transaction.run()
      throw TransactionError.nested
    }
    let run = TransactionRun(capabilities)
    let result = try OpenTransactions.begin {
      try retries.run { _ in try runs(of: run, body) }
    }
    for action in run.afterCommit { try action() }
    return result
  }

  /// Runs a transaction, and runs it again after work outside of it.
  private func runs<R>(of run: TransactionRun, _ body: (inout Transaction) throws -> R) throws -> R {
    while true {
      do {
        return try write(run.opening ?? Schema(entities: [])) { writer in
          run.begin()
          return try withUnsafeMutablePointer(to: &writer) { pointer in
            let store = TransactionStore(self, pointer, run)
            defer { store.end() }
            var transaction = Transaction(store)
            let result = Result { try body(&transaction) }
            if let failure = run.failure { throw failure }
            return run.commits ? .commit(try result.get()) : .rollBack(try result.get())
          }
        }
      } catch is TransactionRestart {
        try run.workOutside()
        // A new store has no fingerprints before it is prepared.
        run.capabilities = capabilities
      }
    }
  }

  /// Runs `body` in one transaction, on a thread of its own.
  ///
  ///     try await store.write { transaction in try transaction.importJSON(body, as: Order.mapping) }
  ///
  /// The threads that Swift's tasks share are never blocked. The closure has the calls without `await`, and the transaction crosses
  /// none.
  ///
  /// - Throws: As the call without `await`, and `CancellationError` in a task that was cancelled before.
  /// - SeeAlso: The call without `await`.
  @discardableResult
  nonisolated(nonsending) public func write<R: Sendable>(
    retries: RetryPolicy = RetryPolicy(), _ body: @escaping @Sendable (inout Transaction) throws -> R
  ) async throws -> R {
    try await OwnThread.value { try self.write(retries: retries, body) }
  }

  /// Runs `body` with a store in a transaction: the open one, or a new one.
  package func inTransaction<R>(_ body: (any Store) throws -> R) throws -> R {
    openTransaction == nil ? try write { try body($0.store) } : try body(self)
  }
}
