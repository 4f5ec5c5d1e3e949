internal import CFastMapSQLite
internal import FastMapStoreKit

/// The owner of one prepared statement. Parameters count from 1, columns from 0, as in SQL and in C.
///
/// It comes from ``Connection/query(_:_:)``, which resets it for the next use.
final class Statement {
  private let handle: OpaquePointer

  init(_ sql: String, _ database: OpaquePointer) throws {
    var handle: OpaquePointer?
    let status = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard status == SQLITE_OK, let handle else { throw SQLiteStoreError(database, status) }
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  /// Goes to the next row.
  ///
  /// - Returns: False where there is none.
  @discardableResult
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let status: throw error(status)
    }
  }

  /// Forgets rows and parameters. An open statement would keep its snapshot, and large parameters their memory.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: Parameters

  func bindNull(at index: Int) throws { try check(sqlite3_bind_null(handle, CInt(index))) }

  func bind(_ value: Int64, at index: Int) throws {
    try check(sqlite3_bind_int64(handle, CInt(index), value))
  }

  func bind(_ value: Double, at index: Int) throws {
    try check(sqlite3_bind_double(handle, CInt(index), value))
  }

  /// Object numbers begin at 1 and stay below 2⁶³. A number above becomes a negative one, which finds no row.
  func bind(_ id: ObjectID, at index: Int) throws {
    try bind(Int64(bitPattern: id.rawValue), at: index)
  }

  /// The numbers as JSON, for `json_each`.
  func bind(_ ids: some Sequence<ObjectID>, at index: Int) throws {
    try bind("[\(ids.map { "\(Int64(bitPattern: $0.rawValue))" }.joined(separator: ","))]", at: index)
  }

  func bind(_ text: String, at index: Int) throws {
    var text = text
    try text.withUTF8 { try bind(text: UnsafeRawBufferPointer($0), at: index) }
  }

  func bind(_ key: PrimaryKey, at index: Int) throws {
    switch key {
    case .integer(let value): try bind(value, at: index)
    case .string(let text): try bind(text, at: index)
    }
  }

  /// A key as it is lent, without a string made of it.
  func bind(key: Field, at index: Int) throws {
    if let text = key.bytes { try bind(text: text, at: index) }
    if let value = key.integer { try bind(value, at: index) }
  }

  /// UTF-8 with its length, as it may have a NUL inside. An empty buffer may have no address, which SQLite would take
  /// for NULL.
  func bind(text: UnsafeRawBufferPointer, at index: Int) throws {
    guard let start = text.baseAddress else {
      return try check(sqlite3_bind_text(handle, CInt(index), "", 0, sqlite_transient))
    }
    let bytes = start.assumingMemoryBound(to: CChar.self)
    let count = sqlite3_uint64(text.count)
    try check(
      sqlite3_bind_text64(handle, CInt(index), bytes, count, sqlite_transient, UInt8(SQLITE_UTF8)))
  }

  func bind(blob: UnsafeRawBufferPointer, at index: Int) throws {
    guard let start = blob.baseAddress else {
      return try check(sqlite3_bind_zeroblob(handle, CInt(index), 0))
    }
    try check(sqlite3_bind_blob64(handle, CInt(index), start, sqlite3_uint64(blob.count), sqlite_transient))
  }

  // MARK: Columns

  /// `SQLITE_NULL`, `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT` or `SQLITE_BLOB`.
  func type(of column: Int) -> CInt { sqlite3_column_type(handle, CInt(column)) }

  func isNull(_ column: Int) -> Bool { type(of: column) == SQLITE_NULL }

  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }

  func double(_ column: Int) -> Double { sqlite3_column_double(handle, CInt(column)) }

  func id(_ column: Int) -> ObjectID { ObjectID(rawValue: UInt64(bitPattern: integer(column))) }

  func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// The bytes of a text or a blob, until the next step.
  func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, CInt(column))
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, CInt(column))))
  }

  /// A primary key; nil for NULL.
  func key(_ column: Int) throws -> PrimaryKey? {
    switch type(of: column) {
    case SQLITE_NULL: nil
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .string(text(column))
    default: throw SQLiteStoreError.damaged("a key is neither an integer nor a text")
    }
  }

  /// Whether the current rows of both statements are equal, bit for bit.
  func hasSameRow(as other: Statement) -> Bool {
    (0..<Int(sqlite3_column_count(handle))).allSatisfy { column in
      guard type(of: column) == other.type(of: column) else { return false }
      switch type(of: column) {
      case SQLITE_NULL: return true
      case SQLITE_INTEGER: return integer(column) == other.integer(column)
      case SQLITE_FLOAT: return double(column) == other.double(column)
      default: return bytes(column).elementsEqual(other.bytes(column))
      }
    }
  }

  // MARK: Errors

  private func check(_ status: CInt) throws {
    if status != SQLITE_OK { throw error(status) }
  }

  private func error(_ status: CInt) -> SQLiteStoreError {
    SQLiteStoreError(sqlite3_db_handle(handle), status)
  }
}

extension SQLiteStoreError {
  /// The error of the last call on a connection.
  init(_ database: OpaquePointer?, _ status: CInt) {
    let message = database.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(status)
    self = .sqlite(code: status, message: message.map { String(cString: $0) } ?? "unknown error")
  }

  /// Whether another process held the lock for too long. The lower byte of an extended code is the plain one.
  var isConflict: Bool {
    if case .sqlite(let code, _) = self { code & 0xFF == SQLITE_BUSY } else { false }
  }

  /// Whether SQLite does not take the text of a statement.
  var isRefusal: Bool {
    if case .sqlite(let code, _) = self {
      [SQLITE_ERROR, SQLITE_TOOBIG].contains(code & 0xFF)
    } else {
      false
    }
  }
}
