internal import Synchronization

/// Where two threads wait for each other, some hundred milliseconds at most: in a store with one writer at a time, the
/// second one comes when the first has left.
final class Rendezvous: Sendable {
  private let arrived = Atomic<Int>(0)

  /// Whether both have met.
  @discardableResult
  func meet() -> Bool {
    arrived.add(1, ordering: .sequentiallyConsistent)
    let end = ContinuousClock.now.advanced(by: .milliseconds(300))
    while arrived.load(ordering: .sequentiallyConsistent) < 2 {
      if ContinuousClock.now > end { return false }
      pause(milliseconds: 1)
    }
    return true
  }
}

/// Counts on several threads.
final class Tally: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  /// - Returns: How often it was called.
  @discardableResult
  func add() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// Runs several pieces of work at the same time, each on a thread of its own.
func runTogether(_ bodies: [@Sendable () throws -> Void]) throws {
  let workers = bodies.map { _ in Worker() }
  for (worker, body) in zip(workers, bodies) { try worker.run(body) }
  for worker in workers {
    try expect(worker.wait(seconds: 300), "a thread waits for ever")
    try worker.check()
  }
}
