internal import CFastMap
internal import FastMapCore

extension Checker {
  mutating func checkRecords() throws {
    try forEach(.records, reader.tables.records) { checker, key, bytes in
      let place = Place.describe(.records, key)
      guard key.count == 8, let record = RecordView(bytes) else {
        return checker.report.add(place, "not a record")
      }
      let id = key.id(inKeyAt: 0)
      guard let layout = checker.layout(id) else { return checker.report.add(place, "of no known entity") }
      checker.report.objectCount += 1
      checker.objects[Int(layout.number)] += 1
      if ObjectNumber.serial(id) >= layout.counts.nextSerial {
        checker.report.add(place, "its number has not been assigned yet")
      }
      guard record.fieldCount <= layout.fields.count else {
        return checker.report.add(
          place, "has \(record.fieldCount) fields, its entity has \(layout.fields.count)")
      }
      try checker.checkFields(record, id, layout, place)
      try checker.checkKey(record, id, layout, place)
    }
  }

  mutating func checkFields(
    _ record: RecordView, _ id: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    var targets: [(field: Int, target: ObjectID)] = []
    var misfits: [Int] = []
    let isWhole = record.forEach { field, tag, value in
      let slot = RecordFormat.slot(tag, value)
      if !Self.fits(slot, layout.fields[field].kind) { misfits.append(field) }
      if let target = slot.object { targets.append((field, target)) }
      return true
    }
    if !isWhole { report.add(place, "a field is incomplete") }
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

  mutating func checkKey(
    _ record: RecordView, _ id: ObjectID, _ layout: EntityLayout, _ place: String
  ) throws {
    guard let field = record.keyField else { return }
    keyed[Int(layout.number)] += 1
    guard let slot = record.slot(Int(field)), PrimaryKey(slot: slot) != nil, KeyLimit.reason(slot) == nil
    else {
      return report.add(place, "its primary key is missing")
    }
    var key = KeyBytes()
    key.setIndex(entity: layout.number, key: slot)
    guard let value = try reader.view.get(reader.tables.index, key.bytes) else {
      return report.add(place, "its primary key is not in the index")
    }
    if try reader.id(key.bytes, value) != id {
      report.add(place, "the index maps its primary key to another object")
    }
  }

  // MARK: Keys

  mutating func checkIndex() throws {
    try forEach(.index, reader.tables.index) { checker, key, bytes in
      let place = Place.describe(.index, key)
      guard bytes.count == 8, PrimaryKey(indexKey: key) != nil else {
        return checker.report.add(place, "not an entry of the index")
      }
      checker.report.keyCount += 1
      let id = bytes.id(inValueAt: 0)
      if key.bigEndian(at: 0, as: UInt16.self) != ObjectNumber.entity(id) {
        checker.report.add(place, "refers to an object of another entity")
      }
      guard let record = try checker.reader.record(id) else {
        return checker.report.add(place, "refers to object \(ObjectNumber.serial(id)), which does not exist")
      }
      guard let field = record.keyField, let slot = record.slot(Int(field)),
        PrimaryKey(slot: slot) == PrimaryKey(indexKey: key)
      else { return checker.report.add(place, "refers to an object with another key") }
    }
  }
}
