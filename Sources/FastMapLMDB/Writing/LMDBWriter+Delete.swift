internal import CFastMap
public import FastMapCore

extension LMDBWriter {
  public mutating func delete(_ id: ObjectID, of entity: Int) throws -> Bool {
    guard let record = try reader.record(id) else { return false }
    let number = Int(ObjectNumber.entity(id))
    let fields = reader.layout.entities[number].fields
    var key = KeyBytes()

    var outgoing: [(field: UInt16, target: ObjectID)] = []
    for (field, layout) in fields.enumerated() {
      guard case .relationship(let isToMany, _, _) = layout.kind else { continue }
      if isToMany {
        let cursor = try writing.unsafeCursor(tables.links)
        outgoing += try reader.links(of: id, field: UInt16(field), cursor).map { (UInt16(field), $0) }
      } else if let slot = record.slot(field), slot.tag == FASTMAP_TARGET {
        outgoing.append((UInt16(field), slot.target))
      }
    }
    // The record is read to its end before anything is changed: changes may move it.
    if let keyField = record.keyField {
      guard let slot = record.slot(Int(keyField)) else { throw reader.damagedRecord(id) }
      key.setIndex(entity: UInt16(number), key: slot)
      try writing.delete(tables.index, key.bytes)
      reader.layout.entities[number].counts.keyed -= 1
    }
    reader.layout.entities[number].counts.objects -= 1

    for (field, target) in outgoing {
      key.setInverse(target: target, field: field, owner: id)
      try writing.delete(tables.inverse, key.bytes)
    }
    try deleteSegments(of: id)
    try removeFromReferrers(id)
    key.setRecord(id)
    return try writing.delete(tables.records, key.bytes)
  }

  /// Deletes all lists of an owner.
  private func deleteSegments(of owner: ObjectID) throws {
    var prefix = KeyBytes()
    prefix.setRecord(owner)
    let cursor = try writing.unsafeCursor(tables.links)
    while let found = try cursor.seek(atLeast: prefix.bytes), found.key.starts(with: prefix.bytes) {
      try cursor.delete()
    }
  }

  /// Takes an object out of every relationship that has it.
  private func removeFromReferrers(_ target: ObjectID) throws {
    var prefix = KeyBytes()
    prefix.setRecord(target)
    var referrers: [(field: UInt16, owner: ObjectID)] = []
    let cursor = try writing.unsafeCursor(tables.inverse)
    while let found = try cursor.seek(atLeast: prefix.bytes), found.key.starts(with: prefix.bytes),
      found.key.count == 18
    {
      referrers.append(
        (found.key.bigEndian(at: 8, as: UInt16.self), found.key.bigEndian(at: 10, as: UInt64.self)))
      try cursor.delete()
    }
    for (field, owner) in referrers where owner != target {
      try remove(target, from: field, of: owner)
    }
  }

  private func remove(_ target: ObjectID, from field: UInt16, of owner: ObjectID) throws {
    let layout = reader.layout.entities[Int(ObjectNumber.entity(owner))].fields[Int(field)]
    guard case .relationship(let isToMany, _, _) = layout.kind else { return }
    if isToMany {
      var links = try LinkChanges(self)
      return try links.unlink([target], from: field, of: owner)
    }
    guard let stored = try reader.record(owner) else { return }
    var key = KeyBytes()
    key.setRecord(owner)
    var encoder = RecordEncoder()
    encoder.begin(keyField: stored.keyField, fieldCount: stored.fieldCount)
    let isWhole = stored.forEach { other, tag, value in
      if other != Int(field) { encoder.append(tag, value, field: other) }
      return true
    }
    guard isWhole else { throw reader.damagedRecord(owner) }
    encoder.trim(fieldCount: stored.fieldCount)
    encoder.seal(key.bytes)
    try writing.put(tables.records, key.bytes, encoder.value)
  }

  // MARK: Before and after

  public mutating func isChanged(_ id: ObjectID, of entity: Int) throws -> Bool {
    let now = try contents(of: id, reader)
    let environment = environment
    // A read inside of a write sees the last commit.
    return try environment.read { transaction in
      let before = LMDBReader(
        view: transaction.view, tables: tables, binding: reader.binding, layout: reader.layout,
        lists: reader.lists)
      return try contents(of: id, before) != now
    }
  }

  /// All that is stored of an object; nil where there is none.
  private func contents(of id: ObjectID, _ reader: LMDBReader) throws -> [[UInt8]]? {
    guard let record = try reader.record(id) else { return nil }
    var contents = [Array(record.bytes)]
    let cursor = try reader.view.unsafeCursor(tables.links)
    for (field, layout) in reader.layout.entities[Int(ObjectNumber.entity(id))].fields.enumerated() {
      guard case .relationship(isToMany: true, _, _) = layout.kind else { continue }
      let targets = try reader.links(of: id, field: UInt16(field), cursor)
      contents.append(targets.withUnsafeBytes { Array($0) })
    }
    return contents
  }
}
