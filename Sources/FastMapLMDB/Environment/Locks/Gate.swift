import FastMapStoreKit
import FastMapSystem
import Synchronization

/// Controls access to LMDB's map, which must not move while a thread reads.
///
///     state    … number of open reads … | dead | shut
///     turn     the right to write, and with it the right to shut the gate: one thread at a time
///
/// Readers enter and leave with one atomic addition each. To grow the map, the thread with the turn *shuts* the gate,
/// waits until the last reader leaves, moves the map, and opens the gate again.
///
/// Three rules prevent deadlocks:
/// - A thread that is already reading may enter a shut gate (`nested`). Otherwise the writer would wait for its first
///   read, and the second read for the writer.
/// - A thread that reads and waits for the turn is refused when the gate is shut. The thread that shut the gate has
///   the turn, and waits for that read to end.
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
  /// How many threads wait for the turn.
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var waiting = 0

  /// Whether the gate is closed permanently.
  var isDead: Bool { state.load(ordering: .acquiring) & Self.dead != 0 }

  /// Whether a thread that moves the map keeps readers out.
  var isShut: Bool { state.load(ordering: .acquiring) & Self.shut != 0 }

  var isEmpty: Bool { state.load(ordering: .acquiring) < Self.reader }

  // MARK: Readers

  /// Enters when the gate is open.
  ///
  /// - Parameter nested: Whether this thread is already inside.
  /// - Returns: `false` if the gate is dead. The thread is not inside then.
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

  /// Leaves.
  ///
  /// - Returns: `true` for the last reader of a dead gate, which must clean up. More than one reader may be last.
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

  func waitForTurn(isReading: Bool) -> TurnAnswer {
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
      waiting += 1
      monitor.wait()
      waiting -= 1
    }
  }

  /// How many threads wait for the turn.
  var waiterCount: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return waiting
  }

  /// Takes the turn if no thread has it.
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

  /// Shuts the gate and waits until all readers have left.
  func shutAndDrain() {
    monitor.lock()
    state.bitwiseOr(Self.shut, ordering: .acquiringAndReleasing)
    monitor.wakeAll()  // readers that wait for the turn
    while !isEmpty { monitor.wait() }
    monitor.unlock()
  }

  func reopen() {
    monitor.lock()
    state.bitwiseAnd(~Self.shut, ordering: .acquiringAndReleasing)
    monitor.wakeAll()
    monitor.unlock()
  }

  /// Closes the gate permanently. Readers inside may finish.
  func kill() {
    monitor.lock()
    state.bitwiseOr(Self.dead, ordering: .acquiringAndReleasing)
    monitor.wakeAll()
    monitor.unlock()
  }
}
