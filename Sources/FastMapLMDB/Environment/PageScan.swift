/// Walks the trees of one commit through `pread` and looks at whatever LMDB believes unread: it follows page
/// numbers, offsets and lengths without a look at where they lead, and dies of wrong ones (SIGSEGV, SIGBUS,
/// `assert`). And it finds what no checksum covers: a key in a branch that leads astray makes what is below it
/// invisible to whoever looks it up.
///
///     a leaf      node: length of the value 4 | flags 2 | key length 2 | key | value
///     a branch    node: page number below 6                | key length 2 | key        the first key does not count
///
/// FreePageScan.swift has the same of the tree of free pages, for a file that ends early.
struct PageScan {
  /// What is wrong, and on which page.
  struct Fault: Error {
    let page: UInt64
    let detail: String
  }

  /// The trees of one commit.
  struct Trees {
    let free: TreeRecord
    let main: TreeRecord
    let lastPage: UInt64
    let pageSize: Int
  }

  private enum Kind {
    /// Numbers of commits, and lists of pages.
    case free
    /// Names, and the trees of the tables.
    case main
    case table
  }

  private let trees: Trees
  private let bytes: (_ offset: Int, _ count: Int) throws -> [UInt8]
  /// One bit for each page that something refers to.
  private var used: [UInt64]

  init(_ trees: Trees, _ bytes: @escaping (_ offset: Int, _ count: Int) throws -> [UInt8]) {
    self.trees = trees
    self.bytes = bytes
    used = Array(repeating: 0, count: Int(trees.lastPage / 64) + 1)
  }

  /// Looks at every page that the commit refers to.
  ///
  /// - Throws: ``Fault``, or what reading throws.
  mutating func run() throws {
    try scan(trees.main, .main, isDeep: true)
    try scan(trees.free, .free, isDeep: true)
  }

  /// Looks at the names of the tables and at their roots, which is what opening them needs.
  mutating func runThroughNames() throws { try scan(trees.main, .main, isDeep: false) }

  // MARK: Trees

  private mutating func scan(_ tree: TreeRecord, _ kind: Kind, isDeep: Bool) throws {
    if tree.root == TreeRecord.noRoot {
      guard tree.depth == 0, tree.entries == 0 else { throw Fault(page: 0, detail: "entries without a root") }
      return
    }
    guard (1...32).contains(tree.depth) else { throw Fault(page: tree.root, detail: "\(tree.depth) levels") }
    if kind == .table, !isDeep {
      _ = try page(tree.root, levels: tree.depth)
      return
    }
    let count = try visit(tree.root, tree.depth, kind, from: nil, to: nil, isDeep)
    guard count == tree.entries else {
      throw Fault(page: tree.root, detail: "\(count) entries, its tree says \(tree.entries)")
    }
  }

  /// - Parameters:
  ///   - lower: No key below the page stands before it.
  ///   - upper: All keys below the page stand before it.
  /// - Returns: The entries in the leaves.
  private mutating func visit(
    _ number: UInt64, _ levels: UInt16, _ kind: Kind, from lower: [UInt8]?, to upper: [UInt8]?, _ isDeep: Bool
  ) throws -> UInt64 {
    let page = try page(number, levels: levels)
    let nodes = try nodes(of: page, number, isLeaf: levels == 1)
    // LMDB asserts that a branch leads somewhere.
    guard nodes.count > (levels == 1 || kind == .free ? 0 : 1) else {
      throw Fault(page: number, detail: "\(nodes.count) entries")
    }
    var previous = lower
    var count: UInt64 = 0
    for (index, node) in nodes.enumerated() {
      let isFirstOfBranch = levels > 1 && index == 0
      let key = Array(page[node.key])
      if !isFirstOfBranch {
        if kind == .free, key.count != 8 { throw Fault(page: number, detail: "a key of \(key.count) bytes") }
        let isInOrder = previous.map {
          Self.isOrdered($0, key, kind, orSame: index == 0 || levels > 1 && index == 1)
        }
        guard isInOrder ?? true, upper.map({ Self.isOrdered(key, $0, kind, orSame: false) }) ?? true else {
          throw Fault(page: number, detail: "a key is out of order")
        }
        previous = key
      }
      if levels == 1 {
        count += 1
        try visitValue(node, page, number, kind, isDeep)
      } else {
        let next = index + 1 < nodes.count ? Array(page[nodes[index + 1].key]) : upper
        count += try visit(
          UInt64(node.word) | UInt64(node.flags) << 32, levels - 1, kind,
          from: isFirstOfBranch ? lower : key, to: next, isDeep)
      }
    }
    return count
  }

  private static func isOrdered(_ a: [UInt8], _ b: [UInt8], _ kind: Kind, orSame: Bool) -> Bool {
    a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        if kind == .free, a.count == 8, b.count == 8 {
          let (a, b) = (a.loadUnaligned(as: UInt64.self), b.loadUnaligned(as: UInt64.self))
          return a < b || orSame && a == b
        }
        return a.precedes(b) || orSame && a.equals(b)
      }
    }
  }

  // MARK: Pages

  /// A page of a tree, which nothing else refers to.
  private mutating func page(_ number: UInt64, levels: UInt16) throws -> [UInt8] {
    let bytes = try pages(number, count: 1)
    let header = bytes.withUnsafeBytes { PageHeader($0) }
    let kind: PageHeader.Kind = levels == 1 ? .leaf : .branch
    guard header.number == number, header.kind == kind else {
      throw Fault(page: number, detail: "it is not the \(levels == 1 ? "leaf" : "branch") that it is to be")
    }
    return bytes
  }

  private mutating func pages(_ first: UInt64, count: UInt64) throws -> [UInt8] {
    guard count >= 1, first >= 2, first <= trees.lastPage, count <= trees.lastPage - first + 1 else {
      throw Fault(page: first, detail: "it is not in the file")
    }
    for number in first..<(first + count) { try mark(number) }
    return try bytes(Int(first) * trees.pageSize, Int(count) * trees.pageSize)
  }

  private mutating func mark(_ number: UInt64) throws {
    guard number >= 2, number <= trees.lastPage else {
      throw Fault(page: number, detail: "it is not in the file")
    }
    guard used[Int(number / 64)] & 1 << (number % 64) == 0 else {
      throw Fault(page: number, detail: "it has two uses")
    }
    used[Int(number / 64)] |= 1 << (number % 64)
  }

  private struct Node {
    /// The length of the value, or the low bits of a page number.
    let word: UInt32
    let flags: UInt16
    let key: Range<Int>
  }

  /// The nodes of a page, which fill it from its end to `upper` without a gap.
  private func nodes(of page: [UInt8], _ number: UInt64, isLeaf: Bool) throws -> [Node] {
    func integer16(_ offset: Int) -> Int { Int(integer(page, at: offset, UInt16.self)) }
    let (lower, upper) = (integer16(12), integer16(14))
    guard lower >= PageHeader.size, lower % 2 == 0, lower <= upper, upper <= trees.pageSize else {
      throw Fault(page: number, detail: "its header is damaged")
    }
    var nodes: [Node] = []
    var size = 0
    for slot in stride(from: PageHeader.size, to: lower, by: 2) {
      let offset = integer16(slot)
      guard offset >= upper, offset % 2 == 0, offset + 8 <= trees.pageSize else {
        throw Fault(page: number, detail: "an entry is not on it")
      }
      #if _endian(little)
        let (low, high) = (integer16(offset), integer16(offset + 2))
      #else
        let (high, low) = (integer16(offset), integer16(offset + 2))
      #endif
      let key = (offset + 8)..<(offset + 8 + integer16(offset + 6))
      let node = Node(
        word: UInt32(low) | UInt32(high) << 16, flags: UInt16(integer16(offset + 4)), key: key)
      let end = key.upperBound + (isLeaf ? node.flags & Self.isElsewhere == 0 ? Int(node.word) : 8 : 0)
      guard end <= trees.pageSize else { throw Fault(page: number, detail: "an entry does not end on it") }
      size += (end - offset + 1) & ~1
      nodes.append(node)
    }
    guard upper + size == trees.pageSize else {
      throw Fault(page: number, detail: "its entries do not fill it")
    }
    return nodes
  }

  private func integer<T: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, _ type: T.Type) -> T {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
  }

  // MARK: Values

  /// The value is in a run of pages of its own, whose first number is here.
  private static let isElsewhere: UInt16 = 0x01
  /// The value is the record of a tree.
  private static let isTree: UInt16 = 0x02

  private mutating func visitValue(
    _ node: Node, _ page: [UInt8], _ number: UInt64, _ kind: Kind, _ isDeep: Bool
  ) throws {
    if kind == .main {
      guard node.flags == Self.isTree, node.word == TreeRecord.size else {
        throw Fault(page: number, detail: "a name that is not a table's")
      }
      let tree = page.withUnsafeBytes { TreeRecord($0, at: node.key.upperBound) }
      guard tree.flags == 0 else { throw Fault(page: number, detail: "a table with the flags \(tree.flags)") }
      return try scan(tree, .table, isDeep: isDeep)
    }
    guard node.flags & ~Self.isElsewhere == 0 else {
      throw Fault(page: number, detail: "an entry with the flags \(node.flags)")
    }
    let value: ArraySlice<UInt8>
    if node.flags == Self.isElsewhere {
      let first = integer(page, at: node.key.upperBound, UInt64.self)
      let count = (PageHeader.size - 1 + Int(node.word)) / trees.pageSize + 1
      let run = try pages(first, count: UInt64(count))
      let header = run.withUnsafeBytes { PageHeader($0) }
      // A value that its transaction has made shorter keeps its pages.
      guard header.number == first, header.kind == .overflow, header.runLength >= count else {
        throw Fault(page: first, detail: "it is not the first of \(count) pages of a value")
      }
      for number in first + UInt64(count)..<first + UInt64(header.runLength) { try mark(number) }
      value = run[PageHeader.size..<(PageHeader.size + Int(node.word))]
    } else {
      value = page[node.key.upperBound..<(node.key.upperBound + Int(node.word))]
    }
    if kind == .free { try visitFree(Array(value), number) }
  }

  /// A list of free pages: its length, and their numbers, descending.
  private mutating func visitFree(_ list: [UInt8], _ number: UInt64) throws {
    let count = list.count >= 8 ? integer(list, at: 0, UInt64.self) : .max
    guard list.count % 8 == 0, count <= UInt64(list.count / 8 - 1) else {
      throw Fault(page: number, detail: "a list of free pages is not whole")
    }
    var previous = UInt64.max
    for index in 0..<Int(count) {
      let free = integer(list, at: 8 * (index + 1), UInt64.self)
      guard free < previous else { throw Fault(page: number, detail: "a list of free pages is out of order") }
      previous = free
      try mark(free)
    }
  }
}
