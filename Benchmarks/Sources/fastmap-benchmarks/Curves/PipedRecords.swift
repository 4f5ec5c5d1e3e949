import Foundation
import Synchronization

/// Records that another thread writes into a pipe while they are read. A text of any length takes no memory.
final class PipedRecords {
  /// The end to read from.
  let descriptor: Int32
  private let count: ByteCount

  /// Shared with the writing thread.
  private final class ByteCount: Sendable {
    let value = Atomic<Int>(0)
    let done = DispatchSemaphore(value: 0)
  }

  init(_ size: Int) throws {
    var ends: [Int32] = [0, 0]
    try WrongOutcome.check(pipe(&ends) == 0, "a pipe")
    #if canImport(Glibc)
      _ = fcntl(ends[1], 1031, 1 << 20)  // F_SETPIPE_SZ
    #endif
    signal(SIGPIPE, SIG_IGN)
    descriptor = ends[0]
    let count = ByteCount()
    self.count = count
    let output = ends[1]
    Thread.detachNewThread {
      Self.write(size, to: output, count)
      close(output)
      count.done.signal()
    }
  }

  deinit { close(descriptor) }

  /// Waits for the writing thread.
  ///
  /// - Returns: The number of bytes that it has written.
  func finish() -> Int {
    count.done.wait()
    return count.value.load(ordering: .relaxed)
  }

  /// Keys are 0, 2, 4, …
  private static func write(_ size: Int, to output: Int32, _ count: ByteCount) {
    var start = 0
    while start < size {
      let end = min(start + 5000, size)
      var text = JSONText(capacity: 5000 * 130)
      for number in start..<end {
        text.append(number == 0 ? "[" : ",")
        text.append("{\"id\":")
        text.append(number * 2)
        text.append(",\"name\":\"an object with a name of its own\",\"count\":")
        text.append(number % 1000)
        text.append(",\"score\":")
        text.append(number % 10_000)
        text.append(".25,\"created\":")
        text.append(dateOf: 1_400_000_000 + UInt64(number))
        text.append("}")
      }
      if end == size { text.append("]") }
      let isWritten = text.bytes.withUnsafeBytes { bytes in
        var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
        while !rest.isEmpty {
          let written = Foundation.write(output, rest.baseAddress, rest.count)
          guard written > 0 else { return false }
          rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return true
      }
      guard isWritten else { return }
      count.value.add(text.bytes.count, ordering: .relaxed)
      start = end
    }
  }
}
