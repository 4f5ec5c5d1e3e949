internal import CFastMap
import FastMapSystem

/// The mark of a verified data file: the nanoseconds of its modification time.
///
/// They are a hash of the file, its size, its newest commit, the seconds of that time, and the boot of this machine. A write to the
/// file sets another time, and so removes the mark. A copy is another file. After a boot, the disk may have other bytes than were written.
/// Without nanoseconds in the file system, or without permission to set the time, there is no mark.
///
/// The process that verified the file sets it, and so does every later writer that has found it.
enum VerifiedMark {
  /// Whether an open file has the mark of a commit.
  ///
  /// C: `fstat`
  static func isOn(_ descriptor: CInt, commit: UInt64) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let mark = nanoseconds(status, commit) else { return false }
    return status.modified.tv_nsec == mark
  }

  /// Marks an open file whose newest commit is `commit`.
  ///
  /// C: `futimens`
  static func put(_ descriptor: CInt, commit: UInt64) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let mark = nanoseconds(status, commit) else { return }
    if status.modified.tv_nsec == mark { return }
    let times = [
      timespec(tv_sec: 0, tv_nsec: omit), timespec(tv_sec: status.modified.tv_sec, tv_nsec: mark),
    ]
    // Without the mark, the next process verifies the file.
    _ = futimens(descriptor, times)
  }

  /// Leaves a time as it is. C: `UTIME_OMIT`
  #if canImport(Darwin)
    private static let omit = -2
  #else
    private static let omit = (1 << 30) - 2
  #endif

  private static func nanoseconds(_ status: stat, _ commit: UInt64) -> Int? {
    guard let boot else { return nil }
    let file = FileID(status)
    let (size, seconds) = (UInt64(status.st_size), UInt64(bitPattern: Int64(status.modified.tv_sec)))
    let parts = (UInt64(boot), file.device, file.inode, size, commit, seconds)
    let hash = withUnsafeBytes(of: parts) { fastmap_crc32c(0, $0.baseAddress, $0.count) }
    return Int(hash % 1_000_000_000)
  }

  /// The boot of this machine; nil if the system does not say.
  private static let boot: UInt32? = {
    var name = [UInt8](repeating: 0, count: 64)
    #if canImport(Darwin)
      var count = name.count
      guard sysctlbyname("kern.bootsessionuuid", &name, &count, nil, 0) == 0 else { return nil }
    #else
      let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      let count = read(descriptor, &name, name.count)
    #endif
    guard count >= 36 else { return nil }
    return fastmap_crc32c(0, name, 36)
  }()
}

extension stat {
  /// Whether the file is unchanged between two looks at it.
  func isUnchanged(since other: stat) -> Bool {
    modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec
      && st_size == other.st_size
  }

  /// When the file was last written to.
  fileprivate var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
