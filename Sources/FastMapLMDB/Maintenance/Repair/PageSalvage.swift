internal import CFastMap
internal import FastMapStoreKit

/// Finds the intact entries of a data file that may be damaged anywhere. Reads through `pread`.
///
/// First it follows the trees of the newest commit. A tree that passes all checks is trusted. If a tree fails one, the pages that
/// are not free are read as well (`PageSalvage+Strays.swift`). The checksum of an entry covers its table, key and value, so
/// an entry is recognised without a tree. A page with another number than its place is not read.
struct PageSalvage {
  struct Entry {
    let table: Table
    let key: [UInt8]
    /// With its checksum.
    let value: [UInt8]
  }

  var report = RepairReport()
  let descriptor: CInt
  let path: String
  let pageSize: Int
  /// The pages of the file. Its last page may be cut.
  let pageCount: UInt64
  /// Pages that have been read, or belong to a value that was.
  var seen: PageSet
  /// The free pages, and the pages that list them; nil if a list cannot be read.
  var free: PageSet?
  /// The tables whose trees have all their entries.
  var wholeTables: Set<Table> = []
  /// The lists that may lack targets.
  var gaps = LinkGaps()

  init(_ descriptor: CInt, size: Int, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    let found = try Self.pageSize(descriptor, size: size, path: path)
    pageSize = found.size
    if !found.isTold {
      report.add("data.mdb, headers", "wrong page size in the header; using \(found.size), as on the pages")
    }
    // A file has at least its headers.
    pageCount = max(2, UInt64(size / pageSize + (size % pageSize > 0 ? 1 : 0)))
    seen = PageSet(pageCount)
  }

  static func meta(_ descriptor: CInt, at offset: Int, _ path: String) throws -> MetaPage {
    try FileSystem.bytes(of: descriptor, at: offset, count: MetaPage.size, path: path)
      .withUnsafeBytes { MetaPage($0) }
  }

  /// Calls `take` with every intact entry. If two entries have one key, the first is the right one.
  mutating func run(_ take: (Entry) throws -> Void) throws {
    let headers = [
      try Self.meta(descriptor, at: 0, path), try Self.meta(descriptor, at: pageSize, path),
    ]
    let newest = try newestCommit(headers)
    report.commit = newest.number
    if newest.header == nil {
      report.add("data.mdb, headers", "no header leads to the newest commit; the commit found may be older")
    }
    free = newest.header.flatMap { freePages($0) }
    if free == nil { report.add("data.mdb, list of free pages", "unreadable") }
    if let page = newest.page { seen.insert(page) }
    var count = 0
    func counting(_ entry: Entry) throws {
      count += 1
      try take(entry)
    }
    try walk(newest.trees, counting)
    if wholeTables.count < Table.allCases.count { try salvageStrayPages(of: newest, headers, counting) }
    if newest.trees.isEmpty, count == 0 {
      throw LMDBError(.damaged(place: "data.mdb", detail: "no entry was found"), path: path)
    }
  }

  // MARK: Trees

  private func freePages(_ header: MetaPage) -> PageSet? {
    // The file has no room for a list of more.
    var scan = scan(header, lastPage: min(header.lastPage, pageCount * UInt64(pageSize / 8 + 1)))
    return try? scan.findFree()
  }

  private func scan(_ header: MetaPage, lastPage: UInt64, verifiesEntries: Bool = false) -> PageScan {
    // The header's own page size may be damaged.
    var header = header
    header.page_size = UInt32(pageSize)
    return PageScan(
      header, pageCount: pageCount, lastPage: lastPage, verifiesEntries: verifiesEntries, path: path
    ) { [self] offset, buffer throws(LMDBError) in
      try FileSystem.read(descriptor, at: offset, into: buffer, path: path)
    }
  }

  /// A tree that was looked at as a whole.
  private struct Tree {
    let table: Table
    let record: TreeRecord
    /// Whether it is as a commit leaves it: each page, the order of its keys, its counts, and the checksum of each entry.
    let isWhole: Bool
    /// A page that is also free. Either the list of free pages is damaged, or a page number of the tree, which then leads to an older copy of
    /// a page.
    let doubtfulPage: UInt64?
  }

  private func tree(of table: Table, _ record: TreeRecord) -> Tree {
    var scan = scan(MetaPage(), lastPage: pageCount - 1, verifiesEntries: true)
    let pages = try? scan.pages(of: record, table)
    let shared = free.flatMap { pages?.firstShared(with: $0) }
    return Tree(table: table, record: record, isWhole: pages != nil, doubtfulPage: shared)
  }

  /// Takes the entries of the trees. Trees without a doubt come first: `meta` and `spare` have the same entries.
  private mutating func walk(_ records: [Table: TreeRecord], _ take: (Entry) throws -> Void) throws {
    let trees = Table.allCases.compactMap { table in records[table].map { tree(of: table, $0) } }
    let isCertain = { (tree: Tree) in tree.isWhole && tree.doubtfulPage == nil }
    for tree in trees.filter(isCertain) + trees.filter({ !isCertain($0) }) { try walk(tree, take) }
    wholeTables = Set(trees.filter(\.isWhole).map(\.table))
    if records.isEmpty { return }
    for table in Table.allCases where records[table] == nil {
      report.add("data.mdb", "the table \(table.name) has no entry by its name")
    }
  }

  private mutating func walk(_ found: Tree, _ take: (Entry) throws -> Void) throws {
    let (table, tree, isWhole) = (found.table, found.record, found.isWhole)
    let before = report.problemCount
    if let page = found.doubtfulPage {
      let detail =
        "table \(table.name) and the list of free pages both use the page; the entries may be older"
      report.add("data.mdb, page \(page)", detail)
    }
    var taken = UInt64(0)
    gaps = LinkGaps()
    if tree.root != TreeRecord.noRoot {
      try walk(tree.root, tree.levels, table, isWhole: isWhole) { entry in
        taken += 1
        try take(entry)
      }
    }
    gaps.end(in: &report)
    if !isWhole, report.problemCount == before {
      // For any reason: nothing is lost in silence.
      let detail = taken == tree.entries ? "all" : "\(tree.entries)"
      report.add("table \(table.name)", "its tree is damaged; \(taken) entries of \(detail) were found")
    }
  }

  private mutating func walk(
    _ number: UInt64, _ levels: UInt16, _ table: Table, isWhole: Bool, _ take: (Entry) throws -> Void
  ) throws {
    let (place, name) = ("data.mdb, page \(number)", table.name)
    guard levels >= 1, levels <= 32, number < pageCount, number >= 2 else {
      return report.add(place, "table \(name) leads to the page, which does not exist")
    }
    if !isWhole, free?.contains(number) == true || seen.contains(number) {
      return report.add(place, "table \(name) leads to the page, which has another use")
    }
    guard let page = page(number, isLeaf: levels == 1) else {
      if table == .links, levels == 1 { gaps.add(number) }
      return report.add(place, "not the \(levels == 1 ? "leaf" : "branch") that table \(name) expects")
    }
    if levels == 1 {
      guard try salvageEntries(of: page, number, table, take) else {
        if table == .links { gaps.add(number) }
        return report.add(place, "table \(name) leads to the page, which belongs to another table")
      }
    }
    seen.insert(number)
    if levels == 1 { return }
    let nodes = PageNode.all(on: page)
    if nodes.count != PageNode.count(on: page) { report.add(place, "a branch is damaged") }
    for node in nodes { try walk(node.child, levels - 1, table, isWhole: isWhole, take) }
  }

  // MARK: Pages

  /// Reads a page. Returns nil if it is of another kind, or has the number of another page.
  func page(_ number: UInt64, isLeaf: Bool) -> [UInt8]? {
    guard number >= 2, number < pageCount,
      let page = try? FileSystem.bytes(
        of: descriptor, at: Int(number) * pageSize, count: pageSize, path: path)
    else { return nil }
    let header = page.withUnsafeBytes { PageHeader($0) }
    return header.number == number && (isLeaf ? header.isLeaf : header.isBranch) ? page : nil
  }

  /// The value of a node, and the pages of its own; nil if it cannot be read.
  func value(of node: PageNode, on page: [UInt8]) -> (value: [UInt8], run: Range<UInt64>)? {
    guard node.isElsewhere else { return node.value(on: page).map { ($0, 0..<0) } }
    let (first, length) = (node.run, Int(node.value_length))
    let count = fastmap_run_pages(node.value_length, UInt32(pageSize))
    guard first >= 2, first < pageCount, count <= pageCount - first,
      let run = try? FileSystem.bytes(
        of: descriptor, at: Int(first) * pageSize, count: Int(count) * pageSize, path: path)
    else { return nil }
    return (Array(run[PageHeader.size..<(PageHeader.size + length)]), first..<(first + count))
  }
}
