internal import CFastMap

/// Weak relationships whose targets come later in the payload.
extension Importer {
  /// Imports the kept representations of objects that a batch is about to make.
  ///
  /// - Returns: Whether there was anything.
  func readLate<W: StoreWriter>(for unit: ImportUnit, _ writer: inout W) throws -> Bool {
    let texts = late.removeTexts(for: unit)
    if texts.isEmpty { return false }
    let before = try batches.makeUnit(stopsAtFault: false)
    for text in texts { try before.walk(text) }
    before.owned.detached = detached
    // The batch that had the text has reported its faults.
    _ = try conflicts.leaveOut(of: before, isPayload: false)
    let longValues = batches.mostValueBytes.map { before.leaveOutLongValues($0) } ?? []
    before.hasFaults = !before.faults.isEmpty || !before.uncounted.isEmpty || !longValues.isEmpty
    try before.resolve(
      in: &writer, onRefusedKey: { _, _ in }, readLate: { writer in try readLate(for: before, &writer) })
    before.owned.detached = DetachedOwnedObjects()
    conflicts.recordPlaces(before, at: .init(root: unit.input.firstPlace, occurrence: 0))
    try write(before, &writer)
    try finishBatch(&writer)
    return true
  }

  /// Makes the links that weak relationships had to leave out, where their targets have come since.
  func linkLate<W: StoreWriter>(_ writer: inout W) throws {
    if late.isEmpty { return }
    let unit = try batches.makeUnit(stopsAtFault: true)
    let calls = try late.link(
      in: unit, on: &writer, mayBeGone: hasCommitted || removed.hasDeletedOrphaned
    ) { changes, writer in
      try changeLog.write(&changes, on: &writer)
      state.tally.countLinked(changes.changes)
      try removed.add(changes.removed, &writer.reader)
    }
    try ask(calls, unit, &writer)
  }
}
