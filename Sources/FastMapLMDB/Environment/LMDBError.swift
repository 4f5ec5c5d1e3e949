import CFastMapLMDB
import FastMapSystem

/// What went wrong with a store on disk: the facts, and the store's path.
///
///     do { _ = try LMDBStore(at: "people.db") } catch { print(error.path, error.reason) }
///
/// The prose is in `LMDBError+Description.swift`. Every status of LMDB and every `errno` is read here, in
/// `Reason.init(status:)`, and nowhere else.
public struct LMDBError: Error, Equatable, Sendable {
  /// What went wrong, without the place.
  public enum Reason: Equatable, Sendable {
    /// There is no store at the path, and the caller did not ask to make one.
    case notFound
    /// The directory that should hold the store's directory does not exist.
    case parentNotFound
    /// What is at the path was not made by LMDB. Nothing was changed.
    case notAStore(detail: String)
    /// The file is LMDB's, but another program's, another format's or another machine's. Nothing was changed.
    case foreignFile(detail: String)
    /// The program is linked with an LMDB of another major version than FastMap was compiled for.
    case foreignLibrary(version: String)
    /// The data file is shorter than its own header says.
    case truncated(expected: Int, found: Int)
    /// The data file contradicts itself.
    case damaged(place: String, detail: String)
    /// The lock file does not belong to the data file, and others are using it.
    case foreignLockFile
    /// The file system refuses to let this user read or write.
    case noPermission
    /// LMDB's locks and memory maps do not work on a file system of this kind.
    case networkFileSystem(name: String)
    /// A write to a store that was opened for reading, or that is on a read-only file system.
    case readOnly
    /// The store is open in this process already, with options that this caller cannot share.
    case optionsConflict(detail: String)
    /// A change of the layout that the configuration lists cannot be made. Nothing was changed, by those before
    /// it either.
    case layoutChange(change: String, detail: String)

    /// The disk, a quota or a file size limit is full. The store is as it was before the write.
    case diskFull
    /// The store has reached the largest size that its options allow.
    case mapFull(limit: Int)
    /// The process may not map so many bytes.
    case addressSpaceFull(needed: Int)
    /// All reader slots are taken by live readers.
    case readersFull
    /// One write touched more pages than LMDB can hold.
    case transactionTooLarge
    /// A key is empty or longer than LMDB allows, or a value is longer than 4 GiB.
    case badSize

    /// A write inside a write on the same thread.
    case reentrantWrite
    /// The store had to grow, but this thread holds a read, which growing would pull the ground from.
    case growthInsideRead
    /// The store was opened before `fork()`, and this is the child.
    case forked
    /// An earlier error made the open store unusable; `status` is that of the error.
    case closed(status: Int32)

    /// What is asked for needs the store for itself, and others have it open.
    case inUse
    /// `data.mdb` or `lock.mdb` was removed while the store was open, or another file was put in its place. Nothing was
    /// committed: it would have been lost with the file. Reads go on with the file that was opened.
    case removed(file: String)
    /// There is something at the path where a new store is to be made.
    case targetExists

    /// A system call failed.
    case io(errno: Int32)
    /// LMDB returned a status that FastMap has no better word for.
    case unexpected(status: Int32)
  }

  /// The path of the store, as its opener wrote it.
  public internal(set) var path: String
  /// What went wrong.
  public let reason: Reason

  init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }
}

extension LMDBError.Reason {
  /// Reads a status of LMDB: one of its own, which are negative, or an `errno`.
  ///
  /// What a status means may depend on the place (`EIO` on a full disk, `ENOMEM` of a map): places that know
  /// better decide first and come here with the rest.
  init(status: CInt) {
    switch status {
    case MDB_MAP_FULL: self = .mapFull(limit: 0)
    case MDB_READERS_FULL: self = .readersFull
    case MDB_TXN_FULL: self = .transactionTooLarge
    case MDB_BAD_VALSIZE: self = .badSize
    case MDB_PANIC: self = .closed(status: status)
    case MDB_INVALID: self = .notAStore(detail: "LMDB does not accept it")
    case MDB_VERSION_MISMATCH: self = .foreignFile(detail: "its files have another LMDB's format")
    case MDB_INCOMPATIBLE: self = .foreignFile(detail: "its tables are not made as FastMap makes them")
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
      self = .damaged(place: "data.mdb", detail: "a page is not what the tree above it says")
    case ENOENT: self = .notFound
    case EACCES, EPERM: self = .noPermission
    case EROFS: self = .readOnly
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull
    case 1...: self = .io(errno: status)
    default: self = .unexpected(status: status)
    }
  }
}

/// Throws what `status` says, unless it says success. The path is built only then.
@inline(__always)
func check(_ status: CInt, at path: @autoclosure () -> String) throws(LMDBError) {
  guard status == MDB_SUCCESS else { throw LMDBError(.init(status: status), path: path()) }
}

extension LMDBError {
  /// The error that the system call before this line left in `errno`.
  static func lastSystemError(at path: String) -> LMDBError {
    LMDBError(.init(status: errno), path: path)
  }
}
