#if Postgres
  import FastMapCore
  import FastMapStoreTesting
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct PostgresContractTests {
    /// Promises of stores with one writer at a time, and checks that write without `prepare` or read before `finish`.
    private static let others = [
      "A write inside a write on the same thread is an error, and the outer one goes on",
      "A writer goes on with another schema, makes room for it, and commits all",
      "An update says whether anything became different",
      "Integers above those of 64 bits with a sign come back as they were",
      "Of a write that is run again, its last run is what is kept",
      "One write at a time, and a second one waits",
    ]
    fileprivate static var checks: [StoreContract<PostgresStore>.Check] {
      StoreContract<PostgresStore>.checks.filter { !others.contains($0.name) }
    }

    @Test(arguments: Self.checks)
    func keepsTheStoreContract(_ check: StoreContract<PostgresStore>.Check) throws {
      try run(check) { $0.maxConnections = 4 }
    }

    @Test("A store with small statements keeps it too", arguments: Self.checks)
    func smallStatements(_ check: StoreContract<PostgresStore>.Check) throws {
      try run(check) {
        $0.preparesStatements = true
        $0.maxConnections = 4
        $0.maxRowsPerStatement = 3
        $0.maxBytesPerStatement = 100
      }
    }

    fileprivate func run(
      _ check: StoreContract<PostgresStore>.Check, at address: String? = nil,
      _ configure: @escaping (inout PostgresStore.Configuration) -> Void
    ) throws {
      // The contract forgets a place that it opens once, and its schema would be dropped before it is made.
      var places: [TestStores] = []
      let contract = StoreContract<PostgresStore>(makePlace: {
        let place = try TestStores(at: address)
        places.append(place)
        return { try place.open(configure) }
      })
      defer { withExtendedLifetime(places) {} }
      try contract.run(check)
    }
  }

  /// The same on several nodes.
  @Suite(.needsCitus) struct CitusContractTests {
    @Test(arguments: PostgresContractTests.checks)
    func keepsTheStoreContract(_ check: StoreContract<PostgresStore>.Check) throws {
      try PostgresContractTests().run(check, at: Cluster.citus) { $0.maxConnections = 4 }
    }
  }
#endif
