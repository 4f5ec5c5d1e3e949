#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL
  internal import FastMapSystem

  extension PostgresStore {
    /// Makes the tables and columns for a schema, in a transaction of its own.
    ///
    /// The call is idempotent, and several processes may do it at once. Nothing is ever removed anything. A new column
    /// waits until its table is free, for the lock time-out or ten seconds.
    ///
    /// Preparing also makes indexes and constraints of these tables again that somebody else has removed before the store was
    /// opened.
    ///
    /// No object changes. The next write that declares a new attribute stores its default in all objects. The next write
    /// that declares an index unique decides when it ends, and may repair objects with the same values.
    ///
    /// - Returns: A note for each new field that may be a renamed one, whose old values stay where they are. A note for
    ///   each index or constraint that was made again.
    /// - Throws: `SchemaMismatchError` if the stored objects do not match. ``PostgresError``, for example if the role may
    ///   not create tables. Nothing is added then.
    /// - Complexity: One round trip if nothing is missing.
    public func prepare(_ schema: Schema) throws -> [String] { try prepare(schema, precedesWrite: true) }

    /// Makes the tables and columns for a schema.
    ///
    /// - Parameter precedesWrite: Whether a write follows, which stores defaults and decides about unique indexes.
    /// - Throws: `UniquenessError` if none follows and objects have the same values, and as ``prepare(_:)``.
    package func prepare(_ schema: Schema, precedesWrite: Bool) throws -> [String] {
      try explaining(.prepare, schema) {
        if try isPrepared(schema, precedesWrite) { return [] }
        var left = configuration.lockTimeout ?? .seconds(10)
        var attempt = 1
        while true {
          do {
            // Readers queue behind a wait for a table alone. So each wait is short.
            let wait = min(.seconds(1), left)
            left -= wait
            let (layout, notes) = try runPreparation(schema, wait: wait, precedesWrite)
            layouts.set(layout)
            return notes
          } catch let error as Preparation.CatalogIsBusy {
            throw naming(error.cause)
          } catch let error as PostgresError where error.code == "55P03" {
            guard left > .zero else { throw naming(error) }
            usleep(300_000)  // the readers pass
          } catch let error as PostgresError
            where (error.isPreparationConflict || error.isFailover) && error.code != "25006" && attempt < 10
          {
            attempt += 1
            usleep(.random(in: 0...UInt32(20_000 * attempt)))
          } catch is ConflictError where attempt < 10 {
            attempt += 1
            usleep(.random(in: 0...UInt32(20_000 * attempt)))
          }
        }
      }
    }

    /// The error of a wait for a table alone, with the session that uses the tables for the longest time.
    private func naming(_ error: PostgresError) -> PostgresError {
      var name = Parameters()
      name.text(configuration.schema)
      let question = Statement(
        """
        SELECT a.pid, a.usename::text, a.application_name, a.state
        FROM pg_catalog.pg_stat_activity a WHERE a.pid <> pg_backend_pid() AND EXISTS (
          SELECT FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE l.pid = a.pid AND l.granted AND a.datname = current_database() AND n.nspname = $1)
        ORDER BY a.xact_start
        """, .text)
      let holder = try? pool.outsideTransactions { try $0.run(question, name).holder }
      return PostgresError(
        server: error.server, code: error.sqlState,
        message:
          "new fields need a table alone; in the way is \((holder ?? nil) ?? "another transaction"): \(error.message)",
        hint: "End that transaction, or set a longer lockTimeout.", schema: configuration.schema,
        table: error.table)
    }

    private func runPreparation(
      _ schema: Schema, wait: Duration, _ precedesWrite: Bool
    ) throws -> (Layout, notes: [String]) {
      try pool.outsideTransactions { connection in
        do {
          return try Preparation(
            connection: connection, schema: schema, settings: configuration, wait: wait,
            precedesWrite: precedesWrite
          )
          .run()
        } catch {
          connection.discardAll()
          if !connection.isBroken { try? connection.execute("ROLLBACK") }
          throw error
        }
      }
    }

    /// Whether nothing is missing.
    private func isPrepared(_ schema: Schema, _ precedesWrite: Bool) throws -> Bool {
      do {
        return try hasEverything(schema, precedesWrite)
      } catch is SchemaMismatchError where schema.changesStore {
        return false
      } catch let error as PostgresError where error.code == "42P01" || error.code == "3F000" {
        // The catalog is gone, perhaps because somebody has dropped the schema: it is read again.
        layouts.clear()
        return try hasEverything(schema, precedesWrite)
      }
    }

    private func hasEverything(_ schema: Schema, _ precedesWrite: Bool) throws -> Bool {
      try pool.read(isRepeatable: true) { connection in
        let session = try TransactionLayout(connection, layouts, schema: configuration.schema)
        var reader = try PostgresReader(session, schema, configuration)
        try reader.verify()
        guard let layout = session.layout else { return false }
        guard precedesWrite || layout.awaitedFields(of: schema).isEmpty else { return false }
        var catalog = try layout.whole().catalog
        guard try catalog.extend(to: schema, tables: .tables, columns: .columns).isEmpty else { return false }
        return layout.missingConstraints(reader.binding.sql).isEmpty
      }
    }

    /// Lends one snapshot to `body`.
    ///
    /// The server takes the snapshot while `body` begins. The first question also finds out whether the tables have
    /// changed. On Citus, a read may see the commits of others between its questions.
    ///
    /// `body` runs again if the connection is lost, or a standby ends the transaction, before its first answer.
    ///
    /// - Throws: Errors of `body`; `SchemaMismatchError`; ``PostgresError``.
    @discardableResult
    public func read<R>(_ schema: Schema, _ body: (inout PostgresReader) throws -> R) throws -> R {
      try explaining(.read, schema) {
        try pool.read { connection in
          let session = try TransactionLayout(connection, layouts, schema: configuration.schema)
          var reader = try PostgresReader(session, schema, configuration)
          try session.takeSnapshot()
          connection.hasAnswered = false
          let result = try body(&reader)
          try reader.verify()
          return result
        }
      }
    }
  }
#endif
