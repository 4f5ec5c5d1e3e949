import CFastMapLMDB
internal import FastMapStoreKit
import FastMapSystem
import Synchronization

/// How much of a store was verified since it was opened.
enum Verification: UInt8, AtomicRepresentable {
  /// Only the pages that opening needs. Each read verifies the pages and entries that it visits.
  case none
  /// The pages that a write needs, in a store above ``LMDBStore/Configuration/verifiedSize``. Reads go on as before.
  case partial
  /// Every page and every checksum.
  case complete
}

// LMDB trusts the pages that a write visits, so they are verified before the first write. This finds damage from before
// the store was opened. Later pages belong to commits of processes that verified the file, too. A file with the mark of
// such a process (``VerifiedMark``) is not verified again.
extension Environment {
  /// Whether every page was verified. Reads then skip the checks of pages.
  @inline(__always)
  var isVerified: Bool { verification.load(ordering: .acquiring) == .complete }

  /// Records a verification. A complete verification stays complete.
  func recordVerification(_ found: Verification) {
    switch found {
    case .none: break
    case .partial:
      _ = verification.compareExchange(expected: .none, desired: .partial, ordering: .acquiringAndReleasing)
    case .complete: verification.store(.complete, ordering: .releasing)
    }
  }

  /// Whether the newest commit has the mark of a verified file. The caller has the turn.
  var isMarked: Bool { isVerified && VerifiedMark.isOn(descriptor, commit: newestCommit) }

  /// Marks the newest commit, which this process has made of a marked one. The caller has the turn.
  func putMark() {
    if !gate.isDead { VerifiedMark.put(descriptor, commit: newestCommit) }
  }

  /// C: `mdb_env_info`
  private var newestCommit: UInt64 {
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    return UInt64(info.me_last_txnid)
  }

  private func status() throws(LMDBError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .lastSystemError(at: path) }
    return status
  }

  /// Verifies the newest commit, unless that was done. Other threads that want to write wait meanwhile; reads do not.
  ///
  /// - Throws: ``LMDBError`` of reason `damaged`. The next write tries again.
  @inline(__always)
  func verifyOnce() throws(LMDBError) {
    if verification.load(ordering: .acquiring) == .none { try verify() }
  }

  /// The number of snapshots that may be overtaken by two commits, one after the other.
  static let mostOvertaken = 1000

  @inline(never)
  private func verify() throws(LMDBError) {
    // A thread that reads must not wait for another one here: that one may wait for the reads to end, because the map
    // grows. The read verifies by itself.
    let waits = !thread.isReading
    if waits { verifying.lock() }
    defer { if waits { verifying.unlock() } }
    for _ in 0..<Self.mostOvertaken where verification.load(ordering: .acquiring) == .none {
      let transaction = try beginRead()
      defer { endRead(transaction) }
      let depth = configuration.depth(of: mapSize.used)
      let commit = UInt64(mdb_txn_id(transaction))
      if VerifiedMark.isOn(descriptor, commit: commit) { return recordVerification(.complete) }
      let before = try status()
      guard try SnapshotScan(handle, path).run(commit, depth, verifiesEntries: true) else { continue }
      recordVerification(depth == .pages ? .complete : .partial)
      let isSame = try status().isUnchanged(since: before) && commit == newestCommit
      if depth == .pages, isSame { VerifiedMark.put(descriptor, commit: commit) }
    }
    if verification.load(ordering: .acquiring) == .none { throw overtaken() }
  }

  /// The error if the header of each new snapshot is gone at once: a lock file that another one has replaced knows
  /// only old commits.
  func overtaken() -> LMDBError {
    error(files.missing.map { .removed(file: $0) } ?? .io(errno: EBUSY))
  }
}
