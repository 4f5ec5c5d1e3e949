internal import FastMapMapping
internal import FastMapStoreKit

/// The transactions of an import: each is retried from its checkpoint, and run again without the objects in conflict.
extension Importer {
  /// The state and the marks at the beginning of a transaction.
  private struct Checkpoint {
    let state: State
    let rootCount: Int
    let faults: ImportFaults.Mark
    let removed: DeletionCandidates.Mark
    let late: PendingLinks.Mark
  }

  package func run<S: Store>(in store: S) throws {
    let open = try store.openTransaction?.run()
    if open != nil { try options.checkInTransaction() }
    try plan.checkUniqueIndexes(store.capabilities)
    try findRestMoves(in: store)
    if !options.isDryRun {
      var schema = plan.schema.changingStore
      if let file = options.mappingFile { schema.keptFile = { KeptMappings.file($0, adding: file) } }
      state.notes += try store.prepare(schema)
    }
    // A new store may have no fingerprints before it is prepared.
    let capabilities = store.capabilities
    batches.use(capabilities)
    let declaresUnique = plan.schema.entities.contains { $0.indexes.contains(where: \.isUnique) }
    let isHeld = !capabilities.runsWritesOnce || declaresUnique || tombstones != nil
    canRunAgain = source.goesBack(isHeld: isHeld)
    transaction = try open.map { ($0, try $0.beginImport(source, isHeld: isHeld)) }
    var isDone = false
    while !isDone {
      source.hold(state.position, isHeld: isHeld)
      let before = state.rootObjects
      isDone = try observed {
        try step(in: store)
      } _: { _, time in
        .committed(objects: state.rootObjects - before, time)
      }
      if let changeLog {
        if let open { open.afterCommit { try changeLog.send() } } else { try changeLog.send() }
      }
      batches.shared.known.endTransaction()
      hasCommitted = true
    }
    // Report completion for empty input.
    options.progress?.update(.init(bytes: byteCount, totalBytes: byteCount, rootObjects: state.rootObjects))
  }

  /// How a run of a transaction ends.
  private enum TransactionOutcome {
    case done(hasEnded: Bool)
    /// Objects of it have the same values as others, or are deleted after it has linked them. The next run leaves some out.
    case again
  }

  /// Runs one transaction.
  ///
  /// - Returns: Whether it was the last one.
  private func step<S: Store>(in store: S) throws -> Bool {
    let checkpoint = Checkpoint(
      state: state, rootCount: roots.count, faults: faults.mark, removed: removed.mark(), late: late.mark)
    tombstones?.beginTransaction()
    conflicts = UniqueConflicts(spareWork: options.spareConflictWork)
    if let memory = transaction.flatMap({ $0.run.memory(of: $0.number, plan, byteCount: totalBytes ?? 0) }) {
      conflicts = memory.conflicts
      if let stones = memory.tombstones { tombstones?.takeFates(of: stones) }
    }
    do {
      while true {
        if case .done(let hasEnded) = try attempt(from: checkpoint, in: store) {
          return hasEnded
        }
        options.observer?(.conflict(nil))
        // The changes of an open transaction can only be undone with all others.
        if let (run, number) = transaction {
          try run.runAgain(
            number,
            .init(plan: plan, byteCount: totalBytes ?? 0, conflicts: conflicts, tombstones: tombstones))
        }
      }
    } catch {
      state = checkpoint.state
      // After an unknown outcome, objects that this transaction has unlinked may be deleted already.
      let isKnown = !(error is UnknownOutcomeError)
      if isKnown, checkpoint.state.rootObjects > 0 {
        // Rethrow the original error, not the clean-up's.
        try? clearUp(checkpoint, in: store)
      }
      throw error
    }
  }

  private func attempt<S: Store>(from checkpoint: Checkpoint, in store: S) throws -> TransactionOutcome {
    try options.retries.run { earlier in
      attempts = max(attempts, earlier + 1)
      if earlier > 0 { options.observer?(.retrying(earlier)) }
      do {
        return try store.write(self.plan.schema.changingStore) { writer in
          try self.goBack(to: checkpoint)
          return try self.transaction(&writer)
        }
      } catch let conflict as ConflictError {
        options.observer?(.conflict(conflict))
        throw conflict
      }
    }
  }

  private func goBack(to checkpoint: Checkpoint) throws {
    state = checkpoint.state
    state.unmetRoots?.goBack()
    faults.goBack(to: checkpoint.faults)
    batches.shared.beginRun()
    conflicts.beginRun()
    changeLog?.beginRun()
    removed.goBack(to: checkpoint.removed)
    late.rewind(to: checkpoint.late)
    roots.removeLast(roots.count - checkpoint.rootCount)
    unsettled = nil
    try batches.begin(at: state.position)
  }

  /// Deletes objects that the committed transactions have left without an owner, and counts them.
  private func clearUp<S: Store>(_ checkpoint: Checkpoint, in store: S) throws {
    guard checkpoint.removed.candidateCount > 0 else { return }
    let (tally, _) = try options.retries.run { _ in
      try store.write(self.plan.schema) { writer in
        var tally = checkpoint.state.tally
        self.changeLog?.beginRun()
        let keeper = try self.removed.clearUp(to: checkpoint.removed, on: &writer, tally: &tally)
        try self.changeLog?.finish(on: &writer)
        return .commit((tally, keeper))
      }
    }
    state.tally = tally
    try changeLog?.send()
  }

  /// Imports until the end of the source, or until it is time to commit.
  private func transaction<W: StoreWriter>(_ writer: inout W) throws -> TransactionCompletion<
    TransactionOutcome
  > {
    if state.rootObjects == 0, source.isCollection {
      try options.delegate?.willMapCollection(of: plan.root, from: nil)
    }
    let hasMoved = try moveRests(&writer)
    if !hasCommitted { try state.unmetRoots?.find(batches.shared.known.hasher, in: &writer) }
    try map(&writer)
    try finishBatch(&writer)
    try mergeRests(&writer)
    // A dry run goes on in the same transaction, and looks for conflicts where the import would commit.
    while options.isDryRun, !batches.hasEnded {
      let hasIndexes = try buildIndexes(in: &writer, hasChanges: state.tally.hasChanges)
      if hasIndexes || state.tally.hasChanges, try hasConflicts(in: &writer) { return .rollBack(.again) }
      conflicts.beginPart()
      try batches.begin(at: state.position)
      try map(&writer)
      try finishBatch(&writer)
      try mergeRests(&writer)
    }
    state.notes += writer.notes
    if tombstones?.runsAgain() ?? false { return .rollBack(.again) }
    var hadLeftovers = false
    if batches.hasEnded {
      if let note = source.note(at: batches.position) { state.notes.append(note) }
      try linkLate(&writer)
      if source.isCollection { try showRoots(&writer) }
      let replaced = try unmetObjects(&writer.reader)
      // Before the deletions: a link that they remove is no change of its object.
      try state.tally.recountRewritten(in: &writer)
      let done = try removed.delete(replaced, tombstones, on: &writer, tally: &state.tally)
      hadLeftovers = done.hadLeftovers
      if let note = state.unmetRoots?.note(deleted: done.deleted, left: done.left) {
        state.notes.append(note)
      }
    } else {
      try removed.deleteOrphaned(atLeast: 1, on: &writer, tally: &state.tally)
      try removed.keep(in: &writer)
    }
    let hasChanges =
      state.tally.hasChanges || hasCommitted && state.tally.hasDeletedInserted || hadLeftovers || hasMoved
      || writer.hasStoredDefaults
    let hasIndexes = try buildIndexes(in: &writer, hasChanges: hasChanges)
    if hasChanges || hasIndexes, try hasConflicts(in: &writer) {
      return .rollBack(.again)
    }
    try faults.sendPending()
    conflicts.markSent()
    if batches.hasEnded { try observer?.check(remainingRoots, in: &writer.reader) }
    try changeLog?.finish(on: &writer)
    // Without a change it rolls back, so LMDB does not even write a meta page.
    let keepsFile = try keepMappingFile(in: &writer)
    let keepsChanges = !options.isDryRun && (hasChanges || hasIndexes || keepsFile)
    let ending = TransactionOutcome.done(hasEnded: batches.hasEnded)
    return keepsChanges ? .commit(ending) : .rollBack(ending)
  }

  /// Keeps the file of the options and the name of the imported mapping, with the first transaction.
  ///
  /// - Returns: Whether the store had others.
  private func keepMappingFile<W: StoreWriter>(in writer: inout W) throws -> Bool {
    guard let file = options.mappingFile, !hasCommitted, !options.isDryRun else { return false }
    let old = try KeptMappings(in: &writer.reader)
    var kept = old ?? KeptMappings(file: file)
    var name = plan.root.name
    do { try kept.add(file) } catch let error as MappingDefinitionError {
      state.notes.append(
        "the mapping file is not kept, as it is not valid beside the kept one: \(error.faults.first.map { "\($0)" } ?? ""); "
          + "fastmap mappings shows the kept one and puts another in its place")
      guard let heir = try kept.set.mappings.first(where: { $0.entity == plan.root.entity }) else {
        return false
      }
      name = heir.name
    }
    if !kept.roots.contains(where: { NameIndex.isSame($0, name) }) { kept.roots.append(name) }
    return try kept != old && kept.write(to: &writer, since: old)
  }

  /// The objects that the payload replaces and does not have.
  private func unmetObjects<R: StoreReader>(_ reader: inout R) throws -> [ObjectID] {
    if batches.position.lacksObjects { state.unmetRoots?.markEmptyPage() }
    guard let replaced = state.unmetRoots else { return [] }
    if state.rootObjects == 0, source.isEmpty {
      throw MappingError(
        path: JSONPath(), location: nil,
        reason: .unexpected(
          expected: "at least one line, as the import deletes all that its payload does not have",
          found: "an empty text"))
    }
    if let note = replaced.note { state.notes.append(note) }
    return try replaced.unmet(state.tally, in: &reader)
  }

  private func showRoots<W: StoreWriter>(_ writer: inout W) throws {
    guard let delegate = options.delegate else { return }
    let roots = remainingRoots
    try writer.lend(plan.schema) { lent in
      let objects = roots.map { MappedObject(id: $0, mapping: plan.root, lent: lent) }
      try delegate.didMapCollection(objects, of: plan.root, from: nil)
    }
  }
}
