#if Postgres
  public import FastMapCore

  extension PostgresStore: Store {
    /// Runs `body` in one transaction, once.
    ///
    /// On PostgreSQL the transaction is `SERIALIZABLE`: several writes may run at the same time, and one of two that
    /// conflict fails with `ConflictError`. On Citus, whose isolation does not hold across nodes, a write locks the objects
    /// that it reads and changes until it ends. A second write that names one of them waits.
    ///
    /// - Throws: Errors of `body`; `ConflictError`; `UnknownOutcomeError`; `SchemaMismatchError`; ``PostgresError``, also
    ///   for values that the store has no column for, because ``prepare(_:)`` was not called.
    @discardableResult
    public func write<R>(
      _ schema: Schema, _ body: (inout PostgresWriter) throws -> TransactionCompletion<R>
    ) throws -> R {
      try explaining(.write, schema) {
        try pool.write { connection in
          try connection.server.requireCoordinator(at: connection.place)
          let session = try TransactionLayout(
            connection, layouts, schema: configuration.schema, isWrite: true)
          var writer = try PostgresWriter(session, schema, self)
          let completion = try body(&writer)
          try writer.reader.verify()
          if case .commit = completion, let missing = writer.state.unprepared.missing {
            throw PostgresError(
              server: connection.place, message: "the store has no \(missing); call prepare before the write",
              schema: configuration.schema)
          }
          return completion
        }
      }
    }

    /// Several writes at a time, sets, and fingerprints.
    ///
    /// Aurora DSQL has snapshot isolation alone. There, each write updates one row of the catalog, so two writes at the
    /// same time conflict.
    public var capabilities: StoreCapabilities {
      StoreCapabilities(
        concurrency: .serializable,
        readsOneSnapshot: pool.server.flavour != .citus, prefersSets: true,
        batchSize: min(configuration.maxRowsPerStatement, 8192), fingerprintKey: knownLayout?.fingerprintKey)
    }

    /// The tables as somebody has seen them before; nil if there are none.
    private var knownLayout: Layout? {
      if case .unknown = layouts.current {
        let found = try? pool.read { try Layout.read($0, schema: configuration.schema) }
        layouts.set(found ?? nil)
      }
      if case .known(let layout) = layouts.current { return layout }
      return nil
    }
  }
#endif
