internal import FastMapSystem
internal import Synchronization

/// One piece of work on a thread of its own. Not a task: those share few threads, and a check may well block
/// one.
final class Worker: Sendable {
  private struct State {
    var body: (@Sendable () throws -> Void)?
    var failure: (any Error)?
    var isDone = false
  }

  private let state = Mutex(State())

  /// Begins the work.
  func run(_ body: @escaping @Sendable () throws -> Void) throws {
    state.withLock { $0.body = body }
    let context = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(
        &thread, nil,
        { context in
          Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().work()
          return nil
        }, context)
    #else
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().work() }
          return nil
        }, context)
    #endif
    guard status == 0 else {
      Unmanaged<Worker>.fromOpaque(context).release()
      throw Failure(reason: "the check needs a thread and gets none: error \(status)")
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }

  private func work() {
    var failure: (any Error)?
    do {
      try state.withLock { $0.body }?()
    } catch let error {
      failure = error
    }
    state.withLock {
      $0.failure = failure
      $0.body = nil
      $0.isDone = true
    }
  }

  /// Whether the work is done, now or within some seconds.
  func wait(seconds: Int) -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    while !state.withLock({ $0.isDone }) {
      if ContinuousClock.now > end { return false }
      pause(milliseconds: 1)
    }
    return true
  }

  /// Throws the error of the work.
  func check() throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}

/// Lets other threads run.
func pause(milliseconds: Int) {
  var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
  nanosleep(&time, nil)
}
