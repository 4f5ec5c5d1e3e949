internal import CFastMap
public import FastMapStoreKit

extension LMDBWriter {
  public mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try environment.whole { try deleteAll(ids, of: entity) }
  }

  /// Each table is changed in the order of its keys, and a list that has many of the objects is scanned once.
  private mutating func deleteAll(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    let areOurs = ids.allSatisfy { reader.isNumber($0, of: entity) }
    let ids = areOurs ? ids : ids.filter { reader.isNumber($0, of: entity) }
    var deleted: [ObjectID] = []
    deleted.reserveCapacity(ids.count)
    var referrers: [InverseEntry] = []
    var inverse = try InverseBlocks(writing.view, tables)
    for start in stride(from: 0, to: ids.count, by: Self.deletedAtOnce) {
      let some = ids[start..<min(start + Self.deletedAtOnce, ids.count)]
      var finder = KeyFinder(writing.view, tables)
      var numbers = NumberChanges(writing, tables)
      for id in some where id != deleted.last {
        guard try finder.find(id) else { continue }
        try deleteObject(id, finder.key.bytes, &inverse)
        numbers.remove(id)
        deleted.append(id)
      }
      try numbers.write()
      try deleteLists(of: some)
      try removeInverse(of: some, &referrers, &inverse)
    }
    try unlink(&referrers)
    return deleted
  }

  /// The number of objects whose references are kept in memory at a time.
  private static let deletedAtOnce = 4096

  // MARK: The objects

  /// Deletes the record of an object, and collects its references.
  private mutating func deleteObject(
    _ id: ObjectID, _ key: UnsafeRawBufferPointer, _ inverse: inout InverseBlocks
  ) throws {
    let cursor = try writing.unsafeCursor(tables.records)
    let record = try reader.record(id, at: key, try cursor.seek(key))
    let number = Int(ObjectNumber.entity(id))
    for (field, layout) in reader.layout.entities[number].fields.enumerated() {
      guard case .relationship(let isToMany, _, _) = layout.kind else { continue }
      if isToMany {
        let cursor = try writing.unsafeCursor(tables.links)
        for target in try reader.links(of: id, field: UInt16(field), cursor) {
          inverse.remove(InverseEntry(target: target, field: UInt16(field), owner: id))
        }
      } else if let target = record.slot(field)?.object {
        inverse.remove(InverseEntry(target: target, field: UInt16(field), owner: id))
      }
    }
    if indexes.hasIndexes(of: UInt16(number)) { try indexes.change(record, to: nil) }
    // The record is read completely before any change, because changes may move it.
    if !record.key.isKeyless { reader.layout.entities[number].counts.keyed -= 1 }
    reader.layout.entities[number].counts.objects -= 1
    try cursor.delete()
  }

  private func deleteLists(of owners: ArraySlice<ObjectID>) throws {
    var prefix = KeyBytes()
    let cursor = try writing.unsafeCursor(tables.links)
    for owner in owners {
      prefix.setObject(owner)
      while let found = try cursor.seek(atLeast: prefix.bytes), found.key.starts(with: prefix.bytes) {
        try cursor.delete()
      }
    }
  }

  // MARK: Their referrers

  /// Removes the inverse of deleted objects: their references, which were collected, and the references to them.
  ///
  /// - Parameter referrers: Receives the references of other objects to them.
  private func removeInverse(
    of targets: ArraySlice<ObjectID>, _ referrers: inout [InverseEntry], _ inverse: inout InverseBlocks
  ) throws {
    let gone = Set(targets)
    let cursor = inverse.cursor
    for target in targets {
      try cursor.forEach(to: target) { entry in
        if !gone.contains(entry.owner) { referrers.append(entry) }
        inverse.remove(entry)
      }
    }
    try inverse.write()
  }

  /// Removes targets from the relationships that refer to them.
  private func unlink(_ referrers: inout [InverseEntry]) throws {
    if referrers.isEmpty { return }
    referrers.sort { ($0.owner, $0.field) < ($1.owner, $1.field) }
    var links = try LinkChanges(self)
    var start = 0
    while start < referrers.count {
      let (owner, field) = (referrers[start].owner, referrers[start].field)
      var end = start + 1
      while end < referrers.count, referrers[end].owner == owner, referrers[end].field == field { end += 1 }
      defer { start = end }
      guard let layout = layout(of: field, owner), case .relationship(let isToMany, _, _) = layout.kind else {
        continue
      }
      if isToMany {
        try links.unlink(Set(referrers[start..<end].lazy.map(\.target)), from: field, of: owner)
      } else {
        try clear(field, of: owner)
      }
    }
  }

  private func layout(of field: UInt16, _ owner: ObjectID) -> EntityLayout.Field? {
    let number = Int(ObjectNumber.entity(owner))
    guard number < reader.layout.entities.count, Int(field) < reader.layout.entities[number].fields.count
    else { return nil }
    return reader.layout.entities[number].fields[Int(field)]
  }

  private func clear(_ field: UInt16, of owner: ObjectID) throws {
    guard let stored = try reader.record(owner) else { return }
    var key = KeyBytes()
    key.set(stored.key.bytes)
    var encoder = RecordEncoder()
    encoder.begin(owner, fieldCount: stored.fieldCount)
    let isWhole = stored.forEach { other, tag, value in
      if other != Int(field) { encoder.append(tag, value, field: other) }
      return true
    }
    guard isWhole else { throw reader.damagedRecord(owner) }
    encoder.trim(fieldCount: stored.fieldCount)
    encoder.seal(key.bytes)
    if indexes.hasIndexes(of: ObjectNumber.entity(owner)) {
      try indexes.change(stored, to: RecordView(key.bytes, encoder.record))
    }
    try writing.put(tables.records, key.bytes, encoder.value)
  }
}
