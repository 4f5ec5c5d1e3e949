internal import FastMapSystem
internal import Synchronization

/// Checks that main-actor classes are used on the main actor. Called once for each read, write or export.
package enum MainIsolation {
  /// Throws for an entity with a main-actor class, except on the main actor.
  package static func check(_ entity: String?) throws(MainActorError) {
    guard let entity, !isCurrent else { return }
    throw MainActorError(entity: entity)
  }

  /// Whether the calling thread runs the main actor. Takes about 0.3 µs.
  ///
  /// On Linux the main actor may run on any thread: once `main` has suspended, any free thread runs the main queue.
  /// Swift offers no query for that. `MainActor.shared.preconditionIsolated` ends the process if the answer is no,
  /// and `isIsolatingCurrentContext` is not available.
  ///
  /// An immediate task of the main actor runs at once on this thread if the caller is on the main actor. Otherwise it
  /// runs later on another thread, perhaps even before this call returns. A block on Dispatch's main queue is not
  /// recognised, and so refused.
  package static var isCurrent: Bool {
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
  /// The thread on which a task ran; 0 before that.
  private final class RanOn: Sendable {
    let thread = Atomic<UInt>(0)
  }
#endif
