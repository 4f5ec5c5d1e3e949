#if Postgres
  public import FastMapMaintenance
  internal import FastMapSQL

  extension PostgresStore {
    /// Loads a dump into an empty store. Objects keep their numbers.
    ///
    ///     let report = try PostgresStore("postgres://localhost/people").load(dump: "people.dump")
    ///
    /// The load is one transaction, which makes the tables, too. Every line is checked: types, keys, links, counts and
    /// the checksum at the end.
    ///
    /// - Parameter path: The dump, of any store. A pipe is read as data arrives.
    /// - Returns: The numbers of objects and targets.
    /// - Throws: `DumpError` with the line, also if this store is not empty; `UniquenessError`; `SchemaMismatchError`
    ///   if its empty tables do not match; `ConflictError`; ``PostgresError``. The store is unchanged then.
    /// - Complexity: O(*n* log *n*) in the objects and links, on the server; memory for one line and about 8 MiB of
    ///   objects and links.
    /// - Note: Thread rule: any thread.
    @discardableResult
    public func load(dump path: String) throws -> DumpLoadReport { try load(JSONLines(path)) }

    @discardableResult
    package func load(_ lines: JSONLines) throws -> DumpLoadReport {
      try explaining(.prepare, Schema(entities: [])) {
        let (report, layout) = try pool.write { connection in
          try connection.server.requireDumps(at: connection.place)
          try connection.server.requireWrites(at: connection.place)
          // The dump may take its time, and an empty store has no readers.
          try connection.sendQuietly(Statement("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT"))
          let target = try LoadingTransaction(connection, configuration, lines)
          var loader = DumpLoader(lines, into: target)
          return .commit((try loader.run(), target.layout))
        }
        layouts.set(layout)
        return report
      }
    }
  }
#endif
