internal import CFastMap
internal import FastMapCore

/// Finds the intact entries of a data file that may be damaged anywhere. It reads through `pread`.
///
/// First it follows the trees of the newest commit as far as they lead. Then it reads the pages that no tree leads to and that are not
/// free: they were below a damaged branch. An entry is intact if its checksum, over table, key and value, matches. Its page may be damaged.
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
  /// What may be missing in the table `links`.
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

  /// Calls `take` with every intact entry. Of two entries with one key, the first is the right one.
  mutating func run(_ take: (Entry) throws -> Void) throws {
    var stored: Set<UInt16> = []
    var described: Set<UInt16> = []
    func note(_ entry: Entry) throws {
      if entry.table == .records, entry.key.count >= 2 {
        stored.insert(entry.key.withUnsafeBytes { $0.bigEndian(at: 0, as: UInt16.self) })
      } else if entry.table == .meta, let entity = StoreLayout.entity(ofLayout: entry.key[...]) {
        described.insert(entity)
      }
      try take(entry)
    }
    try findEntries(note)
    if !stored.isSubset(of: described) { try findLayouts(but: described, take) }
  }

  private mutating func findEntries(_ take: (Entry) throws -> Void) throws {
    let headers = [
      try Self.meta(descriptor, at: 0, path), try Self.meta(descriptor, at: pageSize, path),
    ]
    let (names, header) = try newestNames(headers)
    report.commit = names.commit
    let found = header.flatMap { freePages($0) }
    if let found { free = found }
    if header == nil {
      report.add("data.mdb, headers", "none leads to the newest commit; it was searched for")
    }
    seen.insert(names.page)
    for problem in names.problems { report.add("data.mdb, page \(names.page)", problem) }
    for table in names.tables { try walk(table, take) }
    guard found != nil else {
      let detail = "it cannot be read: what no tree leads to is lost"
      return report.add("data.mdb, list of free pages", detail)
    }
    let end = header.map { min($0.lastPage, pageCount - 1) + 1 } ?? 0
    for number in 2..<max(end, 2) where !seen.contains(number) && !free.contains(number) {
      try sweep(number, take)
    }
  }

  // MARK: Pages

  /// The free pages, and the pages that list them; nil if a list is lost or cannot be right. Damage that leaves the lists as they were
  /// does not matter.
  private func freePages(_ header: MetaPage) -> PageSet? {
    // The header's own page size may be damaged.
    var header = header
    header.page_size = UInt32(pageSize)
    // The file has no room for a list of more.
    let lastPage = min(header.lastPage, pageCount * UInt64(pageSize / 8 + 1))
    var scan = PageScan(header, pageCount: pageCount, lastPage: lastPage, path: path) {
      [self] offset, buffer throws(LMDBError) in
      try FileSystem.read(descriptor, at: offset, into: buffer, path: path)
      // One bit of a page's number may be damaged.
      let number = UInt64(offset / pageSize)
      if isAlmost(number, PageHeader(UnsafeRawBufferPointer(buffer)).number) {
        buffer.storeBytes(of: number, as: UInt64.self)
      }
    }
    return try? scan.findFree(salvages: true)
  }

  /// Takes what a table has.
  private mutating func walk(_ table: NamedTree, _ take: (Entry) throws -> Void) throws {
    let (name, before) = (table.name, report.problemCount)
    var (taken, lost) = (UInt64(0), UInt64(0))
    gaps = LinkGaps()
    if table.tree.root != TreeRecord.noRoot {
      try walk(table.tree.root, table.tree.levels, table, &lost) { entry in
        taken += 1
        try take(entry)
      }
    }
    gaps.end(in: &report)
    guard table.table != nil else {
      // A name with several wrong bits may be that of a table.
      if taken > 0 { report.add("data.mdb", "the name of the table \(quoted(name)) is damaged") }
      if taken == 0 || lost > 0 {
        report.add("data.mdb", "the table \(quoted(name)), which this FastMap does not know, is left out")
      }
      return
    }
    // Whatever the reason is, nothing is lost in silence.
    guard taken != table.tree.entries, report.problemCount == before else { return }
    report.add("table \(name)", "\(taken) entries were found, its tree says \(table.tree.entries)")
  }

  /// - Parameter lost: Counts the entries that are not taken.
  private mutating func walk(
    _ number: UInt64, _ levels: UInt16, _ table: NamedTree, _ lost: inout UInt64,
    _ take: (Entry) throws -> Void
  ) throws {
    let (place, name) = ("data.mdb, page \(number)", table.name)
    guard levels >= 1, levels <= 32, number < pageCount, number >= 2 else {
      return report.add(place, "table \(name) leads there, and there is no such page")
    }
    guard !free.contains(number), !seen.contains(number) else {
      return report.add(place, "table \(name) leads there, but it has another use")
    }
    guard let page = page(number, isLeaf: levels == 1, isInTree: true) else {
      if table.table == .links, levels == 1 { gaps.add(number) }
      return report.add(place, "it is not the \(levels == 1 ? "leaf" : "branch") that table \(name) expects")
    }
    seen.insert(number)
    let told = page.withUnsafeBytes { PageHeader($0).number }
    if told != number { report.add(place, "it says that it is page \(told)") }
    if levels == 1 {
      lost += try takeEntries(of: page, number, table.table, isStray: false, take)
      return
    }
    let nodes = PageNode.all(on: page)
    if nodes.count != PageNode.count(on: page) { report.add(place, "a branch is damaged") }
    for node in nodes { try walk(node.child, levels - 1, table, &lost, take) }
  }

  /// A page that nothing leads to.
  private mutating func sweep(_ number: UInt64, _ take: (Entry) throws -> Void) throws {
    guard let page = page(number, isLeaf: nil) else { return }
    // Either one bit of its number is damaged, or it is a stale copy of a free page.
    let told = page.withUnsafeBytes { PageHeader($0).number }
    guard told == number || !free.contains(told) else { return }
    seen.insert(number)
    let before = report
    var count = 0
    _ = try takeEntries(of: page, number, nil, isStray: true) { entry in
      count += 1
      try take(entry)
    }
    // Any page may look like a damaged leaf. Only intact entries show that it is one.
    report = before
    if count > 0 {
      report.add("data.mdb, page \(number)", "nothing leads there; \(count) entries were found on it")
    }
  }

  static func table(of key: ArraySlice<UInt8>, _ value: [UInt8], _ expected: Table?) -> Table? {
    guard !key.isEmpty else { return nil }
    return key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        if let expected, Checksum.matches(expected, key, value) { return expected }
        // To the checksum, a flipped bit at the start of a key looks like another table.
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
    case .meta: StoreLayout.isKnown(key, 0x10000)
    case .records: RecordKey(key).isValid
    case .numbers: key.count == 8
    case .links, .inverse: key.count == 18
    case .index: key.count > 2
    }
  }
}
