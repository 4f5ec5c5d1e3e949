#if Postgres
  import FastMapCore
  import FastMapPostgres
  import FastMapStoreTesting
  import FastMapSystem

  /// A store in a schema of its own, which is dropped with its last reference.
  ///
  /// All of them share connections, because a connection takes longer than most tests.
  final class ScratchSchema: StoreOfBaseReaders, StoreOfBaseWriters {
    let base: PostgresStore

    private static let home = Result {
      let configuration = PostgresStore.Configuration.with { $0.maxConnections = 32 }
      return try PostgresStore(
        getenv("FASTMAP_POSTGRES").map { String(cString: $0) } ?? "", configuration: configuration)
    }

    init() throws {
      let name = "fastmap_test_" + String(UInt64.random(in: 0 ... .max), radix: 36)
      base = PostgresStore(sharingConnectionsOf: try Self.home.get(), schema: name)
    }

    deinit { SchemaDropper.shared.take(base) }
  }

  extension ScratchSchema: PersistentStore {
    func check() throws -> CheckReport { try base.check() }
    func statistics() throws -> StoreStatistics { try base.statistics() }
  }

  /// Drops schemas on a thread of its own, so that no test waits for it. The process waits at its end.
  // @unchecked: the variables are used under the monitor's lock only.
  private final class SchemaDropper: @unchecked Sendable {
    static let shared = SchemaDropper()

    private let monitor = Monitor()
    private var stores: [PostgresStore] = []
    private var isAtWork = false

    private init() {
      detach { self.work() }
      atexit { SchemaDropper.shared.finish() }
    }

    func take(_ store: PostgresStore) {
      monitor.lock()
      stores.append(store)
      monitor.wakeAll()
      monitor.unlock()
    }

    private func work() {
      monitor.lock()
      while true {
        guard let store = stores.popLast() else {
          isAtWork = false
          monitor.wakeAll()
          monitor.wait()
          continue
        }
        isAtWork = true
        monitor.unlock()
        do { try store.dropSchema() } catch {
          print("schema \(store.configuration.schema) was not dropped: \(error)")
        }
        monitor.lock()
      }
    }

    private func finish() {
      monitor.lock()
      while isAtWork || !stores.isEmpty { monitor.wait() }
      monitor.unlock()
    }
  }
#endif
