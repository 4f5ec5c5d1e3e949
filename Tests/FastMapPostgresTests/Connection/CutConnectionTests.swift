#if Postgres
  import FastMapCore
  import FastMapSystem
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// The connection ends at any moment of an import.
  @Suite(.needsServer) struct CutConnectionTests {
    private let proxy: Proxy
    private let schema: TestSchema
    private let store: PostgresStore
    private let library: Library
    private let first: String
    private let both: String

    init() throws {
      proxy = try Proxy(to: Cluster.connection ?? "")
      schema = try TestSchema()
      var configuration = PostgresStore.Configuration()
      configuration.schema = schema.name
      configuration.reconnectTimeout = .seconds(20)
      store = try PostgresStore(proxy.address, configuration: configuration)
      library = try Library()
      first = try library.contents(after: 1)
      both = try library.contents(after: 1, 2)
      try library.load(1, into: store)
    }

    @Test func aConnectionThatEndsBeforeTheCommitArrivesLeavesTheOutcomeUnknownAndNothingStored() throws {
      proxy.inject(.cutBefore, at: .text("COMMIT"))
      #expect(throws: UnknownOutcomeError.self) { try library.load(2, into: store) }
      #expect(proxy.faults == 1)
      #expect(try library.contents(of: store) == first)
      try library.load(2, into: store)
      #expect(try library.contents(of: store) == both)
    }

    @Test func aConnectionThatEndsBehindTheCommitLeavesTheOutcomeUnknownAndEverythingStored() throws {
      proxy.inject(.cutAfter, at: .text("COMMIT"))
      #expect(throws: UnknownOutcomeError.self) { try library.load(2, into: store) }
      #expect(proxy.faults == 1)
      #expect(try library.contents(of: store) == both)
      #expect(try library.load(2, into: store).isUnchanged)
    }

    /// Before the commit nothing is stored, so the import repeats itself.
    @Test(arguments: [Proxy.Fault.cutBefore, .cutAfter], ["INSERT", "UPDATE", "DELETE"])
    func anImportWhoseConnectionEndsBeforeTheCommitIsRepeated(_ fault: Proxy.Fault, _ text: String) throws {
      proxy.inject(fault, at: .text(text))
      try library.load(2, into: store)
      #expect(try library.contents(of: store) == both)
    }

    @Test func anImportWhoseConnectionEndsAmongTheRowsOfACopyIsRepeated() throws {
      proxy.inject(.cutBefore, at: .copyData)
      try library.load(2, into: store, books: 20_000)
      let expected = try StoreKind.memory.make()
      for (number, books) in [(1, 20), (2, 20_000)] {
        _ = try Mapper(expected).importJSON(library.text(number, books: books), as: library.plan)
      }
      #expect(try library.contents(of: store) == expected.exported(library.plan))
    }

    @Test func anImportWhoseConnectionEndsInEachAttemptSaysSo() throws {
      proxy.inject(.cutBefore, at: .text("UPDATE"))
      var options = ImportOptions(retries: RetryPolicy(attempts: 3, firstDelay: .microseconds(1)))
      // A fault meets one message: the next one is armed while the core asks whether to go on.
      options.onProgress = { [proxy] _ in proxy.inject(.cutBefore, at: .text("UPDATE")) }
      let text = library.text(2)
      let error = #expect(throws: ConflictError.self) {
        try Mapper(store).importJSON(text, as: library.plan, options: options)
      }
      #expect(error?.attempts == 3)
      #expect(
        error?.description.hasPrefix("the connection was lost in each of 3 attempts: PostgreSQL at ")
          ?? false,
        "\(String(describing: error))")
      #expect(try library.contents(of: store) == first)
    }

    /// Nothing has reached the caller, so the read begins again.
    @Test(arguments: [Proxy.Fault.cutBefore, .cutAfter])
    func aReadWhoseConnectionEndsBeforeItsFirstAnswerIsRepeated(_ fault: Proxy.Fault) throws {
      proxy.inject(fault, at: .text("SELECT"))
      #expect(try library.contents(of: store) == first)
      #expect(proxy.faults == 1)
    }

    @Test func aReadWhoseConnectionEndsLaterIsAnErrorAndTheNextOneIsWhole() throws {
      let error = #expect(throws: PostgresError.self) {
        try store.read(library.plan.schema) { reader in
          _ = try reader.count(of: 0)
          proxy.inject(.cutBefore, at: .text("count"))
          _ = try reader.count(of: 1)
        }
      }
      #expect(error?.isTransient == true)
      #expect(try library.contents(of: store) == first)
    }

    @Test(arguments: [Proxy.Fault.cutBefore, .cutAfter])
    func anImportWhoseConnectionEndsBeforeItsFirstStatementIsRepeated(_ fault: Proxy.Fault) throws {
      proxy.inject(fault, at: .text("fastmap_store"))
      try library.load(2, into: store)
      #expect(proxy.faults == 1)
      #expect(try library.contents(of: store) == both)
    }

    /// A standby ends a read that hinders it with 40001.
    @Test func aReadThatTheServerEndsInFavourOfAnotherTransactionIsRepeated() throws {
      var calls = 0
      try schema.pool.read { connection in
        calls += 1
        guard calls < 3 else { return }
        _ = try connection.run(
          Statement("DO $$ BEGIN RAISE EXCEPTION 'a storm' USING ERRCODE = '40001'; END $$"))
      }
      #expect(calls == 3)
    }

    @Test func aServerThatIsTooOldIsRefusedWithItsVersion() throws {
      proxy.pretendedVersion = "12"
      let refusal = message { _ = try PostgresStore(proxy.address) }
      #expect(refusal?.contains("expected PostgreSQL 13 or newer, found 12") == true, "\(refusal ?? "none")")
    }
  }
#endif
