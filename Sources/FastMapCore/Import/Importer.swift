internal import CFastMap

/// Runs one import: batches of root objects into a store, in one transaction or in several.
final class Importer {
  private let plan: Plan
  private let options: ImportOptions
  private let source: RootSource
  private let places = RootPlaces()
  /// Of the whole input; nil for a stream, which does not say.
  private let totalBytes: Int?

  /// What must be set back when a transaction is run again.
  private struct State {
    var tally: ObjectTally
    /// All faults, also those of which no error is kept.
    var errorCount = 0
    /// How many of the root objects and of the candidates for deletion are those of earlier transactions. They are not
    /// kept here themselves, or each transaction would copy them.
    var rootCount = 0
    var candidateCount = 0
    var rootObjects = 0
    var position: RootSource.Position
    var layoutNotes: [String] = []
    /// Says to the store that the import is under way, once it has kept what was let go of.
    var keeper: AnyObject?
    /// How many of the sweep's candidates the store has kept.
    var keptCount = 0
    /// How much of the late links are of earlier transactions.
    var late = LateLinks.Mark()
  }

  private var state: State
  private var sweep: DeletionSweep
  private var released = ReleasedObjects()
  /// Those that the caller was told of, whatever became of their transaction.
  private var toldErrors = 0
  /// The first errors, as many as are to be kept.
  private(set) var errors: [MappingError] = []
  /// The root objects that were not left out, in payload order, where the caller wants to know them; an object that
  /// was met twice is here twice.
  private(set) var roots: [ObjectID] = []
  private let keepsRoots: Bool
  /// The root objects of a transaction; nil for all.
  private let commitInterval: Int?
  /// An instance of the caller's that the only root is read into.
  private let filled: AnyObject?
  /// The same, and what it refers to, by the objects that they are in a store that keeps values.
  private(set) var held: [ObjectAssembler.Place: ObjectAssembler.Held] = [:]
  /// Whether its representation is at fault: nothing is stored then.
  private var isFilledLeftOut = false
  private let late: LateLinks
  /// One for the batch that is mapped, and those for the batches that are read beside it.
  private var units: [ImportUnit] = []
  /// What was read and walked before its transaction.
  private var walked: WalkedUnits?

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
    late = LateLinks(plan: plan)
    commitInterval = options.isDryRun ? nil : options.commitInterval.map { max(1, $0) }
    state = State(
      tally: ObjectTally(entityCount: plan.schema.entities.count, keepsRewritten: commitInterval == nil),
      position: source.position)
    sweep = DeletionSweep(plan: plan)
  }

  /// The number of all faults.
  var errorCount: Int { state.errorCount }

  var tally: ObjectTally { state.tally }
  var rootObjects: Int { state.rootObjects }
  var layoutNotes: [String] { state.layoutNotes }
  /// The fields that no object had, as the report names them.
  var unseen: [String] { UnseenFields(plan: plan, units: units).names }
  /// Of the whole input, once it has been imported.
  var byteCount: Int { totalBytes ?? source.bytesDone }

  func run<S: Store>(in store: S) throws {
    let isOnMain = options.isApartFromMain && (store.keepsInstances || filled != nil)
    var isDone = false
    while !isDone {
      source.hold(state.position, isHeld: !store.runsWritesOnce)
      if isOnMain {
        walked = walkAll()
        isDone = try OnMainActor.value { try self.step(in: store) }
      } else {
        isDone = try step(in: store)
      }
    }
    // An import of nothing is complete too.
    options.progress?.note(.init(bytes: byteCount, totalBytes: byteCount, rootObjects: state.rootObjects))
  }

  /// Runs one transaction.
  ///
  /// - Returns: Whether it was the last one.
  private func step<S: Store>(in store: S) throws -> Bool {
    state.rootCount = roots.count
    state.candidateCount = sweep.candidateCount
    released.keep()
    state.late = late.mark
    let checkpoint = state
    do {
      return try store.write(plan.schema) { writer in
        state = checkpoint
        errors.removeLast(errors.count - min(errors.count, checkpoint.errorCount))
        sweep.goBack(to: checkpoint.candidateCount)
        released.goBack()
        roots.removeLast(roots.count - checkpoint.rootCount)
        late.rewind(to: checkpoint.late)
        if walked == nil { try source.seek(to: checkpoint.position) }
        return try transaction(&writer)
      }
    } catch {
      // Its own error, if it has one, is not what ended the import.
      if checkpoint.rootObjects > 0 { try? clearUp(checkpoint, in: store) }
      throw error
    }
  }

  /// Reads and walks what the next transaction maps, and touches nothing of the store.
  private func walkAll() -> WalkedUnits {
    for unit in units { unit.input.empty(first: 0) }
    let batches = BatchReader(
      source, plan, rootLimit: commitInterval, batchSize: options.batchSize, fills: filled != nil)
    return WalkedUnits(batches, makeUnit: unit) {
      try checkCancellation()
      if $0 == 0 { try source.seek(to: state.position) }
    }
  }

  /// Deletes what the transactions before have left without an owner, and keeps what else the sweep was to look at, for the
  /// next write: that is then in the store as if the process had ended.
  private func clearUp<S: Store>(_ checkpoint: State, in store: S) throws {
    guard checkpoint.candidateCount > 0 else { return }
    _ = try store.write(plan.schema) { writer in
      var (sweep, tally) = (self.sweep, checkpoint.tally)
      sweep.goBack(to: checkpoint.candidateCount)
      sweep.add(try writer.takeLeftovers(of: checkpoint.keeper))
      try sweep.run(on: &writer, tally: &tally, onlyOwned: true)
      return .commit(try writer.keepLeftovers(sweep.leftovers(after: 0), of: checkpoint.keeper))
    }
  }

  /// Imports until the end of the source, or until it is time to commit.
  ///
  /// - Returns: Whether the source has ended.
  private func transaction<W: StoreWriter>(_ writer: inout W) throws -> TransactionCompletion<Bool> {
    if state.rootObjects == 0, source.isCollection {
      try options.delegate?.willMapCollection(of: plan.root, from: nil)
    }
    let batches = BatchReader(
      source, plan, rootLimit: commitInterval, batchSize: options.batchSize, fills: filled != nil)
    isFilledLeftOut = false
    let hasEnded = try map(batches, rootLimit: commitInterval, &writer)
    state.layoutNotes += writer.notes
    var hasTaken = false
    if hasEnded {
      try settleLate(&writer)
      if source.isCollection { try tellOfRoots(&writer) }
      var sweep = self.sweep  // which a transaction that is run again needs as it is
      let leftovers = try writer.takeLeftovers(of: state.keeper)
      sweep.add(leftovers)
      hasTaken = !leftovers.isEmpty || state.keeper != nil
      try sweep.run(on: &writer, tally: &state.tally)
      try settleRewritten(&writer)
    } else {
      let leftovers = sweep.leftovers(after: state.keptCount)
      state.keeper = try writer.keepLeftovers(leftovers, of: state.keeper)
      state.keptCount = sweep.candidateCount
    }
    // An instance that was filled with what it held is an object now.
    let hasObject = filled != nil && !isFilledLeftOut
    let keepsChanges = !options.isDryRun && (state.tally.hasChanges || hasObject || hasTaken)
    return keepsChanges ? .commit(hasEnded) : .rollBack(hasEnded)
  }

  /// Maps the batches of one transaction.
  ///
  /// - Returns: Whether the source has ended; else the transaction has as many root objects as it may have.
  private func map<W: StoreWriter>(
    _ batches: BatchReader, rootLimit: Int?, _ writer: inout W
  ) throws -> Bool {
    let end = rootLimit.map { state.rootObjects + $0 }
    var walked = self.walked
    self.walked = nil  // a transaction that is run again reads again
    var unit: ImportUnit
    if let first = try walked?.next() {
      unit = first
    } else {
      for unit in units { unit.input.empty(first: 0) }
      unit = try self.unit(0)
      try batches.begin(unit)
    }
    var ahead: ReadAhead?
    defer { ahead?.stop() }
    while true {
      try checkCancellation()
      guard !unit.input.roots.isEmpty else { return true }
      if ahead == nil, walked == nil { ahead = readAhead(batches, of: unit) }
      try run(unit, &writer)
      state.rootObjects += unit.input.roots.count
      state.position = unit.input.end
      note(
        .init(bytes: unit.input.bytesDone, totalBytes: totalBytes ?? 0, rootObjects: state.rootObjects))
      if state.rootObjects == end { return false }
      if let next = try walked?.next() {
        unit = next
      } else if let ahead {
        unit = try ahead.exchange(unit, check: checkCancellation)
      } else {
        try batches.read(into: unit)
        batches.walk(unit)
      }
    }
  }

  /// Begins to read what follows a batch beside it, where that is worth a thread and there is one to be had.
  private func readAhead(_ batches: BatchReader, of unit: ImportUnit) -> ReadAhead? {
    let bytes = options.readsAhead ? batches.bytesAhead(of: unit) : 0
    let pays = options.alwaysReadsAhead ? bytes > 0 : bytes >= ReadAhead.leastBytes && ReadAhead.hasCores
    guard pays else { return nil }
    // Transforms are called one at a time, in the order of the payload, but for what a weak relationship missed.
    if plan.hasTransforms, plan.traits.hasWeakFields { return nil }
    let sharesWalks = !plan.hasTransforms
    let most = sharesWalks ? BatchReader.distance - 1 : 1
    var spares: [ImportUnit] = []
    while spares.count < most, let unit = try? self.unit(spares.count + 1) { spares.append(unit) }
    return spares.isEmpty ? nil : try? ReadAhead(batches, spares: spares, sharesWalks: sharesWalks)
  }

  private func unit(_ index: Int) throws(OutOfMemoryError) -> ImportUnit {
    if index == units.count {
      units.append(
        try ImportUnit(plan: plan, input: source.makeBatch(), stopsAtFault: options.faults == .abort))
    }
    return units[index]
  }

  private func note(_ step: ImportOptions.Progress) {
    options.onProgress?(step)
    options.progress?.note(step)
  }

  private func checkCancellation() throws {
    if options.progress?.isCancelled ?? false || Task.isCancelled { throw CancellationError() }
  }

  /// Maps one batch.
  private func run<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    let reader = FaultReader(plan: plan, unit: unit, source: source, places: places)
    guard !unit.faults.contains(where: { $0.code == UInt32(FASTMAP_FAULT_MEMORY) }) else {
      throw OutOfMemoryError()
    }
    var faults = unit.faults.map { FaultReader.Fault(occurrence: Int($0.occurrence), what: .walked($0)) }
    if options.faults == .abort, let first = faults.first { throw reader.errors([first])[0] }
    // There was no memory to note the fault in either: what was not walked must not pass for imported.
    guard unit.isWalked else { throw OutOfMemoryError() }
    unit.released = released.objects
    let taken = try filled.flatMap { try takeIn($0, unit, reader, &faults, &writer) }
    try unit.resolve(in: &writer, filling: taken?.id) { index, reason in
      faults.append(.init(occurrence: index, what: .refused(reason, isOfKey: true)))
    } readLate: { writer in
      try readLate(for: unit, &writer)
    }
    isFilledLeftOut = filled != nil && unit.isSkipped(0)
    held = isFilledLeftOut ? [:] : taken?.draft?.held() ?? [:]
    unit.released = [:]  // or the first change would copy them
    faults.sort { $0.occurrence < $1.occurrence }
    if options.faults == .abort, let first = faults.first { throw reader.errors([first])[0] }
    report(faults, reader)

    try map(unit, &writer)
    if keepsRoots { roots += unit.rootNumbers() }
  }

  /// Writes what a resolved batch says.
  private func map<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    let notesLate = !unit.missed.isEmpty || unit.hasLate || !late.isEmpty
    unit.late = notesLate ? late : nil
    if let delegate = options.delegate {
      var sequence = SequentialRun(plan: plan, unit: unit, delegate: delegate, tally: state.tally)
      state.tally = try sequence.run(on: &writer)
      try release(sequence.removed, unit, &writer)
    } else {
      try apply(unit, to: &writer)
    }
    if notesLate { late.add(unit) }
  }

  /// Counts faults, keeps the errors of the first ones, and tells of each that was not told before: a transaction that the
  /// store runs again has the same faults once more.
  private func report(_ faults: [FaultReader.Fault], _ reader: FaultReader) {
    let before = state.errorCount
    state.errorCount += faults.count
    let kept = max(0, min(faults.count, options.maxErrors - before))
    let told = options.onError == nil ? faults.count : max(0, min(faults.count, toldErrors - before))
    let found = reader.errors(Array(told < faults.count ? faults[...] : faults[..<kept]))
    errors += found.prefix(kept)
    guard let onError = options.onError else { return }
    for error in found.dropFirst(told) { onError(error) }
    toldErrors = max(toldErrors, state.errorCount)
  }

  /// Makes the instance that is filled an object of the store, unless its representation is at fault.
  ///
  /// - Returns: Its number, and what it is in a store that keeps values.
  private func takeIn<W: StoreWriter>(
    _ instance: AnyObject, _ unit: ImportUnit, _ reader: FaultReader, _ faults: inout [FaultReader.Fault],
    _ writer: inout W
  ) throws -> (id: ObjectID, draft: Draft?)? {
    if unit.isSkipped(0) { return nil }
    if let id = try writer.adopt(instance, of: plan.mappings[0].entity) { return (id, nil) }
    var draft = Draft(plan: plan, unit: unit)
    do {
      let (id, changes) = try draft.lay(instance, on: &writer)
      for change in changes {
        state.tally.note(change.id, of: change.entity, isNew: change.isNew, isChanged: change.isChanged)
      }
      return (id, draft)
    } catch let refusal as Draft.Refusal {
      let fault = FaultReader.Fault(
        occurrence: 0, what: .refused(refusal.reason, isOfKey: refusal.isOfKey))
      if options.faults == .abort { throw reader.errors([fault])[0] }
      unit.skip(0)
      faults.append(fault)
      return nil
    }
  }

  private func apply<W: StoreWriter>(_ unit: ImportUnit, to writer: inout W) throws {
    var changes = unit.changes(&state.tally)
    try writer.apply(&changes)
    for change in changes.changes {
      state.tally.note(change.id, of: change.entity, isNew: change.isNew, isChanged: change.isChanged)
    }
    try release(changes.removed, unit, &writer)
    if !unit.policyCalls.isEmpty {
      try note(try PolicyRun(plan: plan, unit: unit).run(unit.policyCalls, on: &writer), &writer)
    }
  }

  // MARK: Late links

  /// Reads what earlier batches said, through weak relationships, of objects that this one is about to make.
  ///
  /// - Returns: Whether there was anything.
  private func readLate<W: StoreWriter>(for unit: ImportUnit, _ writer: inout W) throws -> Bool {
    let texts = late.takeTexts(for: unit)
    if texts.isEmpty { return false }
    let before = try ImportUnit(plan: plan, input: source.makeBatch(), stopsAtFault: false)
    for text in texts {
      let (node, bigIntegers) = try text.bytes.withUnsafeBytes { bytes in
        let reading = try before.input.reader.read(bytes, from: 0)
        return (reading.node, reading.bigIntegers)
      }
      let root = RootBatch.Root(node: node, bigIntegers: bigIntegers, index: nil)
      before.input.roots.append(root)
      guard before.walk(root, mapping: text.mapping) else { throw OutOfMemoryError() }
    }
    before.released = released.objects
    // Its faults were told when it was met.
    try before.resolve(in: &writer, onRefusedKey: { _, _ in }) { writer in
      try readLate(for: before, &writer)
    }
    before.released = [:]
    try map(before, &writer)
    return true
  }

  /// Makes the links that weak relationships have missed, where their targets have come since.
  private func settleLate<W: StoreWriter>(_ writer: inout W) throws {
    if late.isEmpty { return }
    let (links, questions) = try late.settle(&writer)
    if links.isEmpty, questions.isEmpty { return }
    let unit = try ImportUnit(plan: plan, input: source.makeBatch(), stopsAtFault: true)
    var rest = links[...]
    while !rest.isEmpty {
      var changes = try LateChanges(plan: plan, unit: unit).next(of: &rest, &writer)
      try writer.apply(&changes)
      for change in changes.changes {
        state.tally.note(change.id, of: change.entity, isNew: false, isChanged: change.isChanged)
      }
      sweep.add(try writer.settleOwnership(of: changes.removed, plan))
      unit.reset()
    }
    let calls = questions.map { question in
      PolicyCall(
        planned: plan.mappings[question.mapping], relationship: question.relationship, owner: question.owner,
        new: question.targets, isNull: false)
    }
    try note(try PolicyRun(plan: plan, unit: unit).run(calls, on: &writer), &writer)
  }

  private func tellOfRoots<W: StoreWriter>(_ writer: inout W) throws {
    guard let delegate = options.delegate else { return }
    let roots = self.roots
    try writer.lend(plan.schema) { lent in
      let objects = roots.map { MappedObject(id: $0, mapping: plan.root, lent: lent) }
      try delegate.didMapCollection(objects, of: plan.root, from: nil)
    }
  }

  private func note<W: StoreWriter>(_ outcome: PolicyRun.Outcome, _ writer: inout W) throws {
    sweep.add(try writer.settleOwnership(of: outcome.removed, plan))
    for change in outcome.changed {
      state.tally.note(change.id, of: change.entity, isNew: false, isChanged: change.isChanged)
    }
  }

  /// Keeps in mind what relationships no longer have, to be deleted in the end.
  private func release<W: StoreWriter>(
    _ removed: [ChangeBatch.Removed], _ unit: ImportUnit, _ writer: inout W
  ) throws {
    let removed = try writer.settleOwnership(of: removed, plan)
    sweep.add(removed)
    let surplus = unit.surplus()
    for (holder, objects) in surplus {
      released.set(objects.map(\.id), of: holder)
      sweep.add(objects)
    }
    var others: [ChangeBatch.Holder: [ObjectID]] = [:]
    for object in removed where object.isOwned && surplus[object.holder] == nil {
      others[object.holder, default: []].append(object.id)
    }
    for (holder, ids) in others { released.set(ids + (released.objects[holder] ?? []), of: holder) }
  }

  /// Objects that were written several times may be what they were before.
  private func settleRewritten<W: StoreWriter>(_ writer: inout W) throws {
    for object in state.tally.rewritten ?? [] where try !writer.isChanged(object.id, of: object.entity) {
      state.tally.noteRestored(object.id, of: object.entity)
    }
  }
}
