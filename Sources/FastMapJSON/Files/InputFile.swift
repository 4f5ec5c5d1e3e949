internal import FastMapSystem

/// The bytes of a whole file, or everything that a pipe delivers.
package struct InputFile: ~Copyable {
  package let bytes: UnsafeRawBufferPointer
  private let isMapped: Bool

  /// Maps a regular file, and reads anything else to its end.
  ///
  /// - Parameter limit: The maximum size in bytes.
  /// - Throws: ``SystemError`` for a file that is missing, a directory, unreadable or too large.
  package init(_ path: String, limit: Int = .max) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(path: path, reason: systemMessage(errno)) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor, name: path, limit: limit)
  }

  /// Reads from a descriptor that the caller owns.
  ///
  /// - Parameters:
  ///   - name: The name for error messages.
  ///   - limit: The maximum size in bytes, because a device may never end.
  package init(descriptor: Int32, name: String, limit: Int = .max) throws(SystemError) {
    let tooLarge = SystemError(path: name, reason: "larger than \(byteSize(limit)), the maximum")
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError(path: name, reason: systemMessage(errno)) }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw SystemError(path: name, reason: "is a directory, expected a file")
    }
    let size = Int(status.st_size)
    guard size <= limit else { throw tooLarge }
    if status.st_mode & S_IFMT == S_IFREG, size > 0, lseek(descriptor, 0, SEEK_CUR) == 0,
      let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
    {
      madvise(memory, size, MADV_SEQUENTIAL)
      bytes = UnsafeRawBufferPointer(start: memory, count: size)
      isMapped = true
      return
    }
    bytes = try Self.readAll(descriptor, name, limit, tooLarge)
    isMapped = false
  }

  /// Reads to the end, into memory that the caller frees.
  private static func readAll(
    _ descriptor: Int32, _ name: String, _ limit: Int, _ tooLarge: SystemError
  ) throws(SystemError) -> UnsafeRawBufferPointer {
    var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    var count = 0
    var failure: SystemError?
    while failure == nil {
      if count == memory.count {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * count, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(memory))
        memory.deallocate()
        memory = larger
      }
      let received = read(descriptor, memory.baseAddress! + count, memory.count - count)
      if received < 0, errno == EINTR { continue }
      if received == 0 { return UnsafeRawBufferPointer(rebasing: memory[..<count]) }
      if received < 0 {
        failure = SystemError(path: name, reason: systemMessage(errno))
      } else {
        count += received
        if count > limit { failure = tooLarge }
      }
    }
    memory.deallocate()
    throw failure ?? tooLarge
  }

  deinit {
    if isMapped {
      munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    } else {
      bytes.deallocate()
    }
  }
}

extension InputFile {
  /// The size of a file; nil if the system does not know it.
  package static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}

/// The bytes of a file, as long as one of its users needs them.
// @unchecked: the bytes do not change.
package final class MappedFile: @unchecked Sendable {
  package let file: InputFile

  /// - Throws: ``SystemError``.
  package init(_ path: String) throws(SystemError) { file = try InputFile(path) }

  /// - Throws: ``SystemError``.
  package init(_ descriptor: Int32, name: String) throws(SystemError) {
    file = try InputFile(descriptor: descriptor, name: name)
  }
}

/// A file that is read as a stream: a pipe, a terminal, a socket.
package final class InputStreamFile: Sendable {
  package let descriptor: Int32

  /// Whether a path leads to a file that is neither regular nor a directory.
  package static func isStream(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  package static func isStream(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  /// Opens a stream without waiting for the writer of a named pipe. `DescriptorInput` waits for it, and that wait can
  /// be interrupted.
  ///
  /// - Throws: ``SystemError`` if the file cannot be read.
  package init(_ path: String) throws(SystemError) {
    #if canImport(Darwin)
      // On Darwin, a pipe without a writer might read as ended.
      let flags = O_RDONLY | O_CLOEXEC
    #else
      let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
    #endif
    descriptor = open(path, flags)
    guard descriptor >= 0 else { throw SystemError(path: path, reason: systemMessage(errno)) }
  }

  deinit { close(descriptor) }
}
