internal import CFastMap
internal import FastMapStoreKit

extension Rebuild {
  /// Removes entries that are not records of their entity.
  mutating func removeOddRecords() throws {
    try forEach(.records) { rebuild, _, key, value in
      guard let detail = Self.fault(key, value, rebuild.layout) else { return }
      rebuild.remove(.records, key, "\(detail); left out")
    }
  }

  /// Removes an entry at the end of the pass.
  mutating func remove(_ table: Table, _ key: UnsafeRawBufferPointer, _ detail: String) {
    changes.append(Change(table, key, nil))
    add(Place.describe(table, key), detail)
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
    try forEach(.numbers) { rebuild, pass, key, value in
      guard key.count == 8, let chunk = NumberChunk(value) else {
        return rebuild.changes.append(Change(.numbers, key, nil))
      }
      let reader = pass.reader
      let isWhole = try chunk.forEach(key.bigEndian(at: 0, as: UInt64.self)) { id, key in
        let entry = try reader.view.entry(reader.tables.records, key.bytes)
        if let entry, try RecordView(entry, in: reader.view).id == id { return }
        rebuild.numbers.append((id, nil))
        let number = Int(key.entity)
        rebuild.namedLost[number, default: 0] += 1
        let entities = rebuild.layout.entities
        let name = number < entities.count ? entities[number].name : "entity \(number)"
        rebuild.add(name, "\(key.noun) is lost")
      }
      if !isWhole { rebuild.changes.append(Change(.numbers, key, nil)) }
    }
    try addNumbers()
  }

  /// Adds records that no chunk names. If two records have one number, the second is left out.
  private mutating func addNumbers() throws {
    var met: Set<ObjectID> = []
    try forEach(.records) { rebuild, pass, key, value in
      guard let record = RecordView(key, value) else { return }
      let isNamed = try pass.finder.find(record.id)
      if isNamed, pass.finder.key.bytes.equals(key) { return }
      if isNamed || !met.insert(record.id).inserted {
        rebuild.remove(.records, key, "another object has its number; left out")
      } else {
        rebuild.numbers.append((record.id, Array(key)))
      }
    }
  }

  func writeNumbers() throws {
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
    try forEach(.records) { rebuild, pass, key, value in
      guard let record = RecordView(key, value) else { return }
      let id = record.id
      var lost: Set<Int> = []
      var targets: [(field: Int, target: ObjectID)] = []
      _ = record.forEach { field, tag, bytes in
        if let target = RecordFormat.slot(tag, bytes).object { targets.append((field, target)) }
        return true
      }
      for (field, target) in targets {
        if try rebuild.refers(field, id, to: target, pass) { continue }
        lost.insert(field)
        let name = rebuild.layout.entities[Int(ObjectNumber.entity(id))].fields[field].name
        rebuild.add(
          Place.describe(.records, key),
          "\(quoted(name)) referred to \(Self.words(target)), which is lost")
      }
      if !lost.isEmpty { rebuild.changes.append(Change(.records, key, Self.without(lost, record))) }
    }
  }

  /// Whether a target is there, with the entity that the field of its owner leads to. If so, its missing inverse is added.
  mutating func refers(
    _ field: Int, _ owner: ObjectID, to target: ObjectID, _ pass: borrowing Pass
  ) throws -> Bool {
    guard try pass.exists(target), mayRefer(field: field, owner, to: target) else { return false }
    let entry = InverseEntry(target: target, field: UInt16(field), owner: owner)
    if try !pass.inverse.contains(entry) { missing.append(entry) }
    return true
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
