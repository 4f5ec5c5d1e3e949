#if Postgres
  import FastMapCore
  import FastMapPostgres
  import FastMapSystem
  import TestSupport
  import Testing

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
      var options = ImportOptions()
      options.retries = RetryPolicy(attempts: 3, firstDelay: .microseconds(1))
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

    @Test func aReadWhoseConnectionEndsIsAnErrorAndTheNextOneIsWhole() throws {
      proxy.inject(.cutAfter, at: .text("SELECT"))
      _ = try? library.contents(of: store)
      #expect(try library.contents(of: store) == first)
    }

    @Test func aServerThatIsTooOldIsRefusedWithItsVersion() throws {
      proxy.pretendedVersion = "12"
      let refusal = message { _ = try PostgresStore(proxy.address) }
      #expect(refusal?.contains("expected PostgreSQL 13 or newer, found 12") == true, "\(refusal ?? "none")")
    }
  }
#endif
