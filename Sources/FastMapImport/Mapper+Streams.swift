// Imports of streams, in memory that does not grow with them: a window of a few megabytes, or of the largest root object.
// The transaction is open from the first piece to the last, unless there is an `options.commitInterval`, and other writers
// wait for it. An error late in the stream rolls it back.
//
// A store that needs more room runs a transaction again, and a stream cannot be read again. So a transaction keeps its
// text until its end in an unnamed file in `TMPDIR`, or else in `/var/tmp`, unless `StoreCapabilities.runsWritesOnce`.
extension Mapper {
  /// Imports a file, or all text from a pipe or a socket.
  ///
  ///     let report = try mapper.importJSON(.file("people.ndjson"), as: plan)
  ///
  /// The result is the same as by the import of the text in memory, with two differences for a stream with a root
  /// path. The rest of the text is checked after the last object, not before the first, so another one of two faults
  /// may be named. And a second member with a name on the root path is refused once objects of the first have been mapped.
  ///
  /// - Parameters:
  ///   - input: The file or the descriptor.
  ///   - mapping: The mapping of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done. Nil takes the format ``JSONFormat/automatic``; explicit options ignore the name, but with that
  ///     format. Their progress can cancel the import, also while there is nothing to read.
  /// - Returns: The report of the import.
  /// - Throws: As `importJSON(_:as:options:)` of a text, and ``SystemError`` where the input cannot be read or its text cannot be
  ///   kept.
  public func importJSON(
    _ input: JSONInput, as mapping: some PlanSource, options: ImportOptions? = nil
  ) throws -> ImportReport {
    let options = options ?? ImportOptions(format: .automatic)
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    switch input {
    case .file(let path):
      return try importJSON([.file(path, isNamed: false, options)], as: plan, options: options)
    case .files(let paths):
      return try importJSON(paths.map { .file($0, isNamed: true, options) }, as: plan, options: options)
    case .descriptor(let descriptor, let name):
      let input = DescriptorInput(descriptor: descriptor, name: name)
      return try importStream(as: plan, options: options) { try input.read(into: $0, isCancelled: $1) }
    }
  }

  /// Imports a file, or all text from a pipe or a socket, on a thread of its own.
  ///
  /// - Throws: As the call without `await`, and `CancellationError`.
  /// - SeeAlso: The call without `await`, for its parameters.
  nonisolated(nonsending) public func importJSON(
    _ input: JSONInput, as mapping: some PlanSource, options: ImportOptions? = nil
  ) async throws -> ImportReport {
    try await apart(mapping, options ?? ImportOptions(format: .automatic)) { plan, options throws in
      try importJSON(input, as: plan, options: options)
    }
  }

  /// Imports a text that arrives in chunks, cut anywhere.
  ///
  ///     let report = try await mapper.importJSON(response.body, as: plan)
  ///
  /// A thread of its own imports. The thread takes more chunks only while less than 2 MiB wait for it. An error of the
  /// sequence ends the import and is thrown. An import that fails or is cancelled cancels the task that waits for the
  /// sequence, and returns once that has ended.
  ///
  /// - Parameters:
  ///   - chunks: UTF-8. Another task waits for it.
  ///   - mapping: The mapping of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done.
  /// - Returns: The report of the import.
  /// - Throws: As the import of a descriptor, the errors of `chunks`, and `CancellationError`.
  nonisolated(nonsending) public func importJSON<Source: PlanSource, Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, as mapping: Source, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport where Chunks.Element == [UInt8] {
    try await importing(mapping, options) { queue in
      for try await chunk in chunks {
        guard await queue.push(chunk) else { return }
      }
    }
  }

  /// Imports a text that arrives byte by byte, in an asynchronous sequence.
  ///
  /// - SeeAlso: The call for chunks.
  nonisolated(nonsending) public func importJSON<Source: PlanSource, Bytes: AsyncSequence & Sendable>(
    _ bytes: Bytes, as mapping: Source, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport where Bytes.Element == UInt8 {
    try await importing(mapping, options) { queue in
      var chunk: [UInt8] = []
      for try await byte in bytes {
        chunk.append(byte)
        guard chunk.count == 16_384 else { continue }
        guard await queue.push(chunk) else { return }
        chunk.removeAll(keepingCapacity: true)
      }
      _ = await queue.push(chunk)
    }
  }

  nonisolated(nonsending) private func importing(
    _ mapping: some PlanSource, _ options: ImportOptions,
    _ feed: @escaping @Sendable (ChunkQueue) async throws -> Void
  ) async throws -> ImportReport {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    let queue = ChunkQueue()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await feed(queue)
          // A sequence may simply end when its task is cancelled.
          try Task.checkCancellation()
          queue.finish(.success(()))
        } catch {
          queue.finish(.failure(error))
        }
      }
      defer {
        queue.close()
        group.cancelAll()
      }
      return try await withTaskCancellationHandler {
        try await apart(plan, options) { plan, options throws in
          try importStream(as: plan, options: options) { try queue.read(into: $0, isCancelled: $1) }
        }
      } onCancel: {
        queue.wake()
      }
    }
  }

  /// Imports the text that `input` reads.
  ///
  /// - Parameters:
  ///   - window: Bytes to begin with.
  ///   - peak: Receives the largest number of bytes that were allocated for the text.
  package func importStream(
    as plan: Plan, options: ImportOptions, window size: Int = 1 << 18, peak: ((Int) -> Void)? = nil,
    _ input: @escaping (UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool) throws -> Int
  ) throws -> ImportReport {
    let window = TextWindow(size: size) { room, isInterrupted in
      try input(room) { isInterrupted() || options.isCancelled }
    }
    defer { peak?(window.size) }
    return try run(plan, options, byteCount: nil) {
      RootSources(try RootSource(window, plan: plan, options: options), plan: plan, options: options)
    }
  }

  /// Imports inputs as one payload.
  package func importJSON(
    _ inputs: [ImportInput], as plan: Plan, options: ImportOptions
  ) throws -> ImportReport {
    let sizes = inputs.compactMap(\.size)
    let size = sizes.count == inputs.count ? sizes.reduce(0, +) : nil
    return try run(plan, options, byteCount: size) { try RootSources(inputs, plan: plan, options: options) }
  }
}

extension ImportOptions {
  var isCancelled: Bool { progress?.isCancelled ?? false || Task.isCancelled }
}
