/// Finds what is sound in a data file that may be damaged anywhere, through `pread`.
///
/// The trees of the newest commit are followed as far as they lead. Then come the pages that no tree leads to
/// and that are not free: those below a damaged branch. An entry counts if its checksum, which is made of its
/// table, its key and its value, is right: the page around it need not be.
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
  /// One bit for each page that is in no need of a look.
  private var seen: PageSet
  private var free: PageSet

  init(_ descriptor: CInt, size: Int, path: String) throws {
    self.descriptor = descriptor
    self.path = path
    let first = try Self.meta(descriptor, at: 0, path)
    let hasSize = first.magic == MetaPage.magic && MetaPage.pageSizes.contains(first.pageSize)
    pageSize = hasSize && first.pageSize.nonzeroBitCount == 1 ? first.pageSize : MetaPage.usualPageSize
    pageCount = UInt64(size / pageSize)
    seen = PageSet(pageCount)
    free = PageSet(pageCount)
  }

  private static func meta(_ descriptor: CInt, at offset: Int, _ path: String) throws -> MetaPage {
    try FileSystem.bytes(of: descriptor, at: offset, count: MetaPage.size, path: path)
      .withUnsafeBytes { MetaPage($0) }
  }

  /// Calls `take` with everything that is sound, in the order in which it counts.
  mutating func run(_ take: (Entry) throws -> Void) throws {
    var stored: Set<UInt16> = []
    var described: Set<UInt16> = []
    func note(_ entry: Entry) throws {
      if entry.table == .records, entry.key.count == 8 {
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
    let knowsFree = header.map { readFree($0.free, $0) } ?? false
    if header == nil {
      report.add("data.mdb, headers", "none leads to the newest commit; it was searched for")
    }
    seen.insert(names.page)
    for (name, tree) in names.tables where tree.root != TreeRecord.noRoot {
      try walk(tree.root, tree.depth, name, take)
    }
    guard knowsFree else {
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
      guard let names = names(on: header.main.root), let commit = names.commit else { continue }
      if commit > best?.names.commit ?? 0 { best = (names, header) }
    }
    // A header that leads astray may still tell the number of the commit that it should lead to; of one that
    // tells nothing, it may be the next one.
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
    guard let page = page(number, .leaf) else { return nil }
    var commit: UInt64?
    var tables: [(String, TreeRecord)] = []
    for node in nodes(page) {
      guard let value = node.value(on: page) else { continue }
      if node.key.elementsEqual(CommitRecord.key) {
        commit = value.withUnsafeBytes { CommitRecord.commit($0) }
      } else if value.count == TreeRecord.size {
        tables.append(
          (String(decoding: node.key, as: UTF8.self), value.withUnsafeBytes { TreeRecord($0, at: 0) }))
      }
    }
    return commit == nil ? nil : Names(page: number, commit: commit, tables: tables)
  }

  /// - Returns: Whether the whole list could be read.
  private mutating func readFree(_ tree: TreeRecord, _ header: MetaPage) -> Bool {
    if tree.root == TreeRecord.noRoot { return true }
    var found = PageSet(pageCount)
    var entries: UInt64 = 0
    func visit(_ number: UInt64, _ levels: UInt16) -> Bool {
      guard levels >= 1, levels <= 32, let page = self.page(number, levels == 1 ? .leaf : .branch),
        !found.contains(number)
      else { return false }
      found.insert(number)
      let nodes = nodes(page)
      guard nodes.count == slotCount(page) else { return false }
      for node in nodes {
        if levels > 1 {
          guard visit(node.child, levels - 1) else { return false }
          continue
        }
        entries += 1
        guard let (list, run) = value(of: node, on: page), list.count >= 8 else { return false }
        found.insert(run)
        let numbers = list.withUnsafeBytes { list in
          (0..<list.count / 8).map { list.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
        }
        guard numbers[0] <= UInt64(numbers.count - 1) else { return false }
        for free in numbers.dropFirst().prefix(Int(numbers[0])) {
          // A free page may be beyond the end of the file.
          guard free >= 2, free <= header.lastPage, !found.contains(free) else { return false }
          found.insert(free)
        }
      }
      return true
    }
    guard visit(tree.root, tree.depth), entries == tree.entries else { return false }
    free = found
    return true
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
    guard let page = page(number, levels == 1 ? .leaf : .branch) else {
      return report.add(place, "it is not the \(levels == 1 ? "leaf" : "branch") that table \(name) expects")
    }
    seen.insert(number)
    let told = page.withUnsafeBytes { PageHeader($0).number }
    if told != number { report.add(place, "it says that it is page \(told)") }
    if levels == 1 { return try takeEntries(of: page, number, Table(name: name), take) }
    let nodes = nodes(page)
    if nodes.count != slotCount(page) { report.add(place, "a branch is damaged") }
    for node in nodes { try walk(node.child, levels - 1, name, take) }
  }

  /// A page that nothing leads to.
  private mutating func sweep(_ number: UInt64, _ take: (Entry) throws -> Void) throws {
    guard let page = page(number, nil) else { return }
    // One bit of its number is damaged; or it is another page, which was free and is older.
    let told = page.withUnsafeBytes { PageHeader($0).number }
    guard told == number || !free.contains(told) else { return }
    seen.insert(number)
    let before = report
    var count = 0
    try takeEntries(of: page, number, nil) { entry in
      count += 1
      try take(entry)
    }
    // Any page may look like a damaged leaf: only what was found says that it is one.
    report = before
    if count > 0 {
      report.add("data.mdb, page \(number)", "nothing leads there; \(count) entries were found on it")
    }
  }

  private mutating func takeEntries(
    of page: [UInt8], _ number: UInt64, _ table: Table?, _ take: (Entry) throws -> Void
  ) throws {
    var lost = 0
    let all = nodes(page)
    let unfilled = table == nil ? nil : Self.unfilled(page, all)
    // What stands before it was deleted, or is older.
    let found = unfilled.map { start in all.filter { $0.offset >= start } } ?? all
    for node in found {
      guard let (value, run) = value(of: node, on: page), let sound = Self.table(of: node.key, value, table)
      else {
        lost += 1
        if let table {
          node.key.withUnsafeBytes { report.add(Place.describe(table, $0), "the checksum does not match") }
        }
        continue
      }
      seen.insert(run)
      try take(Entry(table: sound, key: Array(node.key), value: value))
    }
    guard let start = unfilled else { return }
    report.add("data.mdb, page \(number)", "a leaf is damaged; \(found.count - lost) entries are sound")
    // Its list of entries does not lead to all of them: they are looked for where they may begin.
    var known = Set(found.map(\.offset))
    for offset in stride(from: start, to: pageSize - 8, by: 2) where known.insert(offset).inserted {
      guard let node = Node(page, at: offset), let (value, _) = value(of: node, on: page),
        let sound = Self.table(of: node.key, value, table)
      else { continue }
      try take(Entry(table: sound, key: Array(node.key), value: value))
    }
  }

  static func table(of key: ArraySlice<UInt8>, _ value: [UInt8], _ expected: Table?) -> Table? {
    guard !key.isEmpty else { return nil }
    return key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        if let expected, Checksum.matches(expected, key, value) { return expected }
        // A flipped bit in the first bytes of a key is to the checksum what another table would be.
        return Table.allCases.first { $0.mayHave(key) && Checksum.matches($0, key, value) }
      }
    }
  }

  /// The value of a node, where it is sound enough to be read, and the pages that it has to itself.
  func value(of node: Node, on page: [UInt8]) -> (value: [UInt8], run: Range<UInt64>)? {
    guard node.isElsewhere else { return node.value(on: page).map { ($0, 0..<0) } }
    guard let first = node.runPage(on: page), first >= 2, first < pageCount else { return nil }
    let count = UInt64((PageHeader.size - 1 + node.length) / pageSize + 1)
    guard count <= pageCount - first,
      let run = try? FileSystem.bytes(
        of: descriptor, at: Int(first) * pageSize, count: Int(count) * pageSize, path: path)
    else { return nil }
    return (Array(run[PageHeader.size..<(PageHeader.size + node.length)]), first..<(first + count))
  }

  /// A page that says that it is what it is to be; its kind may be damaged where nil is expected.
  func page(_ number: UInt64, _ kind: PageHeader.Kind?) -> [UInt8]? {
    guard number >= 2, number < pageCount else { return nil }
    guard
      let page = try? FileSystem.bytes(
        of: descriptor, at: Int(number) * pageSize, count: pageSize, path: path)
    else { return nil }
    let header = page.withUnsafeBytes { PageHeader($0) }
    // One bit of the number or the kind may be damaged; another number is that of a page that is not in its
    // place, and may be of any commit.
    guard (header.number ^ number).nonzeroBitCount <= 1, !isSwapped(number, header.number) else { return nil }
    let isLeafOrBranch = header.kind == .leaf || header.kind == .branch
    return header.kind == kind ?? .leaf || header.number == number && !isLeafOrBranch ? page : nil
  }

  /// Whether two pages say of themselves that they are each other.
  private func isSwapped(_ number: UInt64, _ told: UInt64) -> Bool {
    guard told != number, told < pageCount,
      let other = try? FileSystem.bytes(
        of: descriptor, at: Int(told) * pageSize, count: PageHeader.size, path: path)
    else { return false }
    return other.withUnsafeBytes { PageHeader($0) }.number == number
  }
}

extension Table {
  /// Whether a key has the form of the table's.
  fileprivate func mayHave(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .meta: StoreLayout.isKnown(key, 0x10000)
    case .records: key.count == 8
    case .index: key.count > 3 && (key[2] == KeyKind.integer || key[2] == KeyKind.string)
    case .links, .inverse: key.count == 18
    }
  }
}

/// One bit for each page.
struct PageSet {
  private var bits: [UInt64]

  init(_ count: UInt64) { bits = Array(repeating: 0, count: Int(count / 64) + 1) }

  func contains(_ page: UInt64) -> Bool {
    page / 64 < bits.count && bits[Int(page / 64)] & 1 << (page % 64) != 0
  }

  mutating func insert(_ page: UInt64) {
    if page / 64 < bits.count { bits[Int(page / 64)] |= 1 << (page % 64) }
  }

  mutating func insert(_ pages: Range<UInt64>) { for page in pages { insert(page) } }
}
