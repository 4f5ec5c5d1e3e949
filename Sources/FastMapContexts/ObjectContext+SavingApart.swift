extension ObjectContext {
  /// Saves, and waits for the store on a thread of its own.
  ///
  ///     try await context.save()
  ///
  /// The save takes the changes made before the call. Values that you set in instances meanwhile are for the next save.
  /// Other uses of the context throw ``ContextError/Reason/isSaving`` until it is done, except ``end()``, and awaiting reads,
  /// which wait for it.
  ///
  /// - Parameters:
  ///   - rule: Decides about conflicts.
  ///   - retries: How often the transaction is tried if the store reports a conflict of transactions.
  /// - Returns: The report, with the conflicts.
  /// - Throws: As the call without `await`, and `CancellationError` if the task is cancelled before the commit. Nothing is saved
  ///   then, and the context is as before.
  /// - SeeAlso: The call without `await`.
  @discardableResult
  nonisolated(nonsending) public func save(
    onConflict rule: ConflictRule = .fail, retries: RetryPolicy = RetryPolicy()
  ) async throws -> ImportReport {
    try Task.checkCancellation()
    let loader = try open()
    let start = ContinuousClock.now
    try rule.check(plan.schema)
    let save = try ContextSave(ContextChanges(loader.graph), rule)
    if !save.changes.isEmpty {
      loader.isSaving = true
      defer {
        loader.isSaving = false
        if !isOpen { loader.graph.clearRelationships() }
      }
      let work = SaveWork(save)
      do {
        try await withTaskCancellationHandler {
          try await OwnThread.value { [store] in try store.write(work.save, retries) }
        } onCancel: {
          work.save.cancellation.set()
        }
      } catch {
        save.forgetNumbers()
        throw error
      }
      if isOpen {
        try showSaved(save, loader)
      } else {
        // They are taken apart with the others.
        for edit in save.new { loader.graph.add(edit.member, to: loader.graph[edit.member.entity]) }
      }
    } else {
      loader.removeForgotten()
    }
    let report = report(of: save, since: start)
    if !save.changes.isEmpty, isOpen { try loader.throwUnreadable(report) }
    return report
  }
}

/// A save that goes to a thread and comes back.
// @unchecked: the context refuses other uses meanwhile, and the transaction reads no instance.
private final class SaveWork: @unchecked Sendable {
  let save: ContextSave

  init(_ save: ContextSave) { self.save = save }
}
