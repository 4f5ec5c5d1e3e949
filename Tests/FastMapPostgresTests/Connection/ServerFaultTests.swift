#if Postgres
  import FastMapCore
  import FastMapPostgres
  import FastMapSystem
  import TestSupport
  import Testing

  /// Servers that die, are replaced, or run out of room. The campaigns in Torture do so at length.
  @Suite(.needsOwnServers, .serialized) struct ServerFaultTests {
    private let library: Library

    init() throws { library = try Library() }

    private static var patient: PostgresStore.Configuration {
      PostgresStore.Configuration.with { $0.reconnectTimeout = .seconds(60) }
    }

    /// Imports a text until it is acknowledged, as a program does that is told of a lost connection.
    private func insist(_ number: Int, _ store: PostgresStore) throws {
      while true {
        do {
          try library.load(number, into: store)
          return
        } catch is UnknownOutcomeError {
        } catch is ConflictError {
        } catch let error as PostgresError where error.sqlState == nil || error.code.hasPrefix("57P") {
        }
        usleep(20_000)
      }
    }

    /// Runs a statement with psql.
    private func execute(_ statement: String, _ address: String) throws {
      let scratch = Scratch()
      let run = try Program.run(["/usr/bin/env", "psql", "-Xqc", statement, address], streams: scratch.path)
      #expect(run.status == 0, "\(statement): \(run.errors)")
    }

    @Test func aStoreGoesOnWhenItsServerHasBeenKilledAndStartedAgain() throws {
      let cluster = try ThrowawayCluster()
      let store = try PostgresStore(cluster.address, configuration: Self.patient)
      try library.load(1, into: store)
      try cluster.kill()
      try cluster.restart()
      try insist(2, store)
      #expect(try library.contents(of: store) == library.contents(after: 1, 2))
    }

    @Test func importsGoOnOnTheReplicaThatIsPromotedAmongThem() throws {
      let cluster = try ThrowawayCluster("--replica")
      let hosts = try #require(cluster.hosts)
      let store = try PostgresStore(hosts, configuration: Self.patient)
      let (library, done) = (library, AtomicCount())
      let writer = ThreadWork {
        for number in 1...60 {
          try self.insist(number, store)
          done.increase()
        }
      }
      while done.value < 10, !writer.isOver { usleep(1000) }
      try cluster.kill()
      try cluster.promote()
      try writer.value()
      #expect(done.value == 60)
      // The last two decide: the notes of the earlier ones are gone.
      #expect(try library.contents(of: store) == library.contents(after: 59, 60))
    }

    @Test func anImportIntoAStandbySaysThatItIsOne() throws {
      let cluster = try ThrowawayCluster("--replica")
      let store = try PostgresStore(cluster.address)
      try library.load(1, into: store)
      let standby = try PostgresStore(try #require(cluster.replica))
      let expected = try library.contents(after: 1)
      // The standby shows a commit a moment later.
      while try library.contents(of: standby) != expected { usleep(10_000) }
      let error = #expect(throws: PostgresError.self) { try library.load(2, into: standby) }
      #expect(error?.message == "expected a server that takes writes, found a standby")
      #expect(error?.hint?.contains("target_session_attrs=read-write") == true)
    }

    @Test func aFullDiskIsAnErrorThatChangesNothing() throws {
      let cluster = try ThrowawayCluster("--disk", "40")
      guard let disk = cluster.disk else {
        print("skipped: a small disk needs root and the right to mount")
        return
      }
      let store = try PostgresStore(disk)
      try library.load(1, into: store)
      try execute("CREATE TABLE ballast AS SELECT repeat('x', 1000) FROM generate_series(1, 4000)", disk)
      // Too short for the server to compress.
      let error = #expect(throws: PostgresError.self) {
        try library.load(2, into: store, books: 40_000, padding: 1500)
      }
      #expect(error?.code == "53100", "\(String(describing: error))")
      #expect(try library.contents(of: store) == library.contents(after: 1))
      // The rows of a rolled-back transaction are garbage until a vacuum, which itself needs some room.
      try execute("DROP TABLE ballast", disk)
      try execute("VACUUM", disk)
      try library.load(2, into: store)
      #expect(try library.contents(of: store) == library.contents(after: 1, 2))
    }
  }

  /// A number that several threads see.
  // @unchecked: `number` is used under the monitor's lock only.
  private final class AtomicCount: @unchecked Sendable {
    private let monitor = Monitor()
    private var number = 0

    var value: Int {
      monitor.lock()
      defer { monitor.unlock() }
      return number
    }

    func increase() {
      monitor.lock()
      number += 1
      monitor.unlock()
    }
  }
#endif
