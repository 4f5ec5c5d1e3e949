internal import CFastMap
internal import FastMapCore

/// Finds the intact entries of a data file that may be damaged anywhere. It reads through `pread`.
///
/// First it follows the trees of the newest commit. A tree that passes all checks is trusted. If a tree fails one, all other
/// used pages are read as well. The checksum of an entry covers its table, key and value, so an entry is recognised without a tree.
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
  let pageCount: UInt64
  /// Pages that have been read, or belong to a value that was.
  var seen: PageSet
  var free: PageSet
  /// The lists that may lack targets.
  var gaps = LinkGaps()

  init(_ descriptor: CInt, size: Int, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    let found = try Self.pageSize(descriptor, size: size, path: path)
    pageSize = found.size
    if !found.isTold {
      report.add("data.mdb, headers", "another page size than \(found.size), which that of the pages is")
    }
    pageCount = UInt64(size / pageSize)
    seen = PageSet(pageCount)
    free = PageSet(pageCount)
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
    let found = newest.header.flatMap { freePages($0) }
    if let found { free = found }
    if newest.header == nil {
      report.add("data.mdb, headers", "none leads to the newest commit; it was searched for")
    }
    if let page = newest.page { seen.insert(page) }
    let isWhole = try walk(newest.trees, take)
    guard let found, let header = newest.header else {
      let detail = isWhole ? "it cannot be read" : "it cannot be read: what no tree leads to is lost"
      return report.add("data.mdb, list of free pages", detail)
    }
    if isWhole { return }
    try takeStrayPages(min(header.lastPage, pageCount - 1), butFor: found, take)
  }

  // MARK: Pages

  /// The free pages, and the pages that list them; nil if a list is lost or cannot be right. Damage that leaves the lists as they were
  /// does not matter.
  private func freePages(_ header: MetaPage) -> PageSet? {
    // The file has no room for a list of more.
    var scan = scan(header, lastPage: min(header.lastPage, pageCount * UInt64(pageSize / 8 + 1)))
    return try? scan.findFree(salvages: true)
  }

  private func scan(_ header: MetaPage, lastPage: UInt64, verifiesEntries: Bool = false) -> PageScan {
    // The header's own page size may be damaged.
    var header = header
    header.page_size = UInt32(pageSize)
    return PageScan(
      header, pageCount: pageCount, lastPage: lastPage, verifiesEntries: verifiesEntries, path: path
    ) { [self] offset, buffer throws(LMDBError) in
      try FileSystem.read(descriptor, at: offset, into: buffer, path: path)
      // One bit of a page's number may be damaged.
      let number = UInt64(offset / pageSize)
      if isAlmost(number, PageHeader(UnsafeRawBufferPointer(buffer)).number) {
        buffer.storeBytes(of: number, as: UInt64.self)
      }
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
    var scan = scan(MetaPage(), lastPage: max(pageCount, 1) - 1, verifiesEntries: true)
    let pages = try? scan.pages(of: record, table)
    return Tree(
      table: table, record: record, isWhole: pages != nil, doubtfulPage: pages?.firstShared(with: free))
  }

  /// Takes the entries of the trees. Trees without a doubt come first: `meta` and `spare` have the same entries.
  ///
  /// - Returns: Whether that is all.
  private mutating func walk(_ records: [Table: TreeRecord], _ take: (Entry) throws -> Void) throws -> Bool {
    let trees = Table.allCases.compactMap { table in records[table].map { tree(of: table, $0) } }
    let isCertain = { (tree: Tree) in tree.isWhole && tree.doubtfulPage == nil }
    for tree in trees.filter(isCertain) + trees.filter({ !isCertain($0) }) { try walk(tree, take) }
    if !records.isEmpty {
      for table in Table.allCases where records[table] == nil {
        report.add("data.mdb", "the table \(table.name) cannot be found by its name")
      }
    }
    return records.count == Table.allCases.count && trees.allSatisfy(\.isWhole)
  }

  private mutating func walk(_ found: Tree, _ take: (Entry) throws -> Void) throws {
    let (table, tree, isWhole) = (found.table, found.record, found.isWhole)
    let before = report.problemCount
    if let page = found.doubtfulPage {
      let detail = "table \(table.name) and the list of free pages have it: its entries may be older ones"
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
      return report.add(place, "table \(name) leads there, and there is no such page")
    }
    if !isWhole, free.contains(number) || seen.contains(number) {
      return report.add(place, "table \(name) leads there, but it has another use")
    }
    guard let page = page(number, isLeaf: levels == 1, isInTree: true) else {
      if table == .links, levels == 1 { gaps.add(number) }
      return report.add(place, "it is not the \(levels == 1 ? "leaf" : "branch") that table \(name) expects")
    }
    if levels == 1 {
      guard try takeEntries(of: page, number, table, take) else {
        if table == .links { gaps.add(number) }
        return report.add(place, "table \(name) leads there, but it is another table's")
      }
    }
    seen.insert(number)
    let told = page.withUnsafeBytes { PageHeader($0).number }
    if told != number { report.add(place, "it says that it is page \(told)") }
    if levels == 1 { return }
    let nodes = PageNode.all(on: page)
    if nodes.count != PageNode.count(on: page) { report.add(place, "a branch is damaged") }
    for node in nodes { try walk(node.child, levels - 1, table, isWhole: isWhole, take) }
  }

  /// Takes the entries of the pages that nothing leads to.
  private mutating func takeStrayPages(
    _ lastPage: UInt64, butFor free: PageSet, _ take: (Entry) throws -> Void
  ) throws {
    var (pages, entries) = (0, 0)
    for number in 2..<max(lastPage + 1, 2) where !seen.contains(number) && !free.contains(number) {
      guard let page = page(number, isLeaf: nil) else { continue }
      // Either one bit of its number is damaged, or it is a stale copy of a free page.
      let told = page.withUnsafeBytes { PageHeader($0).number }
      guard told == number || !free.contains(told) else { continue }
      seen.insert(number)
      let before = entries
      try takeEntries(of: page, number, nil) { entry in
        entries += 1
        try take(entry)
      }
      if entries > before { pages += 1 }
    }
    guard pages > 0 else { return }
    report.add("data.mdb", "nothing led to \(pages) pages; \(entries) entries were found on them")
  }

  /// The table to whose key and value the checksum belongs.
  static func table(of key: ArraySlice<UInt8>, _ value: [UInt8], _ expected: Table?) -> Table? {
    guard !key.isEmpty else { return nil }
    return key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        if let expected, Checksum.matches(expected, key, value) { return expected }
        return Table.allCases.first { $0.mayHave(key) && Checksum.matches($0, key, value) }
      }
    }
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

  /// Reads a page. Returns nil if the page's own number or kind is another one.
  ///
  /// - Parameters:
  ///   - isLeaf: The kind; nil for a leaf whose kind may be damaged.
  ///   - isInTree: Whether a branch leads there. Then a number that no page has is a damaged one.
  func page(_ number: UInt64, isLeaf: Bool?, isInTree: Bool = false) -> [UInt8]? {
    guard number >= 2, number < pageCount else { return nil }
    guard
      let page = try? FileSystem.bytes(
        of: descriptor, at: Int(number) * pageSize, count: pageSize, path: path)
    else { return nil }
    let header = page.withUnsafeBytes { PageHeader($0) }
    guard isAlmost(number, header.number) || isInTree && header.number >= pageCount else { return nil }
    if isLeaf ?? true ? header.isLeaf : header.isBranch { return page }
    return header.number == number && !header.isLeaf && !header.isBranch ? page : nil
  }

  /// Whether a page that calls itself `told` may be page `number` with one damaged bit. Otherwise it is in the wrong place, and of any commit.
  private func isAlmost(_ number: UInt64, _ told: UInt64) -> Bool {
    (told ^ number).nonzeroBitCount <= 1 && !isSwapped(number, told)
  }

  /// Whether two pages have each other's number.
  private func isSwapped(_ number: UInt64, _ told: UInt64) -> Bool {
    guard told != number, told < pageCount,
      let other = try? FileSystem.bytes(
        of: descriptor, at: Int(told) * pageSize, count: PageHeader.size, path: path)
    else { return false }
    return other.withUnsafeBytes { PageHeader($0) }.number == number
  }
}

extension Table {
  /// Whether a key has the form of this table's keys.
  func mayHave(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .meta: StoreLayout.isKnown(key, 0x10000) || LeftoverEntry.isKey(key)
    case .spare: StoreLayout.isSpared(key)
    case .records: RecordKey(key).isValid
    case .numbers: key.count == 8
    case .links, .inverse: key.count == 18
    case .index: key.count > 2
    }
  }
}
