#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct TransactionTests {
    private let schema: TestSchema

    init() throws {
      schema = try TestSchema()
      try schema.execute("CREATE TABLE \(schema.name).t (id bigint PRIMARY KEY, n bigint)")
    }

    private func insert(_ id: Int) -> Statement {
      Statement("INSERT INTO \(schema.name).t VALUES (\(id), 0)")
    }

    private func count() throws -> [Int64] { try schema.numbers("SELECT count(*) FROM \(schema.name).t") }

    @Test("An unread error fails the write, and not its commit")
    func unreadErrors() throws {
      let error = #expect(throws: PostgresError.self) {
        try schema.pool.write { connection in
          _ = try connection.send(Statement("SELECT 1 / 0"))
          return .commit(())
        }
      }
      #expect(error?.code == "22012")
    }

    @Test("A commit that the server turns into a rollback throws the error that has aborted the transaction")
    func abortedCommit() throws {
      let error = #expect(throws: PostgresError.self) {
        try schema.pool.write { connection in
          _ = try connection.run(insert(1))
          _ = try? connection.run(Statement("SELECT 1 / 0"))
          return .commit(())
        }
      }
      #expect(error?.code == "22012")
      #expect(try count() == [0])
    }

    /// As Citus answers: the error of a commit has no code, and perhaps a warning before it has one.
    @Test(
      "A commit that a node does not confirm is a conflict if a warning says so, else its outcome is unknown",
      arguments: ["40001", "23505", "08006", nil])
    func failedCommitOfNode(_ code: String?) throws {
      let warning = code.map { "RAISE WARNING USING MESSAGE = 'a node', ERRCODE = '\($0)';" } ?? ""
      try schema.execute(
        """
        CREATE FUNCTION \(schema.name).refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(warning)
        RAISE EXCEPTION USING MESSAGE = 'could not commit transaction for shard 1 on at least one active node',
          ERRCODE = 'XX000'; END $$
        """,
        """
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON \(schema.name).t DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION \(schema.name).refuse()
        """)
      let error = #expect(throws: (any Error).self) {
        try schema.pool.write { .commit(try $0.run(insert(1)).affectedCount) }
      }
      if code == "40001" || code == "23505" {
        #expect(error is ConflictError)
      } else {
        #expect(error is UnknownOutcomeError)
      }
      try schema.execute("DROP TRIGGER refuse ON \(schema.name).t")
      try schema.pool.write { .commit(try $0.run(insert(2)).affectedCount) }
      #expect(try count() == [1])
    }

    @Test("One of two writes that depend on each other fails with a conflict, and can be repeated")
    func conflict() throws {
      try schema.execute("INSERT INTO \(schema.name).t VALUES (1, 0), (2, 0)")
      let pool = schema.pool
      func swap(_ read: Int, _ written: Int, _ between: () throws -> Void) throws {
        try pool.write { connection in
          _ = try connection.run(Statement("SELECT n FROM \(schema.name).t WHERE id = \(read)"))
          _ = try connection.run(Statement("UPDATE \(schema.name).t SET n = n + 1 WHERE id = \(written)"))
          try between()
          return .commit(())
        }
      }
      let outcome = Result { try swap(1, 2) { try swap(2, 1) {} } }
      #expect(throws: ConflictError.self) { try outcome.get() }
      try swap(1, 2) {}
      #expect(try schema.numbers("SELECT sum(n)::bigint FROM \(schema.name).t") == [2])
    }

    @Test("A connection that is lost in the commit leaves the outcome unknown")
    func lostWithin() throws {
      try schema.execute(
        """
        CREATE FUNCTION \(schema.name).die() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
        """,
        """
        CREATE CONSTRAINT TRIGGER dies AFTER INSERT ON \(schema.name).t DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION \(schema.name).die()
        """)
      #expect(throws: UnknownOutcomeError.self) {
        try schema.pool.write { .commit(try $0.run(insert(1)).affectedCount) }
      }
      #expect(try count() == [0])
    }

    @Test("A commit that no longer waits for its standby leaves the outcome unknown", .needsOwnServers)
    func withoutStandby() async throws {
      let cluster = try ThrowawayCluster("--replica")
      var configuration = PostgresStore.Configuration.with { $0.statementTimeout = nil }
      let pool = try Pool(ConnectionString(cluster.address), configuration)
      try pool.outsideTransactions { try $0.execute("CREATE TABLE t (id bigint)") }
      try cluster.kill(.replica)
      let task = Task.detached(executorPreference: OwnThreads.shared) {
        try pool.write { .commit(try $0.run(Statement("INSERT INTO t VALUES (1)")).affectedCount) }
      }
      let waiting = Statement("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      while try pool.read({ try $0.run(waiting).int8(0, 0) }) == 0 { usleep(1000) }
      task.cancel()
      await #expect(throws: UnknownOutcomeError.self) { try await task.value }
      // The primary has it.
      let rows = try pool.read { try $0.run(Statement("SELECT count(*) FROM t")).int8(0, 0) }
      #expect(rows == 1)
      // The server's own time-out ends the wait in the same way.
      configuration.statementTimeout = .milliseconds(300)
      let impatient = try Pool(ConnectionString(cluster.address), configuration)
      let error = #expect(throws: UnknownOutcomeError.self) {
        try impatient.write { .commit(try $0.run(Statement("INSERT INTO t VALUES (2)")).affectedCount) }
      }
      #expect(error.map { "\($0)".contains("no longer waits for its synchronous standby") } == true)
    }

    @Test("Beginning, settings and the first question take one trip, and a read does not wait for its end")
    func trips() throws {
      try schema.pool.withConnection { $0.trips = 0 }
      try schema.pool.read { _ = try $0.run(Statement("SELECT 1")) }
      #expect(schema.pool.trips == 1)
      try schema.pool.write { .commit(try $0.run(insert(1)).affectedCount) }
      #expect(schema.pool.trips == 3)
    }
  }
#endif
