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
      let pool = schema.pool
      try pool.read { _ in
        let other = ThreadWork { try pool.read { _ in } }
        let error = #expect(throws: PostgresError.self) { try other.value() }
        #expect(error?.message == "the only connection is in use, for 0.15 seconds")
        #expect(error?.hint == "Set a larger maxConnections.")
        #expect(error?.server.hasSuffix("/fastmap") == true)
      }
      try pool.read { _ in }
    }

    @Test("A read inside others that hold all connections fails at once, and says why", arguments: 1...3)
    func nested(_ depth: Int) throws {
      let schema = try TestSchema {
        $0.maxConnections = depth
        $0.poolTimeout = .seconds(3600)
      }
      func read(_ left: Int, _ body: () throws -> Void) throws {
        try schema.pool.read { _ in if left > 1 { try read(left - 1, body) } else { try body() } }
      }
      try read(depth) {
        let error = #expect(throws: PostgresError.self) { try schema.pool.read { _ in } }
        #expect(
          error?.message.hasSuffix(
            " in use, by this thread; a read or write inside another one needs its own") == true)
        // A write that needs one more cannot be helped by a repeat.
        #expect(throws: PostgresError.self) { _ = try schema.pool.keepConnection(for: "this needs one more") }
      }
      try read(depth) {}
    }

    @Test("Of threads that wait for each other's connections, one fails and the others go on")
    func crosswise() throws {
      let schema = try TestSchema {
        $0.maxConnections = 2
        $0.poolTimeout = .seconds(3600)
      }
      let pool = schema.pool
      let gate = Gate(2)
      let works = (0..<2).map { _ in
        ThreadWork {
          try pool.read { _ in
            gate.pass()
            try pool.read { _ in }
          }
        }
      }
      let errors = works.compactMap { work in
        do {
          try work.value()
          return nil as PostgresError?
        } catch { return error as? PostgresError }
      }
      #expect(errors.count == 1)
      #expect(
        errors.first?.message.hasPrefix(
          "all 2 connections are in use by reads and writes that wait for another one") == true)
    }

    @Test("A cancellation that the server ignores blocks no caller")
    func stalledCancellation() async throws {
      let proxy = try Proxy(to: Cluster.connection ?? "")
      let pool = try Pool(ConnectionString(proxy.address), PostgresStore.Configuration())
      let task = Task.detached(executorPreference: OwnThreads.shared) {
        try pool.read { connection in
          connection.grace = .milliseconds(200)
          // Nothing reaches the server any more, and nothing closes the connection of the cancellation.
          proxy.holdsConnections = true
          proxy.inject(.stall, at: .text("SELECT 'stalled'"))
          _ = try connection.run(Statement("SELECT 'stalled'"))
        }
      }
      while proxy.faults == 0 { usleep(1000) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A connection keeps a limited number of prepared statements, those that were used last")
    func preparedStatements() throws {
      let schema = try TestSchema { $0.preparesStatements = true }
      try schema.pool.read { connection in
        let often = Statement("SELECT 0::bigint")
        for number in 1...(2 * PreparedStatement.maximum) {
          #expect(try connection.run(Statement("SELECT \(number)::bigint")).int8(0, 0) == number)
          #expect(try connection.run(often).int8(0, 0) == 0)
        }
        let count = try connection.run(Statement("SELECT count(*), min(name) FROM pg_prepared_statements"))
        #expect(count.int8(0, 0) == PreparedStatement.maximum)
        let kept = try connection.run(
          Statement("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 0::bigint'"))
        #expect(kept.int8(0, 0) == 1)
      }
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
      let task = Task.detached(executorPreference: OwnThreads.shared) {
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

  /// Where threads wait for each other.
  // @unchecked: `missing` is used under the monitor's lock only.
  private final class Gate: @unchecked Sendable {
    private let monitor = Monitor()
    private var missing: Int

    init(_ count: Int) { missing = count }

    func pass() {
      monitor.lock()
      missing -= 1
      monitor.wakeAll()
      while missing > 0 { monitor.wait() }
      monitor.unlock()
    }
  }

  private let schemaMark = "mark\(getpid())"
#endif
