#if Postgres
  import FastMapCore
  import FastMapSystem
  import Synchronization
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// A wait for a lock of another session is not silent.
  @Suite(.needsServer) struct LockWaitTests {
    private let stores: TestStores
    private let plan: Plan

    init() throws {
      stores = try TestStores()
      plan = try Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) })
      _ = try Mapper(stores.open()).importJSON(#"[{"id":1}]"#, as: plan)
    }

    @Test("An import that waits for a lock says who holds it, once, and goes on when it is free")
    func reported() throws {
      let lines = Mutex<[String]>([])
      let store = try stores.open {
        $0.lockWait = LockWait(after: .milliseconds(100)) { line in lines.withLock { $0.append(line) } }
      }
      let admin = try stores.open()
      let work = try admin.pool.outsideTransactions { connection in
        try connection.execute("BEGIN", #"LOCK TABLE \#(stores.schema)."O""#)
        let work = ThreadWork { [plan] in _ = try Mapper(store).importJSON(#"[{"id":2}]"#, as: plan) }
        while lines.withLock(\.isEmpty) { usleep(10_000) }
        // Long enough for another look.
        usleep(300_000)
        try connection.execute("COMMIT")
        return work
      }
      try work.value()
      let line = lines.withLock(\.self)
      #expect(line.count == 1)
      #expect(line.first?.hasPrefix("PostgreSQL at ") ?? false)
      #expect(line.first?.contains(": waiting for a lock that process ") ?? false)
      #expect(line.first?.hasSuffix(", fastmap, idle in transaction) holds") ?? false, "\(line)")
      #expect(try store.read(plan.schema) { try $0.count(of: 0) } == 2)
    }

    @Test("A statement that takes long without a lock says nothing")
    func silent() throws {
      let lines = Mutex<[String]>([])
      let store = try stores.open {
        $0.lockWait = LockWait(after: .milliseconds(50)) { line in lines.withLock { $0.append(line) } }
      }
      try store.pool.read { connection in _ = try connection.run(Statement("SELECT pg_sleep(1)")) }
      #expect(lines.withLock(\.self) == [])
    }
  }
#endif
