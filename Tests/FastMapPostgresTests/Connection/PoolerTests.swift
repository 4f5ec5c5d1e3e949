#if Postgres
  import FastMapCore
  import FastMapStoreTesting
  import FastMapSystem
  import Synchronization
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Stores behind pgbouncer in transaction mode, which lends each transaction one of four connections.
  @Suite(.needsPooler, .serialized) struct PoolerTests {
    private let cluster: ThrowawayCluster
    private let address: String
    private let library: Library

    init() throws {
      cluster = try ThrowawayCluster("--pooler")
      address = try #require(cluster.pooler)
      library = try Library()
    }

    private func open(_ schema: String, at address: String) throws -> PostgresStore {
      var configuration = PostgresStore.Configuration()
      configuration.schema = schema
      configuration.statementTimeout = .seconds(30)
      return try PostgresStore(address, configuration: configuration)
    }

    @Test func sixImportsInSeveralCommitsShareFourConnections() throws {
      let start = ContinuousClock.now
      let works = try (0..<6).map { number in
        let store = try open("library_\(number)", at: address)
        try library.load(1, into: store)
        return ThreadWork { [library] in
          _ = try Mapper(store).importJSON(
            library.text(2), as: library.plan, options: .committing(every: 2))
          return try library.contents(of: store)
        }
      }
      while works.contains(where: { !$0.isOver }), ContinuousClock.now - start < .seconds(25) {
        usleep(10_000)
      }
      #expect(works.filter(\.isOver).count == 6)
      let expected = try library.contents(after: 1, 2)
      for work in works { #expect(try work.value() == expected) }
    }

    /// An open transaction holds back VACUUM in the whole database.
    @Test func noTransactionIsOpenBetweenTheCommitsOfAnImport() throws {
      let (address, library) = (cluster.address, library)
      let base = try open("library", at: self.address)
      try library.load(1, into: base)
      let admin = try TestStores(at: address)
      let store = ObservedStore(base) { _ in
      } afterCommit: { _ in
        let open = try admin.rows(
          "SELECT ARRAY[state, query] FROM pg_stat_activity WHERE state LIKE 'idle in%' AND datname = 'fastmap'"
        )
        #expect(open == [])
      }
      _ = try Mapper(store).importJSON(library.text(2), as: library.plan, options: .committing(every: 2))
      #expect(store.commits > 5)
      #expect(try library.contents(of: base) == library.contents(after: 1, 2))
    }

    @Test func everyImportPassesThePooler() throws {
      let store = try open("library", at: address)
      for number in 1...3 { try library.load(number, into: store) }
      #expect(try library.contents(of: store) == library.contents(after: 1, 2, 3))
      #expect(try store.check().problems == [])
    }

    /// The question who holds a lock would wait for a fifth connection, which the imports themselves keep away.
    @Test func importsThatWaitForALockAndFillThePoolEndWhenTheLockDoes() throws {
      let stores = try (0..<4).map { _ in try open("library", at: address) }
      try library.load(1, into: stores[0])
      let lines = Mutex<[String]>([])
      var configuration = PostgresStore.Configuration.with { $0.schema = "library" }
      configuration.lockWait = LockWait(after: .milliseconds(100)) { line in
        lines.withLock { $0.append(line) }
      }
      let admin = try Pool(ConnectionString(cluster.address), PostgresStore.Configuration())
      let works = try admin.outsideTransactions { connection in
        try connection.execute("BEGIN", "LOCK TABLE library.fastmap_store")
        let works = (0..<4).map { number in
          ThreadWork { [address, configuration, library] in
            let store = try PostgresStore(address, configuration: configuration)
            try library.load(number + 2, into: store)
          }
        }
        let waiting = Statement("SELECT count(*) FROM pg_locks WHERE NOT granted")
        while try connection.run(waiting).int8(0, 0) < 4 { usleep(10_000) }
        usleep(300_000)  // the time for a question
        try connection.execute("COMMIT")
        return works
      }
      let start = ContinuousClock.now
      while works.contains(where: { !$0.isOver }), ContinuousClock.now - start < .seconds(20) {
        usleep(10_000)
      }
      #expect(works.allSatisfy { $0.isOver })
      for work in works where work.isOver { try work.value() }
      #expect(lines.withLock(\.self) == [])
      #expect(try stores[0].check().problems == [])
    }

    /// The sessions of the server are the pooler's, and others use them, too.
    @Test func aSessionOfThePoolerKeepsItsSettings() throws {
      let pool = try Pool(ConnectionString(address), PostgresStore.Configuration())
      #expect(pool.server.isPooled)
      let setting = try pool.read {
        try $0.run(Statement("SELECT current_setting('tcp_keepalives_idle')")).text(0, 0)
      }
      #expect(setting != "30")
      #expect(try !Pool(ConnectionString(cluster.address), PostgresStore.Configuration()).server.isPooled)
    }

    @Test func aPoolerThatRefusesOptionsIsNamed() throws {
      let error = #expect(throws: PostgresError.self) {
        try open("library", at: address + "?options=-c%20lock_timeout%3D60s")
      }
      #expect(error?.message.contains("unsupported startup parameter: options") == true)
      #expect(
        error?.hint
          == "A pooler stands between, which takes no options. Set them for the role instead: ALTER ROLE … SET."
      )
    }
  }
#endif
