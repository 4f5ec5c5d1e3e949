internal import Synchronization

extension Serializer {
  /// Writes the objects of the plan's first mapping to a file, on a thread of its own: the threads that Swift's tasks
  /// share are not blocked.
  ///
  ///     let report = try await serializer.exportFile("people.ndjson", from: store)
  ///
  /// - Throws: As the call without `await`, and `CancellationError` where the task was cancelled. The file is as it was
  ///   then, and nothing is left beside it.
  /// - SeeAlso: The call without `await`, for its parameters.
  @discardableResult
  public func exportFile(
    _ path: String, from store: some Store, keys: (some KeyRangeExpression)? = KeyRange?.none,
    limit: Int = .max,
    options: ExportOptions? = nil
  ) async throws -> ExportReport {
    let isCancelled = CancellationFlag()
    let keys = keys?.keyRange
    var options = options ?? ExportOptions(forFile: path)
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

private final class CancellationFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
