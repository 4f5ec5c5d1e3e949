#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// Whoever sets `default_transaction_read_only` wants no writes: an operator during maintenance, or a host whose disk is
  /// nearly full.
  @Suite(.needsServer) struct ReadOnlyDefaultTests {
    private let stores: TestStores
    private let plan: Plan

    init() throws {
      stores = try TestStores()
      plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
    }

    private func open(_ configure: (inout PostgresStore.Configuration) -> Void = { _ in }) throws
      -> PostgresStore
    {
      var configuration = PostgresStore.Configuration.with { $0.schema = stores.schema }
      configure(&configuration)
      let address = Cluster.connection ?? ""
      return try PostgresStore(
        address + (address.contains("?") ? "&" : "?") + "options=-c%20default_transaction_read_only%3Don",
        configuration: configuration)
    }

    private func expectRefusal(_ body: () throws -> Void) {
      let error = #expect(throws: PostgresError.self, performing: body)
      #expect(error?.code == "25006")
      #expect(error?.hint?.hasPrefix("default_transaction_read_only is on") ?? false)
    }

    @Test("It holds for every write, and reads and dry runs go on")
    func refused() throws {
      let store = try open()
      expectRefusal { _ = try store.prepare(plan.schema) }
      expectRefusal { try store.load(JSONLines(try emptyDump())) }
      _ = try Mapper(stores.open()).importJSON(#"[{"id":1}]"#, as: plan)
      expectRefusal { _ = try Mapper(store).importJSON(#"[{"id":2}]"#, as: plan) }
      expectRefusal { _ = try store.delete(plan.keys([1])) }
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 1)
      let dry = try Mapper(open { $0.isDryRun = true }).importJSON(#"[{"id":2}]"#, as: plan, options: .dry)
      #expect(dry.entities.first?.counts.inserted == 1)
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 1)
    }

    private let scratch = Scratch()

    private func emptyDump() throws -> String {
      var bytes: [UInt8] = []
      let other = try TestStores()
      let store = try other.open()
      _ = try store.prepare(Schema(entities: []))
      try store.dump { bytes += $0 }
      try scratch.write(String(decoding: bytes, as: UTF8.self), to: "empty.dump")
      return scratch.path("empty.dump")
    }
  }
#endif
