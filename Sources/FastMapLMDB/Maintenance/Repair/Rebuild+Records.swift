internal import CFastMap
internal import FastMapCore

extension Rebuild {
  /// Removes entries that are not records of their entity.
  mutating func removeOddRecords() throws {
    var changes: [Change] = []
    var reasons: [(place: String, detail: String)] = []
    let layout = layout
    try forEach(.records) { _, key, value in
      guard let detail = Self.fault(key, value, layout) else { return }
      changes.append(Change(.records, key, nil))
      reasons.append((Place.describe(.records, key), detail))
    }
    for reason in reasons { add(reason.place, "\(reason.detail); it is left out") }
    try make(changes)
  }

  private static func fault(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ layout: StoreLayout
  ) -> String? {
    guard key.count == 8, let record = RecordView(value) else { return "not a record" }
    let number = Int(ObjectNumber.entity(key.id(inKeyAt: 0)))
    guard number < layout.entities.count else { return "of no known entity" }
    let fields = layout.entities[number].fields
    guard record.fieldCount <= fields.count else { return "it has more fields than its entity" }
    var fits = true
    let isWhole = record.forEach { field, tag, bytes in
      fits = fits && Checker.fits(RecordFormat.slot(tag, bytes), fields[field].kind)
      return true
    }
    guard isWhole, fits else { return "a field does not match its entity" }
    if let field = record.keyField {
      guard let slot = record.slot(Int(field)), PrimaryKey(slot: slot) != nil, KeyLimit.reason(slot) == nil
      else {
        return "its primary key is missing"
      }
    }
    return nil
  }

  /// Removes to-one references to lost objects. Adds missing inverses of the others, and missing keys.
  mutating func mendReferences() throws {
    var changes: [Change] = []
    var missing: [InverseEntry] = []
    var reasons: [(place: String, detail: String)] = []
    let layout = layout
    try forEach(.records) { reader, inverse, key, value in
      guard let record = RecordView(value) else { return }
      let id = key.id(inKeyAt: 0)
      let entity = layout.entities[Int(ObjectNumber.entity(id))]
      var bytes = KeyBytes()
      var lost: Set<Int> = []
      var targets: [(field: Int, target: ObjectID)] = []
      _ = record.forEach { field, tag, bytes in
        let slot = RecordFormat.slot(tag, bytes)
        if let target = slot.object { targets.append((field, target)) }
        return true
      }
      for (field, target) in targets {
        if try reader.record(target) == nil {
          lost.insert(field)
          reasons.append(
            (
              Place.describe(.records, key),
              "\(quoted(entity.fields[field].name)) referred to \(Self.words(target)), which is lost"
            ))
        } else {
          let entry = InverseEntry(target: target, field: UInt16(field), owner: id)
          if try !inverse.contains(entry) { missing.append(entry) }
        }
      }
      if !lost.isEmpty { changes.append(Change(.records, key, Self.without(lost, record))) }
      guard let field = record.keyField, let slot = record.slot(Int(field)) else { return }
      bytes.setIndex(entity: entity.number, key: slot)
      let known = try reader.view.get(reader.tables.index, bytes.bytes).map { try reader.id(bytes.bytes, $0) }
      if let known, known != id, let other = try reader.record(known), let field = other.keyField,
        let otherSlot = other.slot(Int(field)), PrimaryKey(slot: otherSlot) == PrimaryKey(slot: slot)
      {
        reasons.append(
          (Place.describe(.records, key), "it has the same key as \(Self.words(known)); it is left out"))
        changes.append(Change(.records, key, nil))
      } else if known != id {
        changes.append(
          Change(.index, bytes.bytes, withUnsafeBytes(of: id.rawValue.littleEndian) { Array($0) }))
      }
    }
    for reason in reasons { add(reason.place, reason.detail) }
    try make(changes)
    try addInverse(missing)
  }

  static func words(_ id: ObjectID) -> String {
    "object \(ObjectNumber.serial(id)) of entity \(ObjectNumber.entity(id))"
  }

  private static func without(_ lost: Set<Int>, _ record: RecordView) -> [UInt8] {
    var encoder = RecordEncoder()
    encoder.begin(keyField: record.keyField, fieldCount: record.fieldCount)
    _ = record.forEach { field, tag, value in
      if !lost.contains(field) { encoder.append(tag, value, field: field) }
      return true
    }
    encoder.trim(fieldCount: record.fieldCount)
    return Array(encoder.record)
  }

  /// Removes keys whose objects are lost.
  mutating func mendIndex() throws {
    var changes: [Change] = []
    var reasons: [(place: String, detail: String)] = []
    let layout = layout
    try forEach(.index) { reader, key, value in
      let indexed = PrimaryKey(indexKey: key)
      if value.count == 8, let indexed {
        let id = value.id(inValueAt: 0)
        if let record = try reader.record(id), let field = record.keyField,
          let slot = record.slot(Int(field)),
          PrimaryKey(slot: slot) == indexed, key.bigEndian(at: 0, as: UInt16.self) == ObjectNumber.entity(id)
        {
          return
        }
      }
      changes.append(Change(.index, key, nil))
      let number = key.count >= 2 ? Int(key.bigEndian(at: 0, as: UInt16.self)) : layout.entities.count
      let name = number < layout.entities.count ? layout.entities[number].name : "entity \(number)"
      reasons.append((name, "the object with the key \(indexed.map { "\($0)" } ?? "?") is lost"))
    }
    for reason in reasons { add(reason.place, reason.detail) }
    try make(changes)
  }
}
