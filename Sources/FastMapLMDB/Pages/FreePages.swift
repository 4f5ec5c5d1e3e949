import CFastMapLMDB
import FastMapSystem

/// The pages that are free in one commit. A free page may be an intact page of an older commit, and a damaged page number may lead there.
/// So a read of an unverified store refuses to visit free pages.
final class FreePages: Sendable {
  let commit: UInt64
  /// The first page number beyond the commit.
  let end: UInt64
  // nonisolated(unsafe): never written to.
  nonisolated(unsafe) let bits: UnsafePointer<UInt64>

  /// - Parameter bits: One for each pageup to `end`, in memory that this frees.
  init(_ commit: UInt64, end: UInt64, adopting bits: UnsafeMutableBufferPointer<UInt64>) {
    self.commit = commit
    self.end = end
    guard let first = bits.baseAddress else { preconditionFailure("a scan has bits") }
    self.bits = UnsafePointer(first)
  }

  deinit { free(UnsafeMutableRawPointer(mutating: bits)) }
}

extension Environment {
  /// The free pages of a read transaction.
  ///
  /// - Returns: Nil if two other commits have overwritten the header since the transaction began.
  /// - Throws: ``LMDBError`` of reason `damaged`, or of reading.
  func freePages(_ transaction: OpaquePointer) throws(LMDBError) -> FreePages? {
    try SnapshotScan(handle, path).freePages(of: UInt64(mdb_txn_id(transaction)))
  }
}
