internal import CFastMap

// LMDB's pages. C takes them apart, and fastmap_page.h describes their form; here are names and sizes for Swift.

typealias PageHeader = fastmap_page_header
typealias TreeRecord = fastmap_tree_record
typealias MetaPage = fastmap_meta_page
typealias PageNode = fastmap_node

extension PageHeader {
  static let size = Int(FASTMAP_PAGE_HEADER)

  init(_ page: UnsafeRawBufferPointer) {
    precondition(page.count >= Self.size)
    self = fastmap_page_header_at(page.baseAddress)
  }

  var isLeaf: Bool { kind == FASTMAP_PAGE_LEAF }
  var isBranch: Bool { kind == FASTMAP_PAGE_BRANCH }
  var isMeta: Bool { Int(kind) & Int(FASTMAP_PAGE_META) != 0 }
}

extension TreeRecord {
  static let size = Int(FASTMAP_TREE_RECORD)
  /// The root of a tree that has no pages.
  static let noRoot = UInt64.max

  init(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.size)
    self = fastmap_tree_record_at(bytes.baseAddress)
  }
}

extension MetaPage {
  static let size = Int(FASTMAP_META_PAGE)
  static let lmdbMagic = UInt32(FASTMAP_META_MAGIC)
  static let formatVersion: UInt32 = 1
  /// LMDB takes pages of up to 32 KiB: the offsets within a page have 16 bits.
  static let pageSizes = 512...32_768
  static let usualPageSize = 4096
  static let commitOffset = Int(FASTMAP_META_COMMIT)

  init(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.size)
    self = fastmap_meta_page_at(bytes.baseAddress)
  }

  var pageSize: Int { Int(page_size) }
  var lastPage: UInt64 { last_page }
  var hasPageSize: Bool { Self.pageSizes.contains(pageSize) && pageSize.nonzeroBitCount == 1 }
}

extension PageNode {
  /// Nil where the node, or its key, is not on the page.
  init?(_ page: [UInt8], from offset: Int) {
    self.init()
    guard fastmap_page_node_from(page, UInt32(page.count), UInt32(offset), &self) else { return nil }
  }

  /// The node of a slot. Nil where it, or its key, is not on the page.
  init?(_ page: [UInt8], at index: Int) {
    self.init()
    guard fastmap_page_node_at(page, UInt32(page.count), UInt32(index), &self) else { return nil }
  }

  var isElsewhere: Bool { flags & UInt16(FASTMAP_NODE_ELSEWHERE) != 0 }

  func key(on page: [UInt8]) -> ArraySlice<UInt8> { page[Int(key)..<Int(value)] }

  /// The bytes that it takes on the page of a leaf.
  var size: Int { withUnsafePointer(to: self) { Int(fastmap_node_size($0)) } }

  /// The value, where it is on the page.
  func value(on page: [UInt8]) -> [UInt8]? {
    let end = Int(value) + Int(value_length)
    return isElsewhere || end > page.count ? nil : Array(page[Int(value)..<end])
  }

  /// The nodes of a page, as far as they are on it.
  static func all(on page: [UInt8]) -> [PageNode] {
    (0..<count(on: page)).compactMap { index in
      var node = PageNode()
      return fastmap_page_node_at(page, UInt32(page.count), UInt32(index), &node) ? node : nil
    }
  }

  /// How many nodes a page speaks of.
  static func count(on page: [UInt8]) -> Int { Int(fastmap_page_count(page, UInt32(page.count))) }
}

/// One bit for each page.
struct PageSet {
  private(set) var bits: [UInt64]

  init(_ count: UInt64) { bits = Array(repeating: 0, count: Int(count / 64) + 1) }

  init(bits: UnsafeBufferPointer<UInt64>) { self.bits = Array(bits) }

  func contains(_ page: UInt64) -> Bool {
    page / 64 < bits.count && bits[Int(page / 64)] & 1 << (page % 64) != 0
  }

  func firstShared(with other: PageSet) -> UInt64? {
    for (place, (own, others)) in zip(bits, other.bits).enumerated() where own & others != 0 {
      return UInt64(place * 64 + (own & others).trailingZeroBitCount)
    }
    return nil
  }

  mutating func insert(_ page: UInt64) {
    if page / 64 < bits.count { bits[Int(page / 64)] |= 1 << (page % 64) }
  }

  mutating func insert(_ pages: Range<UInt64>) { for page in pages { insert(page) } }
}
