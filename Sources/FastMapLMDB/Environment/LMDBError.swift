import CFastMapLMDB
import FastMapSystem

/// An error of a store on disk, with the store's path.
///
///     do { _ = try Mapper(store).importJSON(bytes, as: plan) } catch let error as LMDBError where error.code == "disk-full" {
///       print(error)     // people.db: no room left: the disk, a quota or a file size limit is full; the store is unchanged
///     }
///
/// The messages are in `LMDBError+Description.swift`. `Reason.init(status:)` is the only place that interprets LMDB
/// statuses and `errno`.
public struct LMDBError: Error, Equatable, Sendable {
  /// The kind of error, without the path. Users read its `code`.
  package enum Reason: Equatable, Sendable {
    /// There is no store at the path, and the caller did not ask to create one.
    case notFound
    /// The parent of the store's directory does not exist.
    case parentNotFound
    /// The path has something that LMDB did not create. Nothing was changed.
    case notAStore(detail: String)
    /// The file has LMDB's format, but belongs to another program, format version or machine. Nothing was changed.
    case foreignFile(detail: String)
    /// The program is linked with another major version of LMDB than FastMap was compiled for.
    case foreignLibrary(version: String)
    /// The data file is shorter than its own header records.
    case truncated(expected: Int, found: Int)
    /// The data file contradicts itself.
    case damaged(place: String, detail: String)
    /// The lock file does not belong to the data file, and others are using it.
    case foreignLockFile
    /// The file system refuses to let this user read or write.
    case noPermission
    /// LMDB's locks and memory maps do not work on this kind of file system.
    case networkFileSystem(name: String)
    /// A write to a store that was opened for reading only, or that is on a read-only file system.
    case readOnly
    /// The store is already open in this process, with options that this caller cannot share.
    case optionsConflict(detail: String)

    /// The disk, a quota or a file size limit is full. The store is unchanged.
    case diskFull
    /// The store has reached the maximum size that its options allow.
    case mapFull(limit: Int)
    /// The process cannot map this many bytes.
    case addressSpaceFull(needed: Int)
    /// Live readers use all reader slots.
    case readersFull
    /// One write changed more pages than LMDB can hold.
    case transactionTooLarge
    /// A key is empty or longer than LMDB allows, or a value is longer than 4 GiB.
    case badSize

    /// A write inside a write on the same thread.
    case reentrantWrite
    /// The store has to grow, but this thread has an open read, which prevents it.
    case growthInsideRead
    /// The store was opened before `fork()`, and this is the child.
    case forked
    /// An earlier error made the open store unusable. `status` is the status of that error.
    case closed(status: Int32)

    /// The operation needs exclusive access, but the store is open elsewhere.
    case inUse
    /// `data.mdb` or `lock.mdb` was removed or replaced while the store was open. Nothing was committed, because it
    /// would have been lost with the file. Reads continue with the file that was opened.
    case removed(file: String)
    /// The path for a new store already exists.
    case targetExists

    /// A system call failed.
    case io(errno: Int32)
    /// LMDB returned a status that FastMap does not know.
    case unexpected(status: Int32)
  }

  /// The path of the store, as its opener wrote it.
  package internal(set) var path: String
  package let reason: Reason

  init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }
}

extension LMDBError.Reason {
  /// Interprets a status: one of LMDB's own, which are negative, or an `errno`.
  ///
  /// The meaning may depend on the operation (`EIO` on a full disk, `ENOMEM` of a map). Operations that know better
  /// decide first, and use this for the rest.
  init(status: CInt) {
    switch status {
    case MDB_MAP_FULL: self = .mapFull(limit: 0)
    case MDB_READERS_FULL: self = .readersFull
    case MDB_TXN_FULL: self = .transactionTooLarge
    case MDB_BAD_VALSIZE: self = .badSize
    case MDB_PANIC: self = .closed(status: status)
    case MDB_INVALID: self = .notAStore(detail: "LMDB does not accept it")
    case MDB_VERSION_MISMATCH:
      self = .foreignFile(detail: "its files have the format of another LMDB version")
    case MDB_INCOMPATIBLE: self = .foreignFile(detail: "its tables differ from FastMap's")
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
      self = .damaged(place: "data.mdb", detail: "a page contradicts its parent in the tree")
    case ENOENT: self = .notFound
    case EACCES, EPERM: self = .noPermission
    case EROFS: self = .readOnly
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull
    case 1...: self = .io(errno: status)
    default: self = .unexpected(status: status)
    }
  }
}

/// Throws the error of `status`, unless it is success. Only then the path is computed.
@inline(__always)
func check(_ status: CInt, at path: @autoclosure () -> String) throws(LMDBError) {
  guard status == MDB_SUCCESS else { throw LMDBError(.init(status: status), path: path()) }
}

extension LMDBError {
  /// The error that the preceding system call left in `errno`.
  static func lastSystemError(at path: String) -> LMDBError {
    LMDBError(.init(status: errno), path: path)
  }
}
