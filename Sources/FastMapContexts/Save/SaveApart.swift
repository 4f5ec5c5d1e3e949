/// A save on a thread of its own. Its result is shown once: by the task that waits for it, or by a call without `await` before.
final class SaveApart {
  let save: ContextSave
  private let store: any Store
  private let retries: RetryPolicy
  private let start: ContinuousClock.Instant
  private let transaction = Outcome()
  private var report: Result<ImportReport, any Error>?

  /// The longest wait of a call without `await`. Its thread may hold a snapshot that the store waits for.
  private static let patience = Duration.seconds(5)

  init(
    _ save: ContextSave, in store: any Store, _ retries: RetryPolicy, since start: ContinuousClock.Instant
  ) {
    (self.save, self.store, self.retries, self.start) = (save, store, retries, start)
  }

  /// Runs the transaction on a thread of its own, and waits for its end. The cancellation of the task ends it from the first moment.
  nonisolated(nonsending) func run() async {
    await withTaskCancellationHandler {
      begin()
      await withCheckedContinuation { transaction.resumeAtEnd($0) }
    } onCancel: { [save] in
      save.cancellation.set()
    }
  }

  private func begin() {
    do {
      try OwnThread { [save, store, retries, transaction] in
        transaction.end(Result { try store.write(save, retries) })
      }.detach()
    } catch {
      transaction.end(.failure(error))
    }
  }

  /// Blocks the thread until the transaction has ended.
  ///
  /// - Throws: ``ContextError`` after some seconds.
  func waitBlocking() throws(ContextError) {
    if !transaction.hasEnded(within: Self.patience) { throw .isSaving }
  }

  /// Shows the result of the ended transaction in the context, the first time.
  func finish(_ context: ObjectContext, _ loader: ContextLoader) throws -> ImportReport {
    if let report { return try report.get() }
    let shown = Result { () throws -> ImportReport in
      do { try transaction.result?.get() } catch {
        save.forgetNumbers()
        throw error
      }
      return try context.showSaved(save, loader, since: start)
    }
    report = shown
    loader.running = nil
    loader.isSaving = false
    if !context.isOpen { loader.graph.clearRelationships() }
    return try shown.get()
  }

  /// The end of a transaction on another thread.
  // @unchecked: the monitor guards its members.
  private final class Outcome: @unchecked Sendable {
    private let monitor = Monitor()
    private var ending: Result<Void, any Error>?
    private var waiting: CheckedContinuation<Void, Never>?

    var result: Result<Void, any Error>? { monitor.locked { ending } }

    func end(_ result: Result<Void, any Error>) {
      let waiting = monitor.locked {
        ending = result
        monitor.wakeAll()
        return self.waiting
      }
      waiting?.resume()
    }

    func resumeAtEnd(_ continuation: CheckedContinuation<Void, Never>) {
      let hasEnded = monitor.locked {
        if ending == nil { waiting = continuation }
        return ending != nil
      }
      if hasEnded { continuation.resume() }
    }

    func hasEnded(within patience: Duration) -> Bool {
      let end = ContinuousClock.now + patience
      return monitor.locked {
        while ending == nil, ContinuousClock.now < end { monitor.waitBriefly() }
        return ending != nil
      }
    }
  }
}

/// The saves and the imports of a context with `await`, one after the other.
struct Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// The number of those in `waiting` that had their turn.
  private var begun = 0

  /// Takes the turn if it is free.
  mutating func take() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  mutating func append(_ next: CheckedContinuation<Void, Never>) { waiting.append(next) }

  /// Gives the turn to the next one.
  mutating func pass() {
    guard begun < waiting.count else {
      (isTaken, waiting, begun) = (false, [], 0)
      return
    }
    begun += 1
    waiting[begun - 1].resume()
  }
}
