internal import FastMapCore
internal import FastMapSQL

/// What was committed when a write began, for as long as it lasts. Opened when somebody asks, which few writes do.
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
