import FastMapCore
import FastMapSystem
import Synchronization

/// Decides who may touch LMDB's map, and when: it must not move under a reader's feet.
///
///     state    … number of open reads … | dead | shut
///     turn     the right to write, and with it the right to shut the gate: one thread at a time
///
/// Readers pass with one atomic addition each way. To grow the map, the thread that has the turn *shuts* the
/// gate, waits until the last reader is out, moves the map and opens the gate again.
///
/// What must not deadlock:
/// - A thread that reads already passes a shut gate (`nested`): whoever waits for its first read to end would
///   wait for its second one too.
/// - A thread that reads and waits for the turn is turned away when the gate is shut: the thread that shut it
///   has the turn, and waits for that read to end.
/// - A thread that reads must not shut the gate. Its caller checks that.
final class Gate: Sendable {
  private static let shut = 1
  private static let dead = 2
  private static let reader = 4

  private let state = Atomic<Int>(0)
  private let monitor = Monitor()
  /// Whether a thread has the turn.
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var isTurnTaken = false

  /// Whether the gate is closed for good.
  var isDead: Bool { state.load(ordering: .acquiring) & Self.dead != 0 }

  /// Whether nobody is inside.
  var isEmpty: Bool { state.load(ordering: .acquiring) < Self.reader }

  // MARK: Readers

  /// Goes in, once the gate is open.
  ///
  /// - Parameter nested: Whether this thread is inside already.
  /// - Returns: `false` if the gate is dead; then the thread is not in.
  @inline(__always)
  func enter(nested: Bool) -> Bool {
    let state = self.state.add(Self.reader, ordering: .acquiring).oldValue
    return state & (Self.shut | Self.dead) == 0 || enterSlowly(nested: nested)
  }

  @inline(never)
  private func enterSlowly(nested: Bool) -> Bool {
    while true {
      let state = self.state.load(ordering: .acquiring)
      if state & Self.dead == 0, nested || state & Self.shut == 0 { return true }
      _ = leave()
      if state & Self.dead != 0 { return false }
      monitor.lock()
      while self.state.load(ordering: .acquiring) & (Self.shut | Self.dead) == Self.shut { monitor.wait() }
      monitor.unlock()
      self.state.add(Self.reader, ordering: .acquiring)
    }
  }

  /// Goes out.
  ///
  /// - Returns: `true` for the last one out of a dead gate, who has to clear up. More than one may be last.
  @inline(__always)
  func leave() -> Bool {
    let state = self.state.subtract(Self.reader, ordering: .acquiringAndReleasing).newValue
    return state & (Self.shut | Self.dead) != 0 && leaveSlowly(state)
  }

  @inline(never)
  private func leaveSlowly(_ state: Int) -> Bool {
    guard state < Self.reader else { return false }
    monitor.lock()
    monitor.wakeAll()
    monitor.unlock()
    return state & Self.dead != 0
  }

  // MARK: The turn

  enum TurnAnswer { case granted, dead, growing }

  /// Waits for the turn.
  func takeTurn(isReading: Bool) -> TurnAnswer {
    monitor.lock()
    defer { monitor.unlock() }
    while true {
      let state = self.state.load(ordering: .acquiring)
      if state & Self.dead != 0 { return .dead }
      if !isTurnTaken {
        isTurnTaken = true
        return .granted
      }
      if isReading, state & Self.shut != 0 { return .growing }
      monitor.wait()
    }
  }

  /// Takes the turn if nobody has it.
  func tryTurn() -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    guard !isTurnTaken else { return false }
    isTurnTaken = true
    return true
  }

  func endTurn() {
    monitor.lock()
    isTurnTaken = false
    monitor.wakeAll()
    monitor.unlock()
  }

  // MARK: With the turn

  /// Shuts the gate and waits until everybody is out.
  func shutAndDrain() {
    monitor.lock()
    state.bitwiseOr(Self.shut, ordering: .acquiringAndReleasing)
    monitor.wakeAll()  // those who read and wait for the turn
    while !isEmpty { monitor.wait() }
    monitor.unlock()
  }

  func reopen() {
    monitor.lock()
    state.bitwiseAnd(~Self.shut, ordering: .acquiringAndReleasing)
    monitor.wakeAll()
    monitor.unlock()
  }

  /// Closes the gate for good. Those inside may finish.
  func kill() {
    monitor.lock()
    state.bitwiseOr(Self.dead, ordering: .acquiringAndReleasing)
    monitor.wakeAll()
    monitor.unlock()
  }
}
