internal import CFastMap
import FastMapSystem

/// Checks a data file before LMDB 0.9 opens it. LMDB opens a truncated file without an error, and later ends the process (SIGBUS).
///
/// The check must close the file before `mdb_env_open`: LMDB forbids a second descriptor in a process that uses the store.
struct Preflight {
  /// The facts about the file that opening needs.
  struct Findings {
    let mapSize: Int
    /// The bytes that the newest commit may refer to.
    let usedBytes: Int
    /// The number of the newest commit, 0 if there is none.
    let commit: UInt64
    /// Whether the commit has its number beside its tables, as all of FastMap's commits have.
    let isOurs: Bool
    /// The older header, if its tree belongs to the commit after the newest one.
    fileprivate let unfinished: (number: Int, meta: MetaPage)?
  }

  let descriptor: CInt
  let path: String

  /// Checks the data file of a store. The file exists.
  ///
  /// - Parameter mayWrite: Whether a header may be completed that lacks only its number.
  static func inspect(_ directory: StoreDirectory, mayWrite: Bool = false) throws(LMDBError) -> Findings {
    let path = directory.path
    let descriptor = open(directory.dataFile, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .lastSystemError(at: path) }
    defer { close(descriptor) }
    let preflight = Preflight(descriptor: descriptor, path: path)

    // Another process may commit between our reads. A fault of the file itself stays.
    for _ in 0..<20 {
      if let findings = try? preflight.findings(), findings.unfinished == nil { return findings }
      usleep(2000)
    }
    return try preflight.complete(directory, mayWrite: mayWrite)
  }

  /// The number of the newest commit of a data file that is not open; nil if the file is damaged.
  static func commit(of directory: StoreDirectory) -> UInt64? {
    let descriptor = open(directory.dataFile, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let findings = try? Preflight(descriptor: descriptor, path: directory.path).findings()
    return findings?.unfinished == nil ? findings?.commit : nil
  }

  /// Gives a header the number that its tree has, while the store is not open.
  ///
  /// LMDB syncs all pages before it writes the number, so the commit is complete. Either the power failed at that moment, or a bit of the
  /// number was damaged later. Without this, the commit would be lost. The store must not be open anywhere: its users know the earlier
  /// commit from the lock file, and may be writing to pages of this one.
  private func complete(_ directory: StoreDirectory, mayWrite: Bool) throws(LMDBError) -> Findings {
    let lock = DirectoryLock(path)
    defer { withExtendedLifetime(lock) {} }
    let findings = try findings()
    guard let header = findings.unfinished, directory.isOpenNowhere, isWhole(header.meta) else {
      return findings
    }
    guard mayWrite else {
      throw damage(
        "meta page \(header.number)",
        "the commit number differs from the tree's; open the store for writing once")
    }
    let writing = open(directory.dataFile, O_WRONLY | O_CLOEXEC)
    guard writing >= 0 else { throw .lastSystemError(at: path) }
    defer { close(writing) }
    var commit = findings.commit + 1
    let offset = header.number * header.meta.pageSize + MetaPage.commitOffset
    guard pwrite(writing, &commit, 8, off_t(offset)) == 8 else { throw .lastSystemError(at: path) }
    try FileSystem.sync(writing, at: path)
    return try self.findings()
  }

  private func findings() throws(LMDBError) -> Findings {
    let first = try metaPage(at: 0)
    try checkFormat(first)
    let length = try fileLength()
    guard length >= 2 * first.pageSize else {
      throw LMDBError(.truncated(expected: 2 * first.pageSize, found: length), path: path)
    }
    let second = try metaPage(at: first.pageSize)
    try check(first, number: 0)
    try check(second, number: 1)
    guard second.pageSize == first.pageSize else {
      throw damage("meta pages", "page sizes \(first.pageSize) and \(second.pageSize)")
    }

    let number = first.commit < second.commit ? 1 : 0
    let meta = number == 0 ? first : second
    // LMDB picks the newer page by its commit, but transactions find it again by the commit's last bit.
    guard meta.commit == 0 || meta.commit & 1 == number else {
      throw damage("meta page \(number)", "commit \(meta.commit) belongs in the other meta page")
    }
    // Every commit writes the other page: a flipped bit in a number would bring an older commit back.
    let older = number == 0 ? second : first
    guard meta.commit == 0 ? older.commit == 0 : meta.commit == older.commit + 1 else {
      throw damage("meta pages", "commits \(first.commit) and \(second.commit) do not follow each other")
    }
    let commit = try checkGeometry(meta, number: UInt64(number))
    guard commit ?? meta.commit == meta.commit else {
      throw damage("meta page \(number)", "commit \(meta.commit), with the tree of commit \(commit ?? 0)")
    }
    let isUnfinished = meta.commit > 0 && treeCommit(of: older) == meta.commit + 1
    return Findings(
      mapSize: Int(clamping: meta.map_size), usedBytes: Int(meta.lastPage + 1) * meta.pageSize,
      commit: meta.commit,
      isOurs: commit != nil || meta.names.root == TreeRecord.noRoot,
      unfinished: isUnfinished ? (1 - number, older) : nil)
  }

  /// The number in the tree of the older header; nil without one, as after a torn write.
  private func treeCommit(of older: MetaPage) -> UInt64? {
    guard older.names.root != TreeRecord.noRoot, let length = try? fileLength(),
      older.lastPage >= 1, older.lastPage < UInt64(Int.max / older.pageSize)
    else { return nil }
    var scan = nameScan(older, pagesInFile: UInt64(length / older.pageSize))
    do { try scan.run(.names) } catch { return nil }
    return scan.commit
  }

  /// Whether everything that a header refers to exists.
  ///
  /// A torn header, or one that LMDB restored after an error, has the new roots with the old last page. Its commit was
  /// never acknowledged, so the previous commit is used.
  ///
  /// Entries are not verified. LMDB syncs them before the number, so a damaged one does not show that the commit is
  /// unfinished. Without the number, the whole commit would be lost without a sign. With it, the entry is an error when it
  /// is read.
  private func isWhole(_ meta: MetaPage) -> Bool {
    guard let length = try? fileLength() else { return false }
    var scan = nameScan(meta, pagesInFile: UInt64(length / meta.pageSize))
    do { try scan.run() } catch { return false }
    return true
  }

  /// A scan that stays within the file, with any header.
  private func nameScan(_ meta: MetaPage, pagesInFile: UInt64) -> PageScan {
    let lastPage = min(meta.lastPage, max(pagesInFile, 1) - 1)
    return scan(meta, pageCount: lastPage + 1, lastPage: lastPage)
  }

  private func scan(_ meta: MetaPage, pageCount: UInt64, lastPage: UInt64) -> PageScan {
    PageScan(meta, pageCount: pageCount, lastPage: lastPage, path: path) {
      [self] offset, buffer throws(LMDBError) in
      try FileSystem.read(descriptor, at: offset, into: buffer, path: path)
    }
  }

  /// Whether the list of free pages has all pages from the end of the file to the last one.
  private func freesAll(from pagesInFile: UInt64, _ meta: MetaPage) -> Bool {
    // More page numbers than that do not fit into the file.
    guard meta.lastPage - pagesInFile < pagesInFile * UInt64(meta.pageSize / 8) else { return false }
    var scan = scan(meta, pageCount: pagesInFile, lastPage: meta.lastPage)
    guard let free = try? scan.findFree() else { return false }
    return (pagesInFile...meta.lastPage).allSatisfy { free.contains($0) }
  }

  /// The file's length, taken after a meta page was read: a file only grows, and before its meta page is
  /// written.
  private func fileLength() throws(LMDBError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .lastSystemError(at: path) }
    return Int(status.st_size)
  }

  private func metaPage(at offset: Int) throws(LMDBError) -> MetaPage {
    let bytes = try bytes(at: offset, count: MetaPage.size)
    return bytes.withUnsafeBytes { MetaPage($0) }
  }

  func bytes(at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
    try FileSystem.bytes(of: descriptor, at: offset, count: count, path: path)
  }

  /// Whether this is LMDB's file, of the format and the kind of machine that this LMDB reads.
  private func checkFormat(_ meta: MetaPage) throws(LMDBError) {
    let length = try fileLength()
    guard meta.magic == MetaPage.lmdbMagic else {
      if meta.magic == MetaPage.lmdbMagic.byteSwapped {
        throw LMDBError(.foreignFile(detail: "written on a machine of the other byte order"), path: path)
      }
      // The page header of a 32-bit machine is four bytes shorter, so its version is where our magic is.
      if meta.header.run_pages == MetaPage.lmdbMagic {
        throw LMDBError(.foreignFile(detail: "written on a 32-bit machine"), path: path)
      }
      if meta.later_version != 0 {
        let detail =
          "data.mdb was written by LMDB 1.x (its format \(meta.later_version)), FastMap reads the files of LMDB 0.9"
        throw LMDBError(.foreignFile(detail: detail), path: path)
      }
      if try metaPage(at: Int(getpagesize())).magic == MetaPage.lmdbMagic {
        throw damage("meta page 0", "LMDB's mark is missing")
      }
      let shortest = 2 * Int(getpagesize())
      let detail =
        length < shortest
        ? "data.mdb is \(length) bytes long, the shortest has \(shortest)" : "data.mdb is not LMDB's"
      throw LMDBError(.notAStore(detail: detail), path: path)
    }
    guard length >= MetaPage.size else {
      throw LMDBError(.truncated(expected: 2 * Int(getpagesize()), found: length), path: path)
    }
    guard meta.version == MetaPage.formatVersion else {
      let detail = "data.mdb has LMDB's format \(meta.version), this LMDB reads \(MetaPage.formatVersion)"
      throw LMDBError(.foreignFile(detail: detail), path: path)
    }
    try checkPageSize(meta, number: 0)
  }

  private func checkPageSize(_ meta: MetaPage, number: UInt64) throws(LMDBError) {
    guard meta.hasPageSize else {
      throw damage("meta page \(number)", "page size \(meta.pageSize)")
    }
  }

  private func check(_ meta: MetaPage, number: UInt64) throws(LMDBError) {
    let place = "meta page \(number)"
    guard meta.magic == MetaPage.lmdbMagic, meta.version == MetaPage.formatVersion else {
      throw damage(place, "LMDB's mark is missing")
    }
    guard meta.header.isMeta, meta.header.number == number else {
      throw damage(place, "not the header of a meta page")
    }
    try checkPageSize(meta, number: number)
    guard meta.free.flags == TreeFlags.integerKeys else {
      throw damage(place, "flags \(meta.free.flags) of the free pages")
    }
    guard meta.names.flags == 0 else {
      throw LMDBError(.foreignFile(detail: "its main table is not made as FastMap makes it"), path: path)
    }
  }

  /// Whether all that the newest commit refers to is in the file.
  ///
  /// - Returns: The number in its tree; nil without one.
  private func checkGeometry(_ meta: MetaPage, number: UInt64) throws(LMDBError) -> UInt64? {
    let place = "meta page \(number)"
    guard meta.lastPage >= 1, meta.lastPage < UInt64(Int.max / meta.pageSize) else {
      throw damage(place, "last page \(meta.lastPage)")
    }
    let pagesInFile = UInt64(try fileLength() / meta.pageSize)
    // A page that one transaction took and gave back is never written, so the file may end early, if all that
    // is missing is free.
    if meta.lastPage >= pagesInFile {
      guard freesAll(from: pagesInFile, meta) else {
        let expected = Int(meta.lastPage + 1) * meta.pageSize
        throw LMDBError(.truncated(expected: expected, found: try fileLength()), path: path)
      }
    }
    try checkRoot(meta.free, "free pages", meta, pagesInFile)
    try checkRoot(meta.names, "main table", meta, pagesInFile)
    var scan = nameScan(meta, pagesInFile: pagesInFile)
    try scan.run(.names)
    return scan.commit
  }

  /// Whether a tree can have its root at its recorded place. The page itself is read by the scan of the names, or when
  /// the free pages are needed.
  private func checkRoot(
    _ tree: TreeRecord, _ name: String, _ meta: MetaPage, _ pagesInFile: UInt64
  ) throws(LMDBError) {
    if tree.root == TreeRecord.noRoot {
      guard tree.levels == 0, tree.entries == 0 else { throw damage(name, "entries without a root") }
      return
    }
    guard tree.root >= 2, tree.root <= meta.lastPage, tree.root < pagesInFile else {
      throw damage(name, "root page \(tree.root) of \(min(pagesInFile, meta.lastPage + 1))")
    }
    guard (1...32).contains(tree.levels) else { throw damage(name, "\(tree.levels) levels") }
  }

  func damage(_ place: String, _ detail: String) -> LMDBError {
    LMDBError(.damaged(place: "data.mdb, \(place)", detail: detail), path: path)
  }

  private enum TreeFlags {
    static let integerKeys: UInt16 = 0x08
  }
}
