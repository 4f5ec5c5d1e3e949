import CSQLite
import Foundation

/// The owner of one connection.
final class SQLiteDatabase {
  private var handle: OpaquePointer?

  init(at path: String) throws {
    try check(sqlite3_open(path, &handle))
  }

  // The second version waits for statements that are still there.
  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  func prepare(_ sql: String) throws -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    return SQLiteStatement(adopting: statement)
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

  /// Runs a statement that returns no rows, and makes it ready for the next values.
  func run() throws(WrongOutcome) {
    let status = sqlite3_step(handle)
    try WrongOutcome.check(status == SQLITE_DONE, "SQLITE_DONE, found \(status)")
    sqlite3_reset(handle)
  }
}
