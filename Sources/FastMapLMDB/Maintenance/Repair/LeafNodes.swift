internal import CFastMap

/// The nodes of a leaf that may be damaged.
///
/// The nodes of a sound leaf fill the page from `upper` to its end, and `lower` says how many there are. If one of
/// these numbers is damaged, the other one and the nodes give its value. Bytes before the nodes are left over from
/// deletions.
struct LeafNodes {
  /// The nodes of the page's list, in the order of their keys; nil for a node outside the page.
  let listed: [PageNode?]
  /// Whether they fill the page. Otherwise there may be others.
  let isWhole: Bool
  /// Whether the page says another number of nodes than it has.
  let hasOtherCount: Bool
  /// Where the nodes begin, as far as that is known.
  let start: Int
  private let page: [UInt8]

  init(_ page: [UInt8]) {
    let header = page.withUnsafeBytes { PageHeader($0) }
    let told = PageNode.count(on: page)
    var nodes: [PageNode] = []
    var (size, start, filling) = (0, page.count, 0)
    // The list ends before the first node.
    while PageHeader.size + 2 * (nodes.count + 1) <= start, let node = PageNode(page, at: nodes.count) {
      if let last = nodes.last, !last.key(on: page).lexicographicallyPrecedes(node.key(on: page)) { break }
      nodes.append(node)
      size += node.size
      start = min(start, Int(node.offset))
      if size > page.count - start { break }
      guard size == page.count - start else { continue }
      if start == header.upper || filling == 0 && nodes.count == told { filling = nodes.count }
      if start == header.upper { break }
    }
    self.page = page
    isWhole = filling > 0
    hasOtherCount = isWhole && filling != told
    if isWhole {
      let found = nodes.prefix(filling)
      listed = Array(found)
      self.start = found.map { Int($0.offset) }.min() ?? page.count
      return
    }
    let isPlausible = header.upper < page.count && header.upper % 2 == 0 && header.upper >= PageHeader.size
    let most = (isPlausible ? Int(header.upper) - PageHeader.size : page.count) / 2
    let listed = (0..<min(told, most)).map { PageNode(page, at: $0) }
    self.listed = listed
    let first = listed.compactMap { $0.map { Int($0.offset) } }.min() ?? PageHeader.size
    self.start = isPlausible ? Int(header.upper) : max(PageHeader.size, first) & ~1
  }

  /// The nodes that may be at other offsets than `known`. Most of them are none.
  func others(than known: Set<Int>) -> some Sequence<PageNode> {
    stride(from: start, to: page.count - 8, by: 2).lazy
      .filter { !known.contains($0) }
      .compactMap { [page] in PageNode(page, from: $0) }
  }

  /// Whether nodes fill the page, so that there is no other one.
  func areAll(_ nodes: [PageNode]) -> Bool {
    var end = start
    for node in nodes.sorted(by: { $0.offset < $1.offset }) {
      guard node.offset == end else { return false }
      end += node.size
    }
    return end == page.count
  }
}
