import CFastMapLMDB
public import FastMapStoreKit
import FastMapSystem

extension LMDBError: CustomStringConvertible {
  /// `people.db: not a FastMap store: data.mdb is 5 bytes long, the shortest has 8192`
  public var description: String { "\(path): \(reason)" }
}

extension LMDBError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notFound:
      "there is no store here"
    case .parentNotFound:
      "the directory above does not exist; make it first"
    case .notAStore(let detail):
      "not a FastMap store: \(detail)"
    case .foreignFile(let detail):
      "not usable by this version of FastMap: \(detail)"
    case .foreignLibrary(let version):
      "the program is linked with LMDB \(version), but FastMap requires LMDB 0.9"
    case .truncated(let expected, let found):
      "data.mdb is truncated: expected \(expected) bytes, found \(found);"
        + " restore it from a backup, or repair it into a new store"
    case .damaged(let place, let detail):
      "damaged: \(place): \(detail); restore it from a backup, or repair it into a new store"
    case .foreignLockFile:
      "lock.mdb does not belong to data.mdb; end all programs that use the store, and open it again"
    case .noPermission:
      "no permission to read or write its files; readers also need to write lock.mdb while the store is open elsewhere"
    case .networkFileSystem(let name):
      "on a \(name) file system, where locks and memory maps are unreliable;"
        + " move it to a local disk"
    case .readOnly:
      "read-only: it was opened for reading only, or its file system is read-only"
    case .optionsConflict(let detail):
      "already open in this process with other options: \(detail)"
    case .diskFull:
      "no room left: the disk, a quota or a file size limit is full; the store is unchanged"
    case .mapFull(let limit):
      "the store is full: its maximum size is \(limit) bytes; open it with a larger maxMapSize"
    case .addressSpaceFull(let needed):
      "this process cannot map \(needed) bytes; raise its limit (ulimit -v)"
    case .readersFull:
      "too many readers at once; open it with a larger maxReaders"
    case .transactionTooLarge:
      "too many changes for one transaction; commit in smaller batches"
    case .badSize:
      "a key is empty or too long, or a value is too long"
    case .reentrantWrite:
      "a write cannot begin inside another write on the same thread, such as one that calls a delegate;"
        + " write when it has ended, or use the open transaction"
    case .growthInsideRead:
      "the store has to grow, but this thread is reading from it; end the read before the write"
    case .forked:
      "opened before fork(); the child process must call exec and open it again"
    case .closed(let status):
      "closed after an error (\(Self.words(for: status))); open it again"
    case .inUse:
      "open in this or another process; close it everywhere first"
    case .removed(let file):
      "\(file) was removed or replaced while the store was open, and nothing was written;"
        + " close it everywhere, and open it again"
    case .targetExists:
      "the path is already in use; choose a directory that does not exist or is empty"
    case .io(let errno):
      Self.words(for: errno)
    case .unexpected(let status):
      "unexpected LMDB status \(status): \(Self.words(for: status))"
    }
  }

  /// LMDB's message for its own statuses, the system's for an `errno`.
  private static func words(for status: Int32) -> String {
    status > 0 ? systemMessage(status) : String(cString: mdb_strerror(status))
  }
}

extension LMDBError: FastMapError {
  public var place: String? { path }

  public var code: String {
    switch reason {
    case .notFound: "no-store"
    case .parentNotFound: "parent-not-found"
    case .notAStore: "not-a-store"
    case .foreignFile: "foreign-file"
    case .foreignLibrary: "foreign-library"
    case .truncated: "truncated"
    case .damaged: "damaged"
    case .foreignLockFile: "foreign-lock-file"
    case .noPermission: "no-permission"
    case .networkFileSystem: "network-file-system"
    case .readOnly: "read-only"
    case .optionsConflict: "options-conflict"
    case .diskFull: "disk-full"
    case .mapFull: "store-full"
    case .addressSpaceFull: "address-space-full"
    case .readersFull: "readers-full"
    case .transactionTooLarge: "transaction-too-large"
    case .badSize: "bad-size"
    case .reentrantWrite: "nested-write"
    case .growthInsideRead: "growth-inside-read"
    case .forked: "forked"
    case .closed: "closed"
    case .inUse: "in-use"
    case .removed: "removed"
    case .targetExists: "target-exists"
    case .io: "system"
    case .unexpected: "unexpected-status"
    }
  }
}
