internal import CFastMap
import CFastMapLMDB
import FastMapSystem
import Synchronization

// Snapshots read the pages in LMDB's map themselves (fastmap_pages.h). A search takes a third of LMDB's instructions, and damage is an
// error. LMDB trusts page numbers and offsets, and ends the process if they are wrong.
extension LMDBStore.Configuration {
  /// Whether snapshots can read pages of a size themselves. LMDB's map begins at a multiple of the system's page size only.
  func readsPages(ofSize pageSize: Int) -> Bool {
    pageSize <= Int(getpagesize()) && (1...Int(FASTMAP_SNAPSHOT_TREES)).contains(tables.count) && hasChecksums
  }
}

extension Environment {
  /// The pages of a read transaction, which they must outlive. They are found once for each commit.
  ///
  /// - Returns: Nil if two other commits have overwritten the header since the transaction began.
  /// - Throws: ``LMDBError`` of reason `damaged`, or of reading.
  @inline(__always)
  func pages(of transaction: OpaquePointer) throws(LMDBError) -> CommitPages? {
    let commit = UInt64(mdb_txn_id(transaction))
    if mapBase.load(ordering: .relaxed) != 0, let known = commitPages.pages(of: commit) { return known }
    return try findPages(of: commit, transaction)
  }

  @inline(never)
  private func findPages(
    of commit: UInt64, _ transaction: OpaquePointer
  ) throws(LMDBError) -> CommitPages? {
    let isVerified = isVerified
    let free = isVerified ? nil : try freePages(transaction)
    guard isVerified || free != nil else { return nil }
    var snapshot = fastmap_snapshot()
    for (index, name) in configuration.tables.enumerated() {
      var name = name
      let record = name.withUTF8 { name -> MDB_val? in
        var key = MDB_val(lending: UnsafeRawBufferPointer(name))
        var value = MDB_val()
        let status = mdb_get(transaction, Self.main, &key, &value)
        return status == MDB_SUCCESS && value.mv_size == TreeRecord.size ? value : nil
      }
      guard let record, let bytes = UnsafeRawPointer(record.mv_data) else {
        throw error(.damaged(place: name, detail: "the place of the table is missing"))
      }
      let tree = TreeRecord(record.bytes)
      let seed = Table(name: name).map(Checksum.seed) ?? 0
      withUnsafeMutableBytes(of: &snapshot.trees) { trees in
        trees.assumingMemoryBound(to: fastmap_page_tree.self)[index] = fastmap_page_tree(
          root: tree.root, levels: UInt32(tree.levels), seed: seed)
      }
      if index == 0 { try findMap(page: bytes - Int(bitPattern: bytes) % pageSize) }
    }
    snapshot.near_tree = UInt32(configuration.tables.firstIndex(of: Table.records.name) ?? 0)
    // The file may be longer than the committed pages, and than this process's map.
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    let committed = free?.end ?? UInt64(info.me_last_pgno) + 1
    let count = min(pageCount(atLeast: committed), committed, UInt64(info.me_mapsize / pageSize))
    let pages = CommitPages(commit, count: count, snapshot, free)
    commitPages.keep(pages)
    return pages
  }

  @inline(__always)
  func lend(_ pages: CommitPages, to snapshot: UnsafeMutablePointer<fastmap_snapshot>) {
    let free = isVerified ? nil : pages.free
    snapshot.pointee.trees = pages.trees.trees
    snapshot.pointee.pages = fastmap_pages(
      map: UnsafePointer(bitPattern: mapBase.load(ordering: .relaxed)), count: pages.count,
      page_size: UInt32(pageSize), is_strict: free == nil ? 0 : 1, free: free?.bits,
      checked: checkedPages.bits, checked_count: checkedPages.count)
    fastmap_snapshot_keep(snapshot, pages.trees.near_tree)
  }

  /// The start of LMDB's map, which LMDB does not tell. The number of a page is its distance from there.
  private func findMap(page: UnsafeRawPointer) throws(LMDBError) {
    let (number, known) = (fastmap_page_header_at(page).number, mapBase.load(ordering: .relaxed))
    let (distance, overflow) = UInt(number).multipliedReportingOverflow(by: UInt(pageSize))
    let base = UInt(bitPattern: page) &- distance
    guard !overflow, base != 0, known == 0 || known == base else {
      throw error(.damaged(place: "data.mdb, page \(number)", detail: "has the number of another page"))
    }
    if known == 0 { mapBase.store(base, ordering: .relaxed) }
  }

  /// The table of the tables' names, which is open in every transaction. C: `MAIN_DBI`
  static let main: MDB_dbi = 1

  /// The number of pages in the file. The number may be less than `needed`: free pages at the end may never have been
  /// written.
  private func pageCount(atLeast needed: UInt64) -> UInt64 {
    let known = pagesInFile.load(ordering: .relaxed)
    guard known < needed else { return known }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return known }
    let count = UInt64(status.st_size) / UInt64(pageSize)
    pagesInFile.store(count, ordering: .relaxed)
    return count
  }

  /// The error for a fault of a page, or of an entry of a table.
  @inline(never)
  func failure(_ fault: fastmap_page_fault, _ entry: fastmap_page_entry, of database: Database) -> LMDBError {
    if let detail = fault.detail {
      return error(.damaged(place: "data.mdb, page \(fault.page)", detail: String(cString: detail)))
    }
    let detail = "the checksum does not match"
    let name = configuration.tables[database.place]
    guard let table = Table(name: name) else { return error(.damaged(place: name, detail: detail)) }
    return Checksum.damaged(table, entry.keyBytes, detail, self)
  }
}

/// A bit for each page whose nodes a read has checked, in an unverified store (`fastmap_pages`). So a page is checked once,
/// and not at each visit.
struct CheckedPages: ~Copyable {
  private(set) var bits: UnsafeMutablePointer<UInt64>?
  private(set) var count: UInt64 = 0

  /// Makes room for more pages. No read is open. Without memory, pages beyond the room are checked at each visit.
  mutating func grow(to pageCount: Int) {
    let (old, words) = (Int(count) / 64, (pageCount + 63) / 64)
    guard words > old, let grown = calloc(words, 8)?.assumingMemoryBound(to: UInt64.self) else { return }
    if let bits {
      grown.update(from: bits, count: old)
      free(bits)
    }
    (bits, count) = (grown, UInt64(words) * 64)
  }

  deinit { free(bits) }
}
