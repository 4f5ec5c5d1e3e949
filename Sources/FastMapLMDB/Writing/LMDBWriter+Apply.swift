internal import CFastMap
public import FastMapCore

extension LMDBWriter {
  public mutating func apply(_ changes: inout ChangeBatch) throws {
    var links = try LinkChanges(self)
    var encoder = RecordEncoder()
    var start = 0
    while start < changes.changes.count {
      let entity = changes.changes[start].entity
      var end = start + 1
      while end < changes.changes.count, changes.changes[end].entity == entity { end += 1 }
      try putKeys(changes.changes[start..<end], entity)
      try putRecords(&changes, start..<end, entity, &encoder, &links)
      start = end
    }
    try links.putInverse()
  }

  /// Adds the keys of new objects to the index, in order.
  private mutating func putKeys(_ changes: ArraySlice<ObjectChange>, _ entity: Int) throws {
    let number = number(of: entity)
    let cursor = try writing.unsafeCursor(tables.index)
    var key = KeyBytes()
    var value = SealedNumber()
    var counts = reader.layout.entities[Int(number)].counts
    for change in changes where change.isNew {
      counts.objects += 1
      guard let field = change.keyField else { continue }
      counts.keyed += 1
      key.setIndex(entity: number, key: change.slots[field])
      value.seal(change.id, .index, key.bytes)
      try cursor.put(key.bytes, value.bytes)
    }
    reader.layout.entities[Int(number)].counts = counts
  }

  /// Writes new and changed records, in the order of their numbers.
  private func putRecords(
    _ changes: inout ChangeBatch, _ range: Range<Int>, _ entity: Int, _ encoder: inout RecordEncoder,
    _ links: inout LinkChanges
  ) throws {
    let bound = reader.binding.entities[entity]
    let toMany = reader.binding.schema.entities[entity].fields.indices.filter {
      if case .toMany = reader.binding.schema.entities[entity].fields[$0].kind { true } else { false }
    }
    let toOne = reader.binding.schema.entities[entity].fields.indices.filter {
      if case .toOne = reader.binding.schema.entities[entity].fields[$0].kind { true } else { false }
    }
    // The objects of the last entity are at the end of the table.
    let isAtEnd = Int(number(of: entity)) == reader.layout.entities.count - 1
    var sweep = Sweep(try writing.unsafeCursor(tables.records))
    var key = KeyBytes()
    for index in Self.byNumber(range, changes) {
      let change = changes.changes[index]
      key.setRecord(change.id)
      if change.isNew {
        try encode(change, keyField: change.keyField.map { UInt16(bound.fields[$0]) }, bound, &encoder)
        encoder.seal(key.bytes)
        if isAtEnd {
          try sweep.cursor.append(key.bytes, encoder.value)
        } else {
          try sweep.cursor.put(key.bytes, encoder.value)
        }
        for field in toOne {
          guard let target = change.slots[field].object else { continue }
          links.add(target, UInt16(bound.fields[field]), change.id)
        }
      } else {
        guard let found = try sweep.find(key.bytes) else {
          throw Checksum.damaged(.records, key.bytes, "the record is missing", environment)
        }
        let stored = try reader.record(found.key, found.value)
        for field in toOne {
          links.compare(change, field, UInt16(bound.fields[field]), stored, &changes)
        }
        // Usually the row contains every stored field, and nothing differs.
        try encode(change, keyField: stored.keyField, bound, &encoder)
        if !encoder.record.equals(stored.bytes) {
          guard try encode(change, over: stored, bound, &encoder) else {
            throw reader.damagedRecord(change.id)
          }
          if !encoder.record.equals(stored.bytes) {
            encoder.seal(key.bytes)
            try sweep.cursor.put(key.bytes, encoder.value)
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

  /// The changes of a range, sorted by their objects' numbers.
  private static func byNumber(_ range: Range<Int>, _ changes: ChangeBatch) -> [Int] {
    let order = Array(range)
    let isSorted = zip(order, order.dropFirst()).allSatisfy {
      changes.changes[$0].id < changes.changes[$1].id
    }
    return isSorted ? order : order.sorted { changes.changes[$0].id < changes.changes[$1].id }
  }

  /// A field to store.
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
    _ change: ObjectChange, keyField: UInt16?, _ bound: Binding.Entity, _ encoder: inout RecordEncoder
  ) throws {
    let fieldCount = bound.schemaFields.count
    encoder.begin(keyField: keyField, fieldCount: fieldCount)
    try bound.schemaFields.withUnsafeBufferPointer { schemaFields in
      for field in 0..<fieldCount where schemaFields[field] >= 0 {
        encoder.append(try slot(schemaFields[field], of: change), field: field)
      }
    }
    encoder.trim(fieldCount: fieldCount)
  }

  /// Encodes the row, with stored values for its missing fields.
  ///
  /// - Returns: False if the stored record is incomplete.
  private func encode(
    _ change: ObjectChange, over stored: RecordView, _ bound: Binding.Entity, _ encoder: inout RecordEncoder
  ) throws -> Bool {
    let fieldCount = max(bound.schemaFields.count, stored.fieldCount)
    encoder.begin(keyField: stored.keyField, fieldCount: fieldCount)
    var offset = stored.valuesOffset
    for field in 0..<fieldCount {
      let tag = field < stored.fieldCount ? stored.tag(field) : RecordFormat.Tag.absent
      guard let size = RecordFormat.size(tag, at: offset, in: stored.bytes) else { return false }
      let place = field < bound.schemaFields.count ? bound.schemaFields[field] : -1
      if place >= 0, change.slots[place].tag != FASTMAP_MISSING {
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

/// An object's number as a value: checksum and number.
struct SealedNumber {
  private var storage: (UInt32, UInt32, UInt32) = (0, 0, 0)

  mutating func seal(_ id: ObjectID, _ table: Table, _ key: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.storeBytes(of: id.rawValue.littleEndian, toByteOffset: 4, as: UInt64.self)
      let crc = Checksum.make(table, key, UnsafeRawBufferPointer(rebasing: bytes[4..<12]))
      bytes.storeBytes(of: crc.littleEndian, as: UInt32.self)
    }
  }

  /// Valid until the value is changed or goes out of scope.
  var bytes: UnsafeRawBufferPointer {
    mutating get { withUnsafeMutableBytes(of: &storage) { UnsafeRawBufferPointer($0) } }
  }
}
