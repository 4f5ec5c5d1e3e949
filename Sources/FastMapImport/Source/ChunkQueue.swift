/// Bytes from a task to a thread. The task is suspended while the queue is full, and the thread waits while it is empty.
///
/// Either can end first. After `finish`, the thread reads the remaining bytes, and then the end or an error. After
/// `close`, the task brings no more.
// @unchecked: the monitor guards all that changes.
final class ChunkQueue: @unchecked Sendable {
  /// With more bytes than this, the task waits.
  private static let limit = 2 << 20

  private let monitor = Monitor()
  private var chunks: [[UInt8]] = []
  private var first = 0
  /// Bytes of the first chunk that have been read.
  private var done = 0
  private var count = 0
  private var ending: Result<Void, any Error>?
  private var isClosed = false
  private var waiting: CheckedContinuation<Void, Never>?

  // MARK: The task's end

  /// Adds a chunk, and waits until there is room for another.
  ///
  /// - Returns: Whether the thread reads more.
  func push(_ chunk: [UInt8]) async -> Bool {
    if !chunk.isEmpty { add(chunk) }
    await withCheckedContinuation { continuation in
      let mayGoOn = monitor.locked {
        if count < Self.limit || isClosed { return true }
        waiting = continuation
        return false
      }
      if mayGoOn { continuation.resume() }
    }
    return monitor.locked { !isClosed }
  }

  private func add(_ chunk: [UInt8]) {
    monitor.locked {
      guard !isClosed else { return }
      chunks.append(chunk)
      count += chunk.count
      monitor.signal()
    }
  }

  /// Ends the queue, with the error that ended the task if there is one.
  func finish(_ ending: Result<Void, any Error>) {
    monitor.locked {
      self.ending = ending
      monitor.signal()
    }
  }

  // MARK: The thread's end

  /// Moves bytes into `room`; waits until there are some.
  ///
  /// - Parameter isCancelled: Called first, and before each wait. `wake` ends a wait.
  /// - Returns: How many; 0 at the end.
  /// - Throws: The error that ended the task; `CancellationError`.
  func read(into room: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
    if isCancelled() { throw CancellationError() }
    let (read, waiting) = try monitor.locked {
      while count == 0, ending == nil {
        if isCancelled() { throw CancellationError() }
        // Not for long: an import that is cancelled through its progress does not wake the queue.
        monitor.waitBriefly()
      }
      if count == 0 { try ending?.get() }
      let read = fill(room)
      return (read, count < Self.limit ? removeWaiting() : nil)
    }
    waiting?.resume()
    return read
  }

  private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    var read = 0
    while read < room.count, first < chunks.count {
      let part = min(room.count - read, chunks[first].count - done)
      chunks[first].withUnsafeBytes { chunk in
        UnsafeMutableRawBufferPointer(rebasing: room[read..<(read + part)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: chunk[done..<(done + part)]))
      }
      read += part
      done += part
      if done == chunks[first].count {
        chunks[first] = []
        first += 1
        done = 0
      }
    }
    count -= read
    if first * 2 >= chunks.count {
      chunks.removeFirst(first)
      first = 0
    }
    return read
  }

  private func removeWaiting() -> CheckedContinuation<Void, Never>? {
    defer { waiting = nil }
    return waiting
  }

  /// Ends a wait of the thread, so it sees that it was cancelled.
  func wake() {
    monitor.locked { monitor.signal() }
  }

  /// Drops the unread bytes, and lets the task end.
  func close() {
    let waiting = monitor.locked {
      isClosed = true
      chunks = []
      (first, done, count) = (0, 0, 0)
      return removeWaiting()
    }
    waiting?.resume()
  }
}
