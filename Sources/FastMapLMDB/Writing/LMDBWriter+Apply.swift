internal import CFastMap
public import FastMapStoreKit

extension LMDBWriter {
  public mutating func apply(_ changes: inout ChangeBatch) throws {
    try environment.whole { try applyAll(&changes) }
  }

  private mutating func applyAll(_ changes: inout ChangeBatch) throws {
    var links = try LinkChanges(self)
    var numbers = NumberChanges(writing, tables)
    numbers.reserve(changes.changes.count { $0.isNew })
    var encoder = RecordEncoder()
    var start = 0
    while start < changes.changes.count {
      let entity = changes.changes[start].entity
      var end = start + 1
      while end < changes.changes.count, changes.changes[end].entity == entity { end += 1 }
      countNew(changes.changes[start..<end], entity)
      try putRecords(&changes, start..<end, entity, &encoder, &links, &numbers)
      start = end
    }
    try numbers.write()
    try links.putInverse()
  }

  private mutating func countNew(_ changes: ArraySlice<ObjectChange>, _ entity: Int) {
    let number = Int(number(of: entity))
    var counts = reader.layout.entities[number].counts
    for change in changes where change.isNew {
      counts.objects += 1
      if change.keyField != nil { counts.keyed += 1 }
    }
    reader.layout.entities[number].counts = counts
  }

  /// Writes new and changed records, in the order of the changes, which ascend by key.
  private func putRecords(
    _ changes: inout ChangeBatch, _ range: Range<Int>, _ entity: Int, _ encoder: inout RecordEncoder,
    _ links: inout LinkChanges, _ numbers: inout NumberChanges
  ) throws {
    let bound = reader.binding.entities[entity]
    let hasIndexes = indexes.hasIndexes(of: number(of: entity))
    let toMany = reader.binding.schema.entities[entity].fields.indices.filter {
      if case .toMany = reader.binding.schema.entities[entity].fields[$0].kind { true } else { false }
    }
    let toOne = reader.binding.schema.entities[entity].fields.indices.filter {
      if case .toOne = reader.binding.schema.entities[entity].fields[$0].kind { true } else { false }
    }
    // Ascending keys are put without MDB_APPEND, which would leave no room for later ones.
    var ascending = AscendingCursor(try writing.unsafeCursor(tables.records))
    var finder = KeyFinder(writing.view, tables)
    var key = KeyBytes()
    for index in range {
      let change = changes.changes[index]
      if change.isNew {
        if let field = change.keyField {
          try setKey(&key, field, of: change)
        } else {
          key.setRecord(keyless: change.id)
        }
        try encode(change, keyField: change.keyField.map { bound.fields[$0] }, bound, &encoder)
        encoder.seal(key.bytes)
        guard try ascending.cursor.insert(key.bytes, encoder.value) else {
          throw Checksum.damaged(.records, key.bytes, "a new object has its key", environment)
        }
        numbers.set(change.id, key.bytes)
        if hasIndexes {
          try indexes.insert(change.id, key.bytes) { field in
            let place = field < bound.schemaFields.count ? bound.schemaFields[field] : -1
            return place < 0 ? fastmap_slot() : change.slots[place]
          }
        }
        for field in toOne {
          guard let target = change.slots[field].object else { continue }
          links.add(target, UInt16(bound.fields[field]), change.id)
        }
      } else {
        let stored = try record(of: change, &ascending, &key, &finder)
        for field in toOne {
          links.compare(change, field, UInt16(bound.fields[field]), stored, &changes)
        }
        // Usually the row contains every stored field, and nothing differs. Comparing in place reads no more than a fingerprint would.
        try encode(change, keyField: stored.keyField, bound, &encoder)
        if !encoder.record.equals(stored.bytes) {
          guard try encode(change, over: stored, bound, &encoder) else {
            throw reader.damagedRecord(change.id)
          }
          if !encoder.record.equals(stored.bytes) {
            encoder.seal(key.bytes)
            if hasIndexes { try indexes.change(stored, to: RecordView(key.bytes, encoder.record)) }
            try ascending.cursor.put(key.bytes, encoder.value)
            changes.changes[index].isChanged = true
          }
        }
      }
      for field in toMany where change.slots[field].tag != FASTMAP_MISSING {
        if try links.set(change, field, UInt16(bound.fields[field]), &changes) {
          changes.changes[index].isChanged = true
        }
      }
    }
  }

  /// The stored record of an object: by the key in the change, or else by its number. Sets `key` to the record's key.
  private func record(
    of change: ObjectChange, _ ascending: inout AscendingCursor, _ key: inout KeyBytes,
    _ finder: inout KeyFinder
  ) throws -> RecordView {
    if let field = change.keyField, Self.isKey(change.slots[field]) {
      try setKey(&key, field, of: change)
      if let found = try ascending.find(key.bytes) {
        let stored = try RecordView(found, in: writing.view)
        if stored.id == change.id { return stored }
      }
    }
    guard try finder.find(change.id) else {
      var place = KeyBytes()
      place.setNumbers(change.id)
      throw Checksum.damaged(
        .numbers, place.bytes, "object \(ObjectNumber.serial(change.id)) is missing", environment)
    }
    key.set(finder.key.bytes)
    return try reader.record(change.id, at: key.bytes, try ascending.find(key.bytes))
  }

  /// Sets the key that a change names. `resolve` refuses keys that are too long, but a caller may have left it out.
  @inline(__always)
  private func setKey(_ key: inout KeyBytes, _ field: Int, of change: ObjectChange) throws {
    let slot = change.slots[field]
    if let reason = KeyLimit.reason(slot) { throw StoreLimitError(reason: reason) }
    guard Self.isKey(slot) else {
      throw StoreLimitError(reason: "expected a key that is an integer or a string")
    }
    key.setRecord(entity: number(of: change.entity), key: slot)
  }

  @inline(__always)
  private static func isKey(_ slot: fastmap_slot) -> Bool {
    Int(slot.tag) == FASTMAP_INTEGER || Int(slot.tag) == FASTMAP_STRING
  }

  @inline(__always)
  private func slot(_ field: Int, of change: ObjectChange) throws -> fastmap_slot {
    let slot = change.slots[field]
    if slot.length > StoreLimitError.valueBytes { try checkSize(slot, field, change) }
    return slot
  }

  @inline(never)
  private func checkSize(_ slot: fastmap_slot, _ field: Int, _ change: ObjectChange) throws {
    guard slot.hasBytes else { return }
    let entity = reader.binding.schema.entities[change.entity]
    throw StoreLimitError(
      reason: "entity \(entity.name): \(quoted(entity.fields[field].name)) has \(slot.length) bytes, "
        + "a store holds values of at most \(StoreLimitError.valueBytes)")
  }

  // MARK: Encoding

  /// Encodes the row alone.
  private func encode(
    _ change: ObjectChange, keyField: Int?, _ bound: Binding.Entity, _ encoder: inout RecordEncoder
  ) throws {
    let fieldCount = bound.schemaFields.count
    encoder.begin(change.id, fieldCount: fieldCount)
    let keyField = keyField ?? -1
    try bound.schemaFields.withUnsafeBufferPointer { schemaFields in
      for field in 0..<fieldCount where schemaFields[field] >= 0 {
        if field == keyField {
          encoder.appendKey(field: field)
        } else {
          encoder.append(try slot(schemaFields[field], of: change), field: field)
        }
      }
    }
    encoder.trim(fieldCount: fieldCount)
  }

  /// Encodes the row, with stored values for its missing fields.
  ///
  /// - Returns: False if the stored record is incomplete.
  func encode(
    _ change: ObjectChange, over stored: RecordView, _ bound: Binding.Entity, _ encoder: inout RecordEncoder
  ) throws -> Bool {
    let fieldCount = max(bound.schemaFields.count, stored.fieldCount)
    encoder.begin(change.id, fieldCount: fieldCount)
    var offset = stored.valuesOffset
    for field in 0..<fieldCount {
      let tag = field < stored.fieldCount ? stored.tag(field) : RecordFormat.Tag.absent
      guard let size = RecordFormat.size(tag, at: offset, in: stored.bytes) else { return false }
      let place = field < bound.schemaFields.count ? bound.schemaFields[field] : -1
      if place >= 0, change.slots[place].tag != FASTMAP_MISSING, tag != RecordFormat.Tag.key,
        !(tag == RecordFormat.Tag.decimal
          && change.slots[place].isIdentical(
            to: RecordFormat.slot(
              tag, UnsafeRawBufferPointer(rebasing: stored.bytes[offset..<(offset + size)]))))
      {
        encoder.append(try slot(place, of: change), field: field)
      } else if tag != RecordFormat.Tag.absent {
        encoder.append(
          tag, UnsafeRawBufferPointer(rebasing: stored.bytes[offset..<(offset + size)]), field: field)
      }
      offset += size
    }
    encoder.trim(fieldCount: fieldCount)
    return true
  }
}
