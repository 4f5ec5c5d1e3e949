internal import CFastMap

/// Runs one import: batches of root objects into a store, in one transaction or in several.
final class Importer {
  private let plan: Plan
  private let options: ImportOptions
  private let source: RootSource
  /// Of the whole input; nil for a stream, which does not say.
  private let totalBytes: Int?

  /// What must be set back when a transaction is run again.
  private struct State {
    var tally: ObjectTally
    var errors: [MappingError] = []
    var rootObjects = 0
    var position: RootSource.Position
    var sweep: DeletionSweep
    /// The root objects in payload order, where the caller wants to know them.
    var roots: [ObjectID] = []
    /// Owned objects that their owners let go of in this import, by position: a later batch may want them back.
    var released: [ChangeBatch.Holder: [ObjectID]] = [:]
  }

  private var state: State
  private let keepsRoots: Bool
  /// An instance of the caller's that the only root is read into.
  private let filled: AnyObject?

  /// The number of objects that a batch should have: enough to sort, few enough to stay in cache.
  private static let batchSize = 4096

  init(
    plan: Plan, options: ImportOptions, source: RootSource, totalBytes: Int?, keepsRoots: Bool = false,
    filling filled: AnyObject? = nil
  ) {
    self.keepsRoots = keepsRoots || options.delegate != nil
    self.filled = filled
    self.plan = plan
    self.options = options
    self.source = source
    self.totalBytes = totalBytes
    state = State(
      tally: ObjectTally(entityCount: plan.schema.entities.count), position: source.position,
      sweep: DeletionSweep(plan: plan))
  }

  var tally: ObjectTally { state.tally }
  var errors: [MappingError] { state.errors }
  var rootObjects: Int { state.rootObjects }
  /// Of the whole input, once it has been imported.
  var byteCount: Int { totalBytes ?? source.bytesDone }
  /// The root objects that were not left out, in payload order; an object that was met twice is here twice.
  var roots: [ObjectID] { state.roots }

  func run<S: Store>(in store: S) throws {
    defer { options.progress?.end() }
    var isDone = false
    while !isDone {
      let checkpoint = state
      source.hold(checkpoint.position, isHeld: !store.runsWritesOnce)
      isDone = try store.write(plan.schema) { writer in
        state = checkpoint
        try source.seek(to: checkpoint.position)
        return try transaction(&writer)
      }
    }
    // An import of nothing is complete too.
    options.progress?.note(.init(bytes: byteCount, totalBytes: byteCount, rootObjects: state.rootObjects))
  }

  /// Imports until the end of the source, or until it is time to commit.
  ///
  /// - Returns: Whether the source has ended.
  private func transaction<W: StoreWriter>(_ writer: inout W) throws -> Ending<Bool> {
    let unit = try ImportUnit(plan: plan, stopsAtFault: options.faults == .abort)
    let interval = options.isDryRun ? nil : options.commitInterval
    let end = interval.map { state.rootObjects + max(1, $0) }
    var limit = 64
    var hasEnded = false
    if state.rootObjects == 0, source.isCollection {
      try options.delegate?.willMapCollection(of: plan.root, from: nil)
    }
    while end.map({ state.rootObjects < $0 }) ?? true {
      let roots = try source.nextBatch(limit: min(limit, end.map { $0 - state.rootObjects } ?? limit))
      try checkCancellation()
      guard !roots.isEmpty else {
        hasEnded = true
        break
      }
      let count = try run(unit, roots, &writer)
      state.rootObjects += roots.count
      state.position = source.position
      limit = max(1, min(Self.batchSize, limit * Self.batchSize / max(1, count)))
      note(.init(bytes: source.bytesDone, totalBytes: totalBytes ?? 0, rootObjects: state.rootObjects))
    }
    if hasEnded {
      if source.isCollection { try tellOfRoots(&writer) }
      var sweep = state.sweep
      try sweep.run(on: &writer, tally: &state.tally)
      if interval == nil { try settleRewritten(&writer) }
    }
    // An instance that was filled with what it held is an object now.
    let keepsChanges = !options.isDryRun && (state.tally.hasChanges || filled != nil)
    return keepsChanges ? .commit(hasEnded) : .rollBack(hasEnded)
  }

  private func note(_ step: ImportOptions.Progress) {
    options.onProgress?(step)
    options.progress?.note(step)
  }

  private func checkCancellation() throws {
    if options.progress?.isCancelled ?? false || Task.isCancelled { throw CancellationError() }
  }

  /// Maps one batch.
  ///
  /// - Returns: The number of objects that were met in it.
  private func run<W: StoreWriter>(
    _ unit: ImportUnit, _ roots: [RootSource.Root], _ writer: inout W
  ) throws -> Int {
    unit.reset()
    let filledID = try filled.flatMap { try writer.adopt($0, of: plan.mappings[0].entity) }
    let isWalked = roots.allSatisfy { unit.walk($0, fills: filledID != nil) }
    let faults = FaultReader(plan: plan, unit: unit, source: source)
    var errors = try unit.faults.map { (Int($0.occurrence), try faults.error(for: $0)) }
    if options.faults == .abort, let (_, error) = errors.first { throw error }
    // There was no memory to note the fault in either: what was not walked must not pass for imported.
    guard isWalked else { throw OutOfMemory() }
    unit.released = state.released
    try unit.resolve(in: &writer, filling: filledID) { index, reason in
      errors.append((index, faults.refusedKey(of: unit.occurrence(index), reason: reason)))
    }
    errors.sort { $0.0 < $1.0 }
    if options.faults == .abort, let (_, error) = errors.first { throw error }
    state.errors += errors.map(\.1)

    if let delegate = options.delegate {
      var sequence = SequentialRun(plan: plan, unit: unit, delegate: delegate, tally: state.tally)
      state.tally = try sequence.run(on: &writer)
      release(sequence.removed, unit)
    } else {
      try apply(unit, to: &writer)
    }
    if keepsRoots { state.roots += unit.rootNumbers() }
    return unit.occurrenceCount
  }

  private func apply<W: StoreWriter>(_ unit: ImportUnit, to writer: inout W) throws {
    var changes = unit.changes(&state.tally)
    try writer.apply(&changes)
    for change in changes.changes {
      state.tally.note(change.id, of: change.entity, isNew: change.isNew, isChanged: change.isChanged)
    }
    release(changes.removed, unit)
    if !unit.policyCalls.isEmpty {
      note(try PolicyRun(plan: plan, unit: unit).run(unit.policyCalls, on: &writer))
    }
  }

  private func tellOfRoots<W: StoreWriter>(_ writer: inout W) throws {
    guard let delegate = options.delegate else { return }
    let roots = state.roots
    try withUnsafeMutablePointer(to: &writer) { writer in
      let store = StoreAccess(writer, plan.schema)
      let objects = roots.map { MappedObject(id: $0, mapping: plan.root, store: store) }
      try delegate.didMapCollection(objects, of: plan.root, from: nil)
    }
  }

  private func note(_ outcome: PolicyRun.Outcome) {
    state.sweep.add(outcome.removed)
    for change in outcome.changed {
      state.tally.note(change.id, of: change.entity, isNew: false, isChanged: change.isChanged)
    }
  }

  /// Keeps in mind what relationships no longer have, to be deleted in the end.
  private func release(_ removed: [ChangeBatch.Removed], _ unit: ImportUnit) {
    state.sweep.add(removed)
    let surplus = unit.surplus()
    for (holder, objects) in surplus {
      state.released[holder] = objects.map(\.id)
      state.sweep.add(objects)
    }
    var others: [ChangeBatch.Holder: [ObjectID]] = [:]
    for object in removed where object.isOwned && surplus[object.holder] == nil {
      others[object.holder, default: []].append(object.id)
    }
    for (holder, ids) in others { state.released[holder] = ids + (state.released[holder] ?? []) }
  }

  /// Objects that were written several times may be what they were before.
  private func settleRewritten<W: StoreWriter>(_ writer: inout W) throws {
    for (entity, id) in state.tally.rewritten where try !writer.isChanged(id, of: entity) {
      state.tally.noteRestored(id, of: entity)
    }
  }
}
