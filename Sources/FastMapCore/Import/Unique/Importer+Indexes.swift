/// The end of a transaction: new indexes, and objects that are not unique.
extension Importer {
  /// Builds the indexes that the mappings declare and the store does not keep yet.
  ///
  /// - Parameter hasChanges: Whether the transaction has changed anything. If not, it must be worth a commit.
  /// - Returns: Whether the store keeps an index that it did not keep before.
  func buildIndexes<W: StoreWriter>(in writer: inout W, hasChanges: Bool) throws -> Bool {
    let missing = try missingIndexes(in: &writer)
    guard hasChanges || missing > 0 else { return false }
    try writer.buildIndexes { done, total in
      try checkCancellation()
      noteProgress(indexed: done, of: total)
    }
    return try missing > 0 && missingIndexes(in: &writer) < missing
  }

  private func missingIndexes<W: StoreWriter>(in writer: inout W) throws -> Int {
    var count = 0
    for (number, entity) in plan.schema.entities.enumerated() where !entity.indexes.isEmpty {
      let stored = try writer.indexes(of: number)
      count += entity.indexes.count { index in
        !stored.contains { $0.parts == index.parts && ($0.isUnique || !index.isUnique) }
      }
    }
    return count
  }

  /// Looks for objects with the same values in a unique index, and decides which of them the next run leaves out.
  ///
  /// - Returns: Whether the transaction has to run again.
  /// - Throws: ``UniquenessError`` where that would not help.
  func hasConflicts<W: StoreWriter>(in writer: inout W) throws -> Bool {
    let pairs = try writer.duplicates(limit: conflicts.limit(options.faults))
    if pairs.isEmpty { return false }
    guard canRunAgain else {
      var errors = UniquenessErrors(plan)
      throw try errors.error(of: pairs[0], in: &writer)
    }
    try conflicts.decide(pairs, plan, &writer)
    return true
  }
}
