internal import FastMapCore
internal import FastMapSystem
internal import Synchronization

/// One piece of work on a thread of its own. Not a task: those share few threads, and a check may well block
/// one.
final class Worker: Sendable {
  private struct State {
    var failure: (any Error)?
    var isDone = false
  }

  private let state = Mutex(State())

  /// Begins the work.
  func run(_ body: @escaping @Sendable () throws -> Void) throws {
    try OwnThread { [self] in
      var failure: (any Error)?
      do { try body() } catch { failure = error }
      state.withLock { $0 = State(failure: failure, isDone: true) }
    }.detach()
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
