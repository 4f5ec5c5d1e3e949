/// Work on the main actor, for a thread of our own.
///
/// The thread waits for it. The thread must not hold anything that the main actor may wait for, such as a store's write lock.
package enum OnMainActor {
  /// Runs `body` on the main actor and returns its value. Only for a thread of our own: threads of Swift's tasks must not wait.
  package static func value<R>(_ body: @escaping () throws -> R) throws -> R {
    let work = MainWork(body)
    Task { @MainActor in work.run() }
    return try work.wait()
  }
}

// @unchecked: the thread that made it waits until it has run.
private final class MainWork<R>: @unchecked Sendable {
  private let monitor = Monitor()
  private let body: () throws -> R
  private var result: Result<R, any Error>?

  init(_ body: @escaping () throws -> R) { self.body = body }

  @MainActor
  func run() {
    let result = Result { try body() }
    monitor.locked {
      self.result = result
      monitor.signal()
    }
  }

  func wait() throws -> R {
    try monitor.locked {
      while true {
        if let result { return try result.get() }
        monitor.wait()
      }
    }
  }
}
