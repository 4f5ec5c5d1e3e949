internal import CFastMap
internal import FastMapStoreKit

/// The entries of pages that no tree leads to.
extension PageSalvage {
  /// Salvages the entries of the tables that are not whole.
  ///
  /// If the free pages are not known, a page may be of an earlier commit. Then its entries are doubtful: they may be
  /// older, or deleted since. Counts, marks of unfinished imports and the inverse are not taken from such a page: they would
  /// do harm, and can be rebuilt. Of the other entries of `meta`, the longest is the newest, because layouts only grow.
  mutating func salvageStrayPages(
    of newest: Commit, _ headers: [MetaPage], _ take: (Entry) throws -> Void
  ) throws {
    var (pages, entries) = (0, 0)
    var layouts: [[UInt8]: Entry] = [:]
    let isDoubtful = free == nil
    for number in strayPages(of: newest, headers)
    where !seen.contains(number) && free?.contains(number) != true {
      guard let page = page(number, isLeaf: true) else { continue }
      seen.insert(number)
      let before = entries
      try salvageEntries(of: page, number, nil) { [wholeTables] entry in
        if wholeTables.contains(entry.table) { return }
        if isDoubtful {
          switch entry.table {
          case .inverse, .index: return
          case .meta, .spare:
            guard entry.key.withUnsafeBytes({ StoreLayout.isSpared($0) }) else { return }
            if let other = layouts[entry.key], other.value.count >= entry.value.count { return }
            layouts[entry.key] = entry
            return
          case .records, .numbers, .links: break
          }
        }
        entries += 1
        try take(entry)
      }
      if entries > before { pages += 1 }
    }
    for entry in layouts.values { try take(entry) }
    guard pages > 0 else { return }
    let doubt = isDoubtful ? "; the objects may be older or deleted, because the free pages are unknown" : ""
    report.add("data.mdb", "no table leads to \(pages) pages; \(entries) entries were found on them\(doubt)")
  }

  /// The pages of the commit, those first that the commit before did not have: they are newer than all others.
  private func strayPages(of newest: Commit, _ headers: [MetaPage]) -> some Sequence<UInt64> {
    let end = min(newest.header?.lastPage ?? pageCount, pageCount - 1) + 1
    let earlier = headers.first { $0.magic == MetaPage.lmdbMagic && $0.commit &+ 1 == newest.number }
    let start = max(2, min(earlier?.lastPage ?? 1, end - 1) + 1)
    return [start..<max(end, start), 2..<max(2, min(start, end))].joined()
  }
}

extension Table {
  func mayHave(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .meta: StoreLayout.isKnown(key, 0x10000) || LeftoverEntry.isKey(key)
    case .spare: StoreLayout.isSpared(key)
    case .records: RecordKey(key).isValid
    case .numbers: key.count == 8
    case .links, .inverse: key.count == 18
    case .index: key.count > 2
    }
  }
}
