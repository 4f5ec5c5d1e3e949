#if Postgres
  internal import CFastMapPostgres

  /// The kind of a connection's server. It decides how transactions and tables are made.
  struct Server: Sendable {
    enum Flavour: Sendable { case postgres, citus, cockroach, yugabyte, aurora }

    let flavour: Flavour
    /// As PostgreSQL numbers it: 150020.
    let version: Int
    /// False for a worker of Citus.
    private(set) var isCoordinator = true
    /// Whether it is a standby, which takes no writes.
    private(set) var isStandby = false
    /// The time-outs that the operator has given the session, in milliseconds; 0 for none.
    private(set) var sessionTimeouts: (statement: Int64, lock: Int64) = (0, 0)

    /// The oldest PostgreSQL that is accepted.
    static let oldest = 130_000

    /// - Parameter handle: A connection that is not yet in pipeline mode.
    /// - Throws: ``PostgresError`` for a server that is too old, or whose database is not in UTF-8.
    init(_ handle: OpaquePointer, _ place: String) throws(PostgresError) {
      let version = Int(PQserverVersion(handle))
      let times = ["statement_timeout", "lock_timeout"].map {
        "(extract(epoch FROM current_setting('\($0)')::interval) * 1000)::bigint"
      }
      let question =
        "SELECT version(), (SELECT count(*) FROM pg_catalog.pg_extension WHERE extname = 'citus'), "
        + "pg_is_in_recovery(), \(times.joined(separator: ", "))"
      guard let result = PQexec(handle, question) else {
        throw PostgresError(server: place, message: "out of memory")
      }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_TUPLES_OK else {
        // A very old server has no extensions.
        if version < Self.oldest { throw Self.tooOld(version, place) }
        throw PostgresError(result, at: place, of: handle)
      }
      try self.init(
        version: version, name: String(cString: PQgetvalue(result, 0, 0)),
        hasCitus: String(cString: PQgetvalue(result, 0, 1)) != "0", place)
      isStandby = String(cString: PQgetvalue(result, 0, 2)) == "t"
      sessionTimeouts.statement = Int64(String(cString: PQgetvalue(result, 0, 3))) ?? 0
      sessionTimeouts.lock = Int64(String(cString: PQgetvalue(result, 0, 4))) ?? 0
      if let encoding = PQparameterStatus(handle, "server_encoding").map({ String(cString: $0) }),
        encoding.uppercased() != "UTF8"
      {
        throw PostgresError(server: place, message: "expected a database in UTF8, found \(encoding)")
      }
      if flavour == .citus { isCoordinator = try Self.isCoordinator(handle, place) }
    }

    /// - Parameters:
    ///   - version: As PostgreSQL numbers it. Other servers report the version of the PostgreSQL that they come from.
    ///   - name: The server's answer to `version()`: `PostgreSQL 15.2-YB-2.25 on …`.
    init(version: Int, name: String, hasCitus: Bool, _ place: String) throws(PostgresError) {
      self.version = version
      flavour =
        if name.contains("CockroachDB") {
          .cockroach
        } else if name.contains("-YB-") {
          .yugabyte
        } else if name.contains("Aurora DSQL") {
          .aurora
        } else {
          hasCitus ? .citus : .postgres
        }
      let isPostgres = flavour == .postgres || flavour == .citus
      if isPostgres, version < Self.oldest { throw Self.tooOld(version, place) }
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
