#if Postgres
  import FastMapCore
  import FastMapMemory
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
      try withSchemas { contract, drop in
        let part: MeetingCampaign.Part = {
          try contract.runMeetings(MeetingCampaign.each, seed: $0, counting: &$1, dump: scratch.path + "/dump") {
            MemoryStore()
          }
        }
        MeetingCampaign.repeated(run, total: run.count(short: 30, long: 10_000), [part], drop)
      }
    }

    private static func repeated(
      _ run: Run, _ what: String, total: Int, each: Int,
      _ check: (StoreContract<PostgresStore>, UInt64) throws -> Void
    ) throws {
      var random = SeededNumbers(seed: run.seed)
      try withSchemas { contract, drop in
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
    /// - Parameter body: Receives stores in schemas of their own, and a closure that drops these.
    private static func withSchemas(
      _ body: (_ contract: StoreContract<PostgresStore>, _ drop: () -> Void) throws -> Void
    ) throws {
      let server = try TortureServer()
      var schemas: [String] = []
      var preparesStatements = false
      let contract = StoreContract {
        var configuration = PostgresStore.Configuration()
        configuration.maxConnections = 4
        configuration.preparesStatements = preparesStatements
        preparesStatements.toggle()
        configuration.schema = "random_\(schemas.count)"
        schemas.append(configuration.schema)
        return try PostgresStore(server.address, configuration: configuration)
      }
      try body(contract) {
        server.drop(schemas)
        schemas = []
      }
    }
  }
#endif
