internal import FastMapStoreKit

/// A declared index of a table of records.
///
/// The index is sorted when a query first asks for it. Later states share most pages of the objects with the state before. So
/// the next query compares the pages that are not the same, and moves the entries of the objects that have changed.
///
/// Tables of instances have none: a property may change at any time, without a sign.
struct TableIndex: Sendable {
  struct Part: Hashable, Sendable {
    let field: Int
    let isDescending: Bool
  }

  let name: String
  let parts: [Part]
  var isUnique: Bool
  let cache = IndexCache()
}

/// The entries of an index as somebody has last asked for them, for any state of the store.
final class IndexCache: Sendable {
  private struct Known {
    let entries: SortedEntries
    let objects: Pages<StoredObject>
  }

  private let monitor = Monitor()
  // nonisolated(unsafe): guarded by `monitor`.
  private nonisolated(unsafe) var known: Known?

  /// The entries of the objects of one state.
  ///
  /// - Complexity: O(*n* log *n*) at first, then O(*m* log *n*) in the objects that have changed, and O(*n* / 256) for
  ///   finding them.
  func entries(of index: TableIndex, in table: Table) -> SortedEntries {
    monitor.lock()
    defer { monitor.unlock() }
    let entry = { (id: ObjectID, object: StoredObject) in
      IndexEntry(contents: table.contents(of: object, index.parts), key: object.key, id: id)
    }
    if let known {
      let changed = table.objects.changes(since: known.objects)
      if changed.isEmpty { return known.entries }
      if changed.count < max(64, known.entries.count / 4) {
        var entries = known.entries
        for (id, old, _) in changed { if let old { entries.remove(entry(id, old)) } }
        for (id, _, new) in changed { if let new { entries.insert(entry(id, new)) } }
        self.known = Known(entries: entries, objects: table.objects)
        return entries
      }
    }
    var all: [IndexEntry] = []
    all.reserveCapacity(table.count)
    table.objects.forEach { all.append(entry($0, $1)) }
    let entries = SortedEntries(index.parts, all)
    known = Known(entries: entries, objects: table.objects)
    return entries
  }
}

extension Table {
  /// The contents of the fields of an index, for one object.
  func contents(of object: StoredObject, _ parts: [TableIndex.Part]) -> [IndexRange.Content] {
    parts.map { part in
      let field = fields[part.field]
      if field.isLink { return object.targets(at: field.place).first.map { .object($0) } ?? .none }
      let value = object.value(at: field.place)
      return value == .null ? .none : .value(value)
    }
  }
}

extension Pages<StoredObject> {
  /// The elements that are not in both, or may be different.
  ///
  /// A page that is shared has the same elements. Both live, so no other page has its address.
  func changes(
    since other: Pages
  ) -> [(id: ObjectID, old: StoredObject?, new: StoredObject?)] {
    var changes: [(id: ObjectID, old: StoredObject?, new: StoredObject?)] = []
    forEachDifferentPage(from: other) { first, old, new in
      for place in 0..<max(old.count, new.count) {
        let (a, b) = (place < old.count ? old[place] : nil, place < new.count ? new[place] : nil)
        if a == nil, b == nil { continue }
        if let a, let b, a.key == b.key, a.isIdentical(to: b) { continue }
        changes.append((ObjectID(rawValue: first + UInt64(place)), a, b))
      }
    }
    return changes
  }
}
