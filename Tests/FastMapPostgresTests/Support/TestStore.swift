#if Postgres
  import FastMapCore
  import TestSupport

  @testable import FastMapPostgres

  /// Places for stores: a schema that no other test has, and which is dropped with its tables.
  final class TestStores: Sendable {
    let schema = "fastmap_test_" + String(UInt64.random(in: 0 ... .max), radix: 36)
    private let address: String
    private let admin: Pool

    /// Connections that all places share, because one takes longer than many a test.
    private static let admin = Result {
      let configuration = PostgresStore.Configuration.with { $0.maxConnections = 16 }
      return try Pool(ConnectionString(Cluster.connection ?? ""), configuration)
    }

    /// - Parameter address: A connection string; nil for the server of most tests.
    init(at address: String? = nil) throws {
      self.address = address ?? Cluster.connection ?? ""
      admin =
        try address.map { try Pool(ConnectionString($0), PostgresStore.Configuration()) } ?? Self.admin.get()
    }

    deinit {
      try? admin.outsideTransactions { connection in
        try connection.execute(
          "SET client_min_messages = warning", "DROP SCHEMA IF EXISTS \(schema) CASCADE")
      }
    }

    /// Opens the store once more.
    func open(_ configure: (inout PostgresStore.Configuration) -> Void = { _ in }) throws -> PostgresStore {
      var configuration = PostgresStore.Configuration.with { $0.schema = schema }
      configure(&configuration)
      return try PostgresStore(address, configuration: configuration)
    }

    /// Runs statements with the schema in the search path, all in one transaction.
    func execute(_ texts: String...) throws {
      try inTransaction { connection in
        for text in texts { try connection.sendQuietly(Statement(text)) }
        try connection.finish()
      }
    }

    /// The rows of a query, whose columns are texts: `a|b`; null is empty.
    func rows(_ query: String) throws -> [String] {
      try inTransaction { connection in
        let answer = try connection.run(Statement("SELECT concat_ws('|', VARIADIC r) FROM (\(query)) q (r)"))
        return (0..<answer.rowCount).map { answer.text($0, 0) }
      }
    }

    private func inTransaction<R>(_ body: (Connection) throws -> R) throws -> R {
      try admin.outsideTransactions { connection in
        try connection.execute("BEGIN", "SET LOCAL search_path = \(schema)")
        do {
          let result = try body(connection)
          try connection.execute("COMMIT")
          return result
        } catch {
          connection.discardAll()
          if !connection.isBroken { try connection.execute("ROLLBACK") }
          throw error
        }
      }
    }
  }
#endif
