import FastMapCore
import FastMapSystem

/// Work on a thread of its own. A test that blocks in a task would keep the others from running.
// @unchecked: `result` is used under the monitor's lock only.
package final class ThreadWork<R: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private var result: Result<R, any Error>?

  package init(_ body: @escaping @Sendable () throws -> R) {
    detach { [self] in
      let result = Result { try body() }
      monitor.lock()
      self.result = result
      monitor.wakeAll()
      monitor.unlock()
    }
  }

  /// Waits for the end of the work.
  package func value() throws -> R {
    monitor.lock()
    defer { monitor.unlock() }
    while true {
      if let result { return try result.get() }
      monitor.wait()
    }
  }

  package var isOver: Bool {
    monitor.lock()
    defer { monitor.unlock() }
    return result != nil
  }
}

/// Runs `body` on a thread that ends by itself.
func detach(_ body: @escaping @Sendable () -> Void) {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let work = Unmanaged.passRetained(Work(body)).toOpaque()
  #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(
      &thread, nil,
      { work in
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work)
    precondition(code == 0, "the system cannot start a thread")
    if let thread { pthread_detach(thread) }
  #else
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { work in
        if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
        return nil
      }, work)
    precondition(code == 0, "the system cannot start a thread")
    pthread_detach(thread)
  #endif
}
