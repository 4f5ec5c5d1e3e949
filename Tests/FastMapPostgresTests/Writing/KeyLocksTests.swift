#if Postgres
  import FastMapCore
  import TestSupport
  import Testing

  @testable import FastMapPostgres

  /// The locks of writes on Citus, taken on a plain server.
  @Suite(.needsServer) struct KeyLocksTests {
    private let store: PostgresStore
    private let place: TestStores
    private let layout: Layout

    init() throws {
      place = try TestStores()
      store = try place.open()
      _ = try store.prepare(Plan(Mapping("O", primaryKey: "id") { Attribute("id", .integer) }).schema)
      guard case .known(let layout) = store.layouts.current else { throw OddLayout() }
      self.layout = layout
    }

    private struct OddLayout: Error {}

    /// Runs `body` in a write with locks.
    private func write(locksAll: Bool = false, _ body: (KeyLocks, Connection) throws -> Void) throws {
      try store.pool.write { connection -> TransactionCompletion<Void> in
        try body(KeyLocks(connection, locksAll: locksAll), connection)
        return .rollBack(())
      }
    }

    @Test("Two writes whose batches name each other's objects do not deadlock: one begins again")
    func order() throws {
      try write { first, connection in
        try first.lock([900], of: layout)
        try connection.finish()
        try write { second, other in
          try second.lock([5], of: layout)
          try other.finish()
          // It would wait for the second write, which waits for nobody yet.
          let error = #expect(throws: PostgresError.self) {
            try first.lock([5], of: layout)
            try connection.finish()
          }
          #expect(error?.code == "55P03")
        }
      }
    }

    @Test("A write that locked objects does not wait long for the whole store")
    func upgrade() throws {
      try write { first, connection in
        try first.lock([1], of: layout)
        try connection.finish()
        try write { second, other in
          try second.lock([2], of: layout)
          try other.finish()
          let error = #expect(throws: PostgresError.self) {
            try first.lockAll(of: layout)
            try connection.finish()
          }
          #expect(error?.code == "55P03")
        }
      }
    }

    @Test("A write with a unique index, and one that begins again, lock the whole store first")
    func whole() throws {
      try write(locksAll: true) { locks, connection in
        try locks.lock([7], of: layout)
        try connection.finish()
        let modes = try connection.run(
          Statement(
            "SELECT string_agg(mode, ',') FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
          ))
        #expect(modes.text(0, 0) == "ExclusiveLock")
      }
    }
  }
#endif
