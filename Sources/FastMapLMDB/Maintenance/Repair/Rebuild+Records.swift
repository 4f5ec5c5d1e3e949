internal import CFastMap
internal import FastMapStoreKit

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
    for reason in reasons { add(reason.place, "\(reason.detail); left out") }
    try make(changes)
  }

  private static func fault(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ layout: StoreLayout
  ) -> String? {
    guard let record = RecordView(key, value), record.key.isValid, ObjectNumber.serial(record.id) > 0 else {
      return "not a record"
    }
    let number = Int(record.key.entity)
    guard number < layout.entities.count else { return "of an unknown entity" }
    let fields = layout.entities[number].fields
    guard record.fieldCount <= fields.count else { return "has more fields than its entity" }
    var fits = true
    let isWhole = record.forEach { field, tag, bytes in
      fits = fits && Checker.fits(record.slot(tag, bytes), fields[field].kind)
      return true
    }
    guard isWhole, fits else { return "a field does not match its entity" }
    return record.hasKeyInPlace ? nil : "its primary key does not match its record"
  }

  /// Restores the chunks of numbers. Objects that a chunk names, but whose records are missing, are reported as lost.
  mutating func mendNumbers() throws {
    var changes: [Change] = []
    var gone: [(id: ObjectID, key: [UInt8]?)] = []
    var named: [Int: Int] = [:]
    var reasons: [(place: String, detail: String)] = []
    let layout = layout
    try forEach(.numbers) { reader, key, value in
      guard key.count == 8, let chunk = NumberChunk(value) else {
        return changes.append(Change(.numbers, key, nil))
      }
      let isWhole = try chunk.forEach(key.bigEndian(at: 0, as: UInt64.self)) { id, key in
        let entry = try reader.view.entry(reader.tables.records, key.bytes)
        if let entry, try RecordView(entry, in: reader.view).id == id { return }
        gone.append((id, nil))
        let number = Int(key.entity)
        named[number, default: 0] += 1
        let name = number < layout.entities.count ? layout.entities[number].name : "entity \(number)"
        reasons.append((name, "\(key.noun) is lost"))
      }
      if !isWhole { changes.append(Change(.numbers, key, nil)) }
    }
    for reason in reasons { add(reason.place, reason.detail) }
    namedLost = named
    try make(changes)
    try write(gone)
    try addNumbers()
  }

  /// Adds records that no chunk names. If two records have one number, the second is left out.
  private mutating func addNumbers() throws {
    var changes: [Change] = []
    var missing: [(id: ObjectID, key: [UInt8]?)] = []
    var met: Set<ObjectID> = []
    try forEachRecord { finder, key, value in
      guard let record = RecordView(key, value) else { return }
      let isNamed = try finder.find(record.id)
      if isNamed, finder.key.bytes.equals(key) { return }
      if isNamed || !met.insert(record.id).inserted {
        changes.append(Change(.records, key, nil))
      } else {
        missing.append((record.id, Array(key)))
      }
    }
    for change in changes {
      add(
        change.key.withUnsafeBytes { Place.describe(.records, $0) },
        "another object has its number; left out")
    }
    try make(changes)
    try write(missing)
  }

  private func write(_ numbers: [(id: ObjectID, key: [UInt8]?)]) throws {
    for start in stride(from: 0, to: numbers.count, by: 20_000) {
      try store.environment.write { transaction in
        var changes = NumberChanges(WriteView(view: transaction.view), tables)
        for number in numbers[start..<min(start + 20_000, numbers.count)] {
          if let key = number.key {
            key.withUnsafeBytes { changes.set(number.id, $0) }
          } else {
            changes.remove(number.id)
          }
        }
        try changes.write()
      }
    }
  }

  /// Removes to-one references to lost objects. Adds missing inverses of the others.
  mutating func mendReferences() throws {
    var changes: [Change] = []
    var missing: [InverseEntry] = []
    var reasons: [(place: String, detail: String)] = []
    let layout = layout
    try forEach(.records) { reader, inverse, key, value in
      guard let record = RecordView(key, value) else { return }
      let id = record.id
      let entity = layout.entities[Int(ObjectNumber.entity(id))]
      var lost: Set<Int> = []
      var targets: [(field: Int, target: ObjectID)] = []
      _ = record.forEach { field, tag, bytes in
        let slot = RecordFormat.slot(tag, bytes)
        if let target = slot.object { targets.append((field, target)) }
        return true
      }
      for (field, target) in targets {
        if try reader.record(target) == nil || !mayRefer(field: field, id, to: target) {
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
    encoder.begin(record.id, fieldCount: record.fieldCount)
    _ = record.forEach { field, tag, value in
      if !lost.contains(field) { encoder.append(tag, value, field: field) }
      return true
    }
    encoder.trim(fieldCount: record.fieldCount)
    return Array(encoder.record)
  }
}
