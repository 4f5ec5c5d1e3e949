internal import Synchronization

/// Reports the progress of one import, and can cancel it, on any thread.
///
///     let progress = ImportProgress()
///     var options = ImportOptions()
///     options.progress = progress
///     let updates = progress.updates     // before the import begins, so that it has at least the last step
///     Task { for await step in updates { print(step.bytes, "of", step.totalBytes) } }
///     let report = try await mapper.importJSON(.file("people.json"), as: plan, options: options)
///
/// For one import; make a new one for the next.
///
/// - Note: Thread rule: any thread may use it at any time.
public final class ImportProgress: Sendable {
  private let bytes = Atomic<Int>(0)
  private let totalBytes = Atomic<Int>(0)
  private let rootObjects = Atomic<Int>(0)
  private let indexedObjects = Atomic<Int>(0)
  private let objectsToIndex = Atomic<Int>(0)
  private let wasCancelled = Atomic<Bool>(false)
  private let listeners = Mutex<Listeners>(Listeners())

  private struct Listeners {
    var continuations: [AsyncStream<ImportOptions.Progress>.Continuation] = []
    var hasEnded = false
  }

  /// Makes the progress of an import that has not begun.
  public init() {}

  /// The current progress: 0 of 0 before the import begins. The progress goes back if a store runs a transaction again.
  public var current: ImportOptions.Progress {
    ImportOptions.Progress(
      bytes: bytes.load(ordering: .relaxed), totalBytes: totalBytes.load(ordering: .relaxed),
      rootObjects: rootObjects.load(ordering: .relaxed),
      indexedObjects: indexedObjects.load(ordering: .relaxed),
      objectsToIndex: objectsToIndex.load(ordering: .relaxed))
  }

  /// The steps from now on. The sequence ends with the import, with or without an error. A slow reader misses steps
  /// and never delays the import. A reader that starts after the end receives the last step.
  public var updates: AsyncStream<ImportOptions.Progress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let hasEnded = listeners.withLock {
        $0.continuations.append(continuation)
        return $0.hasEnded
      }
      if hasEnded {
        continuation.yield(current)
        continuation.finish()
      }
    }
  }

  /// Whether the import was cancelled.
  package var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

  /// Cancels the import: it throws `CancellationError` after the current batch and rolls back. Earlier commits of
  /// `ImportOptions.commitInterval` stay. An import that has not begun does not begin.
  public func cancel() { wasCancelled.store(true, ordering: .relaxed) }

  package func update(_ step: ImportOptions.Progress) {
    bytes.store(step.bytes, ordering: .relaxed)
    totalBytes.store(step.totalBytes, ordering: .relaxed)
    rootObjects.store(step.rootObjects, ordering: .relaxed)
    indexedObjects.store(step.indexedObjects, ordering: .relaxed)
    objectsToIndex.store(step.objectsToIndex, ordering: .relaxed)
    for continuation in listeners.withLock({ $0.continuations }) { continuation.yield(step) }
  }

  package func end() {
    let continuations = listeners.withLock { listeners in
      defer { listeners = Listeners(hasEnded: true) }
      return listeners.continuations
    }
    for continuation in continuations { continuation.finish() }
  }
}
