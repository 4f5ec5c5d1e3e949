// The calls of Mapper.swift for async code. Each runs on a thread of its own, so the threads that Swift's tasks share
// are never blocked; the transaction begins and ends there and crosses no await. The task's cancellation is the
// import's.
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
  ///   cancelled: the store is unchanged then, but for what `options.commitInterval` committed before.
  public func importJSON(
    _ json: some JSONText & Sendable, as mapping: some PlanSource, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(options) { options throws in try importJSON(json, as: mapping, options: options) }
  }

  /// Imports a file on a thread of its own.
  ///
  /// - Parameters:
  ///   - path: The file, which nobody may change during the call; a pipe is imported as it is read.
  ///   - mapping: Of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How; nil for the defaults, and the format that the name says.
  /// - Returns: What was done.
  /// - Throws: As the call without `await`, and `CancellationError`.
  public func importFile(
    _ path: String, as mapping: some PlanSource, options: ImportOptions? = nil
  ) async throws -> ImportReport {
    try await apart(options ?? Self.options(forFile: path)) { options throws in
      try importFile(path, as: mapping, options: options)
    }
  }

  /// Imports one JSON text on a thread of its own and returns its root objects, with their relationships.
  ///
  /// Only for classes that are `Sendable`, as the instances come from another thread; for others, import
  /// with `await` and read them on the thread that wants them.
  public func objects<Object: AnyObject & Sendable>(
    from json: some JSONText & Sendable, as mapping: Mapping<Object>, options: ImportOptions = ImportOptions()
  ) async throws -> [Object] {
    try await apart(options) { options throws in
      try objects(from: json, as: mapping, options: options)
    }
  }

  /// Runs `body` on a thread of its own, which the task's cancellation reaches through the progress.
  func apart<R: Sendable>(
    _ options: ImportOptions, _ body: @escaping @Sendable (ImportOptions) throws -> R
  ) async throws -> R {
    var options = options
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
