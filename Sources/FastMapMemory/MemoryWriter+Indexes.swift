public import FastMapStoreKit

/// Indexes of a write.
extension MemoryWriter {
  /// The entries are sorted when a query asks for them.
  public mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) rethrows {
    state.addIndexes(of: binding.schema)
  }

  public mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) rethrows {
    var rest = limit
    for (entity, bound) in binding.entities.enumerated() {
      guard let table = bound.table, rest > 0 else { continue }
      try forEachDuplicate(in: table, entity, &rest, body)
    }
  }

  /// The first duplicate of all tables. Only the schema's tables, and tables with targets in these, have changed.
  mutating func firstDuplicateOfAll() -> (table: Int, pair: DuplicateValues)? {
    var (found, rest): (DuplicateValues?, Int) = (nil, 1)
    for table in state.tables.indices {
      forEachDuplicate(in: table, binding.entity(ofTable: table) ?? -1, &rest) { found = $0 }
      if let found { return (table, found) }
    }
    return nil
  }

  private mutating func forEachDuplicate(
    in table: Int, _ entity: Int, _ rest: inout Int, _ body: (DuplicateValues) throws -> Void
  ) rethrows {
    if !state.tables[table].indexes.contains(where: \.isUnique) { return }
    let limit = rest
    let stored = table < original.tables.count ? original.tables[table] : nil
    let old = unique[table] ?? stored.map { ($0.objects, $0.indexes) }
    for index in state.tables[table].indexes where index.isUnique && rest > 0 {
      let wasUnique = old?.indexes.contains { $0.parts == index.parts && $0.isUnique } ?? false
      var changed: [IndexEntry]?
      if wasUnique, let old {
        let changes = state.tables[table].objects.changes(since: old.objects)
        if changes.isEmpty { continue }
        changed = changes.compactMap { id, _, object in
          object.map {
            IndexEntry(contents: state.tables[table].contents(of: $0, index.parts), key: $0.key, id: id)
          }
        }
      }
      let entries = index.cache.entries(of: index, in: state.tables[table])
      let groups = changed.map { entries.groups(with: $0) } ?? entries.allGroups()
      for group in groups {
        for (first, second) in zip(group, group.dropFirst()) where rest > 0 {
          rest -= 1
          try body(
            DuplicateValues(
              entity: entity, index: index.name, contents: first.contents,
              first: .init(id: first.id, key: first.key), second: .init(id: second.id, key: second.key)))
        }
      }
    }
    if rest == limit { unique[table] = (state.tables[table].objects, state.tables[table].indexes) }
  }

  /// The error that users see. A relationship is shown as the key of its target.
  func error(of duplicate: (table: Int, pair: DuplicateValues)) -> UniquenessError {
    let table = state.tables[duplicate.table]
    let parts = table.indexes.first { NameIndex.isSame($0.name, duplicate.pair.index) }?.parts ?? []
    let values = zip(parts, duplicate.pair.contents).map { part, content -> Value in
      switch content {
      case .none: return .null
      case .value(let value): return value
      case .object(let id):
        guard case .link(let target, _, _) = table.fields[part.field].kind else { return .null }
        return switch state.tables[target].objects[id]?.key {
        case .integer(let key): .integer(key)
        case .string(let key): .string(key)
        case nil: .null
        }
      }
    }
    return UniquenessError(
      entity: table.name, index: duplicate.pair.index, values: values,
      keys: [duplicate.pair.first.key, duplicate.pair.second.key])
  }
}

extension SortedEntries {
  /// The entries that have the same values as one of some others, where there are several, none of them without a value.
  func groups(with others: [IndexEntry]) -> [[IndexEntry]] {
    var found: [[IndexEntry]] = []
    var starts: [Place] = []
    for other in others where !other.hasNone {
      let start = place { order(of: $0, to: other) < 0 }
      let next = start < end ? place(after: start) : end
      if next < end, order(of: self[next], to: other) == 0 { starts.append(start) }
    }
    starts.sort()
    for (number, start) in starts.enumerated() where number == 0 || starts[number - 1] != start {
      found.append(group(at: start))
    }
    return found
  }

  func allGroups() -> [[IndexEntry]] {
    var found: [[IndexEntry]] = []
    var place = start
    while place < end {
      let group = group(at: place)
      if group.count > 1, !group[0].hasNone { found.append(group) }
      for _ in group { place = self.place(after: place) }
    }
    return found
  }

  private func group(at start: Place) -> [IndexEntry] {
    var group = [self[start]]
    var place = place(after: start)
    while place < end, order(of: self[place], to: group[0]) == 0 {
      group.append(self[place])
      place = self.place(after: place)
    }
    return group
  }
}

extension IndexEntry {
  fileprivate var hasNone: Bool { contents.contains { if case .none = $0 { true } else { false } } }
}
