// The nodes of one page.
extension PageScan {
  /// A node of a page that has been looked over.
  struct Node {
    /// The length of the value, or the low bits of a page number.
    let word: UInt32
    let flags: UInt16
    let key: UnsafeRawBufferPointer
    /// Where the value begins on its page.
    let value: Int

    var child: UInt64 { UInt64(word) | UInt64(flags) << 32 }

    @inline(__always)
    init(_ page: UnsafeRawBufferPointer, _ index: Int) {
      self.init(page, at: Int(page.integer16(PageHeader.size + 2 * index)))
    }

    @inline(__always)
    init(_ page: UnsafeRawBufferPointer, at offset: Int) {
      #if _endian(little)
        let (low, high) = (page.integer16(offset), page.integer16(offset + 2))
      #else
        let (high, low) = (page.integer16(offset), page.integer16(offset + 2))
      #endif
      word = UInt32(low) | UInt32(high) << 16
      flags = page.integer16(offset + 4)
      value = offset + 8 + Int(page.integer16(offset + 6))
      key =
        value <= page.count
        ? UnsafeRawBufferPointer(rebasing: page[(offset + 8)..<value])
        : UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// Looks whether the nodes of a page fill it from its end to `upper` without a gap.
  ///
  /// - Returns: How many there are.
  func checkNodes(of page: UnsafeRawBufferPointer, _ number: UInt64, isLeaf: Bool) throws -> Int {
    let (lower, upper) = (Int(page.integer16(12)), Int(page.integer16(14)))
    guard lower >= PageHeader.size, lower % 2 == 0, lower <= upper, upper <= trees.pageSize else {
      throw Fault(page: number, detail: "its header is damaged")
    }
    var size = 0
    for slot in stride(from: PageHeader.size, to: lower, by: 2) {
      let offset = Int(page.integer16(slot))
      guard offset >= upper, offset % 2 == 0, offset + 8 <= trees.pageSize else {
        throw Fault(page: number, detail: "an entry is not on it")
      }
      let node = Node(page, at: offset)
      let length = isLeaf ? (node.flags & Self.isElsewhere == 0 ? Int(node.word) : 8) : 0
      let end = node.value + length
      guard end <= trees.pageSize else { throw Fault(page: number, detail: "an entry does not end on it") }
      size += (end - offset + 1) & ~1
    }
    guard upper + size == trees.pageSize else {
      throw Fault(page: number, detail: "its entries do not fill it")
    }
    return (lower - PageHeader.size) / 2
  }
}

extension UnsafeRawBufferPointer {
  /// A number of LMDB's own, in the machine's byte order.
  @inline(__always)
  fileprivate func integer16(_ offset: Int) -> UInt16 {
    loadUnaligned(fromByteOffset: offset, as: UInt16.self)
  }
}
