#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// The time-outs of the operator, and the wait of a new field.
  @Suite(.needsServer) struct TimeoutTests {
    private let stores: TestStores

    init() throws { stores = try TestStores() }

    private func open(options: String, _ configure: (inout PostgresStore.Configuration) -> Void) throws
      -> PostgresStore
    {
      var configuration = PostgresStore.Configuration.with { $0.schema = stores.schema }
      configure(&configuration)
      let address = Cluster.connection ?? ""
      return try PostgresStore(
        address + (address.contains("?") ? "&" : "?") + "options=\(options)", configuration: configuration)
    }

    @Test(
      "The stricter time-out of statements wins",
      arguments: [
        ("-c%20statement_timeout%3D150", Duration.seconds(300)),
        ("-c%20statement_timeout%3D1h", .milliseconds(150)),
        ("-c%20statement_timeout%3D0", .milliseconds(150)), ("-c%20statement_timeout%3D150ms", nil),
      ])
    func statements(_ options: String, _ own: Duration?) throws {
      let store = try open(options: options) { $0.statementTimeout = own }
      let sleep = Statement("SELECT pg_sleep(2)")
      let read = #expect(throws: PostgresError.self) {
        try store.pool.read { _ = try $0.run(sleep) }
      }
      #expect(read?.code == "57014")
      let write = #expect(throws: PostgresError.self) {
        try store.pool.write { connection -> TransactionCompletion<Void> in
          _ = try connection.run(sleep)
          return .rollBack(())
        }
      }
      #expect(write?.code == "57014")
    }

    @Test("The stricter time-out of locks wins")
    func locks() throws {
      let plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      let store = try open(options: "-c%20lock_timeout%3D100") { $0.lockTimeout = .seconds(3600) }
      _ = try store.prepare(plan.schema)
      try store.pool.outsideTransactions { connection in
        try connection.execute("BEGIN", #"LOCK TABLE \#(stores.schema)."O""#)
        let options = ImportOptions(retries: RetryPolicy(attempts: 1))
        let error = #expect(throws: ConflictError.self) {
          try Mapper(store).importJSON(#"[{"id":2}]"#, as: plan, options: options)
        }
        #expect(error?.reason.contains("55P03") == true)
        try connection.execute("ROLLBACK")
      }
    }

    @Test(
      "A new field waits once behind a long reader, lets other readers pass, and names the reader")
    func newField() throws {
      let old = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      let new = try Plan(
        Mapping("O", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
        })
      let store = try stores.open { $0.lockTimeout = .seconds(2) }
      let other = try stores.open()
      _ = try Mapper(store).importJSON(#"[{"id":1}]"#, as: old)
      try other.read(old.schema) { reader in
        _ = try reader.count(of: 0)
        let work = ThreadWork { () -> (PostgresError?, Duration) in
          let start = ContinuousClock.now
          let error = #expect(throws: PostgresError.self) { _ = try store.prepare(new.schema) }
          return (error, ContinuousClock.now - start)
        }
        var longest = Duration.zero
        let end = ContinuousClock.now + .seconds(30)
        while !work.isOver, ContinuousClock.now < end {
          let start = ContinuousClock.now
          try other.read(old.schema) { _ = try $0.count(of: 0) }
          longest = max(longest, ContinuousClock.now - start)
          usleep(20_000)
        }
        let (error, time) = try work.value()
        #expect(time < .seconds(5), "\(time)")
        #expect(longest < .milliseconds(1500), "\(longest)")
        #expect(error?.code == "55P03")
        let message = error?.message ?? ""
        #expect(
          message.contains("new fields need a table alone; in the way is process "), "\(message)")
        #expect(
          message.contains(" (role ") && message.contains("fastmap, idle in transaction)"),
          "\(message)")
      }
      #expect(try store.prepare(new.schema) == [])
    }
  }
#endif
