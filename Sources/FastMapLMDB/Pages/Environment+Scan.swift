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

/// Walks through the pages of a snapshot. The scan reads through LMDB's own descriptor, because closing a second one
/// would lose LMDB's locks.
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
        .damaged(place: "data.mdb, header", detail: "commit \(commit), with the tree of commit \(found)"),
        path: path)
    }
    return true
  }

  /// The free pages of a snapshot that is in use; nil if its header was overwritten.
  func freePages(of commit: UInt64) throws(LMDBError) -> FreePages? {
    guard let meta = try meta(of: commit) else { return nil }
    var scan = PageScan(meta, of: descriptor, path: path)
    return FreePages(commit, end: meta.lastPage + 1, adopting: try scan.freeBits())
  }

  /// The format header of a snapshot in use, whatever tables it has.
  ///
  /// - Returns: Nil if the commit's header was overwritten. `.some(nil)` if the entry cannot be found: the store is
  ///   empty, or damaged there.
  func formatHeader(of commit: UInt64) throws(LMDBError) -> FormatHeader?? {
    guard let meta = try meta(of: commit) else { return nil }
    let pages = PageLookup(descriptor, pageSize: meta.pageSize, path: path)
    guard let record = try pages.find(Array(Table.meta.name.utf8), in: meta.names),
      record.count == TreeRecord.size
    else { return .some(nil) }
    let tree = record.withUnsafeBytes { TreeRecord($0) }
    guard let value = try pages.find(StoreLayout.formatKey, in: tree) else { return .some(nil) }
    let isSound = StoreLayout.formatKey.withUnsafeBytes { key in
      value.withUnsafeBytes { Checksum.matches(.meta, key, $0) }
    }
    guard isSound else { return .some(nil) }
    var failure: LMDBError?
    let header = value[Checksum.size...].withUnsafeBytes { bytes -> FormatHeader? in
      do throws(LMDBError) { return try FormatHeader(bytes, path: path) } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    return .some(header)
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
