import FastMapStoreKit

/// A group of writers that share one commit, and so one sync.
///
///     leader      begins the transaction, runs its body, lends the transaction to one follower after the other,
///                 commits, and tells all
///     followers   run their bodies on their own threads, while the leader waits
///
/// LMDB's lock belongs to the thread that begins the transaction, so that thread also commits. In between, LMDB does
/// not look at threads. One thread at a time uses the transaction, and passes it on through a lock.
///
/// LMDB cannot undo part of a transaction. If a body fails after it has changed something, everything is undone. All
/// writers start again, and the failed one runs alone. So no writer is affected by another one's failure.
final class CommitGroup: Sendable {
  /// The maximum number of writers that share a commit.
  private static let limit = 256

  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var waiting: [CommitFollower] = []
  private nonisolated(unsafe) var hasLeader = false

  /// The number of writers: the leader and the waiting ones.
  var count: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return (hasLeader ? 1 : 0) + waiting.count
  }

  /// - Returns: A place behind the leader, or nil if the caller becomes the leader.
  func join() -> CommitFollower? {
    monitor.lock()
    defer { monitor.unlock() }
    guard hasLeader else {
      hasLeader = true
      return nil
    }
    let follower = CommitFollower()
    waiting.append(follower)
    return follower
  }

  /// The next follower in the group of `count`. If there is none, the group is closed, and the next writer leads a
  /// new one.
  func next(behind count: Int) -> CommitFollower? {
    monitor.lock()
    defer { monitor.unlock() }
    if !waiting.isEmpty, count < Self.limit { return waiting.removeFirst() }
    closeGroup()
    return nil
  }

  /// Tells all waiting writers to find another leader.
  func disband() {
    monitor.lock()
    defer { monitor.unlock() }
    closeGroup()
  }

  private func closeGroup() {
    hasLeader = false
    for follower in waiting { follower.tell(.startAfresh) }
    waiting.removeAll()
  }
}

/// A writer that follows a leader.
// @unchecked: `state` is guarded by `monitor`.
final class CommitFollower: @unchecked Sendable {
  enum State {
    case waiting
    /// A write that has the transaction.
    case running(OpaquePointer)
    case ran(hasChanged: Bool, isSpoiled: Bool)
    case committed
    case startAfresh
    case startAlone
  }

  private let monitor = Monitor()
  private var state = State.waiting

  func tell(_ state: State) {
    monitor.lock()
    self.state = state
    monitor.wakeAll()
    monitor.unlock()
  }

  /// Waits for the leader's message.
  func wait() -> State {
    waitFor { state in
      switch state {
      case .waiting, .ran: false
      case .running, .committed, .startAfresh, .startAlone: true
      }
    }
  }

  /// Lends the transaction, and waits until the follower returns it.
  func lend(_ transaction: OpaquePointer) -> (hasChanged: Bool, isSpoiled: Bool) {
    tell(.running(transaction))
    let state = waitFor { state in
      if case .ran = state { true } else { false }
    }
    guard case .ran(let hasChanged, let isSpoiled) = state else { return (true, true) }
    return (hasChanged, isSpoiled)
  }

  private func waitFor(_ isExpected: (State) -> Bool) -> State {
    monitor.lock()
    defer { monitor.unlock() }
    while !isExpected(state) { monitor.wait() }
    return state
  }
}
