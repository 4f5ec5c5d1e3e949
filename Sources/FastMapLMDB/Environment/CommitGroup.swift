import FastMapCore

/// Writers that share one commit, and the sync that it costs.
///
///     leader      begins the transaction, runs its body, lends the transaction to one follower after the other,
///                 commits, and tells all
///     followers   run their bodies on their own threads, while the leader waits
///
/// LMDB's lock belongs to the thread that begins: that thread commits, too. In between one thread at a time uses
/// the transaction, and hands it on through a lock.
///
/// LMDB cannot undo a part of a transaction. Where a body fails that has changed something, all is undone, and
/// everybody starts afresh, the one that failed by itself: nobody feels another one's failure.
final class CommitGroup: Sendable {
  /// So many writers at most share a commit.
  private static let limit = 256

  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var waiting: [CommitFollower] = []
  private nonisolated(unsafe) var hasLeader = false

  /// The leader, and those who wait behind it.
  var count: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return (hasLeader ? 1 : 0) + waiting.count
  }

  /// - Returns: A place behind the leader; nil where the caller leads.
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

  /// The next one in the group of `count`; when there is none, the group is closed, and who comes now leads the
  /// next one.
  func next(behind count: Int) -> CommitFollower? {
    monitor.lock()
    defer { monitor.unlock() }
    if !waiting.isEmpty, count < Self.limit { return waiting.removeFirst() }
    closeGroup()
    return nil
  }

  /// Sends everybody who waits to look for another leader.
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

/// One writer that follows another one.
// @unchecked: `state` is guarded by `monitor`.
final class CommitFollower: @unchecked Sendable {
  enum State {
    case waiting
    /// It has the transaction.
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

  /// Waits for what the leader says.
  func wait() -> State {
    waitFor { state in
      switch state {
      case .waiting, .ran: false
      case .running, .committed, .startAfresh, .startAlone: true
      }
    }
  }

  /// Lends the transaction, and waits for the follower to be done with it.
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
