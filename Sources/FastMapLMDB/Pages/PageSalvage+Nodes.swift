/// Nodes of pages of which nothing can be relied on.
extension PageSalvage {
  struct Node {
    /// Where it begins.
    let offset: Int
    let flags: UInt16
    let key: ArraySlice<UInt8>
    private let word: UInt32

    /// Nil where its key is not on the page.
    init?(_ page: [UInt8], at offset: Int) {
      guard offset >= PageHeader.size, offset % 2 == 0, offset + 8 <= page.count else { return nil }
      #if _endian(little)
        let (low, high) = (page.integer16(offset), page.integer16(offset + 2))
      #else
        let (high, low) = (page.integer16(offset), page.integer16(offset + 2))
      #endif
      word = UInt32(low) | UInt32(high) << 16
      flags = page.integer16(offset + 4)
      let end = offset + 8 + Int(page.integer16(offset + 6))
      guard end <= page.count else { return nil }
      key = page[(offset + 8)..<end]
      self.offset = offset
    }

    var child: UInt64 { UInt64(word) | UInt64(flags) << 32 }
    var length: Int { Int(word) }
    var isElsewhere: Bool { flags & 0x01 != 0 }

    /// The value, where it is on the page.
    func value(on page: [UInt8]) -> [UInt8]? {
      guard !isElsewhere, key.endIndex + length <= page.count else { return nil }
      return Array(page[key.endIndex..<(key.endIndex + length)])
    }

    /// The first page of its value, where that is elsewhere.
    func runPage(on page: [UInt8]) -> UInt64? {
      guard key.endIndex + 8 <= page.count else { return nil }
      return page.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: key.endIndex, as: UInt64.self) }
    }
  }

  /// The nodes of a page, as far as they are on it.
  func nodes(_ page: [UInt8]) -> [Node] {
    (0..<slotCount(page)).compactMap { Node(page, at: Int(page.integer16(PageHeader.size + 2 * $0))) }
  }

  func slotCount(_ page: [UInt8]) -> Int {
    max(0, (min(Int(page.integer16(12)), page.count) - PageHeader.size) / 2)
  }

  /// Where nodes may begin that the page's list does not lead to; nil where it leads to all of them. Before that,
  /// LMDB leaves what it has deleted or moved: the page's header says where, if it can be believed.
  static func unfilled(_ page: [UInt8], _ nodes: [Node]) -> Int? {
    let size = nodes.reduce(0) { size, node in
      let length = 8 + node.key.count + (node.isElsewhere ? 8 : node.length)
      return size + (length + 1) & ~1
    }
    let start = nodes.map(\.offset).min() ?? page.count
    if start + size == page.count { return nil }
    let (lower, upper) = (Int(page.integer16(12)), Int(page.integer16(14)))
    let isPlausible = lower <= upper && upper < page.count && upper % 2 == 0
    return isPlausible ? upper : max(PageHeader.size, start) & ~1
  }
}

extension [UInt8] {
  fileprivate func integer16(_ offset: Int) -> UInt16 {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
  }
}
