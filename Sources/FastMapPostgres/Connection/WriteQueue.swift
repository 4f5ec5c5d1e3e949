#if Postgres
  internal import FastMapStoreKit
  internal import Synchronization

  // Writes of the same few objects fail again and again, because each is tried beside the others. So after a conflict, the
  // next writes of a store line up: each takes a lock before its snapshot, and runs when the one before has ended. `LOCK
  // TABLE` is the only lock that takes no snapshot. The lock hinders neither readers nor writers outside of the queue.
  //
  // Writes leave the queue after a while, and try beside the others. The while doubles with each conflict, and halves with
  // each success.

  /// Decides which writes of a store line up.
  final class WriteQueue: Sendable {
    private struct State {
      /// How many writes line up after a conflict.
      var length = 4
      /// How many of them are left.
      var left = 0
    }

    private let state = Mutex(State())
    private static let longest = 256
    /// How long a write waits in the queue. After it, the next attempt runs beside the queue.
    private static let wait = Duration.seconds(5)

    /// Whether the next write lines up.
    var isUsed: Bool { state.withLock { $0.left > 0 } }

    /// Sends the statements that wait for the writes in the queue. They come before the snapshot of the transaction.
    static func sendLock(_ table: String, _ connection: Connection) throws {
      let strictest =
        connection.lockTimeout == "DEFAULT"
        ? connection.server.sessionTimeouts.lock : Int64(connection.lockTimeout)
      let time = min(wait.milliseconds, strictest.flatMap { $0 > 0 ? $0 : nil } ?? .max)
      try connection.sendQuietly(
        Statement("LOCK TABLE \(table) IN SHARE UPDATE EXCLUSIVE MODE"), within: time)
    }

    func succeeded(inQueue: Bool) {
      state.withLock { state in
        if inQueue {
          state.left = max(0, state.left - 1)
        } else {
          state.length = max(4, state.length / 2)
        }
      }
    }

    /// - Parameter isTimeOut: Whether the write has waited for a lock too long.
    func conflicted(inQueue: Bool, isTimeOut: Bool) {
      state.withLock { state in
        if inQueue, isTimeOut {
          state.left = 0
          return
        }
        state.length = min(Self.longest, state.length * 2)
        state.left = state.length
      }
    }
  }

  extension Connection {
    /// Sends a statement whose waits for locks end after some milliseconds.
    func sendQuietly(
      _ statement: Statement, _ parameters: borrowing Parameters = Parameters(), within time: Int64
    ) throws {
      try sendQuietly(Statement("SET LOCAL lock_timeout = \(time)"))
      try sendQuietly(statement, parameters)
      try sendQuietly(Statement("SET LOCAL lock_timeout = \(lockTimeout)"))
    }
  }
#endif
