#if Postgres
  import FastMapSystem

  @testable import FastMapPostgres

  /// A schema of its own for one test, which is dropped with it.
  final class TestSchema {
    let name = "fastmap_test_" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let pool: Pool

    init(_ configure: (inout PostgresStore.Configuration) -> Void = { _ in }) throws {
      var configuration = PostgresStore.Configuration()
      configuration.schema = name
      configure(&configuration)
      pool = try Pool(ConnectionString(Cluster.connection ?? ""), configuration)
      try pool.outsideTransactions { try $0.execute("CREATE SCHEMA \(name)") }
    }

    deinit {
      try? pool.outsideTransactions { connection in
        try connection.execute("SET client_min_messages = warning", "DROP SCHEMA IF EXISTS \(name) CASCADE")
      }
    }

    /// Runs statements, each committed by itself.
    func execute(_ texts: String...) throws {
      try pool.outsideTransactions { connection in
        for text in texts { try connection.execute(text) }
      }
    }

    /// The first column of a query's rows.
    func numbers(_ query: String) throws -> [Int64] {
      try pool.outsideTransactions { connection in
        let answer = try connection.run(Statement(query))
        return (0..<answer.rowCount).map { answer.int8($0, 0) }
      }
    }
  }
#endif
