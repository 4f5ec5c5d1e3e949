/// Layouts of earlier commits.
extension PageSalvage {
  /// Searches all pages for lost layouts.
  ///
  /// A commit that adds objects writes a new page of layouts, because their counts change, and leaves the previous
  /// page as it was. That page lacks only fields that were added since.
  ///
  /// - Parameter known: The entities whose layouts were found. Other entities may have no objects but still be
  ///   referred to.
  mutating func findLayouts(but known: Set<UInt16>, _ take: (Entry) throws -> Void) throws {
    var found: [UInt16: Entry] = [:]
    for number in 2..<max(pageCount, 2) {
      guard let page = page(number, isLeaf: true) else { continue }
      for node in PageNode.all(on: page) {
        let key = node.key(on: page)
        guard let entity = StoreLayout.entity(ofLayout: key), !known.contains(entity),
          let (value, _) = value(of: node, on: page), Self.table(of: key, value, .meta) == .meta
        else { continue }
        // Fields are only ever added.
        if value.count > found[entity]?.value.count ?? 0 {
          found[entity] = Entry(table: .meta, key: Array(key), value: value)
        }
      }
    }
    for (entity, entry) in found.sorted(by: { $0.key < $1.key }) {
      report.add("meta, entity \(entity)", "its layout is lost; one of an earlier commit was found")
      try take(entry)
    }
  }
}
