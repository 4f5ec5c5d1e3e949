/// Looks up in the tree of free pages, through `pread`, whether the pages beyond the end of a file are free.
///
///     the tree    commit that freed them  →  count 8 | page number 8 | page number 8 | …
///     a node      low 2 | high 2 | flags 2 | key length 2 | key | value
///
/// In a branch, low, high and flags together are the number of the page below. In a leaf, low and high are
/// the length of the value, unless the value is in an overflow run: then the number of its first page is
/// here.
struct FreePageScan {
  private static let valueIsElsewhere: UInt16 = 0x01

  private let preflight: Preflight
  private let pageSize: Int
  private let pagesInFile: UInt64
  private var found: Set<UInt64> = []
  private var pagesRead: UInt64 = 0

  init(_ preflight: Preflight, pageSize: Int, pagesInFile: UInt64) {
    self.preflight = preflight
    self.pageSize = pageSize
    self.pagesInFile = pagesInFile
  }

  /// Whether `tree` lists all of `pages`, none of which is in the file.
  mutating func frees(_ pages: ClosedRange<UInt64>, tree: TreeRecord) throws(LMDBError) -> Bool {
    guard tree.root != TreeRecord.noRoot else { return false }
    try visit(tree.root, levels: tree.depth)
    let missing = found.count { pages.contains($0) }
    return UInt64(missing) == pages.upperBound - pages.lowerBound + 1
  }

  /// The scan says no more than this: whoever asks knows already that something is missing.
  private var unreadable: LMDBError { preflight.damage("free pages", "their tree is not whole") }

  private mutating func visit(_ number: UInt64, levels: UInt16) throws(LMDBError) {
    let page = try pages(from: number, count: 1)
    let header = page.withUnsafeBytes { PageHeader($0) }
    let kind: PageHeader.Kind = levels == 1 ? .leaf : .branch
    guard header.number == number, levels >= 1, header.kind.contains(kind), header.lower >= PageHeader.size
    else {
      throw unreadable
    }
    for index in 0..<((Int(header.lower) - PageHeader.size) / 2) {
      let node = try self.node(index, of: page)
      if levels > 1 {
        try visit(UInt64(node.word) | UInt64(node.flags) << 32, levels: levels - 1)
      } else if node.flags & Self.valueIsElsewhere == 0 {
        try collect(page, from: node.value, length: Int(node.word))
      } else {
        let run = try self.run(at: try integer(page, at: node.value), length: Int(node.word))
        try collect(run, from: PageHeader.size, length: Int(node.word))
      }
    }
  }

  /// The value of a node, on its own pages.
  private mutating func run(at number: UInt64, length: Int) throws(LMDBError) -> [UInt8] {
    let count = (length + PageHeader.size - 1) / pageSize + 1
    let run = try pages(from: number, count: UInt64(count))
    let header = run.withUnsafeBytes { PageHeader($0) }
    guard header.number == number, header.kind.contains(.overflow) else {
      throw unreadable
    }
    return run
  }

  /// Keeps the page numbers of one list that are beyond the end of the file.
  private mutating func collect(_ bytes: [UInt8], from start: Int, length: Int) throws(LMDBError) {
    let count = try integer(bytes, at: start)
    guard length >= 8, count <= UInt64(length / 8 - 1), start + length <= bytes.count else {
      throw unreadable
    }
    for index in 0..<Int(count) {
      let number = try integer(bytes, at: start + 8 * (index + 1))
      if number >= pagesInFile { found.insert(number) }
    }
  }

  private struct Node {
    let word: UInt32
    let flags: UInt16
    /// Where the value begins in the page.
    let value: Int
  }

  private func node(_ index: Int, of page: [UInt8]) throws(LMDBError) -> Node {
    let slot = PageHeader.size + 2 * index
    guard slot + 2 <= pageSize else { throw unreadable }
    let offset = Int(integer16(page, at: slot))
    guard offset + 8 <= pageSize else {
      throw unreadable
    }
    #if _endian(little)
      let (low, high) = (integer16(page, at: offset), integer16(page, at: offset + 2))
    #else
      let (high, low) = (integer16(page, at: offset), integer16(page, at: offset + 2))
    #endif
    return Node(
      word: UInt32(low) | UInt32(high) << 16, flags: integer16(page, at: offset + 4),
      value: offset + 8 + Int(integer16(page, at: offset + 6)))
  }

  private func integer16(_ bytes: [UInt8], at offset: Int) -> UInt16 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
  }

  private func integer(_ bytes: [UInt8], at offset: Int) throws(LMDBError) -> UInt64 {
    guard offset + 8 <= bytes.count else {
      throw unreadable
    }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  }

  /// Pages that must be in the file. Reading more of them than there are means that the tree has a circle.
  private mutating func pages(from number: UInt64, count: UInt64) throws(LMDBError) -> [UInt8] {
    pagesRead += count
    guard count <= pagesInFile, number <= pagesInFile - count, pagesRead <= pagesInFile else {
      throw unreadable
    }
    return try preflight.bytes(at: Int(number) * pageSize, count: Int(count) * pageSize)
  }
}
