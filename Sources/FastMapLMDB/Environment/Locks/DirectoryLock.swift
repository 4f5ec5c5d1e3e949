import FastMapSystem

/// Allows only one process at a time to open or remove the store in a directory, until the lock is released.
///
/// LMDB 0.9.24 has a race here. The first process to open a store creates the lock file again while others wait. If
/// it is killed, the others continue with an incomplete file. They miss the newest commit and overwrite it. A test
/// with four processes showed this once in some thousand kills. With this lock, the next process finds none at work
/// and creates the file itself.
///
/// C: `flock`. The system releases it when a process ends, and it does not conflict with LMDB's `fcntl` locks.
struct DirectoryLock: ~Copyable {
  private let descriptor: CInt
  /// Whether this process holds the lock. If locking is impossible (an unreadable directory, a file system without
  /// locks), only LMDB's own protection applies.
  let isHeld: Bool

  /// Waits for the lock.
  init(_ directory: String) {
    while true {
      let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      let isLocked = opened >= 0 && Self.lock(opened)
      // The previous holder may have removed the directory, and somebody else may have created another one.
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
