internal import CFastMapSQLite
internal import FastMapSQL
internal import FastMapStoreKit
internal import Synchronization

/// A text that is compared by its bytes. Swift treats some names as equal that a database distinguishes.
struct Bytes: Hashable {
  let text: String

  static func == (a: Bytes, b: Bytes) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// One connection to the database, with the statements that were prepared on it.
// @unchecked: the pool hands a connection to one thread at a time, and nobody keeps it longer than a transaction.
final class Connection: @unchecked Sendable {
  private let handle: OpaquePointer
  /// By their SQL: preparing one costs more than running it.
  private var statements: [Bytes: Statement] = [:]
  /// The catalog at the beginning of an earlier transaction, and the version of the data.
  var known: (version: Int64, catalog: SQLCatalog)?

  /// - Parameter patience: How long to wait for a lock of another process.
  init(at path: String, patience: Duration) throws {
    var handle: OpaquePointer?
    // NOMUTEX: SQLite need not lock a connection that only one thread at a time uses.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let status = sqlite3_open_v2(path, &handle, flags, nil)
    guard status == SQLITE_OK, let handle else {
      let error = SQLiteStoreError(handle, status)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    let (seconds, attoseconds) = patience.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    sqlite3_busy_timeout(handle, CInt(clamping: milliseconds))  // other processes may write, too
    try execute("PRAGMA synchronous = FULL")  // a commit that has returned is on the disk
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters and rows.
  func execute(_ sql: String) throws {
    let status = sqlite3_exec(handle, sql, nil, nil, nil)
    if status != SQLITE_OK { throw SQLiteStoreError(handle, status) }
  }

  /// Lends the prepared statement to `body`, which binds and steps. It must not call anything that may run the same
  /// SQL again, so no code of the store's users either.
  func query<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
    let key = Bytes(text: sql)
    let statement = try statements[key] ?? Statement(sql, handle)
    if statements.count >= 500 { statements.removeAll() }  // objects with ever other columns
    statements[key] = statement
    defer { statement.reset() }
    return try body(statement)
  }

  /// As ``query(_:_:)``, for a `body` that calls code of the store's users. The same SQL gets another
  /// statement if that code runs it.
  func lend<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
    let key = Bytes(text: sql)
    let statement = try statements.removeValue(forKey: key) ?? Statement(sql, handle)
    defer {
      statement.reset()
      statements[key] = statement
    }
    return try body(statement)
  }

  /// Whether SQLite takes a statement. It refuses one that is too long or nested too deep, each version in its own way.
  func accepts(_ sql: String) throws -> Bool {
    do {
      _ = try Statement(sql, handle)
      return true
    } catch let error as SQLiteStoreError where error.isRefusal {
      return false
    }
  }

  /// How many rows the last statement inserted, updated or deleted.
  var changes: Int { Int(sqlite3_changes(handle)) }

  var absolutePath: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

/// Connections that are open and not in use.
final class ConnectionPool: Sendable {
  let path: String
  private let patience: Duration
  private let idle = Mutex<[Connection]>([])

  init(path: String, patience: Duration) {
    self.path = path
    self.patience = patience
  }

  /// The path of the file, whatever name it was opened by.
  func absolutePath() throws -> String {
    let connection = try take()
    defer { giveBack(connection) }
    return connection.absolutePath
  }

  /// Runs `body` in a transaction.
  ///
  /// - Parameter begin: `BEGIN`, whose snapshot begins with the first statement, or `BEGIN IMMEDIATE`, which waits
  ///   until nobody else writes.
  func transact<R>(_ begin: String, _ body: (Connection) throws -> TransactionCompletion<R>) throws -> R {
    let connection = try take()
    defer { giveBack(connection) }  // which rolls back what was not committed
    do {
      try connection.execute(begin)
      let ending = try body(connection)
      if case .commit = ending { try connection.execute("COMMIT") }
      return ending.result
    } catch let error as SQLiteStoreError where error.isConflict {
      throw ConflictError(error.description)  // the core tries again
    } catch let error as SQLCatalogError {
      throw SQLiteStoreError.damaged(error.reason)
    }
  }

  func take() throws -> Connection {
    try idle.withLock { $0.popLast() } ?? Connection(at: path, patience: patience)
  }

  func giveBack(_ connection: Connection) {
    if connection.isInTransaction {
      // A connection that cannot even roll back is closed, which SQLite takes for the same.
      guard (try? connection.execute("ROLLBACK")) != nil else { return }
    }
    idle.withLock { $0.append(connection) }
  }
}
