import CFastMapLMDB
import FastMapSystem

/// LMDB's lock file, before LMDB opens it.
///
/// LMDB makes it with a length and without blocks, and maps it: on a full disk the first reader that touches a page of it
/// ends with SIGBUS. And LMDB follows a symbolic link, and writes to what it finds there. So the file is made here, with
/// all of its blocks, and what is no file is refused.
///
/// The caller has the directory's lock, and this process does not have the store open: closing a descriptor gives up
/// LMDB's locks.
struct LockFile {
  private let directory: StoreDirectory
  private var path: String { directory.path }

  init(_ directory: StoreDirectory) { self.directory = directory }

  /// Refuses what is no file.
  func check() throws(LMDBError) {
    guard let status = try FileSystem.status(of: directory.lockFile, followsLinks: false) else { return }
    switch FileSystem.kind(status) {
    case .file: return
    case .link: throw linkError
    default: throw LMDBError(.notAStore(detail: "lock.mdb is not a file"), path: path)
    }
  }

  /// Sees to it that the file is there with all its blocks.
  ///
  /// - Returns: Which file it is; nil where it may not be written, and LMDB knows what to do.
  /// - Throws: ``LMDBError``, of reason `diskFull` where there is no room for it.
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
    let size = Self.size(readers: max(directory.options.maxReaders, 1))
    let hasBlocks = Int(status.st_blocks) * 512 >= Int(status.st_size)
    if !hasBlocks || Int(status.st_size) < size { try allocate(descriptor, size, status) }
    return FileID(status)
  }

  private func allocate(_ descriptor: CInt, _ size: Int, _ status: stat) throws(LMDBError) {
    if isSole(descriptor) {
      // LMDB makes it anew when it finds nobody, so nothing in it counts.
      if Int(status.st_size) > size, ftruncate(descriptor, off_t(size)) != 0 {
        throw .lastSystemError(at: path)
      }
      try writeZeros(descriptor, size)
    } else {
      // Others have it mapped, and made by another program.
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
    var lock = flock()
    lock.l_type = CShort(F_WRLCK)
    lock.l_whence = CShort(SEEK_SET)
    lock.l_len = 1
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }

  /// The length that LMDB gives the file: two lines of its own, each with a lock, and one for each reader.
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
    let detail = "lock.mdb is a symbolic link, which LMDB would write through; remove it"
    return LMDBError(.notAStore(detail: detail), path: path)
  }
}
