extension Serializer {
  /// Writes the objects of a query to a file, in its order, or all objects of the serializer's mapping.
  ///
  ///     try serializer.exportFile("people.ndjson", from: store)
  ///     try serializer.exportFile("adults.ndjson", of: Person.mapping.where { $0.age >= 18 }, from: store)
  ///
  /// The text goes to a new file in the same directory. The new file replaces the old one once it is complete and on
  /// the disk.
  ///
  /// - Parameters:
  ///   - path: The file to create or replace. Links are followed. The extensions `.ndjson` and `.jsonl` select
  ///     NDJSON.
  ///   - query: A query of a mapping of the entity that the serializer writes. By default all objects, as in
  ///     ``export(_:from:options:to:)``.
  ///   - store: Read in one snapshot.
  ///   - options: The format of the text. Nil selects the format by the file's extension; explicit options ignore it.
  /// - Returns: The number of objects and bytes.
  /// - Throws: ``SystemError``, or as ``export(_:from:options:to:)``. The file is then unchanged, and no partial file remains.
  @discardableResult
  public func exportFile(
    _ path: String, of query: (any QueryConvertible)? = nil, from store: any Store,
    options: ExportOptions? = nil
  ) throws -> ExportReport {
    try exportFile(path, request(for: query), from: store, options ?? .init(format: JSONFormat(ofFile: path)))
  }

  private func exportFile(
    _ path: String, _ request: Request, from store: any Store, _ options: ExportOptions
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let report = try store.withReader(plan.schema) { reader in
      try export(request, from: &reader, options) { try file.write($0) }
    }
    try file.replaceTarget()
    return report
  }

  /// Writes instances of your own class to a file.
  ///
  /// - Parameters:
  ///   - path: The file to create or replace.
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, read one at a time.
  ///   - options: The format of the text. Nil selects the format by the file's extension.
  /// - Returns: The number of objects and bytes.
  /// - Throws: As the call for a store; also for an instance of another class.
  @discardableResult
  public func exportFile<Object: AnyObject>(
    _ path: String, of objects: some Sequence<Object>, options: ExportOptions? = nil
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let report = try export(objects, options: options ?? .init(format: JSONFormat(ofFile: path))) {
      try file.write($0)
    }
    try file.replaceTarget()
    return report
  }

  /// Writes objects to a file, on a thread of its own.
  ///
  ///     let report = try await serializer.exportFile("people.ndjson", from: store)
  ///
  /// The threads that Swift's tasks share are never blocked.
  ///
  /// - Throws: As the call without `await`, and `CancellationError` if the task was cancelled. The file is then unchanged, and no
  ///   partial file remains.
  /// - SeeAlso: The call without `await`, for its parameters.
  @discardableResult
  nonisolated(nonsending) public func exportFile(
    _ path: String, of query: (any QueryConvertible)? = nil, from store: any Store,
    options: ExportOptions? = nil
  ) async throws -> ExportReport {
    let request = try request(for: query)
    let isCancelled = AtomicFlag()
    var options = options ?? ExportOptions(format: JSONFormat(ofFile: path))
    let inner = options.onProgress
    options.onProgress = { progress in
      if isCancelled.isSet { throw CancellationError() }
      try inner?(progress)
    }
    return try await withTaskCancellationHandler { [options] in
      try await OwnThread.value {
        if isCancelled.isSet { throw CancellationError() }
        return try exportFile(path, request, from: store, options)
      }
    } onCancel: {
      isCancelled.set()
    }
  }
}
