#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// The proxy that other tests count and cut with.
  @Suite(.needsServer) struct ProxyTests {
    private let proxy: Proxy
    private let schema: TestSchema
    private let pool: Pool

    init() throws {
      proxy = try Proxy(to: Cluster.connection ?? "")
      schema = try TestSchema()
      var configuration = PostgresStore.Configuration()
      configuration.schema = schema.name
      configuration.reconnectTimeout = .seconds(2)
      pool = try Pool(ConnectionString(proxy.address), configuration)
      try schema.execute("CREATE TABLE \(schema.name).t (id bigint)")
    }

    private func stored() throws -> [Int64] {
      try schema.numbers("SELECT id FROM \(schema.name).t ORDER BY id")
    }

    private func ask(_ count: Int, _ connection: Connection) throws {
      for number in 0..<count {
        let answer = try connection.run(Statement("SELECT \(number)::bigint"))
        #expect(answer.int8(0, 0) == number)
      }
    }

    private func askTogether(_ count: Int, _ connection: Connection) throws {
      var tickets: [Ticket] = []
      for number in 0..<count { tickets.append(try connection.send(Statement("SELECT \(number)::bigint"))) }
      for number in 0..<count {
        let answer = try connection.answer(to: tickets[number])
        #expect(answer.int8(0, 0) == number)
      }
    }

    @Test func aQuestionThatIsWaitedForIsARoundTripAndAPipelineIsOne() throws {
      var trips: [Int] = []
      try pool.outsideTransactions { connection in
        trips.append(try proxy.trips { try ask(1, connection) })
        trips.append(try proxy.trips { try ask(3, connection) })
        trips.append(try proxy.trips { try askTogether(3, connection) })
      }
      #expect(trips == [1, 3, 1])
    }

    @Test func aRoundTripTakesTheLatencyTwice() throws {
      proxy.latency = .milliseconds(5)
      let time = try ContinuousClock().measure {
        try pool.outsideTransactions { _ = try $0.run(Statement("SELECT 1::bigint")) }
      }
      #expect(time >= .milliseconds(10))
    }

    @Test func aStalledMessageArrivesOnceTheStallEnds() throws {
      proxy.inject(.stall, at: .text("INSERT"))
      let (pool, table) = (pool, schema.name + ".t")
      let insertion = ThreadWork {
        try pool.write { connection in
          try connection.sendQuietly(Statement("INSERT INTO \(table) VALUES (7)"))
          return .commit(())
        }
      }
      while proxy.faults == 0 { usleep(1000) }
      #expect(try stored() == [])
      proxy.resume()
      try insertion.value()
      #expect(try stored() == [7])
    }
  }
#endif
