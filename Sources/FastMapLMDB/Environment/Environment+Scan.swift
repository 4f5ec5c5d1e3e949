import CLMDB

extension Environment {
  /// Looks at every page that a snapshot refers to, before LMDB follows them.
  ///
  /// Through LMDB's own descriptor: a second one must not be closed while the store is open.
  ///
  /// - Throws: ``LMDBError`` of reason `damaged`.
  func scanPages(_ transaction: borrowing ReadTransaction) throws {
    guard let meta = try meta(of: UInt64(transaction.id)) else {
      // Two commits of others since the snapshot was taken have overwritten its header: it is sound, or was.
      return
    }
    let path = path
    let descriptor = descriptor
    let trees = PageScan.Trees(
      free: meta.free, main: meta.main, lastPage: meta.lastPage, pageSize: meta.pageSize)
    var scan = PageScan(trees) { offset, count in
      try FileSystem.bytes(of: descriptor, at: offset, count: count, path: path)
    }
    do { try scan.run() } catch let fault as PageScan.Fault {
      throw error(.damaged(place: "data.mdb, page \(fault.page)", detail: fault.detail))
    }
  }

  /// The meta page of a commit; nil where it has been overwritten.
  private func meta(of commit: UInt64) throws -> MetaPage? {
    var statistics = MDB_stat()
    mdb_env_stat(handle, &statistics)
    let offset = commit & 1 == 0 ? 0 : Int(statistics.ms_psize)
    let bytes = try FileSystem.bytes(of: descriptor, at: offset, count: MetaPage.size, path: path)
    let meta = bytes.withUnsafeBytes { MetaPage($0) }
    return meta.commit == commit ? meta : nil
  }
}
