import FastMapCore
import FastMapSystem

/// The text of gzip data, by the program `gzip`: the data goes to it through one pipe, and the text comes back through another.
///
/// One thread feeds the program and reads from it, so neither waits for the other.
final class Gunzip {
  private let input: DescriptorInput
  private let process: pid_t
  private var toProgram: Int32
  private let fromProgram: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// The bytes of the buffer that the program has not taken.
  private var pending: Range<Int>
  private var hasEnded = false

  /// - Parameter beginning: Data that has been read.
  /// - Throws: ``SystemError`` without such a program.
  init(_ beginning: [UInt8], _ input: DescriptorInput) throws {
    guard let program = System.program(named: "gzip") else {
      throw SystemError(
        path: input.name,
        reason: "found gzip data, and no program gzip in an absolute entry of PATH to read it")
    }
    self.input = input
    (process, toProgram, fromProgram) = try System.start([program, "-dc"])
    buffer.replaceSubrange(0..<beginning.count, with: beginning)
    pending = 0..<beginning.count
  }

  deinit {
    closeInput()
    close(fromProgram)
    if !hasEnded { System.end(process) }
  }

  /// Reads text into `room`.
  ///
  /// - Returns: The number of bytes; 0 at the end.
  /// - Throws: ``DamagedText``, ``SystemError``, `CancellationError`.
  func read(into room: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
    while !hasEnded {
      if isCancelled() { throw CancellationError() }
      var waits = [
        pollfd(fd: fromProgram, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pending.isEmpty ? -1 : toProgram, events: Int16(POLLOUT), revents: 0),
        pollfd(
          fd: pending.isEmpty && toProgram >= 0 ? input.descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waits, 3, 100) > 0 else { continue }
      if waits[1].revents != 0 { feed() }
      if waits[2].revents != 0 {
        pending =
          0..<(try buffer.withUnsafeMutableBytes { try input.read(into: $0, isCancelled: isCancelled) })
        if pending.isEmpty { closeInput() }
      }
      guard waits[0].revents != 0 else { continue }
      let count = FastMapSystem.read(fromProgram, room.baseAddress, room.count)
      if count > 0 { return count }
      if count == 0 { try end() }
    }
    return 0
  }

  private func feed() {
    let count = buffer.withUnsafeBytes {
      write(toProgram, $0.baseAddress! + pending.lowerBound, pending.count)
    }
    if count >= 0 {
      pending = (pending.lowerBound + count)..<pending.upperBound
    } else if errno != EINTR, errno != EAGAIN {
      closeInput()  // the program has ended, and its status says why
    }
  }

  private func closeInput() {
    if toProgram >= 0 { close(toProgram) }
    (toProgram, pending) = (-1, 0..<0)
  }

  private func end() throws {
    hasEnded = true
    let status = System.waitForEnd(of: process)
    // 2 is a warning: zeros or garbage after the data.
    if status != 0, status != 2 {
      throw DamagedText(reason: "expected more text, found gzip data that is damaged or cut off")
    }
  }
}
