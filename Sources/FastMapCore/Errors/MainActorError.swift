internal import FastMapSystem
internal import Synchronization

/// Instances of a main-actor class were to be touched elsewhere.
///
///     Person is a class of the main actor: its instances are read and set there alone
///
/// The compiler refuses most of it. What it cannot see is refused when it runs: a store that keeps such instances, or a
/// serializer of them, is used on another thread. Nothing has been read or changed then.
public struct MainActorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The entity of the class.
  public let entity: String

  public var description: String {
    "\(entity) is a class of the main actor: its instances are read and set there alone"
  }
}

/// Who may touch instances of main-actor classes. Asked once for a read, a write or an export, not for each property.
package enum MainIsolation {
  /// Refuses an entity with a main-actor class anywhere but on the main actor.
  package static func check(_ entity: String?) throws(MainActorError) {
    guard let entity, !isCurrent else { return }
    throw MainActorError(entity: entity)
  }

  /// Whether the calling thread runs the main actor. About 0.3 µs.
  ///
  /// On Linux that need not be the main thread: once `main` has suspended, the main queue runs on whichever thread has
  /// time. Swift's own question, `MainActor.shared.preconditionIsolated`, ends the process where the answer is no, and
  /// `isIsolatingCurrentContext` has no answer there. But an immediate task of the main actor runs at once, on this thread,
  /// if the caller is on it; if not, later and on another, perhaps before this thread goes on. It does not know a block
  /// that was put on Dispatch's main queue by hand: that is refused.
  static var isCurrent: Bool {
    #if canImport(Darwin)
      return pthread_main_np() == 1
    #else
      let ran = RanOn()
      _ = Task<Void, Never>.immediate { @MainActor in
        ran.thread.store(UInt(pthread_self()), ordering: .relaxed)
      }
      return ran.thread.load(ordering: .relaxed) == UInt(pthread_self())
    #endif
  }
}

#if !canImport(Darwin)
  /// The thread that a task has run on; 0 before.
  private final class RanOn: Sendable {
    let thread = Atomic<UInt>(0)
  }
#endif
