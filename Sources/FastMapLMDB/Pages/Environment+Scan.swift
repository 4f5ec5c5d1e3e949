internal import CFastMap
import CFastMapLMDB

extension Environment {
  /// Looks at every page that a snapshot refers to, before LMDB follows them.
  ///
  /// - Returns: False where two commits of others have come since the snapshot was taken, and its header is gone:
  ///   a new snapshot may have more luck.
  /// - Throws: ``LMDBError`` of reason `damaged`.
  func scanPages(_ transaction: borrowing ReadTransaction) throws(LMDBError) -> Bool {
    try SnapshotScan(handle, path).run(UInt64(transaction.id), .pages)
  }
}

/// Walks through the pages of a snapshot, through LMDB's own descriptor: a second one must not be closed while
/// the store is open.
struct SnapshotScan {
  private let handle: OpaquePointer
  private let path: String

  init(_ handle: OpaquePointer, _ path: String) {
    self.handle = handle
    self.path = path
  }

  /// - Parameters:
  ///   - commit: Of the snapshot, which somebody holds.
  ///   - hasChecksums: Whether each entry must have its checksum.
  /// - Returns: False where the commit has no header any more.
  func run(_ commit: UInt64, _ depth: PageScan.Depth, hasChecksums: Bool = false) throws(LMDBError) -> Bool {
    guard let meta = try meta(of: commit) else { return false }
    var scan = PageScan(meta, of: descriptor, hasChecksums: hasChecksums, path: path)
    try scan.run(depth)
    guard commit == 0 || scan.commit == commit else {
      let found = scan.commit.map { "commit \($0)" } ?? "no commit"
      throw LMDBError(
        .damaged(place: "data.mdb, header", detail: "commit \(commit), its tree is that of \(found)"),
        path: path)
    }
    return true
  }

  /// The free pages of a snapshot that somebody holds; nil where the commit has no header any more.
  func freePages(of commit: UInt64) throws(LMDBError) -> FreePages? {
    guard let meta = try meta(of: commit) else { return nil }
    var scan = PageScan(meta, of: descriptor, path: path)
    return FreePages(commit, end: meta.lastPage + 1, try scan.findFree())
  }

  private var descriptor: CInt {
    var descriptor: CInt = -1
    mdb_env_get_fd(handle, &descriptor)
    return descriptor
  }

  /// The meta page of a commit; nil where it has been overwritten.
  private func meta(of commit: UInt64) throws(LMDBError) -> MetaPage? {
    var statistics = MDB_stat()
    mdb_env_stat(handle, &statistics)
    let offset = commit & 1 == 0 ? 0 : Int(statistics.ms_psize)
    let bytes = try FileSystem.bytes(of: descriptor, at: offset, count: MetaPage.size, path: path)
    let meta = bytes.withUnsafeBytes { MetaPage($0) }
    return meta.commit == commit ? meta : nil
  }
}
