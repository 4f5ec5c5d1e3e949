import CFastMapLMDB
import FastMapSystem

/// Allows only one process at a time to wait for LMDB's writer lock. The others wait here, in the system.
///
/// LMDB's lock is a robust mutex in the lock file. Unlocking it wakes one waiting process. If that process is killed
/// before it has the lock, and another one was faster, the rest are not woken. They wait forever, with no writer at
/// work. A test with six processes, two of them killed, showed this once in some thousand rounds. Here only one
/// process waits for the mutex.
///
/// The lock covers one byte far beyond the end of `data.mdb`, below the bytes of ``ImportMark``. The lock belongs to the open
/// file (OFD) and ends with the process, unless a forked child lives on. LMDB locks nothing in this file. If the file
/// system does not support such locks, only LMDB's lock applies.
///
/// C: `fcntl`
struct WriterLock: ~Copyable {
  /// A separate descriptor of LMDB's file, because LMDB's own is closed with the environment.
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

  /// Waits for the lock. The caller has the turn among the threads of its process.
  func lock() {
    while set(F_WRLCK, Self.setLockWaiting) != 0, errno == EINTR {}
  }

  func giveBack() { _ = set(F_UNLCK, Self.setLock) }

  private func set(_ kind: CInt, _ command: CInt) -> CInt {
    var lock = flock(kind, at: off_t(Self.place))
    return withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, command, $0) }
  }
}
