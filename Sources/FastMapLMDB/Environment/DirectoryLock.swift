#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Lets one process at a time open the store in a directory, until it is let go.
///
/// LMDB 0.9.24 has a hole here. The first process to open a store makes the lock file anew, while others wait
/// for it. If it is killed, they go on with a file that is half made: one that does not know the newest
/// commit, so that they write over it. With four processes that open the store while others are killed, this
/// came up once in some thousand kills. Whoever waits here instead, finds nobody at work and makes the file
/// himself.
///
/// C: `flock`, which the system undoes when a process ends, and which is no business of LMDB's `fcntl` locks.
struct DirectoryLock: ~Copyable {
  private let descriptor: CInt

  /// Waits for the lock. Where there is none to be had (a directory that may not be read, a file system
  /// without locks), LMDB's own care has to do.
  init(_ directory: String) {
    descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
