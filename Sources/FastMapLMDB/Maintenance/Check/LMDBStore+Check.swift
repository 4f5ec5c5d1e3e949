internal import CFastMap
public import FastMapMaintenance
import FastMapSystem

extension LMDBStore: PersistentStore {
  /// Verifies every record and every invariant in one snapshot.
  ///
  ///     let report = try store.check()
  ///     for problem in report.problems { print(problem) }
  ///
  /// The checks cover checksums, the order and format of keys, and all counts. Keys must match objects, relationships
  /// must match their inverses, and every reference must have a target. Before that, all pages are verified, so that
  /// LMDB never reads a damaged one.
  ///
  /// Changes nothing. Others may read and write meanwhile. If the store is sound, reads and writes of this process do not
  /// verify its pages again.
  ///
  /// - Returns: The problems and the counts. Damage is reported, not thrown.
  /// - Throws: ``LMDBError`` if the store cannot be read at all.
  /// - Complexity: O(*n* log *n*) in the records.
  public func check() throws -> CheckReport {
    // If another process commits between a snapshot and the reading of its header, take another snapshot.
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

  /// - Returns: Nil if the snapshot's header was overwritten.
  private func check(_ transaction: borrowing ReadTransaction) throws -> CheckReport? {
    guard try environment.scanPages(transaction) else { return nil }
    // The pages are intact, and each checksum is verified below.
    transaction.view.snapshot?.pointee.pages.is_strict = 0
    var checker = try Checker(
      reader: LMDBReader(
        view: transaction.view, tables: tables, layout: try StoreLayout(transaction.view, tables),
        lists: lists))
    try checker.run()
    if checker.report.isSound { environment.recordVerification(.complete) }
    return checker.report
  }
}
