internal import CFastMap
import CFastMapLMDB
import FastMapSystem
import Synchronization

// Snapshots read LMDB's pages themselves, where LMDB has mapped them (fastmap_pages.h): a search takes a third of the
// instructions, and what is damaged is an error. LMDB follows page numbers and offsets unseen, and dies of wrong ones.
extension Environment {
  /// Finds out where the tables of a snapshot stand.
  ///
  /// - Parameter free: Lives as long as the snapshot; nil where nobody asks.
  /// - Returns: False where LMDB has to be asked for all: where its map does not begin at a multiple of its page size,
  ///   and for tables without checksums.
  /// - Throws: ``LMDBError`` of reason `damaged`.
  func locate(
    _ snapshot: UnsafeMutablePointer<fastmap_snapshot>, _ transaction: OpaquePointer, _ free: FreePages?
  ) throws(LMDBError) -> Bool {
    guard options.hasChecksums, (1...Int(FASTMAP_SNAPSHOT_TREES)).contains(databases.count) else {
      return false
    }
    var statistics = MDB_stat()
    var info = MDB_envinfo()
    mdb_env_stat(handle, &statistics)
    mdb_env_info(handle, &info)
    let pageSize = Int(statistics.ms_psize)
    guard pageSize <= Int(getpagesize()) else { return false }

    for (index, name) in options.databases.enumerated() {
      var name = name
      let record = name.withUTF8 { name -> MDB_val? in
        var key = MDB_val(lending: UnsafeRawBufferPointer(name))
        var value = MDB_val()
        let status = mdb_get(transaction, Self.main, &key, &value)
        return status == MDB_SUCCESS && value.mv_size == TreeRecord.size ? value : nil
      }
      guard let record, let bytes = UnsafeRawPointer(record.mv_data) else {
        throw error(.damaged(place: name, detail: "where the table stands is missing"))
      }
      let tree = TreeRecord(record.bytes)
      let seed = Table(name: name).map(Checksum.seed) ?? 0
      withUnsafeMutableBytes(of: &snapshot.pointee.trees) { trees in
        trees.assumingMemoryBound(to: fastmap_page_tree.self)[index] = fastmap_page_tree(
          root: tree.root, levels: UInt32(tree.levels), seed: seed)
      }
      if index == 0 {
        // The file may be longer than what is committed, and than this process's map.
        let committed = free?.end ?? UInt64(info.me_last_pgno) + 1
        let count = min(
          pageCount(atLeast: committed, pageSize), committed, UInt64(info.me_mapsize / pageSize))
        snapshot.pointee.pages = fastmap_pages(
          map: try base(ofMapWith: bytes - Int(bitPattern: bytes) % pageSize, pageSize), count: count,
          page_size: UInt32(pageSize), is_strict: isLookedOver ? 0 : 1, free: free?.bits)
      }
    }
    let records = options.databases.firstIndex(of: Table.records.name)
    fastmap_snapshot_keep(snapshot, UInt32(records ?? 0))
    return true
  }

  /// Where LMDB's map begins, which it does not tell: so far before a page as the page's number says.
  private func base(
    ofMapWith page: UnsafeRawPointer, _ pageSize: Int
  ) throws(LMDBError) -> UnsafePointer<UInt8> {
    let (number, known) = (fastmap_page_header_at(page).number, mapBase.load(ordering: .relaxed))
    let (distance, overflow) = UInt(number).multipliedReportingOverflow(by: UInt(pageSize))
    let base = UInt(bitPattern: page) &- distance
    guard !overflow, known == 0 || known == base, let pointer = UnsafePointer<UInt8>(bitPattern: base) else {
      throw error(.damaged(place: "data.mdb, page \(number)", detail: "it belongs to another place"))
    }
    if known == 0 { mapBase.store(base, ordering: .relaxed) }
    return pointer
  }

  /// The table of the tables' names, which is open in every transaction. C: `MAIN_DBI`
  static let main: MDB_dbi = 1

  /// The pages that the file has. It may end before `needed`, where the last pages are free and were never written.
  private func pageCount(atLeast needed: UInt64, _ pageSize: Int) -> UInt64 {
    let known = pagesInFile.load(ordering: .relaxed)
    guard known < needed else { return known }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return known }
    let count = UInt64(status.st_size) / UInt64(pageSize)
    pagesInFile.store(count, ordering: .relaxed)
    return count
  }

  /// The error for what is wrong with a page, or with an entry of a table.
  @inline(never)
  func failure(_ fault: fastmap_page_fault, _ entry: fastmap_page_entry, of database: Database) -> LMDBError {
    if let detail = fault.detail {
      return error(.damaged(place: "data.mdb, page \(fault.page)", detail: String(cString: detail)))
    }
    let detail = "the checksum does not match"
    let name = options.databases[database.place]
    guard let table = Table(name: name) else { return error(.damaged(place: name, detail: detail)) }
    return Checksum.damaged(table, entry.keyBytes, detail, self)
  }
}
