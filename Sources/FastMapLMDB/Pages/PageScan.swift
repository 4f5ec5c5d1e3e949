/// Walks the trees of one commit through `pread` and looks at whatever LMDB believes unread: it follows page
/// numbers, offsets and lengths without a look at where they lead, and dies of wrong ones (SIGSEGV, SIGBUS,
/// `assert`). And it finds what no checksum covers: a key in a branch that leads astray makes what is below it
/// invisible to whoever looks it up; a page number that leads to an older page brings its content back.
///
///     a leaf      node: length of the value 4 | flags 2 | key length 2 | key | value
///     a branch    node: page number below 6                | key length 2 | key        the first key does not count
///
/// FreePageScan.swift has the same of the tree of free pages, for a file that ends early.
struct PageScan: ~Copyable {
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

    init(_ meta: MetaPage, lastPage: UInt64) {
      (free, main, pageSize) = (meta.free, meta.main, meta.pageSize)
      self.lastPage = lastPage
    }
  }

  /// How far down a walk goes.
  enum Depth {
    /// The names of the tables and their roots, which is what opening them needs.
    case names
    /// And the branches of the tables: that each page has one use or is free, which no look at one page tells.
    case branches
    /// Every page.
    case pages
  }

  /// What is done with an entry of a table. What it throws ends the walk.
  typealias Visitor = (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
  /// Who gets the entries of a table; nil where nobody asks.
  typealias Visitors = (_ table: String) -> Visitor?

  private enum Kind {
    /// Numbers of commits, and lists of pages.
    case free
    /// Names with the trees of the tables, and the number of the commit.
    case main
    case table
  }

  /// The pages of one tree, as they were met.
  private struct Tally {
    var branches: UInt64 = 0
    var leaves: UInt64 = 0
    var overflows: UInt64 = 0
    var entries: UInt64 = 0
  }

  let trees: Trees
  private let read: (_ offset: Int, _ into: UnsafeMutableRawBufferPointer) throws -> Void
  private let visitors: Visitors?
  /// One bit for each page that something refers to.
  private var used: [UInt64]
  private var tally = Tally()
  /// Of the table that is walked through.
  private var visitor: Visitor?
  /// What the commit says of itself.
  private(set) var commit: UInt64?
  /// The names of the tables.
  private(set) var names: [String] = []

  /// - Parameters:
  ///   - trees: Where the walk begins.
  ///   - visitors: Get every entry of every table, in the order of the pages; nil where nobody asks.
  ///   - read: Fills a buffer with the bytes at an offset of the file.
  init(
    _ trees: Trees, _ visitors: Visitors? = nil,
    _ read: @escaping (_ offset: Int, _ into: UnsafeMutableRawBufferPointer) throws -> Void
  ) {
    self.trees = trees
    self.read = read
    self.visitors = visitors
    used = Array(repeating: 0, count: Int(trees.lastPage / 64) + 1)
  }

  /// Looks at the pages that the commit refers to.
  ///
  /// - Throws: ``Fault``, or what reading or the visitor throws.
  /// - Complexity: O(*n*) in the pages that are looked at.
  mutating func run(_ depth: Depth = .pages) throws {
    try scan(trees.main, .main, depth)
    if depth != .names { try scan(trees.free, .free, depth) }
  }

  /// Looks at the tree of free pages alone.
  ///
  /// - Returns: A bit for each page that no other tree of the commit may refer to: what is free, and what says so.
  /// - Throws: ``Fault``, or what reading throws.
  /// - Complexity: O(*n*) in the free pages, and a bit for each page.
  mutating func findFree() throws -> [UInt64] {
    try scan(trees.free, .free, .pages)
    return used
  }

  // MARK: Trees

  private mutating func scan(_ tree: TreeRecord, _ kind: Kind, _ depth: Depth) throws {
    if tree.root == TreeRecord.noRoot {
      guard tree.depth == 0, tree.entries == 0 else { throw Fault(page: 0, detail: "entries without a root") }
      return
    }
    guard (1...32).contains(tree.depth) else { throw Fault(page: tree.root, detail: "\(tree.depth) levels") }
    if kind == .table, depth == .names {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: trees.pageSize, alignment: 8)
      defer { buffer.deallocate() }
      return try load(tree.root, levels: tree.depth, into: buffer)
    }
    let outer = tally
    tally = Tally()
    defer { tally = outer }
    try visit(tree.root, tree.depth, kind, from: nil, to: nil, depth)
    let hasMetEntries = kind != .table || depth == .pages
    guard !hasMetEntries || tally.entries == tree.entries else {
      throw Fault(page: tree.root, detail: "\(tally.entries) entries, its tree says \(tree.entries)")
    }
    guard tally.branches == tree.branches, tally.leaves == tree.leaves,
      !hasMetEntries || tally.overflows == tree.overflows
    else {
      throw Fault(page: tree.root, detail: "its tree says another number of pages")
    }
  }

  /// - Parameters:
  ///   - lower: No key below the page stands before it.
  ///   - upper: All keys below the page stand before it.
  private mutating func visit(
    _ number: UInt64, _ levels: UInt16, _ kind: Kind, from lower: UnsafeRawBufferPointer?,
    to upper: UnsafeRawBufferPointer?, _ depth: Depth
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: trees.pageSize, alignment: 8)
    defer { buffer.deallocate() }
    try load(number, levels: levels, into: buffer)
    let page = UnsafeRawBufferPointer(buffer)
    let isLeaf = levels == 1
    let count = try checkNodes(of: page, number, isLeaf: isLeaf)
    // LMDB asserts that a branch leads somewhere.
    guard count > (isLeaf || kind == .free ? 0 : 1) else {
      throw Fault(page: number, detail: "\(count) entries")
    }
    if isLeaf { tally.leaves += 1 } else { tally.branches += 1 }
    try checkOrder(of: page, number, isLeaf ? 0..<count : 1..<count, kind, from: lower, to: upper)
    if isLeaf {
      tally.entries += UInt64(count)
      for index in 0..<count { try visitValue(Node(page, index), page, number, kind, depth) }
      return
    }
    for index in 0..<count {
      let node = Node(page, index)
      if kind == .table, depth == .branches, levels == 2 {
        try mark(node.child, count: 1)
        tally.leaves += 1
        continue
      }
      try visit(
        node.child, levels - 1, kind, from: index == 0 ? lower : node.key,
        to: index + 1 < count ? Node(page, index + 1).key : upper, depth)
    }
  }

  /// - Parameters:
  ///   - nodes: Those whose keys count.
  ///   - lower: None stands before it.
  ///   - upper: All stand before it.
  private func checkOrder(
    of page: UnsafeRawBufferPointer, _ number: UInt64, _ nodes: Range<Int>, _ kind: Kind,
    from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
  ) throws {
    var previous = lower
    for index in nodes {
      let key = Node(page, index).key
      if kind == .free, key.count != 8 {
        throw Fault(page: number, detail: "a key of \(key.count) bytes")
      }
      if let previous {
        let isOrdered =
          index == nodes.lowerBound ? !Self.precedes(key, previous, kind) : Self.precedes(previous, key, kind)
        guard isOrdered else { throw Fault(page: number, detail: "a key is out of order") }
      }
      previous = key
    }
    if let previous, let upper, !nodes.isEmpty, !Self.precedes(previous, upper, kind) {
      throw Fault(page: number, detail: "a key is out of order")
    }
  }

  @inline(__always)
  private static func precedes(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ kind: Kind
  ) -> Bool {
    kind == .free && a.count == 8 && b.count == 8
      ? a.loadUnaligned(as: UInt64.self) < b.loadUnaligned(as: UInt64.self) : a.precedes(b)
  }

  // MARK: Pages

  /// Reads a page of a tree, which nothing else refers to.
  private mutating func load(
    _ number: UInt64, levels: UInt16, into buffer: UnsafeMutableRawBufferPointer
  ) throws {
    try mark(number, count: 1)
    try read(Int(number) * trees.pageSize, buffer)
    let header = PageHeader(UnsafeRawBufferPointer(buffer))
    guard header.number == number, header.kind == (levels == 1 ? .leaf : .branch) else {
      throw Fault(page: number, detail: "it is not the \(levels == 1 ? "leaf" : "branch") that it is to be")
    }
  }

  private mutating func mark(_ first: UInt64, count: UInt64) throws {
    guard count >= 1, first >= 2, first <= trees.lastPage, count <= trees.lastPage - first + 1 else {
      throw Fault(page: first, detail: "it is not in the file")
    }
    for number in first..<(first + count) {
      guard used[Int(number / 64)] & 1 << (number % 64) == 0 else {
        throw Fault(page: number, detail: "it has two uses")
      }
      used[Int(number / 64)] |= 1 << (number % 64)
    }
  }

  // MARK: Values

  /// The value is in a run of pages of its own, whose first number is here.
  static let isElsewhere: UInt16 = 0x01
  /// The value is the record of a tree.
  private static let isTree: UInt16 = 0x02

  private mutating func visitValue(
    _ node: Node, _ page: UnsafeRawBufferPointer, _ number: UInt64, _ kind: Kind, _ depth: Depth
  ) throws {
    if kind == .main { return try visitName(node, page, number, depth) }
    guard node.flags & ~Self.isElsewhere == 0 else {
      throw Fault(page: number, detail: "an entry with the flags \(node.flags)")
    }
    let length = Int(node.word)
    if node.flags == Self.isElsewhere {
      let first = page.loadUnaligned(fromByteOffset: node.value, as: UInt64.self)
      let count = UInt64((PageHeader.size - 1 + length) / trees.pageSize + 1)
      try mark(first, count: count)
      let run = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Int(count) * trees.pageSize, alignment: 8)
      defer { run.deallocate() }
      try read(Int(first) * trees.pageSize, run)
      let header = PageHeader(UnsafeRawBufferPointer(run))
      guard header.number == first, header.kind == .overflow, header.runLength >= count else {
        throw Fault(page: first, detail: "it is not the first of \(count) pages of a value")
      }
      // A value that was written again, shorter, keeps its pages.
      let rest = UInt64(header.runLength) - count
      if rest > 0 { try mark(first + count, count: rest) }
      tally.overflows += UInt64(header.runLength)
      let value = UnsafeRawBufferPointer(rebasing: run[PageHeader.size..<(PageHeader.size + length)])
      return try visit(value, of: node, number, kind)
    }
    try visit(
      UnsafeRawBufferPointer(rebasing: page[node.value..<(node.value + length)]), of: node, number, kind)
  }

  private mutating func visit(
    _ value: UnsafeRawBufferPointer, of node: Node, _ number: UInt64, _ kind: Kind
  ) throws {
    if kind == .free { try visitFree(value, number) } else { try visitor?(node.key, value) }
  }

  /// A table, or the number of the commit.
  private mutating func visitName(
    _ node: Node, _ page: UnsafeRawBufferPointer, _ number: UInt64, _ depth: Depth
  ) throws {
    if node.flags == 0, node.key.elementsEqual(CommitRecord.key), Int(node.word) == CommitRecord.size {
      let value = UnsafeRawBufferPointer(rebasing: page[node.value..<(node.value + CommitRecord.size)])
      guard let commit = CommitRecord.commit(value) else {
        throw Fault(page: number, detail: "the checksum of the commit's number does not match")
      }
      self.commit = commit
      return
    }
    guard node.flags == Self.isTree, node.word == TreeRecord.size else {
      throw Fault(page: number, detail: "a name that is not a table's")
    }
    let tree = TreeRecord(page, at: node.value)
    guard tree.flags == 0 else { throw Fault(page: number, detail: "a table with the flags \(tree.flags)") }
    let table = String(decoding: node.key, as: UTF8.self)
    names.append(table)
    visitor = visitors?(table)
    try scan(tree, .table, depth)
  }

  /// A list of free pages: its length, and their numbers, descending.
  private mutating func visitFree(_ list: UnsafeRawBufferPointer, _ number: UInt64) throws {
    let count = list.count >= 8 ? list.loadUnaligned(as: UInt64.self) : .max
    guard list.count % 8 == 0, count <= UInt64(list.count / 8 - 1) else {
      throw Fault(page: number, detail: "a list of free pages is not whole")
    }
    var previous = UInt64.max
    for index in 0..<Int(count) {
      let free = list.loadUnaligned(fromByteOffset: 8 * (index + 1), as: UInt64.self)
      guard free < previous else { throw Fault(page: number, detail: "a list of free pages is out of order") }
      previous = free
      try mark(free, count: 1)
    }
  }
}
