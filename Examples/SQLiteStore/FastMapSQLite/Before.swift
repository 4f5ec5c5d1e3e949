internal import FastMapSQL
internal import FastMapStoreKit

/// The committed state when a write began, for as long as the write lasts. Opened on demand, which is rare.
final class Before {
  private let pool: ConnectionPool
  private let schema: Schema
  private var opened: SQLiteReader?

  init(_ pool: ConnectionPool, _ schema: Schema) {
    self.pool = pool
    self.schema = schema
  }

  func reader() throws -> SQLiteReader {
    if let opened { return opened }
    let connection = try pool.take()
    do {
      try connection.execute("BEGIN")
      let reader = try SQLiteReader(connection, connection.catalog(), schema)
      opened = reader
      return reader
    } catch {
      pool.giveBack(connection)
      throw error
    }
  }

  func end() {
    if let opened { pool.giveBack(opened.connection) }
    opened = nil
  }
}
