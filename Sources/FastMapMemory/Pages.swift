internal import FastMapStoreKit

/// Elements by number, in pages of 256. A copy shares the pages that it does not change.
struct Pages<Element: Sendable>: Sendable {
  private static var pageSize: UInt64 { 256 }

  /// A page is empty if none of its numbers is in use.
  private var pages: [[Element?]] = []

  subscript(id: ObjectID) -> Element? {
    get {
      let page = id.rawValue / Self.pageSize
      guard page < pages.count, !pages[Int(page)].isEmpty else { return nil }
      return pages[Int(page)][Int(id.rawValue % Self.pageSize)]
    }
    _modify {
      let page = Int(id.rawValue / Self.pageSize)
      while pages.count <= page { pages.append([]) }
      if pages[page].isEmpty { pages[page] = Array(repeating: nil, count: Int(Self.pageSize)) }
      yield &pages[page][Int(id.rawValue % Self.pageSize)]
    }
  }

  /// Calls `body` with the pages that both do not share: the number of the first element, and the elements of both.
  func forEachDifferentPage(
    from other: Pages, _ body: (_ first: UInt64, _ other: [Element?], _ own: [Element?]) -> Void
  ) {
    for page in 0..<max(pages.count, other.pages.count) {
      let own = page < pages.count ? pages[page] : []
      let old = page < other.pages.count ? other.pages[page] : []
      let isShared = own.withUnsafeBufferPointer { own in
        old.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress && $0.count == own.count }
      }
      if !isShared { body(UInt64(page) * Self.pageSize, old, own) }
    }
  }

  /// The elements by ascending number, as an array.
  var all: [(id: ObjectID, element: Element)] {
    var all: [(id: ObjectID, element: Element)] = []
    forEach { all.append(($0, $1)) }
    return all
  }

  /// Calls `body` with the elements by ascending number.
  func forEach(_ body: (ObjectID, Element) -> Void) {
    for (page, elements) in pages.enumerated() {
      for (place, element) in elements.enumerated() {
        if let element { body(ObjectID(rawValue: UInt64(page) * Self.pageSize + UInt64(place)), element) }
      }
    }
  }
}
