internal import FastMapSystem

/// A thread for one piece of work.
///
/// A thread must be joined or detached.
package struct OwnThread {
  private let thread: pthread_t

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread, and returns at once.
  ///
  /// - Throws: ``SystemError`` if the system cannot start a thread. `body` does not run then.
  package init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var made: pthread_t?
      let code = pthread_create(&made, nil, { Self.start($0) }, work.toOpaque())
      let thread = made ?? pthread_self()  // `made` is set if the code is 0
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { $0.flatMap { Self.start($0) } }, work.toOpaque())
    #endif
    guard code == 0 else {
      work.release()
      throw SystemError(path: nil, reason: "cannot start a thread: \(systemMessage(code))")
    }
    self.thread = thread
  }

  /// The calling thread.
  package static var current: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Waits until the work is done.
  package func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself.
  package func detach() { pthread_detach(thread) }

  /// Runs `body` on a new thread and returns its result.
  ///
  /// - Throws: `CancellationError` in a cancelled task, ``SystemError``, and errors of `body`.
  package static func value<R>(_ body: @escaping @Sendable () throws -> sending R) async throws -> sending R {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try OwnThread { continuation.resume(with: Result { try body() }) }.detach()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private static func start(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    return nil
  }
}
