#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  extension PostgresStore: Store {
    /// Runs `body` in one transaction, once.
    ///
    /// On PostgreSQL the transaction is `SERIALIZABLE`: several writes may run at the same time, and one of two that
    /// conflict fails with `ConflictError`. The next writes of the store then line up for a while. On Citus, whose isolation does not hold across nodes, a write locks the objects
    /// that it reads and changes until it ends. A second write that names one of them waits.
    ///
    /// - Throws: Errors of `body`; `ConflictError`; `UnknownOutcomeError`; `SchemaMismatchError`; ``PostgresError``, also
    ///   for values that the store has no column for, because ``prepare(_:)`` was not called.
    @discardableResult
    public func write<R>(
      _ schema: Schema, _ body: (inout PostgresWriter) throws -> TransactionCompletion<R>
    ) throws -> R {
      try OpenTransactions.enter(self) { try writeOnce(schema, body) }
    }

    private func writeOnce<R>(
      _ schema: Schema, _ body: (inout PostgresWriter) throws -> TransactionCompletion<R>
    ) throws -> R {
      try explaining(configuration.isDryRun ? .dryRun : .write, schema) {
        let isQueued = queue.isUsed
        var line: String?
        if isQueued, pool.server.flavour == .postgres, case .known(let layout) = layouts.current {
          line = layout.qualified("fastmap_import")
        }
        return try pool.write(queue, isQueued: isQueued, in: line) { connection in
          try connection.server.requireWrites(at: connection.place)
          let session = try TransactionLayout(
            connection, layouts, schema: configuration.schema, isWrite: true)
          if configuration.isDryRun { try session.copyTablesIfNeeded() }
          var writer: PostgresWriter
          do { writer = try PostgresWriter(session, schema, self, isQueued: isQueued) } catch let error
            as SchemaMismatchError
          {
            // A dry run, which no preparation precedes.
            try session.refuseChanges(by: schema, configuration)
            throw error
          }
          try writer.storeAwaitedDefaults()
          let completion = try body(&writer)
          try writer.reader.verify()
          if case .commit = completion, let addition = writer.state.addition {
            throw PostgresError(
              server: connection.place,
              message: "the store has no \(addition); call prepare before the write",
              schema: configuration.schema)
          }
          if case .commit = completion {
            try writer.refuseDuplicates()
            try writer.raiseVersion()
          }
          return completion
        }
      }
    }

    /// Removes an index, in a transaction of its own.
    ///
    /// The call waits until the table is free, for the lock time-out or ten seconds.
    ///
    /// - Throws: `UnknownNameError` if the store keeps no such index. ``PostgresError``.
    public func dropIndex(_ name: String, of entity: String) throws {
      try explaining(.prepare, Schema(entities: [])) {
        try pool.outsideTransactions { connection in
          do {
            let layout = try Layout.read(connection, schema: configuration.schema)?.whole()
            let stored = layout?.catalog.entity(named: entity)
            guard let layout, let stored else {
              throw UnknownNameError(
                entity: entity, among: layout?.catalog.entities.map(\.name) ?? [])
            }
            guard let index = stored.index(named: name) else {
              throw UnknownNameError(index: name, of: entity, among: stored.indexes.map(\.name))
            }
            try connection.execute("BEGIN")
            let wait = configuration.lockTimeout ?? .seconds(10)
            try connection.execute("SET LOCAL lock_timeout = \(wait.milliseconds)")
            let others = stored.indexes.filter { $0.number != index.number }
            for constraint in layout.constraints(of: index, of: stored, besides: others) {
              try connection.execute("DROP INDEX IF EXISTS \(layout.qualified(constraint.name))")
            }
            try connection.execute(
              "DELETE FROM \(layout.qualified("fastmap_index")) WHERE number = \(index.number)")
            try connection.execute("UPDATE \(layout.qualified("fastmap_store")) SET version = version + 1")
            try connection.execute("COMMIT")
          } catch {
            connection.discardAll()
            if !connection.isBroken { try? connection.execute("ROLLBACK") }
            throw error
          }
        }
      }
      layouts.clear()
    }

    /// Several writes at a time, sets, and fingerprints.
    public var capabilities: StoreCapabilities {
      StoreCapabilities(
        concurrency: .serializable,
        readsOneSnapshot: pool.server.flavour != .citus, prefersSets: true,
        batchSize: min(configuration.maxRowsPerStatement, 8192), fingerprintKey: knownLayout?.fingerprintKey,
        keepsUniqueIndexes: true, mostValueBytes: StatementBounds.mostBytes)
    }

    /// The tables as somebody has seen them before; nil if there are none.
    private var knownLayout: Layout? {
      if case .unknown = layouts.current {
        let found = try? pool.read(isRepeatable: true) {
          try Layout.read($0, schema: configuration.schema)
        }
        layouts.set(found ?? nil)
      }
      if case .known(let layout) = layouts.current { return layout }
      return nil
    }
  }
#endif
