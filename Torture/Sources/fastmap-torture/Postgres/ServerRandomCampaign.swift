#if Postgres
  import FastMapCore
  import FastMapModels
  import FastMapPostgres
  import FastMapStoreTesting

  /// The random checks of the store contract on a PostgreSQL server, each in a schema of its own.
  enum ServerRandomCampaign {
    static let contexts = Campaign(
      name: "server-contexts", title: "random uses of a context on a PostgreSQL server",
      cases: .count("sequences"), rule: "context, conflicts and store as in the model"
    ) { run in
      try repeated(run, "sequences", total: run.count(short: 50, long: 100_000), each: 50) {
        try $0.runContexts(50, seed: $1)
      }
    }

    static let forms = Campaign(
      name: "server-forms", title: "random payloads of every form on a PostgreSQL server",
      cases: .count("stores"), rule: "report and store as in the model, one export for all orders"
    ) { run in
      try repeated(run, "stores", total: run.count(short: 12, long: 10_000), each: 6) {
        try $0.runForms(6, seed: $1)
      }
    }

    static let queries = Campaign(
      name: "server-queries", title: "random queries over random objects on a PostgreSQL server",
      cases: .count("queries"), rule: "each finds what an array has"
    ) { run in
      try repeated(run, "queries", total: run.count(short: 200, long: 200_000), each: 100) {
        try $0.runQueries(100, seed: $1)
      }
    }

    static let meetings = Campaign(
      name: "server-meetings", title: "random payloads in which forms meet, on a PostgreSQL server",
      cases: .count("sequences"), rule: MeetingCampaign.rule
    ) { run in
      let scratch = try Scratch(isInMemory: true)
      try withSchemas { makeStore, drop in
        try MeetingCampaign.repeated(
          run, total: run.count(short: 30, long: 10_000), scratch, on: makeStore, after: drop)
      }
    }

    private static func repeated(
      _ run: Run, _ what: String, total: Int, each: Int,
      _ check: (StoreContract<PostgresStore>, UInt64) throws -> Void
    ) throws {
      var random = SeededNumbers(seed: run.seed)
      try withSchemas { makeStore, drop in
        let contract = StoreContract(makeStore: makeStore)
        for done in stride(from: 0, to: total, by: each) {
          guard run.goesOn(done, of: total, what) else { return }
          do { try check(contract, random.next()) } catch { run.violation("\(error)") }
          drop()
          run.add(each, to: what)
        }
      }
    }

    /// Starts a server.
    ///
    /// - Parameter body: Receives closures that make a store in a schema of its own, and that drop the schemas.
    private static func withSchemas(
      _ body: (_ makeStore: @escaping () throws -> PostgresStore, _ drop: () -> Void) throws -> Void
    ) throws {
      let server = try TortureServer()
      var schemas: [String] = []
      var preparesStatements = false
      func makeStore() throws -> PostgresStore {
        var configuration = PostgresStore.Configuration()
        configuration.maxConnections = 4
        configuration.preparesStatements = preparesStatements
        preparesStatements.toggle()
        configuration.schema = "random_\(schemas.count)"
        schemas.append(configuration.schema)
        return try PostgresStore(server.address, configuration: configuration)
      }
      try body(makeStore) {
        server.drop(schemas)
        schemas = []
      }
    }
  }
#endif
