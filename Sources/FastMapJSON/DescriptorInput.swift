internal import FastMapSystem

/// Reads from a pipe, a socket or a file descriptor that the caller owns.
package struct DescriptorInput {
  package let descriptor: Int32
  /// The name for error messages.
  package let name: String

  package init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Reads into `room`. Waits until data arrives, even if the descriptor is non-blocking.
  ///
  /// - Parameter isCancelled: Called from time to time during the wait.
  /// - Returns: The number of bytes, or 0 at the end.
  /// - Throws: ``SystemError``; `CancellationError`.
  package func read(into room: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
    while true {
      if isCancelled() { throw CancellationError() }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = descriptor < 0 ? 1 : poll(&waiting, 1, 100)  // `poll` ignores negative descriptors
      if ready == 0 { continue }
      if ready < 0, errno != EINTR { throw SystemError(path: name, reason: systemMessage(errno)) }
      if ready < 0 { continue }
      let count = systemRead(descriptor, room.baseAddress, room.count)
      if count >= 0 { return count }
      if errno != EINTR, errno != EAGAIN, errno != EWOULDBLOCK {
        throw SystemError(path: name, reason: systemMessage(errno))
      }
    }
  }
}

/// `read` under another name, because a method hides the original.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
