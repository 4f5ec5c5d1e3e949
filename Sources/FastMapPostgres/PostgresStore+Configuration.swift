#if Postgres
  internal import FastMapSQL

  extension PostgresStore {
    /// How a store uses its server.
    ///
    ///     var configuration = PostgresStore.Configuration()
    ///     configuration.schema = "catalogue"
    ///     configuration.maxConnections = 32
    ///     let store = try PostgresStore("postgres://db.example.com/shop", configuration: configuration)
    public struct Configuration: Sendable {
      /// The schema with the tables, created with the first table. Several stores in one database need a schema
      /// each.
      ///
      /// The default is `fastmap`, so that the tables do not mix with other tables in `public`. A name has 1 to 63
      /// bytes, and no NUL.
      public var schema = "fastmap"

      /// The maximum number of connections, at least 1. A read or a write waits while all are in use.
      ///
      /// Each read or write has one. A read or write inside another one, on the same thread, has one more. An import with
      /// a delegate uses one more in each commit. If all connections wait for each other in this way, one of them fails at
      /// once. An import in several commits opens one more for a moment, every twenty seconds.
      public var maxConnections = 8

      /// The time to wait for a connection of the pool. After it, the read or write throws ``PostgresError``.
      public var poolTimeout = Duration.seconds(60)

      /// The time to connect to one host, in whole seconds and at least two. A `connect_timeout` in the connection
      /// string replaces it.
      ///
      /// C: `connect_timeout`
      public var connectTimeout = Duration.seconds(10)

      /// The time during which a store that was connected tries again to connect, while its server restarts or a
      /// replica is promoted.
      public var reconnectTimeout = Duration.seconds(30)

      /// How long the first connection is tried again if no server takes connections. The default is zero:
      /// a wrong address is an error at once. A starting server has `reconnectTimeout` in any case.
      public var startTimeout = Duration.zero

      /// The maximum time of one statement; nil for no maximum. After it, the transaction is rolled back.
      ///
      /// The server receives it as `statement_timeout` of each transaction, unless the role, the database or the URL has a
      /// stricter one. The store cancels the statement itself if
      /// the server does not answer within five seconds more.
      ///
      /// The time that the server waits to hand over rows counts, too. An export takes no rows while its `sink` is
      /// busy. So a `sink` that stalls longer than this time may end the export.
      public var statementTimeout: Duration? = .seconds(300)

      /// The maximum time to wait for a lock of another transaction; nil for no maximum.
      ///
      /// The server receives it as `lock_timeout` of each transaction, unless the session has a stricter one. A write that has waited so long changes nothing and
      /// fails with `ConflictError`. So imports and deletions wait again, as often as their `RetryPolicy` allows: in all at
      /// most this time for each attempt.
      public var lockTimeout: Duration?

      /// The maximum time in which a write may leave the server without a statement; nil for no maximum. After it, the
      /// server ends the connection, and an import or a deletion is tried again.
      ///
      /// The server receives it as `idle_in_transaction_session_timeout` of each write, unless the session has a stricter
      /// one. So a process that stands still keeps its locks no longer. An import from a pipe waits for its input inside
      /// the write.
      public var idleTimeout: Duration? = .seconds(120)

      /// Whether statements are prepared once in each connection. This saves parsing and planning, about 0.2 ms a
      /// question.
      ///
      /// Leave it false behind a pooler that gives each transaction another connection, such as PgBouncer, unless
      /// that pooler follows prepared statements.
      public var preparesStatements = false

      /// The maximum number of rows or keys in one statement. Some servers limit the size of a transaction or a
      /// message.
      package var maxRowsPerStatement = 32_768

      /// The maximum size of the values in one statement, in bytes: 64 MiB. A row that is larger is in a statement of its
      /// own.
      ///
      /// PostgreSQL refuses statements, and rows, of 1 GB. The store needs a few times this memory while it sends a
      /// statement. JSON counts twice, because its exact text may be sent beside the `jsonb`.
      package var maxBytesPerStatement = 64 << 20

      /// Whether all writes are rolled back, so that a role without the right to write gets copies of the tables; for the
      /// tool.
      package var isDryRun = false

      /// Receives a line when a statement has waited for a lock of another session; for the tool.
      package var lockWait: LockWait?

      /// Makes the default configuration.
      public init() {}
    }
  }

  extension PostgresStore.Configuration {
    /// - Throws: ``PostgresError`` for a schema name that PostgreSQL would refuse or cut.
    func checkSchema() throws(PostgresError) {
      let found: String
      if schema.isEmpty {
        found = "an empty one"
      } else if schema.utf8.contains(0) {
        found = "one with a NUL"
      } else if schema.utf8.count > 63 {
        found = "\(SQLText.identifier(schema)) with \(schema.utf8.count) bytes"
      } else {
        return
      }
      throw PostgresError(
        server: "?", message: "expected the name of a schema with 1 to 63 bytes and no NUL, found \(found)")
    }
  }
#endif
