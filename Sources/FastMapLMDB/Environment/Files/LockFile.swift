import CFastMapLMDB
import FastMapSystem

/// LMDB's lock file, before LMDB opens it.
///
/// LMDB creates the file with a length but without blocks, and maps it. On a full disk, the first reader that touches
/// a page would end with SIGBUS. LMDB also follows a symbolic link and writes to its target. So FastMap creates the
/// file, with all of its blocks, and refuses anything but a regular file.
///
/// The caller has the directory's lock. This process must not have the store open, because closing a descriptor
/// releases LMDB's locks.
struct LockFile {
  private let directory: StoreDirectory
  private var path: String { directory.path }

  init(_ directory: StoreDirectory) { self.directory = directory }

  /// Refuses anything but a regular file.
  func check() throws(LMDBError) {
    guard let status = try FileSystem.status(of: directory.lockFile, followsLinks: false) else { return }
    switch FileSystem.kind(status) {
    case .file: return
    case .link: throw linkError
    default: throw LMDBError(.notAStore(detail: "lock.mdb is not a file"), path: path)
    }
  }

  /// Ensures that the file exists with all its blocks.
  ///
  /// - Returns: The identity of the file; nil if it is not writable, which LMDB handles.
  /// - Throws: ``LMDBError``, of reason `diskFull` if there is no space for it.
  func prepare() throws(LMDBError) -> FileID? {
    try check()
    let descriptor = open(directory.lockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      switch errno {
      case EACCES, EPERM, EROFS: return nil
      case ELOOP: throw linkError
      default: throw .lastSystemError(at: path)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .lastSystemError(at: path) }
    let size = Self.size(readers: directory.configuration.readerCount)
    let hasBlocks = Int(status.st_blocks) * 512 >= Int(status.st_size)
    if !hasBlocks || Int(status.st_size) < size { try allocate(descriptor, size, status) }
    return FileID(status)
  }

  private func allocate(_ descriptor: CInt, _ size: Int, _ status: stat) throws(LMDBError) {
    if isSole(descriptor) {
      // LMDB creates an unused one again, so its content does not matter.
      if Int(status.st_size) > size, ftruncate(descriptor, off_t(size)) != 0 {
        throw .lastSystemError(at: path)
      }
      try writeZeros(descriptor, size)
    } else {
      // Other processes have it mapped, and another program created it.
      let status = fastmap_allocate(descriptor, Int64(status.st_size))
      if status == ENOSPC || status == EDQUOT { throw LMDBError(.diskFull, path: path) }
    }
  }

  private func writeZeros(_ descriptor: CInt, _ size: Int) throws(LMDBError) {
    let zeros = [UInt8](repeating: 0, count: min(size, 1 << 16))
    var place = 0
    while place < size {
      let count = pwrite(descriptor, zeros, min(zeros.count, size - place), off_t(place))
      if count > 0 {
        place += count
      } else if count == 0 || errno != EINTR {
        throw count == 0 ? LMDBError(.diskFull, path: path) : .lastSystemError(at: path)
      }
    }
  }

  /// Takes LMDB's lock of the only user, until the descriptor is closed.
  private func isSole(_ descriptor: CInt) -> Bool {
    var lock = flock(F_WRLCK)
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }

  /// The length that LMDB gives the file: two lines for itself, each with a lock, and one for each reader.
  static func size(readers: Int) -> Int {
    #if canImport(Darwin)
      let lock = 32  // the name of a semaphore
    #else
      let lock = MemoryLayout<pthread_mutex_t>.size
    #endif
    func lines(_ count: Int) -> Int { (count + 63) & ~63 }
    return lines(20 + lock) + lines(lock) + 64 * readers
  }

  private var linkError: LMDBError {
    let detail = "lock.mdb is a symbolic link; remove it"
    return LMDBError(.notAStore(detail: detail), path: path)
  }
}
