internal import CFastMap
internal import FastMapStoreKit

/// Another type for an attribute in all records of its entity. Keys stay, so each record keeps its place.
struct RecordConversion {
  let conversion: AttributeConversion
  let writing: WriteView
  let reader: LMDBReader

  /// Rewrites the records.
  ///
  /// - Throws: `SchemaMismatchError` if values do not fit. The transaction must be discarded then.
  /// - Complexity: O(*n*) in the objects of the entity.
  func run() throws {
    let cursor = try writing.unsafeCursor(reader.tables.records)
    var key = KeyBytes()
    var encoder = RecordEncoder()
    var buffer = RowBuffer()
    var misfits = AttributeConversion.Misfits()
    var entity = KeyBytes()
    entity.setRecords(of: UInt16(conversion.entity))
    var entry = try cursor.seek(atLeast: entity.bytes)
    while let found = entry, found.key.starts(with: entity.bytes) {
      let record = try RecordView(found, in: writing.view)
      if let old = record.slot(conversion.field)?.value {
        if try convert(old, &buffer), record.tag(conversion.field) != RecordFormat.Tag.key {
          try encode(record, buffer.slots[0], &encoder)
          key.set(found.key)
          encoder.seal(key.bytes)
          try cursor.put(key.bytes, encoder.value)
        } else {
          misfits.add(PrimaryKey(slot: record.key.slot))
        }
      }
      entry = try cursor.next()
    }
    try conversion.check(misfits)
  }

  /// - Returns: False if the value does not fit, or is longer than a store can hold.
  private func convert(_ old: Value, _ buffer: inout RowBuffer) throws -> Bool {
    guard let new = conversion.converted(old) else { return false }
    buffer.reset(count: 1)
    buffer.set(new, at: 0)
    try buffer.checkWhole()
    return !buffer.slots[0].hasBytes || buffer.slots[0].length <= StoreLimitError.valueBytes
  }

  private func encode(_ record: RecordView, _ new: fastmap_slot, _ encoder: inout RecordEncoder) throws {
    encoder.begin(record.id, fieldCount: record.fieldCount)
    let isWhole = record.forEach { field, tag, value in
      if field == conversion.field {
        encoder.append(new, field: field)
      } else {
        encoder.append(tag, value, field: field)
      }
      return true
    }
    guard isWhole else { throw reader.damagedRecord(record.id) }
    encoder.trim(fieldCount: record.fieldCount)
  }
}
