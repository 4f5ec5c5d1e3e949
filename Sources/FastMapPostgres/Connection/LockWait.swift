#if Postgres
  internal import CFastMapPostgres

  /// Reports that a statement waits for a lock of another session, and its holder. The tool would be silent otherwise.
  package struct LockWait: Sendable {
    /// How long a statement may take before the store looks for the lock that it waits for.
    package let delay: Duration
    /// Receives a line. Called on the thread that waits, at most once for each wait.
    package let report: @Sendable (String) -> Void

    package init(after delay: Duration, report: @escaping @Sendable (String) -> Void) {
      self.delay = delay
      self.report = report
    }
  }

  /// Looks for the sessions that a connection waits for. The watch uses its own connection, because the waiting one is busy.
  struct LockWatch: Sendable {
    let delay: Duration
    private let report: @Sendable (String) -> Void
    private let string: ConnectionString
    private let configuration: PostgresStore.Configuration

    /// Nil without a listener, or behind a pooler. There the question would wait for a connection that the
    /// waiting transactions may hold, and the pooler hides the number of the process.
    init?(_ string: ConnectionString, _ configuration: PostgresStore.Configuration, _ server: Server) {
      guard let wait = configuration.lockWait, !server.isPooled else { return nil }
      (delay, report) = (wait.delay, wait.report)
      self.string = string
      var quiet = configuration
      quiet.lockWait = nil
      quiet.statementTimeout = .seconds(5)
      self.configuration = quiet
    }

    /// Reports the holder of the lock that a connection waits for.
    ///
    /// - Returns: Whether it waits for one. False also if the server does not tell.
    func look(for waiting: Connection) -> Bool {
      var parameters = Parameters()
      parameters.int4(PQbackendPID(waiting.handle))
      // A prepared transaction has the number 0, and no session.
      let question = Statement(
        """
        SELECT b.pid, a.usename::text, a.application_name, a.state
        FROM unnest(pg_blocking_pids($1)) b (pid) LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid
        """, .int4)
      guard let connection = try? Connection(string, configuration),
        let answer = try? connection.run(question, parameters), answer.rowCount > 0
      else { return false }
      guard let holder = answer.holder else { return false }
      let verb = answer.rowCount > 1 ? "hold" : "holds"
      report("PostgreSQL at \(waiting.place): waiting for a lock that \(holder) \(verb)")
      return true
    }
  }

  extension Answer {
    /// The session of the first row, and the number of the others; nil without rows. The columns are the process, the role,
    /// the application and the state.
    var holder: String? {
      guard rowCount > 0 else { return nil }
      let details = [(1, "role "), (2, ""), (3, "")].compactMap { column, word -> String? in
        let text = self.text(0, column)
        return text.isEmpty ? nil : word + text
      }
      var holder = "process \(int4(0, 0))"
      if !details.isEmpty { holder += " (\(details.joined(separator: ", ")))" }
      if rowCount > 1 { holder += " and \(rowCount - 1) more" }
      return holder
    }
  }
#endif
