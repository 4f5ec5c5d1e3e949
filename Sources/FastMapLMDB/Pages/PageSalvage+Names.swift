internal import CFastMap

/// The page with the names of the tables. Its entries have no checksums, except the number of the commit.
extension PageSalvage {
  /// A name of the main tree, and what it leads to.
  struct NamedTree {
    let name: String
    /// Nil if no table of this FastMap has the name.
    let table: Table?
    let tree: TreeRecord
  }

  struct Names {
    let page: UInt64
    let commit: UInt64
    let tables: [NamedTree]
    /// What of the page is damaged.
    let problems: [String]
  }

  /// The tables of the newest commit, and the header that leads to them, if there is one.
  mutating func newestNames(_ headers: [MetaPage]) throws -> (Names, MetaPage?) {
    var best: (names: Names, header: MetaPage?)?
    for header in headers {
      guard let names = names(on: header.names.root, of: header.commit) else { continue }
      if names.commit > best?.names.commit ?? 0 { best = (names, header) }
    }
    // A header with a damaged root may still have the number of its commit. A header without a usable number may belong to the next one.
    let known = best?.names.commit ?? 0
    let told = headers.map(\.commit).filter { known > 0 && $0 > known && $0 <= known + 2 }.max()
    let isOlderThere = headers.contains { $0.commit == known - min(known, 1) }
    if best == nil || told != nil || !isOlderThere {
      for number in 2..<max(pageCount, 2) {
        guard let names = names(on: number) else { continue }
        let isNewer = names.commit > best?.names.commit ?? 0
        if isNewer, known == 0 || names.commit == told || told == nil && names.commit == known + 1 {
          best = (names, headers.first { $0.commit == names.commit })
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

  /// Reads the names.
  ///
  /// - Parameter told: The number of the commit, as the header says that leads to the page. With it, the page's own number may be damaged.
  /// - Returns: Nil if the page does not have the names of a commit.
  private func names(on number: UInt64, of told: UInt64? = nil) -> Names? {
    guard let page = page(number, isLeaf: true) else { return nil }
    let leaf = LeafNodes(page)
    var problems: [String] = []
    var nodes = leaf.listed.compactMap(\.self)
    if leaf.hasOtherCount || !leaf.isWhole { problems.append("the page of the tables' names is damaged") }
    if !leaf.isWhole {
      nodes += leaf.others(than: Set(nodes.map { Int($0.offset) })).filter { node in
        node.key(on: page).elementsEqual(CommitRecord.key) || Self.table(of: node, on: page) != nil
      }
    }
    var commit: UInt64?
    var trees: [NamedTree] = []
    for node in nodes {
      if commit == nil, node.key(on: page).elementsEqual(CommitRecord.key) {
        commit = node.value(on: page)?.withUnsafeBytes { CommitRecord.commit($0) }
      } else if let tree = Self.tree(of: node, on: page) {
        let (table, name) = (Self.table(of: node, on: page), node.key(on: page))
        guard table == nil || !trees.contains(where: { $0.table == table }) else { continue }
        trees.append(NamedTree(name: String(decoding: name, as: UTF8.self), table: table, tree: tree))
      }
    }
    if commit == nil, let told, Self.has(told, page, nodes) {
      commit = told
      problems.append("the number of the commit is damaged; its header has it: \(told)")
    }
    guard let commit else { return nil }
    rename(&trees, page, leaf, &problems)
    return Names(page: number, commit: commit, tables: trees, problems: problems)
  }

  /// Finds tables whose entry of the page is damaged.
  private func rename(
    _ trees: inout [NamedTree], _ page: [UInt8], _ leaf: LeafNodes, _ problems: inout [String]
  ) {
    for table in Table.allCases where !trees.contains(where: { $0.table == table }) {
      let name = Array(table.name.utf8)
      if let place = trees.firstIndex(where: { $0.table == nil && Self.isAlmost($0.name, name) }) {
        trees[place] = NamedTree(name: table.name, table: table, tree: trees[place].tree)
      } else if let tree = Self.tree(named: name, on: page, leaf) {
        trees.removeAll { $0.tree.root == tree.root && $0.table == nil }
        trees.append(NamedTree(name: table.name, table: table, tree: tree))
      } else {
        problems.append("the table \(table.name) cannot be found by its name")
        continue
      }
      problems.append("the name of the table \(table.name) is damaged")
    }
  }

  /// Whether two names differ in one byte.
  private static func isAlmost(_ found: String, _ name: [UInt8]) -> Bool {
    found.utf8.count == name.count && zip(found.utf8, name).count { $0 != $1 } == 1
  }

  /// Finds a name whose node says another length or kind of its value, or another length of the name.
  private static func tree(named name: [UInt8], on page: [UInt8], _ leaf: LeafNodes) -> TreeRecord? {
    let size = 8 + name.count + TreeRecord.size
    guard leaf.start + size <= page.count else { return nil }
    for offset in stride(from: leaf.start, through: page.count - size, by: 2) {
      guard page[(offset + 8)...].starts(with: name), let node = PageNode(page, from: offset) else {
        continue
      }
      let known = [
        Int(node.value_length) == TreeRecord.size, Int(node.flags) == Int(FASTMAP_NODE_TREE),
        Int(node.key_length) == name.count,
      ]
      guard known.count(where: { $0 }) >= 2 else { continue }
      let start = offset + 8 + name.count
      return page[start..<(start + TreeRecord.size)].withUnsafeBytes { TreeRecord($0) }
    }
    return nil
  }

  private static func tree(of node: PageNode, on page: [UInt8]) -> TreeRecord? {
    guard let value = node.value(on: page), value.count == TreeRecord.size else { return nil }
    return value.withUnsafeBytes { TreeRecord($0) }
  }

  private static func table(of node: PageNode, on page: [UInt8]) -> Table? {
    Table(name: String(decoding: node.key(on: page), as: UTF8.self))
  }

  /// Whether a page whose number of the commit is damaged shows that it belongs to a commit: by its checksum, by its number, or by both of
  /// them somewhere.
  private static func has(_ commit: UInt64, _ page: [UInt8], _ nodes: [PageNode]) -> Bool {
    let value = CommitRecord.value(commit)
    for node in nodes where node.key(on: page).elementsEqual(CommitRecord.key) {
      guard let found = node.value(on: page), found.count == value.count else { continue }
      if found[..<4] == value[..<4] || found[4...] == value[4...] { return true }
    }
    return page.indices.dropLast(value.count - 1).contains { page[$0...].starts(with: value) }
  }
}
