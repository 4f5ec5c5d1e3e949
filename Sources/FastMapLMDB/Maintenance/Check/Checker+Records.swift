internal import CFastMap
internal import FastMapMaintenance

extension Checker {
  mutating func checkRecords() throws {
    try forEach(.records, reader.tables.records) { checker, key, bytes in
      let place = Place.describe(.records, key)
      guard let record = RecordView(key, bytes), record.key.isValid else {
        return checker.report.add(place, "not a record")
      }
      guard let layout = checker.layout(record.id) else {
        return checker.report.add(place, "of an unknown entity")
      }
      checker.report.objectCount += 1
      checker.objects[Int(layout.number)] += 1
      if !record.key.isKeyless { checker.keyed[Int(layout.number)] += 1 }
      let serial = ObjectNumber.serial(record.id)
      if serial == 0 || serial >= layout.counts.nextSerial {
        checker.report.add(place, "its number has not been assigned yet")
      }
      guard record.fieldCount <= layout.fields.count else {
        return checker.report.add(
          place, "has \(record.fieldCount) fields, its entity has \(layout.fields.count)")
      }
      try checker.checkFields(record, record.id, layout, place)
    }
  }

  mutating func checkFields(
    _ record: RecordView, _ id: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    var targets: [(field: Int, target: ObjectID)] = []
    var misfits: [Int] = []
    let isWhole = record.forEach { field, tag, value in
      let slot = record.slot(tag, value)
      if !Self.fits(slot, layout.fields[field].kind) { misfits.append(field) }
      if let target = slot.object { targets.append((field, target)) }
      return true
    }
    if !isWhole { report.add(place, "a field is incomplete") }
    if !record.hasKeyInPlace { report.add(place, "its primary key does not match its record") }
    for field in misfits {
      report.add(place, "\(quoted(layout.fields[field].name)) holds a value of another type")
    }
    for (field, target) in targets {
      report.linkCount += 1
      pairCount += 1
      try checkTarget(target, field, id, layout, place)
    }
  }

  static func fits(_ slot: fastmap_slot, _ kind: EntityLayout.Kind) -> Bool {
    switch kind {
    case .attribute(let kind): slot.attributeKind == kind
    case .relationship(let isToMany, _, _): !isToMany && slot.object != nil
    }
  }

  mutating func checkTarget(
    _ target: ObjectID, _ field: Int, _ owner: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    let name = quoted(layout.fields[field].name)
    if case .relationship(_, _, let entity) = layout.fields[field].kind, ObjectNumber.entity(target) != entity
    {
      report.add(place, "\(name) refers to an object of another entity")
    }
    if try !exists(target) {
      report.add(place, "\(name) refers to object \(ObjectNumber.serial(target)), which does not exist")
    }
    if try !hasInverse(target, field, owner) {
      report.add(place, "\(name) has no inverse for object \(ObjectNumber.serial(target))")
    }
  }

  // MARK: Numbers

  /// Every object of a chunk has its record. If there are as many such objects as records, no record lacks its number.
  mutating func checkNumbers() throws {
    var count = 0
    try forEach(.numbers, reader.tables.numbers) { checker, key, bytes in
      let place = Place.describe(.numbers, key)
      guard key.count == 8, let chunk = NumberChunk(bytes) else {
        return checker.report.add(place, "not a chunk")
      }
      let isWhole = try chunk.forEach(key.bigEndian(at: 0, as: UInt64.self)) { id, key in
        count += 1
        if !key.isKeyless { checker.report.keyCount += 1 }
        guard let entry = try checker.reader.view.entry(checker.reader.tables.records, key.bytes) else {
          return checker.report.add(place, "\(key) does not exist")
        }
        if RecordView(entry.key, UnsafeRawBufferPointer(rebasing: entry.value.dropFirst(Checksum.size)))?.id
          != id
        {
          checker.report.add(place, "\(key) does not have the number \(ObjectNumber.serial(id))")
        }
      }
      if !isWhole { checker.report.add(place, "a key is incomplete") }
    }
    if count != report.objectCount { try reportNumberless() }
  }

  private mutating func reportNumberless() throws {
    try forEach(.records, reader.tables.records) { checker, key, bytes in
      guard let record = RecordView(key, bytes) else { return }
      guard try !checker.finder.find(record.id) || !checker.finder.key.bytes.equals(key) else { return }
      checker.report.add(Place.describe(.records, key), "no number leads to the record")
    }
  }
}
