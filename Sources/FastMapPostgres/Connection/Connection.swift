#if Postgres
  internal import CFastMapPostgres
  internal import FastMapCore
  internal import FastMapSystem

  /// One connection to a server, in pipeline mode except during a COPY.
  ///
  /// It has no session state: no settings, temporary tables or advisory locks. So a pooler between it and the server
  /// may give each transaction another session. Prepared statements are the exception, and a choice.
  // @unchecked: the pool lends it to one thread at a time. `cancel` may be called on any thread.
  final class Connection: @unchecked Sendable {
    let handle: OpaquePointer
    private let canceller: OpaquePointer?
    /// The server and the database, for messages.
    let place: String
    /// What kind of server it is.
    let server: Server
    let preparesStatements: Bool

    /// What the server will answer, oldest first.
    var expected = Expected()
    /// The answers to statements that came while a later one was waited for.
    var stash: [Int: Result<Answer, any Error>] = [:]
    /// The error that has ended the current pipeline. Its other statements have not run.
    var failure: (any Error)?
    /// The names of the prepared statements, by their texts.
    var prepared: [String: String] = [:]
    /// Whether something was sent that no answer has been read for.
    var hasSent = false
    /// How often an answer was waited for after something was sent.
    var trips = 0
    /// Whether it can serve no other transaction.
    var isBroken = false
    /// Which of the pool's generations it belongs to.
    var generation = 0
    /// The time after which the client cancels a statement.
    var statementTimeout: Duration?
    /// The cancellation that the server has not answered.
    var interruption: Interruption?
    /// Values to encode rows of a COPY, kept for the next one.
    let copyBuffer = FieldBuffer(capacity: 1 << 17)

    /// Connects, trying the hosts in turn as libpq does.
    ///
    /// C: `PQconnectdbParams`, because `PQconnectPoll` never gives up a host that does not answer.
    init(_ string: ConnectionString, _ configuration: PostgresStore.Configuration) throws {
      let seconds = max(2, configuration.connectTimeout.components.seconds)
      // What stands before `dbname` are defaults; the string replaces them.
      var options: [(String, String)] = [
        ("fallback_application_name", "fastmap"),
        ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "60000"),
      ]
      if getenv("PGCONNECT_TIMEOUT") == nil { options.append(("connect_timeout", "\(seconds)")) }
      options += [("dbname", string.text), ("client_encoding", "UTF8")]
      let opened = Self.withStrings(options.map(\.0)) { keywords in
        Self.withStrings(options.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
      }
      guard let opened else { throw PostgresError(server: "?", message: "out of memory") }
      place = Self.place(of: opened)
      guard PQstatus(opened) == CONNECTION_OK else {
        let reason = String(cString: PQerrorMessage(opened)).trimmed
        PQfinish(opened)
        throw PostgresError(server: place, message: reason, isConnectionLost: true)
      }
      // Notices would be printed to standard error.
      PQsetNoticeReceiver(opened, { _, _ in }, nil)
      do {
        server = try Server(opened, place)
      } catch {
        PQfinish(opened)
        throw error
      }
      PQsetnonblocking(opened, 1)
      PQenterPipelineMode(opened)
      canceller = PQgetCancel(opened)
      handle = opened
      preparesStatements = configuration.preparesStatements
      statementTimeout = configuration.statementTimeout
    }

    deinit {
      if let canceller { PQfreeCancel(canceller) }
      PQfinish(handle)
    }

    /// Asks the server to end the running statement. Any thread may call it.
    func cancel() {
      guard let canceller else { return }
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
        _ = PQcancel(canceller, room.baseAddress, 256)
      }
    }

    /// Whether the server has ended the connection since its last use. Takes no trip.
    var hasEnded: Bool {
      do { try finish() } catch { return true }  // what was sent ahead
      if isBroken || PQstatus(handle) != CONNECTION_OK { return true }
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      // What an idle server sends is almost always its farewell.
      return poll(&descriptor, 1, 0) != 0
    }

    /// The error of the connection itself, which is broken then.
    func lost() -> PostgresError {
      isBroken = true
      let reason = String(cString: PQerrorMessage(handle)).trimmed
      return PostgresError(
        server: place, message: reason.isEmpty ? "the connection was lost" : reason, isConnectionLost: true)
    }

    private static func place(of handle: OpaquePointer) -> String {
      func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
      return "\(text(PQhost(handle))):\(text(PQport(handle)))/\(text(PQdb(handle)))"
    }

    private static func withStrings<R>(
      _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> R
    ) rethrows -> R {
      let copies = strings.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      return try (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer {
        try body($0.baseAddress!)
      }
    }
  }
#endif
