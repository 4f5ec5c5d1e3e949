extension Importer {
  /// Makes the links that wait for the objects of a batch.
  func makeWaitingLinks<W: StoreWriter>(for unit: ImportUnit, _ writer: inout W) throws {
    let inserted = unit.inserted(waiting.has)
    if inserted.isEmpty { return }
    try settle(&writer)
    try waiting.make(for: inserted, on: &writer) { owner, changes in
      guard let entity = plan.schema.entity(named: owner) else {
        state.waited[owner, default: []].formUnion(changes.lazy.filter(\.isChanged).map(\.id))
        return
      }
      for change in changes { state.tally.noteAwaiting(change, of: entity) }
    }
  }
}
