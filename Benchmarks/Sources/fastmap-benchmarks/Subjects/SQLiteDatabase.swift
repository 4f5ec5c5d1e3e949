import CSQLite
import Foundation

/// The owner of one connection.
final class SQLiteDatabase {
  private var handle: OpaquePointer?

  /// For C code. Valid as long as its owner.
  var unsafeHandle: UnsafeMutableRawPointer? { handle.map { UnsafeMutableRawPointer($0) } }

  init(at path: String) throws {
    // A connection of one thread needs no mutex for each call.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    try check(sqlite3_open_v2(path, &handle, flags, nil))
  }

  // This version waits for open statements.
  deinit { sqlite3_close_v2(handle) }

  /// Durable commits, and enough memory for bulk work. For one large transaction, a rollback journal writes less than
  /// a write-ahead log.
  func configure() throws {
    try execute("PRAGMA journal_mode = DELETE")
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA cache_size = -65536")
    try execute("PRAGMA mmap_size = 1073741824")
  }

  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  func prepare(_ sql: String) throws -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    return SQLiteStatement(adopting: statement)
  }

  func count(of table: String) throws -> Int {
    let statement = try prepare("SELECT count(*) FROM \(table)")
    try WrongOutcome.check(statement.step(), "a count")
    return Int(statement.integer(0))
  }

  private func check(_ status: CInt) throws(WrongOutcome) {
    try WrongOutcome.check(
      status == SQLITE_OK, "success of SQLite, found: \(String(cString: sqlite3_errmsg(handle)))")
  }
}

/// The owner of one prepared statement. Parameters count from 1.
final class SQLiteStatement {
  private let handle: OpaquePointer?

  init(adopting handle: OpaquePointer?) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int64, at index: CInt) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ value: Double, at index: CInt) { sqlite3_bind_double(handle, index, value) }

  func bind(_ value: String, at index: CInt) {
    var value = value
    value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(handle, index, $0.baseAddress, CInt($0.count), sqlite_transient)
      }
    }
  }

  func bind(_ value: Data, at index: CInt) {
    value.withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob(handle, index, bytes.baseAddress, CInt(bytes.count), sqlite_transient)
    }
  }

  func bind(optional value: Int64?, at index: CInt) {
    if let value { bind(value, at: index) } else { sqlite3_bind_null(handle, index) }
  }

  func bind(optional value: String?, at index: CInt) {
    if let value { bind(value, at: index) } else { sqlite3_bind_null(handle, index) }
  }

  /// Runs a statement that returns no rows, and resets it for the next values.
  func run() throws(WrongOutcome) {
    let status = sqlite3_step(handle)
    try WrongOutcome.check(status == SQLITE_DONE, "SQLITE_DONE, found \(status)")
    sqlite3_reset(handle)
  }

  /// Binds a text without a copy. It must stay valid until `clear`.
  func bindBorrowed(_ text: UnsafeRawBufferPointer, at index: CInt) {
    sqlite3_bind_text64(
      handle, index, text.baseAddress?.assumingMemoryBound(to: CChar.self), sqlite3_uint64(text.count), nil,
      UInt8(SQLITE_UTF8))
  }

  func clear() { sqlite3_clear_bindings(handle) }

  /// Steps to the next row. At the end, resets the statement for the next values.
  func step() -> Bool {
    if sqlite3_step(handle) == SQLITE_ROW { return true }
    sqlite3_reset(handle)
    return false
  }

  func reset() { sqlite3_reset(handle) }

  func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

  func number(_ column: CInt) -> Double { sqlite3_column_double(handle, column) }

  func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func text(_ column: CInt) -> String {
    let start = sqlite3_column_text(handle, column)
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    return String(decoding: bytes, as: UTF8.self)
  }

  var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) }
  }

  /// Lends a text or a blob until the next step.
  func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
    // In this order, because reading the text may change the size.
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }
}
