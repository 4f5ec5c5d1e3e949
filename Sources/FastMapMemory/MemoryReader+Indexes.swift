public import FastMapStoreKit

extension MemoryReader {
  public func indexes(of entity: Int) -> [Schema.Index] {
    guard let table = binding.table(entity) else { return [] }
    return state.tables[table].indexes.compactMap { index in
      let parts = index.parts.compactMap { part in
        binding.entities[entity].places.firstIndex(of: part.field).map {
          Schema.Index.Part(field: $0, isDescending: part.isDescending)
        }
      }
      guard parts.count == index.parts.count else { return nil }
      return Schema.Index(name: index.name, parts: parts, isUnique: index.isUnique)
    }
  }

  public mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int,
    _ body: (inout MemoryReader, ObjectPage) throws -> Bool
  ) throws {
    guard var scan = scan(index, entity, range, isDescending: isDescending, after: position) else { return }
    while true {
      var page = ObjectPage()
      while page.count < pageSize, let entry = scan.next() { page.append(entry.id, entry.key) }
      guard page.count > 0, try body(&self, page), page.count == pageSize else { return }
    }
  }

  public mutating func count(
    in index: Schema.Index, of entity: Int, range: IndexRange, limit: Int
  ) -> Int {
    scan(index, entity, range, isDescending: false, after: nil).map { min(limit, $0.count) } ?? 0
  }

  private func scan(
    _ index: Schema.Index, _ entity: Int, _ range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?
  ) -> EntryScan? {
    guard let table = binding.table(entity) else { return nil }
    let places = binding.entities[entity].places
    let stored = state.tables[table].indexes.first { stored in
      stored.parts.elementsEqual(index.parts) {
        $0.field == places[$1.field] && $0.isDescending == $1.isDescending
      }
    }
    guard let stored else { return nil }
    let entries = stored.cache.entries(of: stored, in: state.tables[table])
    return EntryScan(entries, stored.parts, range, isDescending: isDescending, after: position)
  }
}

/// Goes through a range of sorted entries.
private struct EntryScan {
  private let entries: SortedEntries
  private let parts: [TableIndex.Part]
  private let isDescending: Bool
  private let start: SortedEntries.Place
  private let end: SortedEntries.Place
  /// The next entry; in reverse, the end of the entries that are left.
  private var place: SortedEntries.Place
  /// In reverse, the entries with the values of the current one, which ascend.
  private var ties: (place: SortedEntries.Place, end: SortedEntries.Place)?

  init(
    _ entries: SortedEntries, _ parts: [TableIndex.Part], _ range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?
  ) {
    self.entries = entries
    self.parts = parts
    self.isDescending = isDescending
    start = entries.place { range.order(of: $0, parts) < 0 }
    end = entries.place { range.order(of: $0, parts) <= 0 }
    place = isDescending ? max(start, end) : start
    guard let position else { return }
    let contents = position.contents
    func isBehind(_ entry: IndexEntry) -> Bool { entry.tieOrder(to: position.key, .last) > 0 }
    if isDescending {
      // The entries with the same values that are after, then all that are before them.
      let first = entries.place { $0.order(of: contents, parts) < 0 }
      let last = entries.place { $0.order(of: contents, parts) <= 0 }
      let next = entries.place {
        let order = $0.order(of: contents, parts)
        return order < 0 || order == 0 && !isBehind($0)
      }
      place = min(place, max(start, first))
      ties = (max(next, start), min(last, end))
    } else {
      let next = entries.place {
        let order = $0.order(of: contents, parts)
        return order < 0 || order == 0 && !isBehind($0)
      }
      place = max(start, next)
    }
  }

  var count: Int { entries.count(from: start, to: end) }

  mutating func next() -> IndexEntry? {
    guard isDescending else {
      guard place < end else { return nil }
      defer { place = entries.place(after: place) }
      return entries[place]
    }
    while true {
      if let (place, end) = ties, place < end {
        ties = (entries.place(after: place), end)
        return entries[place]
      }
      guard start < place else { return nil }
      let contents = entries[entries.place(before: place)].contents
      let first = max(start, entries.place { $0.order(of: contents, parts) < 0 })
      ties = (first, place)
      place = first
    }
  }
}

extension IndexEntry {
  /// Where its values are beside others: -1 before them, 0 with them, 1 after them.
  fileprivate func order(of others: [IndexRange.Content], _ parts: [TableIndex.Part]) -> Int {
    for (place, other) in others.enumerated() {
      let order = contents[place].sortOrder(to: other)
      if order != 0 { return parts[place].isDescending ? -order : order }
    }
    return 0
  }
}

extension IndexRange {
  /// Whether an entry is before the range (-1), in it (0) or after it (1).
  fileprivate func order(of entry: IndexEntry, _ parts: [TableIndex.Part]) -> Int {
    let order = entry.order(of: equal, parts)
    if order != 0 { return order }
    guard equal.count < parts.count, lower != nil || upper != nil else { return 0 }
    let content = entry.contents[equal.count]
    let sign = parts[equal.count].isDescending ? -1 : 1
    if case .none = content { return -sign }
    if let lower {
      let order = content.sortOrder(to: .value(lower.value))
      if order < 0 || order == 0 && !lower.isIncluded { return -sign }
    }
    if let upper {
      let order = content.sortOrder(to: .value(upper.value))
      if order > 0 || order == 0 && !upper.isIncluded { return sign }
    }
    // NaN is neither more nor less than a number.
    if case .value(.number(let value)) = content, value.isNaN { return sign }
    return 0
  }
}

extension ObjectID {
  fileprivate static let last = ObjectID(rawValue: .max)
}
