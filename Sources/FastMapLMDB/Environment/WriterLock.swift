import CFastMapLMDB
import FastMapSystem

/// Lets one process at a time go for LMDB's lock of the writer; the others wait here, in the system.
///
/// LMDB's is a robust mutex in the lock file. Who unlocks it wakes one of those that wait. If that one is killed before it
/// has the lock, and somebody else was faster, nobody wakes the others: they wait for ever, with no writer at work. With
/// six processes of which two were killed, this came up once in some thousand rounds. Here only one waits for the mutex.
///
/// A lock on one byte far behind the end of `data.mdb`, below those of ``ImportMark``. It belongs to the open file (OFD), and
/// ends with the process, unless a child that it has forked lives on. LMDB locks nothing in this file. Where the file
/// system has no such locks, LMDB's alone has to do.
///
/// C: `fcntl`
struct WriterLock: ~Copyable {
  /// LMDB's own descriptor once more: that one is closed when the environment is.
  private let descriptor: CInt

  static let place: UInt64 = (1 << 62) - 1

  #if canImport(Darwin)
    private static let (setLock, setLockWaiting): (CInt, CInt) = (90, 91)  // F_OFD_SETLK, F_OFD_SETLKW
  #else
    private static let (setLock, setLockWaiting): (CInt, CInt) = (37, 38)
  #endif

  /// - Parameter handle: C: `MDB_env *`, which is open.
  init(_ handle: OpaquePointer) {
    var file: CInt = -1
    mdb_env_get_fd(handle, &file)
    descriptor = fcntl(file, F_DUPFD_CLOEXEC, 0)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Waits for it. The caller has the turn among the threads of its process.
  func take() {
    while set(F_WRLCK, Self.setLockWaiting) != 0, errno == EINTR {}
  }

  func giveBack() { _ = set(F_UNLCK, Self.setLock) }

  private func set(_ kind: CInt, _ command: CInt) -> CInt {
    var lock = flock()
    lock.l_type = CShort(kind)
    lock.l_whence = CShort(SEEK_SET)
    lock.l_start = off_t(Self.place)
    lock.l_len = 1
    return withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, command, $0) }
  }
}
