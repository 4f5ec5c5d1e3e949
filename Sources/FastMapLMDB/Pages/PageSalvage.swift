internal import CFastMap

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
  private let descriptor: CInt
  private let path: String
  private let pageSize: Int
  let pageCount: UInt64
  /// Pages that have been read, or belong to a value that was.
  private var seen: PageSet
  private var free: PageSet

  init(_ descriptor: CInt, size: Int, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    let first = try Self.meta(descriptor, at: 0, path)
    let hasSize = first.magic == MetaPage.lmdbMagic && first.hasPageSize
    pageSize = hasSize ? first.pageSize : MetaPage.usualPageSize
    pageCount = UInt64(size / pageSize)
    seen = PageSet(pageCount)
    free = PageSet(pageCount)
  }

  private static func meta(_ descriptor: CInt, at offset: Int, _ path: String) throws -> MetaPage {
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
    report.commit = names.commit ?? 0
    let found = header.flatMap { freePages($0) }
    if let found { free = found }
    if header == nil {
      report.add("data.mdb, headers", "none leads to the newest commit; it was searched for")
    }
    seen.insert(names.page)
    for (name, tree) in names.tables where tree.root != TreeRecord.noRoot {
      try walk(tree.root, tree.levels, name, take)
    }
    guard found != nil else {
      let detail = "it cannot be read: what no tree leads to is lost"
      return report.add("data.mdb, list of free pages", detail)
    }
    let end = header.map { min($0.lastPage, pageCount - 1) + 1 } ?? 0
    for number in 2..<max(end, 2) where !seen.contains(number) && !free.contains(number) {
      try sweep(number, take)
    }
  }

  // MARK: The newest commit

  /// The page with the names of the tables.
  private struct Names {
    let page: UInt64
    let commit: UInt64?
    let tables: [(name: String, tree: TreeRecord)]
  }

  /// The tables of the newest commit, and the header that leads to them, if there is one.
  private mutating func newestNames(_ headers: [MetaPage]) throws -> (Names, MetaPage?) {
    var best: (names: Names, header: MetaPage?)?
    for header in headers {
      guard let names = names(on: header.names.root), let commit = names.commit else { continue }
      if commit > best?.names.commit ?? 0 { best = (names, header) }
    }
    // A header with a damaged root may still have the number of its commit. A header without a usable number may belong to the next one.
    let known = best?.names.commit ?? 0
    let told = headers.map(\.commit).filter { known > 0 && $0 > known && $0 <= known + 2 }.max()
    let isOlderThere = headers.contains { $0.commit == known - min(known, 1) }
    if best == nil || told != nil || !isOlderThere {
      for number in 2..<max(pageCount, 2) {
        guard let names = names(on: number), let commit = names.commit else { continue }
        let isNewer = commit > best?.names.commit ?? 0
        if isNewer, known == 0 || commit == told || told == nil && commit == known + 1 {
          best = (names, headers.first { $0.commit == commit })
        }
      }
    }
    if let told, let found = best?.names.commit, found < told {
      report.add("data.mdb, headers", "commit \(told) cannot be found; commit \(found) was saved")
    }
    guard let best else {
      throw LMDBError(.damaged(place: "data.mdb", detail: "no commit can be found in it"), path: path)
    }
    return best
  }

  private func names(on number: UInt64) -> Names? {
    guard let page = page(number, isLeaf: true) else { return nil }
    var commit: UInt64?
    var tables: [(String, TreeRecord)] = []
    for node in PageNode.all(on: page) {
      guard let value = node.value(on: page) else { continue }
      let key = node.key(on: page)
      if key.elementsEqual(CommitRecord.key) {
        commit = value.withUnsafeBytes { CommitRecord.commit($0) }
      } else if value.count == TreeRecord.size {
        tables.append(
          (String(decoding: key, as: UTF8.self), value.withUnsafeBytes { TreeRecord($0) }))
      }
    }
    return commit == nil ? nil : Names(page: number, commit: commit, tables: tables)
  }

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

  // MARK: Pages

  private mutating func walk(
    _ number: UInt64, _ levels: UInt16, _ name: String, _ take: (Entry) throws -> Void
  ) throws {
    let place = "data.mdb, page \(number)"
    guard levels >= 1, levels <= 32, number < pageCount, number >= 2 else {
      return report.add(place, "table \(name) leads there, and there is no such page")
    }
    guard !free.contains(number), !seen.contains(number) else {
      return report.add(place, "table \(name) leads there, but it has another use")
    }
    guard let page = page(number, isLeaf: levels == 1) else {
      return report.add(place, "it is not the \(levels == 1 ? "leaf" : "branch") that table \(name) expects")
    }
    seen.insert(number)
    let told = page.withUnsafeBytes { PageHeader($0).number }
    if told != number { report.add(place, "it says that it is page \(told)") }
    if levels == 1 { return try takeEntries(of: page, number, Table(name: name), take) }
    let nodes = PageNode.all(on: page)
    if nodes.count != PageNode.count(on: page) { report.add(place, "a branch is damaged") }
    for node in nodes { try walk(node.child, levels - 1, name, take) }
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
    try takeEntries(of: page, number, nil) { entry in
      count += 1
      try take(entry)
    }
    // Any page may look like a damaged leaf. Only intact entries show that it is one.
    report = before
    if count > 0 {
      report.add("data.mdb, page \(number)", "nothing leads there; \(count) entries were found on it")
    }
  }

  private mutating func takeEntries(
    of page: [UInt8], _ number: UInt64, _ table: Table?, _ take: (Entry) throws -> Void
  ) throws {
    var lost = 0
    let all = PageNode.all(on: page)
    let unfilled = table == nil ? nil : Self.unfilled(page, all)
    // Entries before it were deleted or moved.
    let found = unfilled.map { start in all.filter { $0.offset >= start } } ?? all
    for node in found {
      let key = node.key(on: page)
      guard let (value, run) = value(of: node, on: page), let sound = Self.table(of: key, value, table) else {
        lost += 1
        if let table {
          key.withUnsafeBytes { report.add(Place.describe(table, $0), "the checksum does not match") }
        }
        continue
      }
      seen.insert(run)
      try take(Entry(table: sound, key: Array(key), value: value))
    }
    guard let start = unfilled else { return }
    report.add("data.mdb, page \(number)", "a leaf is damaged; \(found.count - lost) entries are sound")
    // The page's list does not have all entries. Try every offset where one may begin.
    var known = Set(found.map { Int($0.offset) })
    for offset in stride(from: start, to: pageSize - 8, by: 2) where known.insert(offset).inserted {
      guard let node = PageNode(page, from: offset), let (value, _) = value(of: node, on: page),
        let sound = Self.table(of: node.key(on: page), value, table)
      else { continue }
      try take(Entry(table: sound, key: Array(node.key(on: page)), value: value))
    }
  }

  /// The offset from which there may be nodes that the page's list does not have; nil if the listed nodes fill the page. Bytes before it are
  /// left over from deletions. The offset is in the page's header, unless that is damaged.
  private static func unfilled(_ page: [UInt8], _ nodes: [PageNode]) -> Int? {
    let size = nodes.reduce(UInt64(0)) { size, node in
      withUnsafePointer(to: node) { size + fastmap_node_size($0) }
    }
    let start = nodes.map { Int($0.offset) }.min() ?? page.count
    if UInt64(start) + size == page.count { return nil }
    let header = page.withUnsafeBytes { PageHeader($0) }
    let isPlausible = header.lower <= header.upper && header.upper < page.count && header.upper % 2 == 0
    return isPlausible ? Int(header.upper) : max(PageHeader.size, start) & ~1
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
  /// - Parameter isLeaf: The kind; nil for a leaf whose kind may be damaged.
  func page(_ number: UInt64, isLeaf: Bool?) -> [UInt8]? {
    guard number >= 2, number < pageCount else { return nil }
    guard
      let page = try? FileSystem.bytes(
        of: descriptor, at: Int(number) * pageSize, count: pageSize, path: path)
    else { return nil }
    let header = page.withUnsafeBytes { PageHeader($0) }
    guard isAlmost(number, header.number) else { return nil }
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
  fileprivate func mayHave(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .meta: StoreLayout.isKnown(key, 0x10000)
    case .records: RecordKey(key).isValid
    case .numbers: key.count == 8
    case .links, .inverse: key.count == 18
    }
  }
}
