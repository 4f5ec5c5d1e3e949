#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSystem
  internal import Synchronization

  // An import in several commits commits its leftovers with its changes. A row of `fastmap_import` has the time until
  // which the import lives. The row comes with the first commit, and a thread renews it while the import runs. An
  // import whose row has expired has ended, in whatever way, and the next write that sweeps takes its leftovers.
  //
  // The lease may expire before the import ends: the server was away, or the process stood still. Until the next renewal
  // another write may take its leftovers, and deletes the unreferenced ones. Each transaction of the import makes a lost
  // row again. No transaction stays open for it, and the server's clock alone counts.

  /// The lease of a running import.
  final class ImportLease: Sendable {
    let number = UUIDBytes.random
    private let pool: Pool
    private let statements: Statements
    private let hasEnded = Ending()

    /// How long a lease holds after a renewal.
    static let duration = Duration.seconds(60)
    private static let interval = duration / 3

    init(_ store: PostgresStore, _ layout: Layout) {
      pool = store.pool
      statements = Statements(layout)
      // Without a thread the lease expires in the middle of a long transaction.
      try? OwnThread { [pool, number, statements, hasEnded] in
        while hasEnded.wait(for: Self.interval) {
          // A connection of its own, because the import may have the pool's only one.
          if let connection = try? pool.extraConnection() {
            try? statements.run([statements.renewal], number, connection)
          }
        }
      }.detach()
    }

    /// Ends the lease at once. The row stays if the import has left leftovers.
    deinit {
      hasEnded.set()
      // A transaction of this thread must not wait for another connection. The lease expires then.
      guard !pool.isHeldByThisThread else { return }
      try? pool.withConnection(timeout: .seconds(1)) { connection in
        let timeout = connection.statementTimeout
        connection.statementTimeout = .seconds(5)
        defer { connection.statementTimeout = timeout }
        try statements.run([statements.removal, statements.expiry], number, connection)
      }
    }

    /// Makes the row in a transaction of the import, if it is not there. A renewal at the same time is no conflict: the row
    /// is only read then.
    func sendRow(_ connection: Connection) throws {
      try connection.sendQuietly(statements.creation, Parameters(number))
    }

    /// Renews the lease now, for tests.
    func renew() throws {
      try pool.withConnection { try statements.run([statements.renewal], number, $0) }
    }

    private struct Statements: Sendable {
      let creation: Statement
      let renewal: Statement
      let removal: Statement
      let expiry: Statement

      init(_ layout: Layout) {
        let imports = layout.qualified("fastmap_import")
        let end = "clock_timestamp() + interval '\(ImportLease.duration.milliseconds) milliseconds'"
        creation = Statement(
          """
          INSERT INTO \(imports) (id, expires) SELECT $1, \(end)
          WHERE NOT EXISTS (SELECT FROM \(imports) WHERE id = $1)
          """, .uuid)
        renewal = Statement("UPDATE \(imports) SET expires = \(end) WHERE id = $1", .uuid)
        removal = Statement(
          """
          DELETE FROM \(imports) i WHERE i.id = $1
            AND NOT EXISTS (SELECT FROM \(layout.qualified("fastmap_leftover")) l WHERE l.import = i.id)
          """, .uuid)
        expiry = Statement("UPDATE \(imports) SET expires = '-infinity' WHERE id = $1", .uuid)
      }

      /// Runs statements in a transaction of their own, which conflicts with no other.
      func run(_ all: [Statement], _ number: UUIDBytes, _ connection: Connection) throws {
        do {
          try connection.sendQuietly(Statement("BEGIN ISOLATION LEVEL READ COMMITTED"))
          for statement in all { try connection.sendQuietly(statement, Parameters(number)) }
          try connection.execute("COMMIT")
        } catch {
          connection.isBroken = true
          throw error
        }
      }
    }

    // @unchecked: the monitor guards `isSet`.
    private final class Ending: @unchecked Sendable {
      private let monitor = Monitor()
      private var isSet = false

      func set() {
        monitor.lock()
        isSet = true
        monitor.wakeAll()
        monitor.unlock()
      }

      /// - Returns: Whether the time has passed, and the import has not ended.
      func wait(for time: Duration) -> Bool {
        let end = ContinuousClock.now + time
        monitor.lock()
        defer { monitor.unlock() }
        while !isSet, ContinuousClock.now < end { monitor.waitBriefly() }
        return !isSet
      }
    }
  }

  extension UUIDBytes {
    /// The number of no import.
    static let none = UUIDBytes(high: 0, low: 0)
  }

  extension Parameters {
    init(_ number: UUIDBytes) {
      self.init()
      uuid(number)
    }
  }
#endif
