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
    let start = ContinuousClock.now
    let (loader, save) = try makeSave(rule)
    if save.changes.isEmpty { return try showSaved(save, loader, since: start) }
    loader.isSaving = true
    defer {
      loader.isSaving = false
      if !isOpen { loader.graph.clearRelationships() }
    }
    do {
      try await withTaskCancellationHandler {
        try await OwnThread.value { [store] in try store.write(save, retries) }
      } onCancel: {
        save.cancellation.set()
      }
    } catch {
      save.forgetNumbers()
      throw error
    }
    return try showSaved(save, loader, since: start)
  }
}
