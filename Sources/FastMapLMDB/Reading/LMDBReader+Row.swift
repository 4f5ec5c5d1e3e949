internal import CFastMap
public import FastMapStoreKit

extension LMDBReader {
  /// The record is verified as a whole and lent from the map. Only fields that are read are decoded, and nothing is
  /// copied.
  public mutating func withRow<R>(
    _ id: ObjectID, of entity: Int, _ body: (Row) throws -> R
  ) throws -> R? {
    guard let record = try record(id, of: entity) else { return nil }
    if !binding.entities[entity].defaults.isEmpty {
      var buffer = RowBuffer()
      try fill(&buffer, from: record, of: id, binding.entities[entity])
      return try body(buffer.row)
    }
    return try binding.entities[entity].fields.withUnsafeBufferPointer { fields in
      try LentRecord(record: record, fields: fields).lend(body)
    }
  }

  /// One pass over the keys in order. A snapshot remembers the records in the order of `keys`, so that reading them needs
  /// no search.
  public mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    var ids = [ObjectID?](repeating: nil, count: keys.count)
    guard let number = binding.entities[entity].number else { return ids }
    let (view, records) = (view, tables.records)
    var met = [RecordView?](repeating: nil, count: isWriting ? 0 : keys.count)
    let cursor = view.snapshot == nil ? try view.unsafeCursor(records) : nil
    let order = KeyOrder(keys)
    for step in keys.indices {
      let index = order[step]
      let found = try keys[index].withSlot { slot throws -> RecordView? in
        guard KeyLimit.reason(slot.pointee) == nil else { return nil }
        return try KeyBytes.withRecord(entity: number, key: slot.pointee) { key in
          let entry =
            if let snapshot = view.snapshot {
              try view.sweep(snapshot, records, key)
            } else {
              try cursor?.seek(key)
            }
          return try entry.map { try RecordView($0, in: view) }
        }
      }
      guard let found else { continue }
      ids[index] = found.id
      if !isWriting { met[index] = found }
    }
    if !isWriting { remember(met.compactMap(\.self)) }
    return ids
  }
}

/// A record in the map, with the mapping of its fields to a schema. Nothing in it is counted.
struct LentRecord {
  let record: RecordView
  /// For each field of the schema, its number in the store, or -1 if the store does not have it yet.
  let fields: UnsafeBufferPointer<Int>

  /// Lends the record to `body` as a row.
  @inline(__always)
  func lend<R>(_ body: (Row) throws -> R) rethrows -> R {
    try withUnsafePointer(to: self) {
      try body(Row($0, count: fields.count) { LentRecord.field($1, of: $0) })
    }
  }

  private static func field(_ field: Int, of source: UnsafeRawPointer) -> fastmap_slot {
    let lent = source.assumingMemoryBound(to: LentRecord.self)
    let number = lent.pointee.fields[field]
    return number < 0 ? fastmap_slot() : lent.pointee.record.slot(number) ?? fastmap_slot()
  }
}
