#if Postgres
  internal import CFastMapPostgres
  internal import FastMapStoreKit
  internal import FastMapSystem

  /// One connection to a server, in pipeline mode except during a COPY.
  ///
  /// No session state is needed: no temporary tables, and settings and locks end with their transaction. So a pooler between
  /// it and the server may give each transaction another session. Prepared statements are the exception, and a choice.
  // @unchecked: the pool lends it to one thread at a time.
  final class Connection: @unchecked Sendable {
    let handle: OpaquePointer
    private let canceller: Canceller?
    let notices = Notices()
    /// The server and the database, for messages.
    let place: String
    let server: Server
    /// The time-out of locks in a transaction: milliseconds, or the session's own.
    let lockTimeout: String
    /// The statements that begin a reading and a writing transaction.
    let beginnings: (read: [Statement], write: [Statement])
    let preparesStatements: Bool

    /// The answers that the server owes, oldest first.
    var expected = ExpectedAnswers()
    /// The answers to statements that came while a later one was waited for.
    var stash: [Int: Result<Answer, any Error>] = [:]
    /// The error that has ended the current pipeline. Its other statements have not run.
    var failure: (any Error)?
    /// The first error of the server since a transaction began. Later statements of the transaction fail because of it.
    var transactionError: (any Error)?
    /// Statements whose answers are dropped when they come.
    var forgotten: Set<Int> = []
    /// The bytes that were sent since the last `flush`, about.
    var unflushed = 0
    /// The prepared statements, by their texts.
    var prepared: [ByteName: PreparedStatement] = [:]
    var hasSent = false
    /// How often an answer was waited for after something was sent.
    var trips = 0
    var hasAnswered = false
    /// Whether it can serve no other transaction.
    var isBroken = false
    /// Which of the pool's generations it belongs to.
    var generation = 0
    /// The maximum time of a statement. After it, the client cancels the statement.
    var statementTimeout: Duration?
    /// The most bytes of values in a statement; less in tests.
    var mostBytes = StatementBounds.mostBytes
    /// The cancellation that the server has not answered.
    var interruption: Interruption?
    /// Whether a cancellation was sent. A cancellation may come late, and must not meet another transaction.
    private(set) var wasCancelled = false
    /// How long the server may take to answer a cancellation before the connection is closed.
    var grace = Duration.seconds(5)
    var beginning: [Statement] = []
    /// The thread whose transaction has the connection; nil for an idle one.
    var holder: UInt?
    /// Reports lock waits of a statement; nil for no reports.
    let lockWatch: LockWatch?
    /// Values to encode rows of a COPY, kept for the next one.
    let copyBuffer = FieldBuffer(capacity: 1 << 17)

    /// Connects, trying the hosts in turn as libpq does.
    ///
    /// C: `PQconnectdbParams`, because `PQconnectPoll` never gives up a host that does not answer.
    init(_ string: ConnectionString, _ configuration: PostgresStore.Configuration) throws {
      let opened = Self.withOptions(string, configuration) { PQconnectdbParams($0, $1, 1) }
      guard let opened else { throw PostgresError(server: "?", message: "out of memory") }
      place = Self.place(of: opened)
      if PQstatus(opened) != CONNECTION_OK {
        let reason = String(cString: PQerrorMessage(opened)).trimmed
        let code = Self.code(of: opened, reason)
        guard PQstatus(opened) == CONNECTION_OK else {
          let lacksPassword = PQconnectionNeedsPassword(opened) != 0
          PQfinish(opened)
          let isLost = code.map { $0.hasPrefix("08") } ?? true
          let refusesOptions = reason.contains("unsupported startup parameter")
          throw PostgresError(
            server: place, code: code, message: reason,
            hint: refusesOptions
              ? "A pooler stands between, which takes no options. Set them for the role instead: ALTER ROLE … SET."
              : nil, isConnectionLost: isLost && !refusesOptions && !lacksPassword)
        }
      }
      notices.receive(from: opened, at: place)
      do {
        server = try Server(opened, place)
      } catch {
        PQfinish(opened)
        throw error
      }
      let (own, session) = (configuration.lockTimeout?.milliseconds, server.sessionTimeouts.lock)
      lockTimeout = own.flatMap { session == 0 || $0 < session ? "\($0)" : nil } ?? "DEFAULT"
      beginnings = (
        Pool.beginning(false, server, configuration), Pool.beginning(true, server, configuration)
      )
      PQsetnonblocking(opened, 1)
      PQenterPipelineMode(opened)
      canceller = Canceller(opened)
      handle = opened
      preparesStatements = configuration.preparesStatements
      lockWatch = LockWatch(string, configuration, server)
      statementTimeout = configuration.statementTimeout
    }

    deinit {
      PQfinish(handle)
    }

    /// Whether a server takes connections, so that one that was lost while it opened was lost by accident.
    static func isServed(_ string: ConnectionString, _ configuration: PostgresStore.Configuration) -> Bool {
      withOptions(string, configuration) { PQpingParams($0, $1, 1) } == PQPING_OK
    }

    /// Asks the server to end the running statement, and does not wait. Nothing else can use the connection afterwards.
    func cancel() {
      wasCancelled = true
      canceller?.cancel()
    }

    /// The SQLSTATE of a server that has refused a connection; nil if none has answered.
    ///
    /// libpq has only the text, which is in the server's language. So this method connects once more, with the code in
    /// place of the text. The second attempt may succeed.
    private static func code(of handle: OpaquePointer, _ reason: String) -> String? {
      // A server's text has two spaces after its severity. No text of libpq has.
      guard reason.contains(":  ") else { return nil }
      PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
      PQreset(handle)
      defer { PQsetErrorVerbosity(handle, PQERRORS_DEFAULT) }
      let parts = String(cString: PQerrorMessage(handle)).trimmed.split(separator: ":  ")
      guard parts.count > 1, let last = parts.last?.utf8, last.count >= 5,
        last.prefix(5).allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
      else { return nil }
      return String(decoding: last.prefix(5), as: UTF8.self)
    }

    /// Whether the server has ended the connection since its last use. Takes no trip.
    ///
    /// - Parameter waits: Whether to wait for the answers to statements sent ahead. If not, a connection whose answers
    ///   are on their way counts as open.
    func hasEnded(waits: Bool) -> Bool {
      if !waits, !isBroken, !expected.isEmpty, !isReadable { return false }
      do { try finish() } catch { return true }  // statements sent ahead
      if isBroken || PQstatus(handle) != CONNECTION_OK { return true }
      // A farewell may have come together with the last answer. libpq hands it out as a notice.
      if PQisBusy(handle) == 0, notices.farewell != nil { return true }
      // Bytes from an idle server are almost always its farewell.
      return isReadable
    }

    /// Whether bytes, an end or an error wait at the socket.
    private var isReadable: Bool {
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      return poll(&descriptor, 1, 0) != 0
    }

    /// The error of the connection itself, which is broken then.
    func lost() -> PostgresError {
      isBroken = true
      if let farewell = unreadFarewell() ?? notices.farewell { return farewell }
      let reason = String(cString: PQerrorMessage(handle)).trimmed
      return PostgresError(
        server: place, message: reason.isEmpty ? "the connection was lost" : reason, isConnectionLost: true)
    }

    /// Why the server has ended the connection, in answers that have come and were not read.
    private func unreadFarewell() -> PostgresError? {
      // Without a socket nothing waits.
      guard PQstatus(handle) == CONNECTION_BAD else { return nil }
      for _ in 0..<100 {
        // Null is the end of one answer.
        guard let result = PQgetResult(handle) else { continue }
        defer { PQclear(result) }
        let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map { String(cString: $0) }
        if severity == "FATAL" || severity == "PANIC" { return PostgresError(result, at: place, of: handle) }
      }
      return nil
    }

    private static func place(of handle: OpaquePointer) -> String {
      func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
      return "\(text(PQhost(handle))):\(text(PQport(handle)))/\(text(PQdb(handle)))"
    }

    private static func withOptions<R>(
      _ string: ConnectionString, _ configuration: PostgresStore.Configuration,
      _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) throws -> R
    ) rethrows -> R {
      let seconds = max(2, configuration.connectTimeout.components.seconds)
      // Options before `dbname` are defaults; the string replaces them.
      var options: [(String, String)] = [
        ("fallback_application_name", "fastmap"),
        ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "60000"),
      ]
      if getenv("PGCONNECT_TIMEOUT") == nil { options.append(("connect_timeout", "\(seconds)")) }
      options += [("dbname", string.text), ("client_encoding", "UTF8")]
      return try withStrings(options.map(\.0)) { keywords in
        try withStrings(options.map(\.1)) { try body(keywords, $0) }
      }
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
