#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation
  import PlainPostgres

  /// The server of a run, on which every subject has a schema of its own.
  struct PostgresServer {
    let address: String
    /// Prepares rounds and checks results; its work is not timed.
    let connection: PostgresConnection

    /// - Throws: `WrongOutcome` if `FASTMAP_POSTGRES` does not name a server.
    init() throws {
      guard let address = ProcessInfo.processInfo.environment["FASTMAP_POSTGRES"] else {
        throw WrongOutcome(
          description:
            "FASTMAP_POSTGRES must name a server that this may write to; scripts/bench --postgres starts one")
      }
      self.address = address
      connection = try PostgresConnection(address)
    }

    /// The name of a subject's schema. Processes do not share schemas.
    func schema(_ subject: String) -> String {
      "bench_\(ProcessInfo.processInfo.processIdentifier)_\(subject)"
    }

    /// Removes a schema with everything in it.
    func drop(_ schema: String) throws { try connection.execute("DROP SCHEMA IF EXISTS \(schema) CASCADE") }

    /// A new store of FastMap with empty tables.
    func newStore(_ schema: String, for plan: Plan) throws -> PostgresStore {
      try drop(schema)
      let store = try self.store(schema)
      _ = try store.prepare(plan.schema)
      return store
    }

    func store(_ schema: String, connections: Int = 8) throws -> PostgresStore {
      var configuration = PostgresStore.Configuration()
      configuration.schema = schema
      configuration.maxConnections = connections
      return try PostgresStore(address, configuration: configuration)
    }

    /// Does the work of autovacuum, which is off: space of deleted rows is free, and the planner knows the tables.
    func vacuum() throws { try connection.execute("VACUUM ANALYZE") }

    /// Writes everything to the disk, so that no round pays for the one before.
    func settle() throws { try connection.execute("CHECKPOINT") }

    /// The directory of its files, with a slash at its end.
    func directory() throws -> String { try connection.text("SHOW data_directory") + "/" }

    /// The settings that decide the cost of a commit.
    func settings() throws -> String {
      try ["fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size", "autovacuum"]
        .map { "\($0) = \(try connection.text("SHOW \($0)"))" }.joined(separator: ", ")
    }

    /// The versions of the server and of libpq.
    func version() throws -> String {
      let client = PQlibVersion()
      let number = try connection.text("SHOW server_version").split(separator: " ").first ?? "unknown"
      return "\(number), libpq \(client / 10_000).\(client % 10_000)"
    }
  }
#endif
