#if Postgres
  import FastMapCore
  import FastMapPostgres
  import FastMapStoreTesting
  import FastMapSystem
  import TestSupport
  import Testing

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
      let store = PausingStore(base) { _ in
        let open = try admin.rows(
          "SELECT ARRAY[state, query] FROM pg_stat_activity WHERE state LIKE 'idle in%' AND datname = 'fastmap'"
        )
        #expect(open == [])
      }
      _ = try Mapper(store).importJSON(
        library.text(2), as: library.plan, options: .committing(every: 2))
      #expect(store.count > 5)
      #expect(try library.contents(of: base) == library.contents(after: 1, 2))
    }

    @Test func everyImportPassesThePooler() throws {
      let store = try open("library", at: address)
      for number in 1...3 { try library.load(number, into: store) }
      #expect(try library.contents(of: store) == library.contents(after: 1, 2, 3))
      #expect(try store.check().problems == [])
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
