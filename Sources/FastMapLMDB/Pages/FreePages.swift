import CFastMapLMDB
internal import FastMapCore

/// The pages that are free in one commit. A free page may be an intact page of an older commit. A read of a store that was not checked when
/// it was opened refuses to visit free pages.
final class FreePages: Sendable {
  let commit: UInt64
  /// The first page number beyond the commit.
  let end: UInt64
  // nonisolated(unsafe): nobody writes to them.
  nonisolated(unsafe) let bits: UnsafePointer<UInt64>

  init(_ commit: UInt64, end: UInt64, _ pages: PageSet) {
    self.commit = commit
    self.end = end
    let copy = UnsafeMutablePointer<UInt64>.allocate(capacity: pages.bits.count)
    copy.initialize(from: pages.bits, count: pages.bits.count)
    self.bits = UnsafePointer(copy)
  }

  deinit { bits.deallocate() }
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
