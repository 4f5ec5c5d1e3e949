internal import CFastMap
internal import FastMapStoreKit

/// The roots of the tables and the free pages of a commit, which its snapshots share. Finding them takes as long as
/// finding an object.
final class CommitPages: Sendable {
  let commit: UInt64
  /// The number of pages that the commit may refer to.
  let count: UInt64
  /// The trees of the tables, and the table in which reads often look up keys in order.
  // nonisolated(unsafe): never written to.
  nonisolated(unsafe) let trees: fastmap_snapshot
  /// Nil for a store that was verified: its pages are not checked again.
  let free: FreePages?

  init(_ commit: UInt64, count: UInt64, _ trees: fastmap_snapshot, _ free: FreePages?) {
    (self.commit, self.count, self.trees, self.free) = (commit, count, trees, free)
  }
}

/// The pages of the newest commit that was read.
///
/// Thread rule: any thread may use it.
final class CommitPagesCache: Sendable {
  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var newest: CommitPages?

  func pages(of commit: UInt64) -> CommitPages? {
    monitor.lock()
    defer { monitor.unlock() }
    return newest?.commit == commit ? newest : nil
  }

  func keep(_ pages: CommitPages) {
    monitor.lock()
    defer { monitor.unlock() }
    if pages.commit > newest?.commit ?? 0 { newest = pages }
  }
}
