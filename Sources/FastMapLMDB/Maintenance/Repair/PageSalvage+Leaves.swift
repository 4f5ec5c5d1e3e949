internal import CFastMap

/// The entries of leaves that may be damaged.
extension PageSalvage {
  /// The node of a slot.
  private struct Slot {
    let node: PageNode?
    /// Nil if it cannot be read.
    let entry: Entry?
    /// The pages of its own that the value has.
    var run: Range<UInt64> = 0..<0
  }

  /// Salvages the sound entries of a leaf, and reports the others.
  ///
  /// All entries of a leaf are of one table. An entry whose checksum fits another table has a damaged key: in the
  /// checksum, the first byte of the key and the number of the table are interchangeable.
  ///
  /// - Parameter expected: The leaf's table; nil if no tree leads to the page.
  /// - Returns: False for a leaf of another table, which yields no entries.
  @discardableResult
  mutating func salvageEntries(
    of page: [UInt8], _ number: UInt64, _ expected: Table?, _ take: (Entry) throws -> Void
  ) throws -> Bool {
    // LMDB leaves older entries before the first one of a leaf.
    let start = Int(page.withUnsafeBytes { PageHeader($0).upper })
    let nodes = (0..<PageNode.count(on: page)).map {
      PageNode(page, at: $0).flatMap { $0.offset >= start ? $0 : nil }
    }
    let isWhole = nodes.allSatisfy { $0 != nil } && nodes.reduce(start) { $0 + ($1?.size ?? 0) } == page.count
    var slots = nodes.map { read($0, on: page, expected) }
    let table = Self.table(of: slots, expected)
    if let expected, let table, table != expected { return false }
    slots = slots.map { $0.entry?.table == table ? $0 : Slot(node: $0.node, entry: nil) }
    for slot in slots { seen.insert(slot.run) }
    if let expected { report(slots, on: page, number, expected, isWhole: isWhole) }
    for slot in slots {
      if let entry = slot.entry {
        if expected == .links { gaps.advance(to: entry.key, in: &report) }
        try take(entry)
      } else if expected == .links {
        gaps.add(number)  // the key may be damaged
      }
    }
    if !isWhole, expected == .links, !slots.contains(where: { $0.entry == nil }) { gaps.add(number) }
    return true
  }

  /// The table of most entries: the expected one, if it has any.
  private static func table(of slots: [Slot], _ expected: Table?) -> Table? {
    var counts: [Table: Int] = [:]
    for slot in slots { if let entry = slot.entry { counts[entry.table, default: 0] += 1 } }
    if let expected, counts[expected] != nil { return expected }
    return Table.allCases.max { counts[$0] ?? 0 < counts[$1] ?? 0 }.flatMap { counts[$0] == nil ? nil : $0 }
  }

  /// Names the entries that cannot be read.
  private mutating func report(
    _ slots: [Slot], on page: [UInt8], _ number: UInt64, _ table: Table, isWhole: Bool
  ) {
    if !isWhole {
      let detail = "\(slots.count { $0.entry != nil }) entries are intact, others are lost"
      report.add("data.mdb, page \(number)", "a leaf of \(table.name) is damaged; \(detail)")
    }
    for case (let node?, nil) in slots.map({ ($0.node, $0.entry) }) {
      node.key(on: page).withUnsafeBytes { key in
        let isList = table == .links && key.count == 18
        let detail = "the checksum does not match\(isList ? "; a part of the list is lost" : "")"
        report.add(Place.describe(table, key), detail)
      }
    }
  }

  private func read(_ node: PageNode?, on page: [UInt8], _ expected: Table?) -> Slot {
    guard let node, let (value, run) = value(of: node, on: page) else { return Slot(node: node, entry: nil) }
    let key = node.key(on: page)
    guard let table = Self.table(of: key, value, expected) else { return Slot(node: node, entry: nil) }
    return Slot(node: node, entry: Entry(table: table, key: Array(key), value: value), run: run)
  }

  private static func table(of key: ArraySlice<UInt8>, _ value: [UInt8], _ expected: Table?) -> Table? {
    guard !key.isEmpty else { return nil }
    return key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        if let expected, Checksum.matches(expected, key, value) { return expected }
        return Table.allCases.first { $0.mayHave(key) && Checksum.matches($0, key, value) }
      }
    }
  }
}

/// Finds the lists that may lack targets, because an entry between two others of the table `links` cannot be read.
struct LinkGaps {
  private var last: [UInt8]?
  /// The page with the entry that cannot be read.
  private var page: UInt64?

  /// Adds a page that lacks an entry after the last intact one.
  mutating func add(_ page: UInt64) { if self.page == nil { self.page = page } }

  /// Goes on with the key of an entry.
  mutating func advance(to key: [UInt8], in report: inout RepairReport) {
    if let page, let last, last.prefix(10) == key.prefix(10) {
      report.add(Self.name(key), "the part of the list on page \(page) may be lost")
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
