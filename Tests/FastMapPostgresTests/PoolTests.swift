#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct PoolTests {
    @Test("A connection that the server has ended is replaced before its next use")
    func terminated() throws {
      let schema = try TestSchema { $0.maxConnections = 2 }
      var process: Int64 = 0
      try schema.pool.read { connection in
        process = try connection.run(Statement("SELECT pg_backend_pid()::bigint")).int8(0, 0)
      }
      let other = try TestSchema()
      try other.execute("SELECT pg_terminate_backend(\(process))")
      while try other.numbers("SELECT count(*) FROM pg_stat_activity WHERE pid = \(process)") != [0] {
        usleep(1000)
      }
      usleep(10_000)  // the end of the connection travels, too
      #expect(try schema.numbers("SELECT 1::bigint") == [1])
    }

    @Test("A transaction waits for a connection, and gives up after the pool's time")
    func exhausted() throws {
      let schema = try TestSchema {
        $0.maxConnections = 1
        $0.poolTimeout = .milliseconds(150)
      }
      try schema.pool.read { _ in
        let error = #expect(throws: PostgresError.self) { try schema.pool.read { _ in } }
        #expect(error?.message.contains("all 1 connections are in use") == true)
      }
      try schema.pool.read { _ in }
    }

    @Test("Threads share fewer connections than there are threads")
    func shared() async throws {
      let schema = try TestSchema { $0.maxConnections = 3 }
      try schema.execute("CREATE TABLE \(schema.name).hits (id bigint)")
      let (pool, name) = (schema.pool, schema.name)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<24 {
          group.addTask {
            _ = try pool.outsideTransactions { connection in
              try connection.run(Statement("INSERT INTO \(name).hits VALUES (\(number))")).affectedCount
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try schema.numbers("SELECT count(*) FROM \(schema.name).hits") == [24])
    }

    @Test("A cancelled task ends its statement on the server, and throws CancellationError")
    func cancelled() async throws {
      let schema = try TestSchema()
      let pool = schema.pool
      let task = Task.detached {
        try pool.read { _ = try $0.run(Statement("SELECT pg_sleep(60), '\(schemaMark)'")) }
      }
      let running =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60), ''\(schemaMark)%'"
      while try schema.numbers(running) == [0] { usleep(1000) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try schema.numbers(running) == [0])
    }

    @Test("A statement that takes too long is cancelled by the server")
    func slow() throws {
      let schema = try TestSchema { $0.statementTimeout = .milliseconds(50) }
      let error = #expect(throws: PostgresError.self) {
        try schema.pool.read { _ = try $0.run(Statement("SELECT pg_sleep(60)")) }
      }
      #expect(error?.code == "57014")
      #expect(try schema.numbers("SELECT 1::bigint") == [1])
    }
  }

  private let schemaMark = "mark\(getpid())"
#endif
