internal import CFastMap
internal import FastMapSystem

/// Walks the trees of one commit and checks everything that LMDB follows unchecked: page numbers, offsets and lengths.
/// Wrong ones end the process (SIGSEGV, SIGBUS, `assert`). The walk also finds faults that no checksum covers: a wrong
/// key in a branch hides the entries below it, and a wrong page number brings an older page back.
///
/// C does the walk (fastmap_scan.h). This structure reads the pages, and knows the names of the tables.
struct PageScan: ~Copyable {
  /// How far down a walk goes.
  enum Depth {
    /// The names of the tables, which opening needs. No page of a table is read.
    case names
    /// Also the roots of the tables, and the list of free pages.
    case roots
    /// Also the branches of the tables: each page must have one use or be free, which no single page shows.
    case branches
    case pages

    fileprivate var ofTables: fastmap_scan_depth {
      switch self {
      case .names: FASTMAP_SCAN_RECORD
      case .roots: FASTMAP_SCAN_ROOT
      case .branches: FASTMAP_SCAN_BRANCHES
      case .pages: FASTMAP_SCAN_PAGES
      }
    }
  }

  /// Fills a buffer with the bytes at an offset of the file.
  typealias Read = (_ offset: Int, _ into: UnsafeMutableRawBufferPointer) throws(LMDBError) -> Void

  private let meta: MetaPage
  private let path: String
  private let verifiesEntries: Bool
  private let read: Read
  /// Nil if there was no memory for it; walks throw then.
  private let scan: OpaquePointer?
  private var step = fastmap_scan_step()
  /// The commit's own number, which stands beside the names of the tables.
  private(set) var commit: UInt64?

  /// - Parameters:
  ///   - meta: The header of the commit.
  ///   - pageCount: The pages that the file has.
  ///   - lastPage: The last page that may be free. The page may be beyond the end of the file.
  ///   - verifiesEntries: Whether each value of a ``Table`` must begin with its ``Checksum``.
  ///   - path: The store's path, for errors.
  init(
    _ meta: MetaPage, pageCount: UInt64, lastPage: UInt64, verifiesEntries: Bool = false, path: String,
    _ read: @escaping Read
  ) {
    (self.meta, self.path, self.verifiesEntries, self.read) = (meta, path, verifiesEntries, read)
    scan = fastmap_scan_new(meta.page_size, pageCount, lastPage)
  }

  /// A scan of an open file that has all pages of the commit.
  init(_ meta: MetaPage, of descriptor: CInt, verifiesEntries: Bool = false, path: String) {
    self.init(
      meta, pageCount: meta.lastPage + 1, lastPage: meta.lastPage, verifiesEntries: verifiesEntries,
      path: path
    ) { offset, buffer throws(LMDBError) in
      try FileSystem.read(descriptor, at: offset, into: buffer, path: path)
    }
  }

  deinit { scan.map(fastmap_scan_free) }

  /// Looks at the pages that the commit refers to.
  ///
  /// - Throws: ``LMDBError`` of reason `damaged`, or the error of a read.
  /// - Complexity: O(*n*) in the pages that are looked at.
  mutating func run(_ depth: Depth = .pages) throws(LMDBError) {
    for (table, tree) in try tables() {
      try walk(tree, FASTMAP_SCAN_TABLE, depth.ofTables, table)
    }
    if depth != .names { try walk(meta.free, FASTMAP_SCAN_FREE) }
    if depth == .pages { try checkUse() }
  }

  /// Each page is in a tree or in a list of free pages. Otherwise a list has lost it.
  private mutating func checkUse() throws(LMDBError) {
    guard let scan else { throw noMemory }
    step.page = fastmap_scan_first_unused(scan)
    if step.page != 0 { throw fault("in no tree and in no list of free pages") }
  }

  /// Looks at the tree of free pages alone.
  ///
  /// - Returns: The pages that no other tree of the commit may refer to: the free pages, and the pages of this tree.
  /// - Throws: ``LMDBError`` of reason `damaged`, or the error of a read.
  /// - Complexity: O(*n*) in the free pages, and a bit for each page.
  mutating func findFree() throws(LMDBError) -> PageSet {
    try walk(meta.free, FASTMAP_SCAN_FREE)
    return usedPages()
  }

  private mutating func usedPages() -> PageSet {
    let bits = usedBits()
    defer { free(bits.baseAddress) }
    return PageSet(bits: UnsafeBufferPointer(bits))
  }

  private mutating func usedBits() -> UnsafeMutableBufferPointer<UInt64> {
    var count = 0
    let used = fastmap_scan_take_used(scan, &count)
    return UnsafeMutableBufferPointer(start: used, count: count)
  }

  /// Like ``findFree()``, as a bit for each page, in memory that the caller frees. The scan has ended.
  mutating func freeBits() throws(LMDBError) -> UnsafeMutableBufferPointer<UInt64> {
    try walk(meta.free, FASTMAP_SCAN_FREE)
    return usedBits()
  }

  /// Looks at the tree of one table: every page, the order of its keys, its counts, and the checksums of its entries. The scan has ended.
  ///
  /// - Returns: The pages of the tree.
  /// - Throws: ``LMDBError`` of reason `damaged`, or the error of a read.
  mutating func pages(of tree: TreeRecord, _ table: Table) throws(LMDBError) -> PageSet {
    try walk(tree, FASTMAP_SCAN_TABLE, FASTMAP_SCAN_PAGES, table)
    return usedPages()
  }

  /// The trees that the names lead to. Notes the number of the commit.
  private mutating func tables() throws(LMDBError) -> [(Table?, TreeRecord)] {
    var tables: [(Table?, TreeRecord)] = []
    try begin(meta.names, FASTMAP_SCAN_NAMES)
    while try goOn(nil) {
      let (key, value) = (step.entry.keyBytes, step.entry.valueBytes)
      if step.flags == 0, key.elementsEqual(CommitRecord.key), value.count == CommitRecord.size {
        commit = CommitRecord.commit(value)
        guard commit != nil else { throw fault("the checksum of the commit's number does not match") }
        continue
      }
      guard Int(step.flags) == Int(FASTMAP_NODE_TREE), value.count == TreeRecord.size else {
        throw fault("a name that is not a table's")
      }
      let tree = TreeRecord(value)
      guard tree.flags == 0 else { throw fault("a table with the flags \(tree.flags)") }
      tables.append((Table(name: String(decoding: key, as: UTF8.self)), tree))
    }
    return tables
  }

  private mutating func walk(
    _ tree: TreeRecord, _ kind: fastmap_scan_kind, _ depth: fastmap_scan_depth = FASTMAP_SCAN_PAGES,
    _ table: Table? = nil
  ) throws(LMDBError) {
    try begin(tree, kind, depth, verifiesEntries ? table : nil)
    while try goOn(table) {}
  }

  private func begin(
    _ tree: TreeRecord, _ kind: fastmap_scan_kind, _ depth: fastmap_scan_depth = FASTMAP_SCAN_PAGES,
    _ table: Table? = nil
  ) throws(LMDBError) {
    guard let scan else { throw noMemory }
    var tree = tree
    fastmap_scan_begin(scan, &tree, kind, depth, table.map(Checksum.seed) ?? 0)
  }

  private var noMemory: LMDBError { LMDBError(.io(errno: ENOMEM), path: path) }

  /// Goes on with the tree that was begun.
  ///
  /// - Returns: Whether there is a name in `step`; false at the end of the tree.
  private mutating func goOn(_ table: Table?) throws(LMDBError) -> Bool {
    while true {
      switch fastmap_scan_next(scan, &step) {
      case FASTMAP_SCAN_DONE: return false
      case FASTMAP_SCAN_NAME: return true
      case FASTMAP_SCAN_READ:
        let size = Int(meta.page_size)
        let buffer = UnsafeMutableRawBufferPointer(start: step.buffer, count: Int(step.count) * size)
        try read(Int(step.page) * size, buffer)
      case FASTMAP_SCAN_MEMORY: throw noMemory
      case FASTMAP_SCAN_CHECKSUM:
        let place = table.map { Place.describe($0, step.entry.keyBytes) } ?? "data.mdb, page \(step.page)"
        throw LMDBError(.damaged(place: place, detail: "the checksum does not match"), path: path)
      default:
        throw fault(
          withUnsafeBytes(of: step.detail) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
      }
    }
  }

  private func fault(_ detail: String) -> LMDBError {
    LMDBError(.damaged(place: "data.mdb, page \(step.page)", detail: detail), path: path)
  }
}
