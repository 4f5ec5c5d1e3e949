#if Postgres
  internal import CFastMapPostgres

  /// The server of a connection. Its flavour decides how transactions and tables are made.
  struct Server: Sendable {
    enum Flavour: Sendable { case postgres, citus }

    let flavour: Flavour
    /// As PostgreSQL numbers it: 150020.
    let version: Int
    /// False for a worker of Citus.
    private(set) var isCoordinator = true
    /// Whether it is a standby, which takes no writes.
    private(set) var isStandby = false
    /// Whether a pooler stands between, which lends its own connections to the server.
    private(set) var isPooled = false
    /// The time-outs that the operator has given the session, in milliseconds; 0 for none.
    private(set) var sessionTimeouts: (statement: Int64, lock: Int64, idle: Int64) = (0, 0, 0)

    /// The oldest PostgreSQL that is accepted.
    static let oldest = 130_000

    /// - Parameter handle: A connection that is not yet in pipeline mode.
    /// - Throws: ``PostgresError`` for a server that is too old, or whose database is not in UTF-8.
    init(_ handle: OpaquePointer, _ place: String) throws(PostgresError) {
      let version = Int(PQserverVersion(handle))
      let times = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"].map {
        "(extract(epoch FROM current_setting('\($0)')::interval) * 1000)::bigint"
      }
      let question =
        "SELECT (SELECT count(*) FROM pg_catalog.pg_extension WHERE extname = 'citus'), "
        + "pg_is_in_recovery(), \(times.joined(separator: ", ")), pg_backend_pid(), "
        + Self.watchesClient(as: PQbackendPID(handle))
      guard let result = PQexec(handle, question) else {
        throw PostgresError(server: place, message: "out of memory")
      }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_TUPLES_OK else {
        // A very old server has no extensions.
        if version < Self.oldest { throw Self.tooOld(version, place) }
        throw PostgresError(result, at: place, of: handle)
      }
      func text(_ column: Int32) -> String { String(cString: PQgetvalue(result, 0, column)) }
      func number(_ column: Int32) -> Int64 { Int64(text(column)) ?? 0 }
      try self.init(version: version, hasCitus: number(0) > 0, place)
      isStandby = text(1) == "t"
      sessionTimeouts = (number(2), number(3), number(4))
      isPooled = number(5) != PQbackendPID(handle)
      if let encoding = PQparameterStatus(handle, "server_encoding").map({ String(cString: $0) }),
        encoding.uppercased() != "UTF8"
      {
        throw PostgresError(server: place, message: "expected a database in UTF8, found \(encoding)")
      }
      if flavour == .citus { isCoordinator = try Self.isCoordinator(handle, place) }
    }

    /// - Parameter version: As PostgreSQL numbers it.
    init(version: Int, hasCitus: Bool, _ place: String) throws(PostgresError) {
      if version < Self.oldest { throw Self.tooOld(version, place) }
      self.version = version
      flavour = hasCitus ? .citus : .postgres
    }

    /// Makes the server notice within a minute that the machine of its client is gone, also while a statement waits for a lock.
    /// Its transaction would keep its locks.
    ///
    /// Settings that somebody has made stay. A pooler's session is not ours to set.
    private static func watchesClient(as process: Int32) -> String {
      // Not every system has the last two.
      """
      (SELECT count(set_config(s.name, w.value, false)) FROM pg_catalog.pg_settings s JOIN (VALUES
         ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
         ('tcp_user_timeout', '60000'), ('client_connection_check_interval', '10000')) w (name, value) USING (name)
       WHERE pg_backend_pid() = \(process) AND s.source = 'default'
         AND (s.name LIKE 'tcp_keepalives%' OR version() LIKE '%linux%'))
      """
    }

    private static func isCoordinator(
      _ handle: OpaquePointer, _ place: String
    ) throws(PostgresError) -> Bool {
      guard let result = PQexec(handle, "SELECT groupid FROM pg_catalog.pg_dist_local_group") else {
        throw PostgresError(server: place, message: "out of memory")
      }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_TUPLES_OK else {
        throw PostgresError(result, at: place, of: handle)
      }
      return PQntuples(result) == 1 && String(cString: PQgetvalue(result, 0, 0)) == "0"
    }

    /// Ensures that the server takes writes. On Citus, writes lock at the coordinator, whose locks all writes share.
    func requireWrites(at place: String) throws(PostgresError) {
      if isStandby {
        throw PostgresError(
          server: place, code: "25006",
          message: "expected a server that takes writes, found a standby",
          hint:
            "Name the primary, or all hosts with target_session_attrs=read-write. A standby takes reads."
        )
      }
      if isCoordinator { return }
      throw PostgresError(
        server: place, message: "expected the coordinator of Citus, found a worker",
        hint: "Write through the coordinator. Reads may go to any node.")
    }

    private static func tooOld(_ version: Int, _ place: String) -> PostgresError {
      let (major, minor) = (version / 10_000, version / 100 % 100)
      return PostgresError(
        server: place,
        message: "expected PostgreSQL 13 or newer, found \(major)\(major < 10 ? ".\(minor)" : "")")
    }
  }

  extension PostgresError {
    /// The error in a result.
    ///
    /// - Parameter connection: The connection that has received the result. A fatal error ends it, though libpq notices
    ///   later.
    init(_ result: OpaquePointer, at server: String, of connection: OpaquePointer) {
      func field(_ code: Character) -> String? {
        PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0).trimmed }
      }
      let isFatal = ["FATAL", "PANIC"].contains(field("V") ?? "")
      // Violations of a NOT NULL, a check or a view have the whole row as their detail, and values may be secret.
      let showsRow = ["23502", "23514", "44000"].contains(field("C") ?? "")
      self.init(
        server: server, code: field("C"),
        message: field("M") ?? String(cString: PQresultErrorMessage(result)).trimmed,
        detail: showsRow ? nil : field("D"), hint: field("H"), schema: field("s"), table: field("t"),
        column: field("c"),
        constraint: field("n"), context: field("W"),
        isConnectionLost: isFatal || PQstatus(connection) != CONNECTION_OK)
    }
  }
#endif
