internal import FastMapStoreKit
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Lets one thread of this process write at a time. `BEGIN IMMEDIATE` would, too, but by waiting a while and looking
/// again.
final class WriteTurn: Sendable {
  private struct Known {
    weak var turn: WriteTurn?
  }

  /// By the paths of the files that are open.
  private static let known = Mutex<[Bytes: Known]>([:])

  /// The turn of a file, the same for all its stores in this process.
  static func ofFile(_ path: String) -> WriteTurn {
    known.withLock { known in
      known = known.filter { $0.value.turn != nil }
      if let turn = known[Bytes(text: path)]?.turn { return turn }
      let turn = WriteTurn()
      known[Bytes(text: path)] = Known(turn: turn)
      return turn
    }
  }

  private let turn = Mutex(())
  /// The thread that writes; 0 where none does.
  private let writingThread = Atomic<UInt>(0)

  /// - Throws: ``SQLiteStoreError/writeInsideWrite`` where the thread has the turn already.
  func take<R>(_ body: () throws -> R) throws -> R {
    let thread = Self.currentThread
    if writingThread.load(ordering: .relaxed) == thread { throw SQLiteStoreError.writeInsideWrite }
    var outcome: Result<R, any Error>?
    turn.withLock { _ in
      writingThread.store(thread, ordering: .relaxed)
      outcome = Result { try body() }
      writingThread.store(0, ordering: .relaxed)
    }
    guard let outcome else { preconditionFailure("the turn has come") }
    return try outcome.get()
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
