internal import FastMapSystem

/// Reads a pipe, a socket or a file that the caller keeps, as far as it has something to say.
struct DescriptorInput {
  let descriptor: Int32
  /// What it is called in a message.
  let name: String

  /// Reads into `room`; waits until there is something, whether the descriptor would or not.
  ///
  /// - Parameter isCancelled: Asked from time to time while there is nothing to read.
  /// - Returns: How many bytes; 0 at the end.
  /// - Throws: ``FileError``; `CancellationError`.
  func read(into room: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
    while true {
      if isCancelled() { throw CancellationError() }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = descriptor < 0 ? 1 : poll(&waiting, 1, 100)  // `poll` passes over what is below 0
      if ready == 0 { continue }
      if ready < 0, errno != EINTR { throw FileError(path: name, reason: systemMessage(errno)) }
      if ready < 0 { continue }
      let count = systemRead(descriptor, room.baseAddress, room.count)
      if count >= 0 { return count }
      if errno != EINTR, errno != EAGAIN, errno != EWOULDBLOCK {
        throw FileError(path: name, reason: systemMessage(errno))
      }
    }
  }
}

/// `read`, which a method of that name hides.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
