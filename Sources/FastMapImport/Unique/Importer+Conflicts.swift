/// The end of a transaction: objects that are not unique.
extension Importer {
  /// Looks for objects with the same values in a unique index, and decides which of them the next run leaves out.
  ///
  /// - Returns: Whether the transaction has to run again.
  /// - Throws: ``UniquenessError`` where that would not help.
  func hasConflicts<W: StoreWriter>(in writer: inout W) throws -> Bool {
    if canRunAgain { return try conflicts.decide(limit: options.faults == .abort ? 1 : .max, plan, &writer) }
    guard let pair = try writer.duplicates(limit: 1).first else { return false }
    var errors = UniquenessErrors(plan)
    throw try errors.error(of: pair, in: &writer.reader)
  }
}
