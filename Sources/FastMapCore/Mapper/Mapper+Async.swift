// The calls of Mapper.swift for async code. Each runs on a thread of its own, so the threads that Swift's tasks share
// are never blocked; the transaction begins and ends there and crosses no await. The task's cancellation is the
// import's.
extension Mapper {
  /// Imports one JSON text, or one a line, on a thread of its own.
  ///
  ///     let report = try await mapper.importJSON(bytes, as: plan)
  ///
  /// - Parameters:
  ///   - bytes: UTF-8.
  ///   - plan: The compiled mapping of the root objects.
  ///   - options: How it is done.
  /// - Returns: What was done.
  /// - Throws: As the call without `await`, and `CancellationError` where the task or `options.progress` was
  ///   cancelled: the store is unchanged then, but for what `options.commitInterval` committed before.
  public func importJSON(
    _ bytes: [UInt8], as plan: Plan, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(options) { options throws in try importJSON(bytes, as: plan, options: options) }
  }

  /// Imports one JSON text through a mapping that needs no other by name, on a thread of its own.
  ///
  /// - SeeAlso: The call with a plan.
  public func importJSON<Object>(
    _ bytes: [UInt8], as mapping: Mapping<Object>, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    defer { options.progress?.end() }
    return try await importJSON(bytes, as: plan(of: mapping), options: options)
  }

  /// Imports a file on a thread of its own.
  ///
  /// - Parameters:
  ///   - path: The file, which nobody may change during the call; a pipe is imported as it is read.
  ///   - plan: The compiled mapping of the root objects.
  ///   - options: How; nil for the defaults, and the format that the name says.
  /// - Returns: What was done.
  /// - Throws: As the call without `await`, and `CancellationError`.
  public func importFile(
    _ path: String, as plan: Plan, options: ImportOptions? = nil
  ) async throws -> ImportReport {
    try await apart(options ?? Self.options(forFile: path)) { options throws in
      try importFile(path, as: plan, options: options)
    }
  }

  /// Imports a file through a mapping that needs no other by name, on a thread of its own.
  public func importFile<Object>(
    _ path: String, as mapping: Mapping<Object>, options: ImportOptions? = nil
  ) async throws -> ImportReport {
    defer { options?.progress?.end() }
    return try await importFile(path, as: plan(of: mapping), options: options)
  }

  /// Imports one JSON text on a thread of its own and returns its root objects, with their relationships.
  ///
  /// Only for classes that are `Sendable`, as the instances come from another thread; for others, import
  /// with `await` and read them on the thread that wants them.
  public func objects<Object: AnyObject & Sendable>(
    from bytes: [UInt8], as mapping: Mapping<Object>, options: ImportOptions = ImportOptions()
  ) async throws -> [Object] {
    try await apart(options) { options throws in
      try objects(from: bytes, as: mapping, options: options)
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
