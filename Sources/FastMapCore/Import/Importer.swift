internal import CFastMap

/// Runs one import: batches of root objects into a store, in one transaction or in several.
final class Importer {
  let plan: Plan
  let options: ImportOptions
  private let source: RootSource
  let batches: ImportBatches
  /// The size of the whole input; nil for a stream, whose length is unknown.
  private let totalBytes: Int?

  /// State restored before a transaction is retried. The other state has marks, because a copy for each transaction
  /// would cost too much.
  struct State {
    var tally: ChangeCounts
    var rootObjects = 0
    var position: RootSource.Position
    var notes: [String] = []
    /// The stored objects that the payload replaces.
    var replaced: ReplacedRoots?
    /// The owners of links that have waited, by entity, where the plan does not have the entity.
    var waited: [String: Set<ObjectID>] = [:]
  }

  /// The state and the marks at the beginning of a transaction.
  private struct Checkpoint {
    let state: State
    let rootCount: Int
    let faults: ImportFaults.Mark
    let removed: DeletionCandidates.Mark
    let late: PendingLinks.Mark
  }

  var state: State
  /// The objects that the transaction leaves out, because their values in a unique index are not unique.
  var conflicts: UniqueConflicts
  /// The bytes of the batches that were mapped.
  private var bytesDone = 0
  /// Whether the text of a transaction is there for another run.
  private(set) var canRunAgain = true
  private var faults: ImportFaults
  var removed: DeletionCandidates
  let late: PendingLinks
  var waiting: WaitingLinks

  /// The imported root objects, in payload order, if the caller wants them. A repeated root object is here twice.
  private var roots: [ObjectID] = []
  /// The imported root objects without the deleted ones: ``DeletedBy``.
  var remainingRoots: [ObjectID] {
    if removed.deleted.isEmpty { return roots }
    let entity = plan.mappings[0].entity
    return roots.filter { !removed.deleted.contains(ObjectIdentity(entity: entity, id: $0)) }
  }

  /// The changes of the last batch, until the store has answered.
  private struct UnsettledBatch {
    var changes: ChangeBatch
    let surplus: [ChangeBatch.Holder: [ChangeBatch.Removed]]
  }

  private var unsettled: UnsettledBatch?
  /// Whether a transaction of the import has ended. Other writes may have deleted its objects since then.
  var hasCommitted = false
  /// The most attempts that a transaction took.
  private(set) var attempts = 1
  private let keepsRoots: Bool
  /// The context that the objects are imported into.
  private let context: ContextImport?

  /// - Throws: ``ImportOptionError``, ``FilterError``, ``MappingDefinitionError``.
  init(
    plan: Plan, options: ImportOptions, source: RootSource, totalBytes: Int?, keepsRoots: Bool = false,
    context: ContextImport? = nil
  ) throws {
    try options.check()
    if plan.root.isScoped {
      throw MappingDefinitionError([
        .init(
          place: plan.root.place.appending("keyScope"),
          reason: "the objects of \(quoted(plan.root.name)) belong to their owners; import the owners")
      ])
    }
    self.keepsRoots = keepsRoots || options.delegate != nil
    self.context = context
    self.plan = plan
    self.options = options
    self.source = source
    self.totalBytes = totalBytes
    conflicts = UniqueConflicts(spareWork: options.spareConflictWork)
    late = PendingLinks(plan: plan)
    waiting = WaitingLinks(plan)
    faults = ImportFaults(options)
    removed = DeletionCandidates(plan: plan)
    batches = ImportBatches(source, plan, options, rootLimit: options.commitInterval)
    state = State(
      tally: ChangeCounts(
        entityCount: plan.schema.entities.count,
        keepsRewritten: options.commitInterval == nil || options.isDryRun),
      position: source.position, replaced: try ReplacedRoots(options, plan))
  }

  // MARK: Results

  var tally: ChangeCounts { state.tally }
  /// The counts by entity. Entities that only waiting links have changed come last.
  var rows: [ImportReport.Row] {
    tally.rows(of: plan.schema)
      + state.waited.sorted { $0.key < $1.key }.compactMap { entity, owners in
        owners.isEmpty ? nil : .init(entity: entity, counts: .init(updated: owners.count))
      }
  }
  var rootObjects: Int { state.rootObjects }
  var notes: [String] { state.notes }
  var errors: [MappingError] { faults.errors }
  /// The number of all faults.
  var errorCount: Int { faults.count }
  /// The fields that no object had, as the report names them.
  var unseen: [String] { batches.unseenFields }
  /// The length of the whole input, once it has been imported.
  var byteCount: Int { totalBytes ?? source.bytesDone }

  // MARK: Transactions

  func run<S: Store>(in store: S) throws {
    try plan.checkUniqueIndexes(store.capabilities)
    if !options.isDryRun { state.notes += try store.prepare(plan.schema) }
    // A new store may have no fingerprints before it is prepared.
    let capabilities = store.capabilities
    batches.use(capabilities)
    let declaresUnique = plan.schema.entities.contains { $0.indexes.contains(where: \.isUnique) }
    let isHeld = !capabilities.runsWritesOnce || declaresUnique
    canRunAgain = isHeld || !source.window.isStream
    var isDone = false
    while !isDone {
      source.hold(state.position, isHeld: isHeld)
      isDone = try step(in: store)
      batches.known.noteCommit()
      hasCommitted = true
    }
    // Report completion for empty input.
    options.progress?.note(.init(bytes: byteCount, totalBytes: byteCount, rootObjects: state.rootObjects))
  }

  /// How a run of a transaction ends.
  private enum TransactionOutcome {
    case done(hasEnded: Bool)
    /// Objects of it have the same values as others. The next run leaves some out.
    case again
  }

  /// Runs one transaction.
  ///
  /// - Returns: Whether it was the last one.
  private func step<S: Store>(in store: S) throws -> Bool {
    let checkpoint = Checkpoint(
      state: state, rootCount: roots.count, faults: faults.mark, removed: removed.mark(), late: late.mark)
    conflicts = UniqueConflicts(spareWork: options.spareConflictWork)
    do {
      while true {
        if case .done(let hasEnded) = try attempt(from: checkpoint, in: store) {
          return hasEnded
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
      return try store.write(self.plan.schema) { writer in
        try self.goBack(to: checkpoint)
        return try self.transaction(&writer)
      }
    }
  }

  private func goBack(to checkpoint: Checkpoint) throws {
    state = checkpoint.state
    state.replaced?.goBack()
    faults.goBack(to: checkpoint.faults)
    batches.known.beginRun()
    batches.pendingRests?.beginRun()
    conflicts.beginRun()
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
        let keeper = try self.removed.clearUp(to: checkpoint.removed, on: &writer, tally: &tally)
        return .commit((tally, keeper))
      }
    }
    state.tally = tally
  }

  /// Imports until the end of the source, or until it is time to commit.
  private func transaction<W: StoreWriter>(_ writer: inout W) throws -> TransactionCompletion<
    TransactionOutcome
  > {
    if state.rootObjects == 0, source.isCollection {
      try options.delegate?.willMapCollection(of: plan.root, from: nil)
    }
    if !hasCommitted { try state.replaced?.find(batches.known.hasher, in: &writer) }
    waiting.forget()
    try map(&writer)
    try settle(&writer)
    try settleRests(&writer)
    // A dry run goes on in the same transaction, and looks for conflicts where the import would commit.
    while options.isDryRun, !batches.hasEnded {
      let hasIndexes = try buildIndexes(in: &writer, hasChanges: state.tally.hasChanges)
      if hasIndexes || state.tally.hasChanges, try hasConflicts(in: &writer) { return .rollBack(.again) }
      conflicts.beginPart()
      try batches.begin(at: state.position)
      try map(&writer)
      try settle(&writer)
      try settleRests(&writer)
    }
    state.notes += writer.notes
    var hadLeftovers = false
    if batches.hasEnded {
      try settleLate(&writer)
      if source.isCollection { try showRoots(&writer) }
      let replaced = try unmetObjects(&writer)
      // Before the deletions: a link that they remove is no change of its object.
      try state.tally.settleRewritten(in: &writer)
      hadLeftovers = try removed.delete(replaced, on: &writer, tally: &state.tally)
    } else {
      try removed.deleteSurplus(atLeast: 1, on: &writer, tally: &state.tally)
      try removed.keep(in: &writer)
    }
    // An object that an earlier commit has inserted counts no more.
    let deletesCommitted = hasCommitted && batches.hasEnded && !removed.deleted.isEmpty
    let hasChanges = state.tally.hasChanges || deletesCommitted || hadLeftovers || writer.hasStoredDefaults
    let hasIndexes = try buildIndexes(in: &writer, hasChanges: hasChanges)
    if hasChanges || hasIndexes, try hasConflicts(in: &writer) {
      return .rollBack(.again)
    }
    faults.sendPending()
    if batches.hasEnded { try context?.check(remainingRoots, on: &writer) }
    // Without a change it rolls back, so LMDB does not even write a meta page.
    let keepsChanges = !options.isDryRun && (hasChanges || hasIndexes)
    let ending = TransactionOutcome.done(hasEnded: batches.hasEnded)
    return keepsChanges ? .commit(ending) : .rollBack(ending)
  }

  /// Maps the batches of a transaction.
  private func map<W: StoreWriter>(_ writer: inout W) throws {
    defer { batches.end() }
    while let unit = try batches.next(check: checkCancellation) {
      try run(unit, &writer)
      if let rests = batches.pendingRests, rests.isFull {
        try settle(&writer)
        try settleRests(&writer)
      }
      state.rootObjects += unit.input.roots.count
      state.position = unit.input.end
      bytesDone = unit.input.bytesDone
      noteProgress()
    }
  }

  /// Reports how far the import has come.
  ///
  /// - Parameters:
  ///   - indexed: The objects that were added to new indexes.
  ///   - total: All objects to add to them.
  func noteProgress(indexed: Int = 0, of total: Int = 0) {
    let step = ImportOptions.Progress(
      bytes: bytesDone, totalBytes: totalBytes ?? 0, rootObjects: state.rootObjects, indexedObjects: indexed,
      objectsToIndex: total)
    options.onProgress?(step)
    options.progress?.note(step)
  }

  func checkCancellation() throws {
    if options.progress?.isCancelled ?? false || Task.isCancelled { throw CancellationError() }
  }

  // MARK: One batch

  private func run<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    let reader = FaultReader(
      plan: plan, unit: unit, source: source, places: faults.places,
      skipsFaults: options.faults == .skip)
    guard !unit.faults.contains(where: { $0.code == UInt32(FASTMAP_FAULT_MEMORY) }) else {
      throw SystemError.outOfMemory
    }
    if let missing = reader.missingContext() { throw missing }
    var found = unit.faults.map { FaultReader.Fault(occurrence: Int($0.occurrence), what: .walked($0)) }
    if let limit = batches.mostValueBytes {
      found += unit.leaveOutLongValues(limit)
      found.sort { $0.occurrence < $1.occurrence }
    }
    try faults.check(found, reader)
    // Without memory, the fault itself may be lost. An unfinished walk must not pass for an import.
    guard unit.isWalked else { throw SystemError.outOfMemory }
    found += conflicts.leaveOut(of: unit, isPayload: true)
    unit.storedRoots = state.replaced?.roots
    if plan.hasDeleted { unit.deletions = DeletedOccurrences(before: removed.deleted) }
    unit.hasFaults = options.faults == .skip && (!found.isEmpty || !unit.uncounted.isEmpty)
    try unit.resolve(in: &writer) { index, reason in
      found.append(.init(occurrence: index, what: .refused(reason, isOfKey: true)))
    } onResolved: { writer in
      try settle(&writer)
      try removed.deleteSurplus(atLeast: 4096, on: &writer, tally: &state.tally)
      unit.released = released
      batches.known.beginBatch()
    } onKindless: { index in
      found.append(.init(occurrence: index, what: .walked(unit.kindFault(of: index))))
    } readLate: { writer in
      try readLate(for: unit, &writer)
    }
    noteDeleted(unit)
    unit.released = DetachedOwnedObjects()  // or the first change would copy them
    found.sort { $0.occurrence < $1.occurrence }
    try faults.check(found, reader)
    faults.add(found, reader)
    conflicts.note(unit)
    context?.note(unit)
    state.replaced?.note(unit)

    try write(unit, &writer)
    if keepsRoots { roots += unit.rootNumbers() }
  }

  /// Notes the objects of a resolved batch that say that they are deleted.
  func noteDeleted(_ unit: ImportUnit) {
    if plan.hasDeleted { removed.noteDeleted(of: unit) }
  }

  /// Writes the changes of a resolved batch.
  func write<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    if !waiting.isRead, unit.hasInserted { try waiting.find(in: &writer) }
    let notesLate = !unit.missed.isEmpty || unit.hasLate || !late.isEmpty
    unit.late = notesLate ? late : nil
    if let delegate = options.delegate {
      var sequence = DelegateImport(plan: plan, unit: unit, delegate: delegate, tally: state.tally)
      state.tally = try sequence.run(on: &writer)
      try removed.add(sequence.removed, surplus: unit.surplus, state.tally, &writer)
      removed.add(dropped: unit.dropped)
    } else {
      var changes = try unit.changes(&state.tally)
      try unit.mergeWaiting(in: &writer)
      try writer.apply(&changes)
      unsettled = UnsettledBatch(changes: changes, surplus: unit.surplus)
      removed.add(dropped: unit.dropped)
      // Later questions of the batch must see its writes.
      if !unit.policyCalls.isEmpty || notesLate { try settle(&writer) }
      try ask(unit.policyCalls, unit, &writer)
    }
    if notesLate { late.add(unit) }
    if !waiting.isEmpty { try makeWaitingLinks(for: unit, &writer) }
  }

  /// Waits for the answers to the last batch that was written.
  func settle<W: StoreWriter>(_ writer: inout W) throws {
    guard var last = unsettled else { return }
    unsettled = nil
    try writer.settle(&last.changes)
    state.tally.note(last.changes.changes)
    try removed.add(last.changes.removed, surplus: last.surplus, state.tally, &writer)
  }

  /// Merges the members that have waited into the rests of their objects.
  private func settleRests<W: StoreWriter>(_ writer: inout W) throws {
    guard var rests = batches.pendingRests?.take()[...], !rests.isEmpty else { return }
    let unit = try batches.makeUnit(stopsAtFault: true)
    while let first = rests.first?.place {
      let some = rests.prefix(64).prefix { $0.place.entity == first.entity && $0.place.field == first.field }
      rests = rests.dropFirst(some.count)
      var changes = try unit.changes(of: some, in: &writer)
      try writer.apply(&changes)
      try writer.settle(&changes)
      state.tally.noteLinked(changes.changes)
      unit.reset()
    }
  }

  /// Asks custom policies and writes the targets that they return.
  func ask<W: StoreWriter>(
    _ calls: [PolicyCall], _ unit: ImportUnit, _ writer: inout W
  ) throws {
    if calls.isEmpty { return }
    let outcome = try PolicyRun(plan: plan, unit: unit).run(calls, on: &writer)
    try removed.add(outcome.removed, &writer)
    state.tally.noteLinked(outcome.changed)
  }

  /// The owned objects that earlier batches have released.
  var released: DetachedOwnedObjects {
    DetachedOwnedObjects(byHolder: removed.owned, mayBeGone: hasCommitted)
  }

  // MARK: The end of the payload

  /// The objects that the payload replaces and does not have.
  private func unmetObjects<W: StoreWriter>(_ writer: inout W) throws -> [ObjectID] {
    guard var replaced = state.replaced else { return [] }
    if state.rootObjects == 0, case .lines = source.layout {
      throw MappingError(
        path: JSONPath(), location: nil,
        reason: .unexpected(
          expected: "at least one line, as the import deletes all that its payload does not have",
          found: "an empty text"))
    }
    if batches.lacksObjects { replaced.notePage() }
    if let note = replaced.note { state.notes.append(note) }
    return try replaced.unmet(state.tally, in: &writer)
  }

  /// Shows all root objects to the delegate.
  private func showRoots<W: StoreWriter>(_ writer: inout W) throws {
    guard let delegate = options.delegate else { return }
    let roots = remainingRoots
    try writer.lend(plan.schema) { lent in
      let objects = roots.map { MappedObject(id: $0, mapping: plan.root, lent: lent) }
      try delegate.didMapCollection(objects, of: plan.root, from: nil)
    }
  }
}
