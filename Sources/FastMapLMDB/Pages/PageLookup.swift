internal import CFastMap

/// Looks up single keys in an unverified file. Reads through `pread`.
struct PageLookup {
  private let descriptor: CInt
  private let pageSize: Int
  private let path: String

  init(_ descriptor: CInt, pageSize: Int, path: String) {
    (self.descriptor, self.pageSize, self.path) = (descriptor, pageSize, path)
  }

  /// - Returns: The value. Nil if there is none on the way that the branches lead, or if it has pages of its own.
  func find(_ key: [UInt8], in tree: TreeRecord) throws(LMDBError) -> [UInt8]? {
    guard tree.root != TreeRecord.noRoot, (1...32).contains(tree.levels) else { return nil }
    var number = tree.root
    for level in 1...tree.levels {
      let isLeaf = level == tree.levels
      guard number >= 2, number < UInt64(Int.max / pageSize) else { return nil }
      let page = try FileSystem.bytes(of: descriptor, at: Int(number) * pageSize, count: pageSize, path: path)
      let header = page.withUnsafeBytes { PageHeader($0) }
      guard header.number == number, isLeaf ? header.isLeaf : header.isBranch else { return nil }
      let nodes = PageNode.all(on: page)
      if isLeaf { return nodes.first { $0.key(on: page).elementsEqual(key) }?.value(on: page) }
      // The first key of a branch does not count.
      let next = nodes.dropFirst().last { !key.lexicographicallyPrecedes($0.key(on: page)) } ?? nodes.first
      guard let next else { return nil }
      number = next.child
    }
    return nil
  }
}
