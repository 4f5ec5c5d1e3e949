internal import CFastMap
internal import FastMapCore
import FastMapSystem

extension LMDBStore {
  /// Reads every record of one snapshot and verifies every invariant: checksums, the order and form of keys,
  /// that keys and objects agree, that relationships and their inverse agree, that nothing refers to what is
  /// not there, and all counts. Before that it looks at the pages themselves, so that LMDB meets none that is
  /// damaged.
  ///
  /// Changes nothing; others may read and write meanwhile.
  ///
  /// - Returns: What was found. A store that is damaged is a report, not an error.
  /// - Throws: ``LMDBError`` where the store cannot be read at all.
  /// - Complexity: O(*n* log *n*) in the records.
  public func check() throws -> CheckReport {
    // With a commit of others between a snapshot and the look at its header, another snapshot is taken.
    for _ in 0..<100 {
      do {
        if let report = try environment.read({ try check($0) }) { return report }
      } catch let error as LMDBError {
        guard case .damaged(let place, let detail) = error.reason else { throw error }
        var report = CheckReport()
        report.add(place, detail)
        return report
      }
    }
    throw environment.error(.io(errno: EBUSY))
  }

  /// - Returns: Nil where the snapshot has no header any more.
  private func check(_ transaction: borrowing ReadTransaction) throws -> CheckReport? {
    guard try environment.scanPages(transaction) else { return nil }
    // The pages are sound; each checksum is looked at below, one by one.
    transaction.view.snapshot?.pointee.pages.is_strict = 0
    var checker = Checker(
      reader: LMDBReader(
        view: transaction.view, tables: tables,
        binding: Binding(schema: Schema(entities: []), entities: []),
        layout: try StoreLayout(transaction.view, tables), lists: lists))
    try checker.run()
    return checker.report
  }
}
