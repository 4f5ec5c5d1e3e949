extension Serializer {
  /// Writes the objects of the plan's first mapping to a file, on its own thread.
  ///
  ///     let report = try await serializer.exportFile("people.ndjson", from: store)
  ///
  /// The threads that Swift's tasks share are never blocked. Instances of main-actor classes are written on the main
  /// actor.
  ///
  /// - Throws: The same errors as the call without `await`. `CancellationError` if the task was cancelled. The file
  ///   is then unchanged, and no partial file remains.
  /// - SeeAlso: The call without `await`, for its parameters.
  @discardableResult
  public func exportFile(
    _ path: String, from store: some Store, keys: (any KeyRangeExpression)? = nil,
    limit: Int = .max,
    options: ExportOptions? = nil
  ) async throws -> ExportReport {
    let isCancelled = AtomicFlag()
    let keys = keys?.keyRange
    var options = options ?? ExportOptions(format: JSONFormat(ofFile: path))
    let inner = options.onProgress
    options.onProgress = { progress in
      if isCancelled.isSet { throw CancellationError() }
      try inner?(progress)
    }
    return try await withTaskCancellationHandler { [options] in
      try await OwnThread.value {
        if isCancelled.isSet { throw CancellationError() }
        return try exportFile(path, from: store, keys: keys, limit: limit, options: options)
      }
    } onCancel: {
      isCancelled.set()
    }
  }
}
