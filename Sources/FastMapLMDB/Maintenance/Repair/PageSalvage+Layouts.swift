/// Layouts of earlier commits.
extension PageSalvage {
  /// Looks on all pages for the layouts that are lost.
  ///
  /// A commit that adds objects writes the page of the layouts anew, with their counts, and leaves the one before as it
  /// was: that has all but the fields that were added since.
  ///
  /// - Parameter known: The entities whose layouts are there. Of the others, some have no object, but are referred to.
  mutating func findLayouts(but known: Set<UInt16>, _ take: (Entry) throws -> Void) throws {
    var found: [UInt16: Entry] = [:]
    for number in 2..<max(pageCount, 2) {
      guard let page = page(number, .leaf) else { continue }
      for node in nodes(page) {
        guard let entity = StoreLayout.entity(ofLayout: node.key), !known.contains(entity),
          let (value, _) = value(of: node, on: page), Self.table(of: node.key, value, .meta) == .meta
        else { continue }
        // Fields are only ever added.
        if value.count > found[entity]?.value.count ?? 0 {
          found[entity] = Entry(table: .meta, key: Array(node.key), value: value)
        }
      }
    }
    for (entity, entry) in found.sorted(by: { $0.key < $1.key }) {
      report.add("meta, entity \(entity)", "its layout is lost; one of an earlier commit was found")
      try take(entry)
    }
  }
}
