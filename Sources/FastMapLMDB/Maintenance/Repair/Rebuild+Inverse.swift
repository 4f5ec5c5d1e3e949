internal import CFastMap
internal import FastMapStoreKit

/// The table `inverse`, and relationships that only it still knows.
extension Rebuild {
  /// Changes entries. Each transaction has as many changes as LMDB can hold pages for.
  func makeInverse(
    _ entries: [InverseEntry], _ change: (inout InverseBlocks, InverseEntry) -> Void
  ) throws {
    // Neighbours share a block, and so a page.
    let entries = entries.sorted()
    for start in stride(from: 0, to: entries.count, by: 20_000) {
      try store.environment.write { transaction in
        var inverse = try InverseBlocks(transaction.view, tables)
        for entry in entries[start..<min(start + 20_000, entries.count)] { change(&inverse, entry) }
        try inverse.write()
      }
    }
  }

  /// Appends objects to lists that only the inverse knows, and removes the inverse of lost objects.
  mutating func mendInverse() throws {
    // Every reference has its inverse by now. If there are as many entries as references, there are no others.
    guard try countPairs() != countInverse() else { return }
    var lists: [List: Set<ObjectID>] = [:]
    var strays: [InverseEntry] = []
    var missing: [List: [ObjectID]] = [:]
    try store.environment.read { transaction in
      let reader = reader(transaction)
      let links = try transaction.view.unsafeCursor(tables.links)
      try InverseCursor(transaction.view, tables).forEach { entry in
        guard try reader.record(entry.target) != nil, let owner = try reader.record(entry.owner),
          mayRefer(field: Int(entry.field), entry.owner, to: entry.target)
        else {
          return strays.append(entry)
        }
        let list = List(owner: entry.owner, field: entry.field)
        guard isToMany(list) else {
          if owner.slot(Int(list.field))?.object != entry.target { strays.append(entry) }
          return
        }
        if lists[list] == nil {
          lists[list] = Set(try reader.links(of: list.owner, field: list.field, links))
        }
        if lists[list]?.contains(entry.target) != true { missing[list, default: []].append(entry.target) }
      }
    }
    try makeInverse(strays) { $0.remove($1) }
    for (list, targets) in missing {
      add(
        "links, field \(list.field) of \(Self.words(list.owner))",
        "a part of the list is lost; \(targets.count) objects were appended at its end")
      try rewrite(list) { _, old in old + targets }
    }
  }

  private mutating func countInverse() throws -> Int {
    var count = 0
    try forEach(.inverse) { _, _, key, value in count += InverseBlock(key, value)?.count ?? 0 }
    return count
  }

  /// The number of pairs of a relationship and a target.
  private mutating func countPairs() throws -> Int {
    var count = 0
    try forEach(.records) { _, _, key, value in
      _ = RecordView(key, value)?.forEach { _, tag, _ in
        if tag == RecordFormat.Tag.target { count += 1 }
        return true
      }
    }
    var last: List?
    var met: Set<ObjectID> = []
    try forEach(.links) { _, _, key, value in
      let list = List(
        owner: key.id(inKeyAt: 0), field: key.bigEndian(at: 8, as: UInt16.self))
      if list != last { met = [] }
      last = list
      for offset in stride(from: 0, to: value.count, by: 8) {
        if met.insert(value.id(inValueAt: offset)).inserted { count += 1 }
      }
    }
    return count
  }
}
