#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Connections that a server refuses. A store that was connected does not try these again.
  @Suite(.needsServer) struct ConnectingTests {
    private let stores: TestStores
    private let role: String

    init() throws {
      stores = try TestStores()
      role = stores.schema + "_role"
      try stores.open { _ in }.pool.outsideTransactions { try $0.execute("CREATE SCHEMA \(stores.schema)") }
      try stores.execute("CREATE ROLE \(role) LOGIN PASSWORD 'secret'")
    }

    private func address(_ parameters: String) -> String {
      let connection = Cluster.connection ?? ""
      return connection + (connection.contains("?") ? "&" : "?") + parameters
    }

    @Test("A refused password, role or database is an error with its code")
    func refusals() throws {
      defer { try? stores.execute("DROP ROLE \(role)") }
      for (parameters, code) in [
        ("user=\(role)&password=other", "28P01"), ("user=\(role)_2&password=secret", "28P01"),
        ("user=\(role)&password=secret&dbname=\(role)", "3D000"),
      ] {
        let error = #expect(throws: PostgresError.self) { try PostgresStore(address(parameters)) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.isFailover == false)
        #expect(error.map { "\($0)".contains("other") || "\($0)".contains("secret") } == false)
      }
    }

    @Test("The first connection waits for a server that is down, if it may")
    func startingServer() throws {
      let proxy = try Proxy(to: Cluster.connection ?? "")
      proxy.acceptsConnections = false
      #expect(throws: PostgresError.self) { try PostgresStore(proxy.address) }
      let configuration = PostgresStore.Configuration.with { $0.startTimeout = .seconds(30) }
      let opened = ThreadWork { [configuration] in
        _ = try PostgresStore(proxy.address, configuration: configuration)
      }
      usleep(300_000)
      #expect(!opened.isOver)
      proxy.acceptsConnections = true
      try opened.value()
    }

    @Test(
      "A password that was changed meanwhile is an error at once, and not after the time for a restart"
    )
    func changedPassword() throws {
      defer { try? stores.execute("DROP ROLE \(role)") }
      var configuration = PostgresStore.Configuration()
      configuration.reconnectTimeout = .seconds(3600)
      configuration.schema = stores.schema
      let store = try PostgresStore(address("user=\(role)&password=secret"), configuration: configuration)
      try stores.execute(
        "ALTER ROLE \(role) PASSWORD 'other'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
      var found: PostgresError?
      // The end of the connection travels.
      while found == nil {
        do {
          try store.read(Schema(entities: [])) { _ in }
          usleep(1000)
        } catch let error as PostgresError where error.code == "57P01" {
        } catch let error as PostgresError { found = error }
      }
      #expect(found?.code == "28P01", "\(String(describing: found))")
    }
  }
#endif
