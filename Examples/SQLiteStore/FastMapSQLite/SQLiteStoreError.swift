/// The errors of a SQLite store beside the errors of FastMap.
///
///     do { try mapper.importJSON(.file("people.json"), as: plan) } catch SQLiteStoreError.sqlite(let code, _) { … }
public enum SQLiteStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// SQLite says no: its extended result code and its message.
  case sqlite(code: Int32, message: String)
  /// A write inside a write on the same thread, which would wait for itself.
  case writeInsideWrite
  /// The file is a database, but not one of this store, or of a later version of it.
  case notAStore(path: String)
  /// The database cannot keep a write-ahead log where it is, so that a read would be no snapshot.
  case noWriteAheadLog(path: String)
  /// A column holds a value that this store never writes there.
  case damaged(String)

  public var description: String {
    switch self {
    case .sqlite(let code, let message): "SQLite: \(message) (code \(code))"
    case .writeInsideWrite:
      "a write cannot begin inside another write on the same thread, such as one that calls a delegate;"
        + " write when it has ended, or use the open writer"
    case .notAStore(let path): "\(path) is a database, but not a store of this version"
    case .noWriteAheadLog(let path): "\(path) cannot keep a write-ahead log where it is"
    case .damaged(let what): "the database is damaged: \(what)"
    }
  }
}
