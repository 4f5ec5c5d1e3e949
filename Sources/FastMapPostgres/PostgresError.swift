#if Postgres
  public import FastMapStoreKit

  /// PostgreSQL, or the connection to it, refused something.
  ///
  ///     PostgreSQL at db.example.com:5432/people: permission denied for schema fastmap (42501)
  ///
  /// A failed transaction has changed nothing. If its outcome is not known, the store throws `UnknownOutcomeError`
  /// instead. If the server has aborted it in favour of another one, the store throws `ConflictError`.
  public struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The server and the database: `db.example.com:5432/people`.
    package let server: String
    /// The SQLSTATE of five characters; nil if the server has not answered.
    package let sqlState: String?
    /// The message of the server or of libpq, on one line.
    public let message: String
    /// More about it; nil if the server adds nothing.
    public let detail: String?
    /// The server's suggestion; nil without one.
    package let hint: String?
    /// The schema of the table.
    package let schema: String?
    /// The table that the error is about; nil if the server names none.
    public let table: String?
    /// The column that the error is about; nil if the server names none.
    public let column: String?
    /// The constraint that the change violates; nil if the server names none.
    public let constraint: String?
    /// Where it happened: the line of a COPY, or the function of a trigger. Nil if the server does not say.
    package let context: String?
    /// Whether the connection has ended with the error.
    let isConnectionLost: Bool

    init(
      server: String, code: String? = nil, message: String, detail: String? = nil, hint: String? = nil,
      schema: String? = nil, table: String? = nil, column: String? = nil, constraint: String? = nil,
      context: String? = nil, isConnectionLost: Bool = false
    ) {
      self.server = server
      sqlState = code
      self.message = message
      self.detail = detail
      self.hint = hint
      self.schema = schema
      self.table = table
      self.column = column
      self.constraint = constraint
      self.context = context
      self.isConnectionLost = isConnectionLost
    }

    public var description: String {
      var text = "PostgreSQL at \(server): \(message)"
      if let sqlState { text += " (\(sqlState))" }
      if let table { text += ", table \(schema.map { "\($0)." } ?? "")\(table)" }
      if let column { text += ", column \(column)" }
      if let context { text += ", in \(context)" }
      if let detail { text += ". \(detail)" }
      if let hint { text += " Hint: \(hint)" }
      return text
    }
  }

  extension PostgresError: FastMapError {
    /// The SQLSTATE; `postgres` if the server has not answered.
    public var code: String { sqlState ?? "postgres" }
    public var place: String? { table ?? server }

    /// The same error with other words.
    func saying(
      _ message: String, hint: String? = nil, schema: String? = nil, table: String? = nil
    ) -> PostgresError {
      PostgresError(
        server: server, code: sqlState, message: message, detail: detail, hint: hint ?? self.hint,
        schema: schema ?? self.schema, table: table ?? self.table, column: column, constraint: constraint,
        context: context, isConnectionLost: isConnectionLost)
    }

    /// Names the entity if something of it exceeds a limit of the server, which names no table then.
    func named(_ subject: Subject?) -> PostgresError {
      guard let subject, table == nil, code == "54000" || code == "54011" else { return self }
      return saying(
        "the entity \(escaped(subject.entity)) exceeds a limit of PostgreSQL: \(message)",
        hint: "docs/SCALING.md has the limits of a table.", schema: subject.schema, table: subject.table)
    }
  }

  /// Whether a repeat, or another server, can help after an error.
  extension PostgresError {
    /// Whether the server has aborted the transaction in favour of another one, so that a repeat may succeed.
    ///
    /// 40001 and 40P01 are a serialization failure and a deadlock. Citus has no code of its own for a commit that one of its
    /// nodes refuses. 53200 is a full table of locks, which other transactions share. 55P03 is a wait for a lock that has taken longer than `lockTimeout`. A
    /// unique or foreign key may be violated by another transaction that has committed meanwhile: the repeat finds its object.
    var isConflict: Bool {
      switch code {
      case "40001", "40P01", "23505", "23503", "53200", "55P03": true
      default: isFailedCommitOfNode
      }
    }

    /// Whether a repeat may succeed. A failed transaction has changed nothing.
    package var isTransient: Bool { isFailover || isConflict }

    /// Whether a node of Citus has not committed, or has not said that it has.
    var isFailedCommitOfNode: Bool { code == "XX000" && message.hasPrefix("could not commit transaction") }

    /// Whether the connection has ended, or the server ends it.
    var isLoss: Bool {
      guard let code = sqlState else { return isConnectionLost }
      return isConnectionLost || code.hasPrefix("08") && code != "08P01" || code.hasPrefix("57P")
    }

    /// Whether another connection, perhaps to another server, may do better: shut down, starting, or not the primary.
    var isFailover: Bool {
      guard let code = sqlState else { return isConnectionLost }
      // 08P01 is an answer to a malformed message, unless it ends the connection.
      if code.hasPrefix("08"), code != "08P01" { return true }
      switch code {
      // Shutdown, crash, starting; a read-only server; too many connections; a connection that idled too long.
      case "57P01", "57P02", "57P03", "25006", "53300", "25P03": return true
      default: return isConnectionLost
      }
    }

    /// Whether an answer to COMMIT with this error leaves open if the transaction was committed.
    var leavesOutcomeUnknown: Bool {
      guard let code = sqlState else { return true }
      return isConnectionLost || code.hasPrefix("08") || code.hasPrefix("57P")
    }
  }
#endif
