#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Bytes on their way from a task, which is suspended while there are enough, to a thread, which waits while
/// there are none.
///
/// Either end may go first: `finish` lets the thread read what is left and then the end or an error, `close`
/// tells the task that nobody reads on.
// @unchecked: the mutex guards all that changes.
final class ChunkQueue: @unchecked Sendable {
  /// Beyond so many bytes the task waits.
  private static let limit = 2 << 20

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var chunks: [[UInt8]] = []
  private var first = 0
  /// Bytes of the first chunk that have been read.
  private var done = 0
  private var count = 0
  private var ending: Result<Void, any Error>?
  private var isClosed = false
  private var waiting: CheckedContinuation<Void, Never>?

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    let status = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    precondition(status == (0, 0), "the system has no room for a lock")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  private func locked<R>(_ body: () throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  // MARK: The task's end

  /// Adds a chunk, and waits until there is room for another.
  ///
  /// - Returns: Whether more is wanted.
  func push(_ chunk: [UInt8]) async -> Bool {
    if !chunk.isEmpty { add(chunk) }
    await withCheckedContinuation { continuation in
      let mayGoOn = locked {
        if count < Self.limit || isClosed { return true }
        waiting = continuation
        return false
      }
      if mayGoOn { continuation.resume() }
    }
    return locked { !isClosed }
  }

  private func add(_ chunk: [UInt8]) {
    locked {
      guard !isClosed else { return }
      chunks.append(chunk)
      count += chunk.count
      pthread_cond_signal(condition)
    }
  }

  /// Says that nothing follows, or why.
  func finish(_ ending: Result<Void, any Error>) {
    locked {
      self.ending = ending
      pthread_cond_signal(condition)
    }
  }

  // MARK: The thread's end

  /// Moves bytes into `room`; waits until there are some.
  ///
  /// - Parameter isCancelled: Asked before each wait, which `wake` ends.
  /// - Returns: How many; 0 at the end.
  /// - Throws: What the task ended with; `CancellationError`.
  func read(into room: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
    let (read, waiting) = try locked {
      while count == 0, ending == nil {
        if isCancelled() { throw CancellationError() }
        wait()
      }
      if count == 0 { try ending?.get() }
      let read = take(room)
      return (read, count < Self.limit ? takeWaiting() : nil)
    }
    waiting?.resume()
    return read
  }

  /// Waits for a change, but not long: who cancels an import through its progress does not know the queue.
  private func wait() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    time.tv_nsec += 100_000_000
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_nsec -= 1_000_000_000
      time.tv_sec += 1
    }
    pthread_cond_timedwait(condition, mutex, &time)
  }

  private func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
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

  private func takeWaiting() -> CheckedContinuation<Void, Never>? {
    defer { waiting = nil }
    return waiting
  }

  /// Ends a wait of the thread, so that it sees that it was cancelled.
  func wake() {
    locked { _ = pthread_cond_signal(condition) }
  }

  /// Forgets what has not been read: nobody will.
  func close() {
    let waiting = locked {
      isClosed = true
      chunks = []
      (first, done, count) = (0, 0, 0)
      return takeWaiting()
    }
    waiting?.resume()
  }
}
