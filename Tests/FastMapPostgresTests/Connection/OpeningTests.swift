#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Connections that are lost while they open, and settings of a connection that is open.
  @Suite(.needsServer) struct OpeningTests {
    private let stores: TestStores

    init() throws { stores = try TestStores() }

    private func open(
      _ address: String, _ configure: (inout PostgresStore.Configuration) -> Void = { _ in }
    ) throws -> PostgresStore {
      var configuration = PostgresStore.Configuration.with { $0.schema = stores.schema }
      configure(&configuration)
      return try PostgresStore(address, configuration: configuration)
    }

    @Test(
      "A first connection that is lost during the login or in the first question is opened again",
      arguments: [
        ("SCRAM-SHA-256", Proxy.Fault.cutBefore), ("pg_is_in_recovery", .cutBefore),
        ("pg_is_in_recovery", .cutAfter),
      ])
    func lostWhileOpening(_ message: String, _ fault: Proxy.Fault) throws {
      let proxy = try Proxy(to: Cluster.connection ?? "")
      proxy.inject(fault, at: .text(message))
      let store = try open(proxy.address)
      #expect(proxy.faults == 1)
      #expect(try store.pool.read { try $0.run(Statement("SELECT 7::bigint")).int8(0, 0) } == 7)
    }

    @Test("A wrong address and a missing password are errors at once")
    func wrongAddress() throws {
      let address = try #require(Cluster.connection)
      let start = ContinuousClock.now
      #expect(throws: PostgresError.self) { try open("postgres://127.0.0.1:1/none") }
      #expect(throws: PostgresError.self) {
        try open(address + (address.contains("?") ? "&" : "?") + "password=&passfile=/dev/null")
      }
      #expect(ContinuousClock.now - start < .milliseconds(1500))
    }

    @Test("The server looks after its client, unless configured otherwise")
    func keepalives() throws {
      let names = [
        "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout",
      ]
      func settings(_ store: PostgresStore) throws -> [String] {
        try store.pool.read { connection in
          try names.map { try connection.run(Statement("SELECT current_setting('\($0)')")).text(0, 0) }
        }
      }
      let address = try #require(Cluster.connection)
      let found = try settings(open(address))
      #expect(found.prefix(3) == ["30", "10", "3"])
      #expect(found[3] == "60000" || found[3] == "0")
      let options = "options=-c%20tcp_keepalives_idle%3D77"
      let own = try settings(open(address + (address.contains("?") ? "&" : "?") + options))
      #expect(own.prefix(3) == ["77", "10", "3"])
    }

    @Test("A write that stands still loses its connection and its locks, and is tried again")
    func idleWrite() throws {
      let plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      let store = try stores.open { $0.idleTimeout = .milliseconds(100) }
      _ = try Mapper(store).importJSON(#"[{"id":1}]"#, as: plan)
      var attempts = 0
      try store.transact(plan.schema) { writer in
        attempts += 1
        let id = try #require(try writer.reader.find(1, of: 0))
        let process = Int32(bitPattern: UInt32(truncatingIfNeeded: try Self.process(writer.connection)))
        // Until the server has ended the session.
        while attempts == 1,
          try !stores.rows("SELECT ARRAY[pid::text] FROM pg_stat_activity WHERE pid = \(process)").isEmpty
        { usleep(10_000) }
        return .commit(try writer.delete([id], of: 0))
      }
      #expect(attempts > 1)
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 0)
      let error = #expect(throws: ConflictError.self) {
        try store.write(plan.schema) { writer -> TransactionCompletion<Void> in
          let process = try Self.process(writer.connection)
          while try !stores.rows("SELECT ARRAY[pid::text] FROM pg_stat_activity WHERE pid = \(process)")
            .isEmpty
          { usleep(10_000) }
          _ = try writer.reader.find(1, of: 0)
          return .commit(())
        }
      }
      #expect(error?.reason.contains("(25P03)") ?? false, "\(String(describing: error))")
    }

    @Test("A read whose session was ended between two questions has the server's reason")
    func endedRead() throws {
      let plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      let store = try stores.open()
      _ = try Mapper(store).importJSON(#"[{"id":1}]"#, as: plan)
      let error = #expect(throws: PostgresError.self) {
        try store.read(plan.schema) { reader in
          let process = try Self.process(reader.connection)
          try stores.execute("SELECT pg_terminate_backend(\(process), 10000)")
          _ = try reader.count(of: 0)
        }
      }
      #expect(error?.code == "57P01", "\(String(describing: error))")
    }

    private static func process(_ connection: Connection) throws -> Int64 {
      try connection.run(Statement("SELECT pg_backend_pid()::bigint")).int8(0, 0)
    }
  }
#endif
