internal import Synchronization

/// How far one import has come, and a way to stop it, for any thread.
///
///     let progress = ImportProgress()
///     var options = ImportOptions()
///     options.progress = progress
///     let updates = progress.updates     // before the import begins, so that it has at least the last step
///     Task { for await step in updates { print(step.bytes, "of", step.totalBytes) } }
///     let report = try await mapper.importFile("people.json", as: plan, options: options)
///
/// It belongs to one import: make a new one for the next.
///
/// - Note: Thread rule: any thread may use it at any time.
public final class ImportProgress: Sendable {
  private let bytes = Atomic<Int>(0)
  private let totalBytes = Atomic<Int>(0)
  private let rootObjects = Atomic<Int>(0)
  private let wasCancelled = Atomic<Bool>(false)
  private let listeners = Mutex<Listeners>(Listeners())

  private struct Listeners {
    var continuations: [AsyncStream<ImportOptions.Progress>.Continuation] = []
    var hasEnded = false
  }

  /// Makes the progress of an import that has not begun.
  public init() {}

  /// How far the import has come: 0 of 0 before it has begun.
  public var current: ImportOptions.Progress {
    ImportOptions.Progress(
      bytes: bytes.load(ordering: .relaxed), totalBytes: totalBytes.load(ordering: .relaxed),
      rootObjects: rootObjects.load(ordering: .relaxed))
  }

  /// The steps from now on; it ends with the import, however that ends. A reader that is slow misses steps, and
  /// never delays the import, and one that comes when it has ended gets the last step.
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

  /// Whether the import has been told to stop.
  public var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

  /// Tells the import to stop: it throws `CancellationError` after the batch at hand and rolls back. What
  /// `ImportOptions.commitInterval` committed stays. One that has not begun will not begin.
  public func cancel() { wasCancelled.store(true, ordering: .relaxed) }

  func note(_ step: ImportOptions.Progress) {
    bytes.store(step.bytes, ordering: .relaxed)
    totalBytes.store(step.totalBytes, ordering: .relaxed)
    rootObjects.store(step.rootObjects, ordering: .relaxed)
    for continuation in listeners.withLock({ $0.continuations }) { continuation.yield(step) }
  }

  func end() {
    let continuations = listeners.withLock { listeners in
      defer { listeners = Listeners(hasEnded: true) }
      return listeners.continuations
    }
    for continuation in continuations { continuation.finish() }
  }
}
