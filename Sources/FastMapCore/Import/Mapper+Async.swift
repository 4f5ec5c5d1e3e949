// The calls of Mapper.swift for async code. Each runs on a thread of its own, so the threads that Swift's tasks share
// are never blocked; the transaction begins and ends there and crosses no await. The task's cancellation is the
// import's.
//
// Instances of main-actor classes are made and set on the main actor, for which that thread waits. What a transaction maps
// is read and walked before, and a store that keeps instances is written there in one go: a thread that held the store's
// turn while it waited for the main actor would wait for ever where the main actor waits for the turn.
//
// The calls are of their caller's actor until they have the plan, which only the main actor has of a `MainMapping`.
extension Mapper {
  /// Imports one JSON text, or one a line, on a thread of its own.
  ///
  ///     let report = try await mapper.importJSON(bytes, as: plan)
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - mapping: Of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done.
  /// - Returns: What was done.
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

  /// Imports a file on a thread of its own.
  ///
  /// - Parameters:
  ///   - path: The file, which nobody may change during the call; a pipe is imported as it is read.
  ///   - mapping: Of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How; nil for the defaults, and the format that the name says.
  /// - Returns: What was done.
  /// - Throws: As the call without `await`, and `CancellationError`.
  nonisolated(nonsending) public func importFile(
    _ path: String, as mapping: some PlanSource, options: ImportOptions? = nil
  ) async throws -> ImportReport {
    try await apart(mapping, options ?? ImportOptions(format: JSONFormat(ofFile: path))) {
      plan, options throws in
      try importFile(path, as: plan, options: options)
    }
  }

  /// Imports one JSON text on a thread of its own and returns its root objects, with their relationships.
  ///
  ///     let people = try await mapper.objects(from: text, as: Person.mapping)
  ///
  /// The instances come from another thread, so their class must be `Sendable`. Those of a ``MainMapping`` are made and set on
  /// the main actor. For other classes, import with `await`, and read the instances on the thread that uses them.
  nonisolated(nonsending) public func objects<Source: ClassMapping>(
    from json: some JSONSource & Sendable, as mapping: Source, options: ImportOptions = ImportOptions()
  ) async throws -> [Source.Object] where Source.Object: Sendable {
    try await apart(mapping, options) { plan, options throws in
      try objects(from: json, plan, options)
    }
  }

  /// Runs `body` on a thread of its own, which the task's cancellation reaches through the progress.
  ///
  /// - Parameter body: Gets the plan and the options to import with.
  nonisolated(nonsending) func apart<R: Sendable>(
    _ mapping: some PlanSource, _ options: ImportOptions,
    _ body: @escaping @Sendable (Plan, ImportOptions) throws -> R
  ) async throws -> R {
    var options = options
    let progress = options.progress ?? ImportProgress()
    options.progress = progress
    defer { progress.end() }
    let plan = try mapping.plan(transforms: transforms)
    options.isApartFromMain = plan.schema.mainEntity != nil
    return try await withTaskCancellationHandler { [options] in
      try await OwnThread.value { try body(plan, options) }
    } onCancel: {
      progress.cancel()
    }
  }
}
