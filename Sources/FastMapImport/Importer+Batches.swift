internal import CFastMap

/// The batches of a transaction: each is read, checked, resolved and written, in this order.
extension Importer {
  func map<W: StoreWriter>(_ writer: inout W) throws {
    defer { batches.end() }
    while let unit = try batches.next(check: checkCancellation) {
      try observed {
        try run(unit, &writer)
      } _: { _, time in
        .batch(objects: unit.input.roots.count, bytes: unit.input.end.bytes - state.position.bytes, time)
      }
      if let rests = batches.shared.pendingRests, rests.isFull {
        try finishBatch(&writer)
        try mergeRests(&writer)
      }
      state.rootObjects += unit.input.roots.count
      state.position = unit.input.end
      bytesDone = unit.input.end.bytes
      reportProgress()
    }
  }

  /// Reports how far the import has come.
  ///
  /// - Parameters:
  ///   - indexed: The objects that were added to new indexes.
  ///   - total: All objects to add to them.
  func reportProgress(indexed: Int = 0, of total: Int = 0) {
    let step = ImportOptions.Progress(
      bytes: bytesDone, totalBytes: totalBytes ?? 0, rootObjects: state.rootObjects, indexedObjects: indexed,
      objectsToIndex: total)
    options.onProgress?(step)
    options.progress?.update(step)
  }

  func checkCancellation() throws {
    if options.progress?.isCancelled ?? false || Task.isCancelled { throw CancellationError() }
  }

  private func run<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    let reader = FaultReader(plan: plan, unit: unit, skipsFaults: options.faults == .skip)
    guard !unit.faults.contains(where: { $0.code == UInt32(FASTMAP_FAULT_MEMORY) }) else {
      throw SystemError.outOfMemory
    }
    if let missing = reader.missingContext() { throw missing }
    var found = unit.faults.map { FaultReader.Fault(occurrence: Int($0.occurrence), what: .walked($0)) }
    if let limit = batches.mostValueBytes {
      found += unit.leaveOutLongValues(limit)
      found.sort { $0.occurrence < $1.occurrence }
    }
    if let unreadCheck {
      found += try unreadCheck.leaveOut(of: unit, reader)
      found.sort { $0.occurrence < $1.occurrence }
    }
    try faults.check(found, reader)
    // Without memory, the fault itself may be lost. An unfinished walk must not pass for an import.
    guard unit.isWalked else { throw SystemError.outOfMemory }
    found += try conflicts.leaveOut(of: unit, isPayload: true)
    unit.storedRoots = state.unmetRoots?.roots
    unit.hasFaults = options.faults == .skip && (!found.isEmpty || !unit.uncounted.isEmpty)
    try unit.resolve(in: &writer) { index, reason in
      found.append(.init(occurrence: index, what: .refused(reason, isOfKey: true)))
    } onResolved: { writer in
      try finishBatch(&writer)
      try removed.deleteOrphaned(atLeast: 4096, on: &writer, tally: &state.tally)
      unit.owned.detached = detached
      batches.shared.known.beginBatch()
    } readLate: { writer in
      try readLate(for: unit, &writer)
    }
    found += unit.decisions.faults
    unit.owned.detached = DetachedOwnedObjects()  // or the first change would copy them
    found.sort { $0.occurrence < $1.occurrence }
    try faults.check(found, reader)
    try faults.add(found, reader)
    conflicts.recordPlaces(unit)
    try unreadCheck?.countOfOtherKinds(in: unit, reader)
    observer?.observe(unit)
    state.unmetRoots?.countUnidentified(in: unit)

    try write(unit, &writer)
    state.add(unit.decisions.contradictions, reader)
    if keepsRoots { roots += unit.rootNumbers() }
  }

  /// Writes the changes of a resolved batch.
  func write<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    let notesLate = !unit.late.unresolved.isEmpty || unit.late.hasMet || !late.isEmpty
    unit.pendingLinks = notesLate ? late : nil
    var changes = try unit.changes(&state.tally)
    try changeLog?.begin(changes, on: &writer)
    try writer.apply(&changes)
    unsettled = UnsettledBatch(changes: changes, orphaned: unit.owned.orphaned)
    removed.add(orphanedScoped: unit.owned.orphanedScoped)
    // Later questions of the batch must see its writes.
    if !unit.policyCalls.isEmpty || notesLate || options.delegate != nil { try finishBatch(&writer) }
    try ask(unit.policyCalls, unit, &writer)
    try show(unit, &writer)
    if notesLate { late.add(unit) }
  }

  /// Shows the objects of a batch to the delegate.
  private func show<W: StoreWriter>(_ unit: ImportUnit, _ writer: inout W) throws {
    guard let delegate = options.delegate else { return }
    try withUnsafeMutablePointer(to: &writer) { writer in
      var run = DelegateRun(
        unit, delegate, number: { unit.objects[Int(unit.occurrence($0).object)].id },
        lend: { body in try writer.pointee.lend(self.plan.schema) { try body($0) } })
      try run.run()
    }
  }

  func finishBatch<W: StoreWriter>(_ writer: inout W) throws {
    guard var last = unsettled else { return }
    unsettled = nil
    try writer.finish(&last.changes)
    try changeLog?.end(last.changes)
    state.tally.count(last.changes.changes)
    try removed.add(last.changes.removed, orphaned: last.orphaned, state.tally, &writer.reader)
  }

  /// Merges the members that have waited into the rests of their objects.
  func mergeRests<W: StoreWriter>(_ writer: inout W) throws {
    guard var rests = batches.shared.pendingRests?.removeAll()[...], !rests.isEmpty else { return }
    let unit = try batches.makeUnit(stopsAtFault: true)
    while let first = rests.first?.place {
      let some = rests.prefix(64).prefix { $0.place.entity == first.entity && $0.place.field == first.field }
      rests = rests.dropFirst(some.count)
      var changes = try unit.changes(of: some, in: &writer.reader)
      try changeLog.write(&changes, on: &writer)
      state.tally.countLinked(changes.changes)
      unit.reset()
    }
  }

  /// Asks custom policies and writes the targets that they return.
  func ask<W: StoreWriter>(
    _ calls: [PolicyCall], _ unit: ImportUnit, _ writer: inout W
  ) throws {
    if calls.isEmpty { return }
    let outcome = try CustomPolicyRun(plan: plan, unit: unit, changeLog: changeLog).run(calls, on: &writer)
    try removed.add(outcome.removed, &writer.reader)
    state.tally.countLinked(outcome.changed)
  }

  var detached: DetachedOwnedObjects {
    DetachedOwnedObjects(byHolder: removed.owned, mayBeGone: hasCommitted)
  }
}
