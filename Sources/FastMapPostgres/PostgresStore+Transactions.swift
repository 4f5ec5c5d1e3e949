#if Postgres
  public import FastMapCore
  internal import FastMapSQL
  internal import FastMapSystem

  extension PostgresStore {
    /// Makes the tables and columns for a schema, in a transaction of its own.
    ///
    /// It is idempotent, and several processes may do it at once. It never removes anything. A new column waits until
    /// nobody uses its table, for the lock time-out or ten seconds.
    ///
    /// It also makes indexes and constraints of these tables again that somebody else has removed before the store was
    /// opened.
    ///
    /// - Returns: A note for each new field that may be a renamed one, whose old values stay where they are. A note for
    ///   each index or constraint that was made again.
    /// - Throws: `SchemaMismatchError` if the stored objects do not match. ``PostgresError``, for example if the role may
    ///   not create tables. Nothing is added then.
    /// - Complexity: One round trip if nothing is missing.
    public func prepare(_ schema: Schema) throws -> [String] {
      try explaining(.prepare, schema) {
        if try isPrepared(schema) { return [] }
        for attempt in 1... {
          do {
            let (layout, notes) = try runPreparation(schema)
            layouts.set(layout)
            return notes
          } catch let error as PostgresError where error.isPreparationConflict && attempt < 10 {
            usleep(.random(in: 0...UInt32(20_000 * attempt)))
          } catch is ConflictError where attempt < 10 {
            usleep(.random(in: 0...UInt32(20_000 * attempt)))
          } catch let error as PostgresError where error.code == "55P03" {
            throw PostgresError(
              server: error.server, code: error.code,
              message: "new fields need a table alone, and another transaction uses it: \(error.message)",
              hint: "End that transaction, or set a longer lockTimeout.", schema: configuration.schema,
              table: error.table)
          }
        }
        return []
      }
    }

    private func runPreparation(_ schema: Schema) throws -> (Layout, notes: [String]) {
      try pool.outsideTransactions { connection in
        do {
          return try Preparation(connection: connection, schema: schema, settings: configuration).run()
        } catch {
          connection.discardAll()
          if !connection.isBroken { try? connection.execute("ROLLBACK") }
          throw error
        }
      }
    }

    /// Whether nothing is missing.
    private func isPrepared(_ schema: Schema) throws -> Bool {
      do {
        return try hasEverything(schema)
      } catch let error as PostgresError where error.code == "42P01" || error.code == "3F000" {
        // The catalog is gone, perhaps because somebody has dropped the schema: it is read again.
        layouts.clear()
        return try hasEverything(schema)
      }
    }

    private func hasEverything(_ schema: Schema) throws -> Bool {
      try pool.read { connection in
        let session = try TransactionLayout(connection, layouts, schema: configuration.schema)
        var reader = try PostgresReader(session, schema, configuration)
        try reader.verify()
        guard let layout = session.layout else { return false }
        var catalog = layout.catalog
        guard try catalog.extend(to: schema, tables: .tables, columns: .columns).isEmpty else { return false }
        return layout.missingSafeguards(reader.binding.sql).isEmpty
      }
    }

    /// Lends one snapshot to `body`.
    ///
    /// The server takes the snapshot while `body` begins. The first question also finds out whether the tables have
    /// changed. On Citus, a read may see the commits of others between its questions.
    ///
    /// - Throws: Errors of `body`; `SchemaMismatchError`; ``PostgresError``.
    @discardableResult
    public func read<R>(_ schema: Schema, _ body: (inout PostgresReader) throws -> R) throws -> R {
      try explaining(.read, schema) {
        try pool.read { connection in
          let session = try TransactionLayout(connection, layouts, schema: configuration.schema)
          var reader = try PostgresReader(session, schema, configuration)
          try session.takeSnapshot()
          let result = try body(&reader)
          try reader.verify()
          return result
        }
      }
    }
  }
#endif
