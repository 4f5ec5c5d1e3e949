internal import FastMapSystem

/// Keeps data that may have to be read again, such as a stream's, in an unnamed file.
///
/// The file is in the directory for large temporary files. The system deletes it when its last user ends.
package final class SpillFile {
  private let descriptor: Int32

  package private(set) var start: Int
  /// The stream's offset after the last byte.
  package private(set) var end: Int

  /// Creates an empty file for data that begins at an offset.
  ///
  /// - Throws: ``SystemError``.
  package init(at offset: Int) throws(SystemError) {
    descriptor = Self.unnamedFile()
    guard descriptor >= 0 else { throw Self.failure() }
    (start, end) = (offset, offset)
  }

  /// A file without a name, so that a killed process leaves nothing. Where the system knows only files with names, the name
  /// goes at once.
  ///
  /// - Returns: The descriptor, or -1 with `errno`.
  package static func unnamedFile() -> Int32 {
    let directory = spillDirectory()
    #if os(Linux)
      let flags = O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20_000_000  // O_TMPFILE; glibc hides the name
      let file = open(directory, flags, 0o600)
      if file >= 0 { return file }
    #endif
    var name = Array("\(directory)/fastmap-XXXXXX".utf8CString)  // mkstemp fills in the last six
    let named = mkstemp(&name)
    guard named >= 0 else { return named }
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return named
  }

  deinit { close(descriptor) }

  /// Discards everything, and starts again at an offset.
  package func restart(at offset: Int) {
    _ = ftruncate(descriptor, 0)
    (start, end) = (offset, offset)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let place = off_t(end - start)
      let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, place)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure() }
      done += count
      end += count
    }
  }

  /// Reads from an offset of the stream. Returns at least one byte, unless that is the end.
  package func read(from offset: Int, into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    while true {
      let count = pread(descriptor, room.baseAddress, min(room.count, end - offset), off_t(offset - start))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure() }
      return count
    }
  }

  private static func failure() -> SystemError {
    // Before another call changes errno.
    let reason = "cannot keep data in a temporary file: " + systemMessage(errno)
    return SystemError(path: spillDirectory(), reason: reason)
  }
}
