import CFastMapLMDB
import FastMapSystem

extension LMDBError: CustomStringConvertible {
  /// `people.db: not a FastMap store: data.mdb is 5 bytes long, the shortest has 8192`
  public var description: String { "\(path): \(reason)" }
}

extension LMDBError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFound:
      "there is no store here"
    case .parentNotFound:
      "the directory above does not exist; make it first"
    case .notAStore(let detail):
      "not a FastMap store: \(detail)"
    case .foreignFile(let detail):
      "not a store that this FastMap can use: \(detail)"
    case .foreignLibrary(let version):
      "the program runs with LMDB \(version), and FastMap works with LMDB 0.9 alone; install that one"
    case .truncated(let expected, let found):
      "data.mdb is cut short: \(found) bytes long, its header says \(expected);"
        + " restore it from a backup, or repair it into a new store"
    case .damaged(let place, let detail):
      "damaged: \(place): \(detail); restore it from a backup, or repair it into a new store"
    case .foreignLockFile:
      "lock.mdb does not belong to data.mdb; end all programs that use the store, and open it again"
    case .noPermission:
      "no permission to read or write its files; while others have it open, a reader has to write lock.mdb, too"
    case .networkFileSystem(let name):
      "on a file system of the kind \(name), where locks and memory maps cannot be relied on;"
        + " move it to a local disk"
    case .readOnly:
      "read-only: it was opened for reading, or its file system is mounted for reading"
    case .optionsConflict(let detail):
      "already open in this process with other options: \(detail)"
    case .layoutChange(let change, let detail):
      "cannot \(change): \(detail)"
    case .diskFull:
      "no room left: the disk, a quota or a file size limit is full; the store is unchanged"
    case .mapFull(let limit):
      "the store is full: it may have \(limit) bytes; open it with a larger maxMapSize"
    case .addressSpaceFull(let needed):
      "this process may not map \(needed) bytes; raise its limit (ulimit -v)"
    case .readersFull:
      "too many readers at once; open it with a larger maxReaders"
    case .transactionTooLarge:
      "too many changes for one transaction; commit in smaller batches"
    case .badSize:
      "a key is empty or too long, or a value is too long"
    case .reentrantWrite:
      "a write was begun inside a write on the same thread; use the transaction that is there"
    case .growthInsideRead:
      "the store has to grow, and this thread is reading from it; end the read before the write"
    case .forked:
      "it was opened before fork(); the child process has to exec and open it again"
    case .closed(let status):
      "closed after an error (\(Self.words(for: status))); open it again"
    case .inUse:
      "others have it open, or this program does; close it everywhere first"
    case .removed(let file):
      "\(file) was removed or replaced while the store was open, and nothing was written;"
        + " close it everywhere, and open it again"
    case .targetExists:
      "there is something here already; name a directory that does not exist or is empty"
    case .io(let errno):
      Self.words(for: errno)
    case .unexpected(let status):
      "unexpected status \(status) of LMDB: \(Self.words(for: status))"
    }
  }

  /// LMDB's words for its own statuses, the system's for an `errno`.
  private static func words(for status: Int32) -> String {
    status > 0 ? systemMessage(status) : String(cString: mdb_strerror(status))
  }
}
