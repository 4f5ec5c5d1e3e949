internal import FastMapSQL
public import FastMapStoreKit

/// A store in a SQLite database.
///
///     let store = try SQLiteStore(at: "people.sqlite")
///     let report = try Mapper(store).importJSON(.file("people.json"), as: plan)
///
/// Entities are tables, attributes and to-one relationships their columns, relationships to many tables of links. They
/// have the names of the mappings, and any program may read them:
///
///     SELECT title, Publisher.name FROM Book JOIN Publisher ON Book.publisher = Publisher.fastmap_id
///
/// A commit that has returned is on the disk.
///
///     read    a connection of the pool   BEGIN             snapshot of the write-ahead log
///     write   a connection of the pool   BEGIN IMMEDIATE   one thread at a time, one process at a time
///
/// - Note: Thread rule: any thread may use it. Reads and the write do not wait for each other; writes do.
public final class SQLiteStore: Store {
  let pool: ConnectionPool
  let turn: WriteTurn

  /// Opens the database in a file, which is made where it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - patience: How long a write waits for one of another process, before it fails with `ConflictError`.
  /// - Throws: ``SQLiteStoreError``.
  public init(at path: String, patience: Duration = .seconds(60)) throws {
    pool = ConnectionPool(path: path, patience: patience)
    turn = try WriteTurn.ofFile(pool.absolutePath())
    try setUp()
  }

  public var capabilities: StoreCapabilities {
    // The largest value, unless SQLite is built with another limit.
    StoreCapabilities(keepsUniqueIndexes: true, mostValueBytes: 1_000_000_000)
  }

  public func read<R>(_ schema: Schema, _ body: (inout SQLiteReader) throws -> R) throws -> R {
    try pool.transact("BEGIN") { connection in
      var reader = try SQLiteReader(connection, connection.catalog(), schema)
      return .rollBack(try body(&reader))
    }
  }

  public func write<R>(
    _ schema: Schema, _ body: (inout SQLiteWriter) throws -> TransactionCompletion<R>
  ) throws -> R {
    try turn.take {
      let before = Before(pool, schema)
      defer { before.end() }
      return try pool.transact("BEGIN IMMEDIATE") { connection in
        var writer = try SQLiteWriter(connection, schema, before: before)
        let ending = try body(&writer)
        if case .commit = ending { try writer.finish() }
        return ending
      }
    }
  }

  /// The version of the tables, in the database's header.
  private static let version: Int64 = 3

  /// A write-ahead log gives readers a snapshot beside a writer. A database of somebody else stays as it is.
  private func setUp() throws {
    try pool.transact("BEGIN") { connection in
      let found = try connection.query("PRAGMA user_version") { try $0.step() ? $0.integer(0) : 0 }
      let isEmpty = try connection.query("SELECT 1 FROM sqlite_schema") { try !$0.step() }
      guard found == Self.version || isEmpty else { throw SQLiteStoreError.notAStore(path: pool.path) }
      return .rollBack(())
    }
    let connection = try pool.take()
    let mode = try connection.query("PRAGMA journal_mode = WAL") { try $0.step() ? $0.text(0) : "" }
    guard mode == "wal" else { throw SQLiteStoreError.noWriteAheadLog(path: pool.path) }
    pool.giveBack(connection)
    try pool.transact("BEGIN IMMEDIATE") { connection in
      let isEmpty = try connection.query("SELECT 1 FROM sqlite_schema") { try !$0.step() }
      guard isEmpty else { return .rollBack(()) }  // made already, perhaps by another process just now
      try connection.execute(SQLCatalog.tables)
      try connection.execute("PRAGMA user_version = \(Self.version)")
      return .commit(())
    }
  }
}
