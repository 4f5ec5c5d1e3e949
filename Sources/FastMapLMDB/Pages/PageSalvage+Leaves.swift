internal import CFastMap

/// The entries of leaves that may be damaged.
extension PageSalvage {
  /// What a slot of a leaf leads to.
  private struct Slot {
    let node: PageNode?
    /// Nil if it cannot be read.
    let entry: Entry?
  }

  /// Takes the sound entries of a leaf, and reports the others.
  ///
  /// - Parameters:
  ///   - table: The table to which the leaf belongs; nil if that is unknown.
  ///   - isStray: Whether nothing leads to the page. It may be anything then.
  /// - Returns: The number of the listed entries that are lost.
  mutating func takeEntries(
    of page: [UInt8], _ number: UInt64, _ table: Table?, isStray: Bool, _ take: (Entry) throws -> Void
  ) throws -> UInt64 {
    let leaf = LeafNodes(page)
    var slots = leaf.listed.map { read($0, of: leaf, on: page, table) }
    var isWhole = leaf.isWhole
    if !isWhole, !isStray || slots.contains(where: { $0.entry != nil }) {
      // The page's list does not have all entries. Try every offset where one may begin.
      var known: Set<Int> = []
      let found = slots.filter { slot in
        slot.entry != nil && slot.node.map { known.insert(Int($0.offset)).inserted } == true
      }
      let others = leaf.others(than: known).map { read($0, of: leaf, on: page, table) }
        .filter { $0.entry != nil }
      isWhole = leaf.areAll((found + others).compactMap(\.node))
      slots = (isWhole ? found : slots) + others
    }
    let lost = slots.count { $0.entry == nil }
    let sound = slots.count - lost
    if leaf.hasOtherCount || !leaf.isWhole {
      let leaf = table.map { "a leaf of \($0.name)" } ?? "a leaf"
      let detail =
        isWhole ? "all its entries were found" : "\(sound) entries are sound, others are lost"
      report.add("data.mdb, page \(number)", "\(leaf) is damaged; \(detail)")
    }
    for slot in slots {
      if let entry = slot.entry {
        if table == .links { gaps.take(entry.key, in: &report) }
        try take(entry)
      } else {
        report(slot.node, on: page, number, table)
      }
    }
    if !isWhole, lost == 0, table == .links { gaps.add(number) }
    return isWhole ? UInt64(lost) : max(1, UInt64(lost))
  }

  /// Names an entry that cannot be read.
  private mutating func report(_ node: PageNode?, on page: [UInt8], _ number: UInt64, _ table: Table?) {
    guard let table else { return }
    guard let node else {
      if table == .links { gaps.add(number) }
      return
    }
    node.key(on: page).withUnsafeBytes { key in
      let isList = table == .links && key.count == 18
      let detail = "the checksum does not match\(isList ? "; a part of the list is lost" : "")"
      report.add(Place.describe(table, key), detail)
      // The key may be damaged.
      if table == .links { gaps.add(number) }
    }
  }

  private mutating func read(_ node: PageNode?, of leaf: LeafNodes, on page: [UInt8], _ table: Table?) -> Slot
  {
    guard let node, node.offset >= leaf.start, let (value, run) = value(of: node, on: page) else {
      return Slot(node: node, entry: nil)
    }
    let key = node.key(on: page)
    guard let sound = Self.table(of: key, value, table) else { return Slot(node: node, entry: nil) }
    seen.insert(run)
    let found = Entry(table: sound, key: Array(key), value: value)
    guard let table, table != sound else { return Slot(node: node, entry: found) }
    let entry = Self.corrected(found, of: table) ?? found
    entry.key.withUnsafeBytes { key in
      let detail =
        entry.table == table ? "its key was damaged" : "it was found among the entries of \(table.name)"
      report.add(Place.describe(entry.table, key), detail)
    }
    return Slot(node: node, entry: entry)
  }

  /// To the checksum, a damaged first byte of a key may look like another table.
  ///
  /// - Returns: The entry with the byte that it had, if it does not have the form of the other table's.
  private static func corrected(_ entry: Entry, of table: Table) -> Entry? {
    var key = entry.key
    key[0] ^= UInt8(truncatingIfNeeded: Checksum.seed(entry.table) ^ Checksum.seed(table))
    guard hasForm(key, entry.value, of: table), !hasForm(entry.key, entry.value, of: entry.table) else {
      return nil
    }
    return Entry(table: table, key: key, value: entry.value)
  }

  /// Whether an entry has the form of a table's.
  private static func hasForm(_ key: [UInt8], _ value: [UInt8], of table: Table) -> Bool {
    key.withUnsafeBytes { key in
      value[Checksum.size...].withUnsafeBytes { value in
        guard table.mayHave(key) else { return false }
        switch table {
        case .inverse: return value.prefix(key.count).elementsEqual(key)
        case .links: return value.count % 8 == 0 && value.count > 0
        case .numbers: return NumberChunk(value) != nil
        case .records: return RecordView(key, value) != nil
        case .index: return IndexBlock(key, value)?.forEach { _, _ in true } == true
        case .meta: return true
        }
      }
    }
  }
}

/// Finds the lists that may lack targets, because an entry between two others of the table `links` cannot be read.
struct LinkGaps {
  private var last: [UInt8]?
  /// The page with the entry that cannot be read.
  private var page: UInt64?

  /// Notes a page from which an entry is missing, after the last one that was taken.
  mutating func add(_ page: UInt64) { if self.page == nil { self.page = page } }

  /// Goes on with the key of an entry.
  mutating func take(_ key: [UInt8], in report: inout RepairReport) {
    if let page, let last, last.prefix(10) == key.prefix(10) {
      report.add(Self.name(key), "a part of the list may be lost, which was on page \(page)")
    } else if let page {
      let start = last.map { "from \(Self.name($0)) " } ?? ""
      report.add("data.mdb, page \(page)", "parts of the lists \(start)to \(Self.name(key)) may be lost")
    }
    (page, last) = (nil, key)
  }

  mutating func end(in report: inout RepairReport) {
    guard let page else { return }
    let start = last.map { " from \(Self.name($0)) on" } ?? ""
    report.add("data.mdb, page \(page)", "parts of the lists\(start) may be lost")
    self.page = nil
  }

  private static func name(_ key: [UInt8]) -> String { key.withUnsafeBytes { Place.describe(.links, $0) } }
}
