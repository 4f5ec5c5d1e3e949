#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A thread that is made for one piece of work.
enum OwnThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread, and returns at once.
  ///
  /// - Throws: ``ThreadError`` where there is no thread to be had; `body` is not run then.
  static func run(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, { Self.start($0) }, work.toOpaque())
      if code == 0, let thread { pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { $0.flatMap { Self.start($0) } }, work.toOpaque())
      if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 {
      work.release()
      throw ThreadError(code: code)
    }
  }

  /// What `body` returns, from a new thread.
  static func value<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try run { continuation.resume(with: Result { try body() }) }
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

  public var description: String { "no thread to be had: \(String(cString: strerror(code)))" }
}
