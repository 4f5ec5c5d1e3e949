internal import FastMapSystem

/// What was read of a stream and may have to be read again, in a file without a name.
///
/// It stands where large temporary files go, and goes with its last user, however that ends.
final class SpillFile {
  private let descriptor: Int32

  /// The offset in the stream of the first byte that is kept.
  private(set) var start: Int
  /// The offset behind the last one.
  private(set) var end: Int

  /// Makes an empty file for what begins at an offset.
  ///
  /// - Throws: ``FileError``.
  init(at offset: Int) throws(FileError) {
    var name = Array("\(spillDirectory())/fastmap-XXXXXX".utf8CString)  // mkstemp fills in the last six
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw Self.failure() }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    (start, end) = (offset, offset)
  }

  deinit { close(descriptor) }

  /// Forgets everything, and begins anew at an offset.
  func restart(at offset: Int) {
    _ = ftruncate(descriptor, 0)
    (start, end) = (offset, offset)
  }

  /// Adds what follows the last byte.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
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

  /// Reads from an offset of the stream, at least one byte where there is one.
  func read(from offset: Int, into room: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    while true {
      let count = pread(descriptor, room.baseAddress, min(room.count, end - offset), off_t(offset - start))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure() }
      return count
    }
  }

  private static func failure() -> FileError {
    let reason = "keeping a stream to read it again: " + systemMessage(errno)  // before errno is another's
    return FileError(path: spillDirectory(), reason: reason)
  }
}
