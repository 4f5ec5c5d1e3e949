internal import CFastMap
import CFastMapLMDB

extension Environment {
  /// Checks every page of a snapshot, before LMDB follows them.
  ///
  /// - Returns: False if two other commits have overwritten the header of the snapshot. Try again with a new snapshot.
  /// - Throws: ``LMDBError`` of reason `damaged`.
  func scanPages(_ transaction: borrowing ReadTransaction) throws(LMDBError) -> Bool {
    try SnapshotScan(handle, path).run(UInt64(transaction.id), .pages)
  }
}

/// Walks through the pages of a snapshot. It reads through LMDB's own descriptor, because closing a second one would lose LMDB's locks.
struct SnapshotScan {
  private let handle: OpaquePointer
  private let path: String

  init(_ handle: OpaquePointer, _ path: String) {
    self.handle = handle
    self.path = path
  }

  /// - Parameters:
  ///   - commit: The commit of a snapshot that is in use.
  ///   - verifiesEntries: Whether each entry of a ``Table`` must have its checksum.
  /// - Returns: False if the header of the commit was overwritten, as two later commits do.
  func run(_ commit: UInt64, _ depth: PageScan.Depth, verifiesEntries: Bool = false) throws(LMDBError) -> Bool
  {
    guard let meta = try meta(of: commit) else { return false }
    var scan = PageScan(meta, of: descriptor, verifiesEntries: verifiesEntries, path: path)
    try scan.run(depth)
    guard commit == 0 || scan.commit == commit else {
      let found = scan.commit.map { "commit \($0)" } ?? "no commit"
      throw LMDBError(
        .damaged(place: "data.mdb, header", detail: "commit \(commit), its tree is that of \(found)"),
        path: path)
    }
    return true
  }

  /// The free pages of a snapshot that is in use; nil if its header was overwritten.
  func freePages(of commit: UInt64) throws(LMDBError) -> FreePages? {
    guard let meta = try meta(of: commit) else { return nil }
    var scan = PageScan(meta, of: descriptor, path: path)
    return FreePages(commit, end: meta.lastPage + 1, adopting: try scan.takeFree())
  }

  private var descriptor: CInt {
    var descriptor: CInt = -1
    mdb_env_get_fd(handle, &descriptor)
    return descriptor
  }

  /// The meta page of a commit; nil if it was overwritten.
  private func meta(of commit: UInt64) throws(LMDBError) -> MetaPage? {
    var statistics = MDB_stat()
    mdb_env_stat(handle, &statistics)
    let offset = commit & 1 == 0 ? 0 : Int(statistics.ms_psize)
    let bytes = try FileSystem.bytes(of: descriptor, at: offset, count: MetaPage.size, path: path)
    let meta = bytes.withUnsafeBytes { MetaPage($0) }
    return meta.commit == commit ? meta : nil
  }
}
