// Imports of what arrives piece by piece, in memory that does not grow with it: a window of a few megabytes, or
// of the largest root object. The transaction is open from the first piece to the last, or as
// `options.commitInterval` says; other writers wait for it. What is wrong late in a stream ends it late, and the
// store is then as it was.
//
// A store that has to make room runs a transaction again, and a stream cannot be read again: what a transaction
// has read is therefore kept until its end in a file without a name, in `TMPDIR`, or else in `/var/tmp`, unless
// `Store.runsWritesOnce`.
extension Mapper {
  /// Imports what a pipe, a socket or a file has to say, until its end.
  ///
  ///     let report = try mapper.importDescriptor(STDIN_FILENO, as: plan)
  ///
  /// It does what the import of the same text in memory does. A text with a root path is not checked to its
  /// end before the first object is mapped, but after the last one, so of two faults another one may be named;
  /// and a second member of a name on the root path is refused once objects of the first have been mapped.
  ///
  /// - Parameters:
  ///   - descriptor: Open for reading; stays the caller's. It may be non-blocking.
  ///   - name: What it is called in a message.
  ///   - mapping: Of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done. Its progress can cancel the import, also while there is nothing to read.
  /// - Returns: What was done.
  /// - Throws: As `importJSON(_:as:options:)`, and ``FileError`` where the
  ///   descriptor cannot be read or what was read cannot be kept.
  public func importDescriptor(
    _ descriptor: Int32, name: String = "input", as mapping: some PlanSource,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    let input = DescriptorInput(descriptor: descriptor, name: name)
    return try importStream(as: plan, options: options) { try input.read(into: $0, isCancelled: $1) }
  }

  /// Imports what a pipe, a socket or a file has to say, on a thread of its own.
  ///
  /// - SeeAlso: `importDescriptor(_:name:as:options:)`
  nonisolated(nonsending) public func importDescriptor(
    _ descriptor: Int32, name: String = "input", as mapping: some PlanSource,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(mapping, options) { plan, options throws in
      try importDescriptor(descriptor, name: name, as: plan, options: options)
    }
  }

  /// Imports a text that arrives in chunks, cut anywhere.
  ///
  ///     let report = try await mapper.importChunks(response.body, as: plan)
  ///
  /// A thread of its own imports; the sequence is asked for more only while less than 2 MiB wait there. The
  /// sequence's error ends the import and is thrown; an import that ends early, or whose task is cancelled,
  /// cancels the task in which the sequence is waited for, and returns once the sequence has noticed.
  ///
  /// - Parameters:
  ///   - chunks: UTF-8. Waited for in another task.
  ///   - mapping: Of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done.
  /// - Returns: What was done.
  /// - Throws: As `importDescriptor(_:name:as:options:)`; what `chunks` throws;
  ///   `CancellationError`.
  nonisolated(nonsending) public func importChunks<Source: PlanSource, Chunks: AsyncSequence & Sendable>(
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
  /// - SeeAlso: ``importChunks(_:as:options:)``
  nonisolated(nonsending) public func importBytes<Source: PlanSource, Bytes: AsyncSequence & Sendable>(
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
          // A sequence may just end when its task is cancelled.
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

  /// Imports what `input` has to say.
  ///
  /// - Parameters:
  ///   - window: Bytes to begin with.
  ///   - peak: Told the largest number of bytes that were set aside for the text.
  package func importStream(
    as plan: Plan, options: ImportOptions, window size: Int = 1 << 18, peak: ((Int) -> Void)? = nil,
    _ input: @escaping (UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool) throws -> Int
  ) throws -> ImportReport {
    let window = TextWindow(size: size) { room, isInterrupted in
      try input(room) { isInterrupted() || Self.isCancelled(options) }
    }
    defer { peak?(window.size) }
    return try run(plan, options, byteCount: nil) {
      try RootSource(window, plan: plan, options: options)
    }
  }

  private static func isCancelled(_ options: ImportOptions) -> Bool {
    options.progress?.isCancelled ?? false || Task.isCancelled
  }
}
