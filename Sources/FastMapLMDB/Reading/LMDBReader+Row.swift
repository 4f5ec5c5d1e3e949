internal import CFastMap
public import FastMapCore

extension LMDBReader {
  /// The record is verified as a whole and lent from the map. Only fields that are read are decoded, and nothing is
  /// copied.
  public mutating func withRow<R>(
    _ id: ObjectID, of entity: Int, _ body: (Row) throws -> R
  ) throws -> R? {
    guard let record = try record(id, of: entity) else { return nil }
    let lent = LentRecord(record: record, fields: binding.entities[entity].fields)
    return try withUnsafePointer(to: lent) {
      try body(Row($0, count: lent.fields.count) { LentRecord.field($1, of: $0) })
    }
  }

  /// One pass of a cursor over the keys in order.
  public mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    guard let number = binding.entities[entity].number else { return keys.map { _ in nil } }
    let isSorted = zip(keys, keys.dropFirst()).allSatisfy { !($1 < $0) }
    let order = isSorted ? Array(keys.indices) : keys.indices.sorted { keys[$0] < keys[$1] }
    var ids = [ObjectID?](repeating: nil, count: keys.count)
    var met: [RecordView] = []
    met.reserveCapacity(keys.count)
    let cursor = try view.unsafeCursor(tables.records)
    var bytes = KeyBytes()
    for index in order {
      let found = try keys[index].withSlot { slot throws -> RecordView? in
        guard KeyLimit.reason(slot.pointee) == nil else { return nil }
        bytes.setRecord(entity: number, key: slot.pointee)
        return try cursor.seek(bytes.bytes).map { try RecordView($0, in: view) }
      }
      guard let found else { continue }
      ids[index] = found.id
      met.append(found)
    }
    if isSorted { remember(met) }
    return ids
  }
}

/// A record in the map, with the mapping of its fields to a schema.
private struct LentRecord {
  let record: RecordView
  /// For each field of the schema, its number in the store, or -1 if the store does not have it yet.
  let fields: [Int]

  static func field(_ field: Int, of source: UnsafeRawPointer) -> fastmap_slot {
    let lent = source.assumingMemoryBound(to: LentRecord.self)
    let number = lent.pointee.fields[field]
    return number < 0 ? fastmap_slot() : lent.pointee.record.slot(number) ?? fastmap_slot()
  }
}
