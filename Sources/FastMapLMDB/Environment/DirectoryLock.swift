import FastMapSystem

/// Lets one process at a time open the store in a directory, or remove it, until it is let go.
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
  /// Whether nobody else has it. Where there is no lock to be had (a directory that may not be read, a file system
  /// without locks), LMDB's own care has to do.
  let isHeld: Bool

  /// Waits for the lock.
  init(_ directory: String) {
    while true {
      let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      let isLocked = opened >= 0 && Self.lock(opened)
      // Who had it may have removed the directory, and somebody else may have made another one.
      if !isLocked || Self.isDirectory(directory, opened) {
        descriptor = opened
        isHeld = isLocked
        return
      }
      close(opened)
    }
  }

  private static func lock(_ descriptor: CInt) -> Bool {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  private static func isDirectory(_ path: String, _ descriptor: CInt) -> Bool {
    var (open, named) = (stat(), stat())
    return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && FileID(open) == FileID(named)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
