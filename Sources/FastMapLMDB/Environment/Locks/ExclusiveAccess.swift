import FastMapSystem

/// The lock of a store's only user, which LMDB takes while it creates the lock file. Other openers wait in LMDB.
///
/// When any descriptor of a file is closed, the system releases all of the process's locks on that file. So LMDB's
/// environment must be closed first.
struct ExclusiveAccess: ~Copyable {
  private let descriptor: CInt

  /// - Parameter flags: `O_CREAT` if the lock file may not exist yet.
  /// - Throws: ``LMDBError`` of reason `inUse` if the store is open elsewhere.
  init(_ directory: borrowing StoreDirectory, flags: CInt = 0) throws(LMDBError) {
    descriptor = open(directory.lockFile, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard descriptor >= 0 else { throw .lastSystemError(at: directory.path) }
    var lock = flock(F_WRLCK)
    guard fcntl(descriptor, F_SETLK, &lock) == 0 else { throw LMDBError(.inUse, path: directory.path) }
  }

  deinit { close(descriptor) }
}
