extension ObjectContext {
  /// Saves, and waits for the store on a thread of its own.
  ///
  ///     try await context.save()
  ///
  /// Several saves and imports with `await` wait for each other. The save takes the changes that were made before its turn, without a wait
  /// those before the call. Values that you set in instances meanwhile are for the next save.
  ///
  /// Other uses of the context wait for the save: reads with `await`, and the rest on their thread, at most five seconds. Where the context
  /// is the main actor's, or after these seconds, they throw a ``ContextError``. ``end()`` never waits.
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
    try await inTurn {
      try Task.checkCancellation()
      let start = ContinuousClock.now
      let (loader, save) = try makeSave(rule)
      if save.changes.isEmpty { return try showSaved(save, loader, since: start) }
      let apart = SaveApart(save, in: store, retries, since: start)
      loader.isSaving = true
      loader.running = apart
      await apart.run()
      return try apart.finish(self, loader)
    }
  }
}
