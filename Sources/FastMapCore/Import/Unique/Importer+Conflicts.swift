/// The end of a transaction: objects that are not unique.
extension Importer {
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
