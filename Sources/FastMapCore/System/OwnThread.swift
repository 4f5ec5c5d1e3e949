internal import FastMapSystem

/// A thread that is made for one piece of work.
///
/// It is joined, or else detached.
struct OwnThread {
  private let thread: pthread_t

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread, and returns at once.
  ///
  /// - Throws: ``ThreadError`` where there is no thread to be had; `body` is not run then.
  init(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var made: pthread_t?
      let code = pthread_create(&made, nil, { Self.start($0) }, work.toOpaque())
      let thread = made ?? pthread_self()  // made where the code is 0
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { $0.flatMap { Self.start($0) } }, work.toOpaque())
    #endif
    guard code == 0 else {
      work.release()
      throw ThreadError(code: code)
    }
    self.thread = thread
  }

  /// Waits until the work is done.
  func join() { pthread_join(thread, nil) }

  /// Leaves the thread to itself.
  func detach() { pthread_detach(thread) }

  /// What `body` returns, from a new thread.
  static func value<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
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

/// No thread could be made for an import or an export.
public struct ThreadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error number of `pthread_create`.
  public let code: Int32

  public var description: String { "no thread to be had: \(systemMessage(code))" }
}
