// The `async` versions of the calls in Mapper.swift. Each works on its own thread, so it never blocks the threads
// that tasks share. The transaction begins and ends on that thread and crosses no await. Cancelling the task cancels
// the import.
//
// The calls run on their caller's actor until they have the plan, because only the main actor can get the plan of a
// `MainActorMapping`.
extension Mapper {
  /// Imports JSON on a separate thread.
  ///
  ///     let report = try await mapper.importJSON(bytes, as: plan)
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - mapping: The mapping of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done.
  /// - Returns: The report of the import.
  /// - Throws: As the call without `await`, and `CancellationError` where the task or `options.progress` was
  ///   cancelled: the store is unchanged then, except for commits of
  ///   `options.commitInterval` before.
  nonisolated(nonsending) public func importJSON<Source: PlanSource>(
    _ json: some JSONSource & Sendable, as mapping: Source, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(mapping, options) { plan, options throws in
      try importJSON(json, as: plan, options: options)
    }
  }

  /// Imports JSON with the mapping of a main-actor class, on a separate thread: from any actor, and in an `async let`.
  ///
  ///     async let report = mapper.importJSON(bytes, as: Contact.mapping)
  ///
  /// - SeeAlso: The import with any mapping, whose parameters it has.
  @MainActor
  public func importJSON<Object: AnyObject>(
    _ json: some JSONSource & Sendable, as mapping: MainActorMapping<Object>,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(mapping, options) { plan, options throws in
      try importJSON(json, as: plan, options: options)
    }
  }

  /// Runs `body` on a separate thread. Cancelling the task reaches it through the progress.
  ///
  /// - Parameter body: Receives the plan and the options to import with.
  nonisolated(nonsending) package func apart<R: Sendable>(
    _ mapping: some PlanSource, _ options: ImportOptions,
    _ body: @escaping @Sendable (Plan, ImportOptions) throws -> R
  ) async throws -> R {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try await options.apart { try body(plan, $0) }
  }
}

extension ImportOptions {
  /// Runs `body` on a separate thread. Cancelling the task reaches it through the progress.
  ///
  /// - Parameter body: Receives the options to import with.
  nonisolated(nonsending) package func apart<R: Sendable>(
    _ body: @escaping @Sendable (ImportOptions) throws -> R
  ) async throws -> R {
    var options = self
    let progress = options.progress ?? ImportProgress()
    options.progress = progress
    defer { progress.end() }
    return try await withTaskCancellationHandler { [options] in
      try await OwnThread.value { try body(options) }
    } onCancel: {
      progress.cancel()
    }
  }
}
