import FastMapSystem

/// The lock of the only user of a store, as LMDB has it while it makes the lock file. Whoever opens the store meanwhile
/// waits in LMDB.
///
/// The system gives up all of a process's locks on a file when any descriptor of the file is closed: LMDB's
/// environment has to be closed first.
struct SoleUse: ~Copyable {
  private let descriptor: CInt

  /// - Parameter flags: `O_CREAT` where there may be no lock file yet.
  /// - Throws: ``LMDBError`` of reason `inUse` where others have the store open.
  init(_ directory: borrowing StoreDirectory, flags: CInt = 0) throws(LMDBError) {
    descriptor = open(directory.lockFile, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard descriptor >= 0 else { throw .lastSystemError(at: directory.path) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) == 0 else { throw LMDBError(.inUse, path: directory.path) }
  }

  deinit { close(descriptor) }
}
