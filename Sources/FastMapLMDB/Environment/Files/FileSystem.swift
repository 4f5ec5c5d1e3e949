import FastMapSystem

/// The identity of a file, independent of its path.
struct FileID: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// As text: a dictionary by a type of our own begins with a look at all conformances of the program, a hundredth of a `get`.
  var key: String { "\(device) \(inode)" }
}

/// The system calls for opening a store. Their errors name the store.
enum FileSystem {
  enum Kind { case directory, file, link, other }

  /// The status of the file at `path`; `nil` if there is none. With `followsLinks` false, the status of the link
  /// itself.
  static func status(of path: String, followsLinks: Bool = true) throws(LMDBError) -> stat? {
    var status = stat()
    let result = followsLinks ? stat(path, &status) : lstat(path, &status)
    if result == 0 { return status }
    if errno == ENOENT { return nil }
    if errno == ENOTDIR { throw LMDBError(.notAStore(detail: "part of its path is a file"), path: path) }
    throw .lastSystemError(at: path)
  }

  static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: .directory
    case S_IFREG: .file
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Creates one directory, accessible to this user alone.
  ///
  /// - Returns: `false` if somebody else created it first.
  static func makeDirectory(_ path: String) throws(LMDBError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case ENOENT: throw LMDBError(.parentNotFound, path: path)
    default: throw .lastSystemError(at: path)
    }
  }

  /// The names in a directory, without `.` and `..`.
  static func names(in directory: String) throws(LMDBError) -> [String] {
    guard let stream = opendir(directory) else { throw .lastSystemError(at: directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes the names in a directory durable.
  ///
  /// An unreadable directory cannot be synced, and some file systems do not support it. Neither is an error.
  static func sync(directory: String) throws(LMDBError) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == EACCES || errno == EPERM { return }
      throw .lastSystemError(at: directory)
    }
    defer { close(descriptor) }
    try sync(descriptor, at: directory)
  }

  static func sync(_ descriptor: CInt, at path: String) throws(LMDBError) {
    #if canImport(Darwin)
      // There, `fsync` only reaches the drive's cache. Not every file system supports the other call.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return FileStep.didSync(descriptor) }
    #endif
    while fsync(descriptor) != 0 {
      switch errno {
      case EINTR: continue
      case EINVAL, EROFS, ENOTSUP: return
      default: throw .lastSystemError(at: path)
      }
    }
    FileStep.didSync(descriptor)
  }

  /// The bytes of an open file at `offset`, with zeros beyond its end.
  static func bytes(
    of descriptor: CInt, at offset: Int, count: Int, path: String
  ) throws(LMDBError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var failure: LMDBError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(LMDBError) { try read(descriptor, at: offset, into: buffer, path: path) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Fills a buffer with the bytes of an open file at `offset`, with zeros beyond its end.
  static func read(
    _ descriptor: CInt, at offset: Int, into buffer: UnsafeMutableRawBufferPointer, path: String
  ) throws(LMDBError) {
    var rest = UnsafeMutableRawBufferPointer(rebasing: buffer[...])
    while let start = rest.baseAddress, rest.count > 0 {
      let result = pread(descriptor, start, rest.count, off_t(offset + buffer.count - rest.count))
      if result > 0 {
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[result...])
      } else if result == 0 {
        _ = rest.initializeMemory(as: UInt8.self, repeating: 0)
        return
      } else if errno != EINTR {
        throw .lastSystemError(at: path)
      }
    }
  }

  /// Whether the process can map this many more bytes (`ulimit -v`, small machines) and still has some left.
  static func canMap(_ count: Int) -> Bool {
    let (count, isTooLarge) = count.addingReportingOverflow(64 << 20)
    if isTooLarge { return false }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let start = mmap(nil, count, PROT_NONE, flags, -1, 0), start != MAP_FAILED else { return false }
    munmap(start, count)
    return true
  }

  /// Whether a write to the open file `descriptor` fails because there is no space for it.
  ///
  /// LMDB reports every incomplete write as `EIO`.
  static func hasNoRoom(_ descriptor: CInt) -> Bool {
    var volume = statvfs()
    if fstatvfs(descriptor, &volume) == 0, UInt64(volume.f_bavail) * UInt64(volume.f_frsize) < 256 << 10 {
      return true
    }
    var limit = rlimit()
    var status = stat()
    guard getrlimit(fileSizeLimit, &limit) == 0, fstat(descriptor, &status) == 0 else { return false }
    return UInt64(status.st_size) >= UInt64(limit.rlim_cur)
  }

  #if canImport(Glibc)
    private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let fileSizeLimit = RLIMIT_FSIZE
  #endif
}

extension flock {
  /// A lock of one byte of a file.
  init(_ kind: CInt, at place: off_t = 0) {
    self.init()
    l_type = CShort(kind)
    l_whence = CShort(SEEK_SET)
    l_start = place
    l_len = 1
  }
}
