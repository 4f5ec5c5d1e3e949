import CFastMapLMDB
internal import FastMapCore
import FastMapSystem

/// The pages that are free in one commit. A free page may be an intact page of an older commit, and a damaged page number may lead there.
/// So a read of a store that nobody has verified refuses to visit free pages.
final class FreePages: Sendable {
  let commit: UInt64
  /// The first page number beyond the commit.
  let end: UInt64
  // nonisolated(unsafe): nobody writes to them.
  nonisolated(unsafe) let bits: UnsafePointer<UInt64>

  /// - Parameter bits: One for each page, in memory that this frees. It reaches to `end`.
  init(_ commit: UInt64, end: UInt64, adopting bits: UnsafeMutableBufferPointer<UInt64>) {
    self.commit = commit
    self.end = end
    guard let first = bits.baseAddress else { preconditionFailure("a scan has bits") }
    self.bits = UnsafePointer(first)
  }

  deinit { free(UnsafeMutableRawPointer(mutating: bits)) }
}

/// The free pages of the newest commit that has been read.
final class FreePagesCache: Sendable {
  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var newest: FreePages?

  func pages(of commit: UInt64) -> FreePages? {
    monitor.lock()
    defer { monitor.unlock() }
    return newest?.commit == commit ? newest : nil
  }

  func keep(_ pages: FreePages) {
    monitor.lock()
    defer { monitor.unlock() }
    if pages.commit > newest?.commit ?? 0 { newest = pages }
  }
}

extension Environment {
  /// The free pages of a read transaction, which they must outlive. They are found once for each commit.
  ///
  /// - Returns: Nil if two other commits have overwritten the header since the transaction began.
  /// - Throws: ``LMDBError`` of reason `damaged`, or of reading.
  func freePages(_ transaction: OpaquePointer) throws(LMDBError) -> FreePages? {
    let commit = UInt64(mdb_txn_id(transaction))
    if let known = freePagesCache.pages(of: commit) { return known }
    let found = try SnapshotScan(handle, path).freePages(of: commit)
    if let found { freePagesCache.keep(found) }
    return found
  }
}
