internal import CFastMap
internal import FastMapCore

/// The lines of objects, with their values.
extension DumpLoader {
  /// The entity and the number of the object of a line.
  func object(of value: JSONValue) throws -> (entity: Int, id: ObjectID) {
    let name = try string("entity", of: value)
    guard let entity = entities[Array(name.utf8)] else {
      throw fault("$.entity", "no entity named \(quoted(name))")
    }
    let serial = try count("object", of: value)
    guard serial >= 1, serial < layout.entities[entity].counts.nextSerial else {
      throw fault(
        "$.object",
        "expected a number from 1 to \(layout.entities[entity].counts.nextSerial - 1), found \(serial)")
    }
    return (entity, ObjectNumber.make(entity: UInt16(entity), serial: serial))
  }

  func field(named name: String, of entity: Int, at place: String) throws -> Int {
    guard let field = fields[entity][Array(name.utf8)] else {
      throw fault(place, "\(escaped(layout.entities[entity].name)) has no field named \(quoted(name))")
    }
    return field
  }

  mutating func readObject(
    _ value: JSONValue, _ records: borrowing Cursor, _ numbers: inout NumberChanges, _ key: inout KeyBytes,
    _ encoder: inout RecordEncoder, _ row: inout RowBuffer
  ) throws {
    try checkMembers(value, ["entity", "object", "key", "left", "values"])
    let (entity, id) = try object(of: value)
    if let last, id <= last {
      throw fault("$.object", "objects must be sorted by entity and number, each once")
    }
    try endList(&key)
    last = id
    let count = layout.entities[entity].fields.count
    row.reset(count: count)
    guard let members = value["values"]?.members else {
      throw fault("$.values", expected: "an object", found: value["values"])
    }
    for (name, value) in members {
      let place = "$.values" + JSONPath([.member(name)]).description.dropFirst()
      let field = try field(named: name, of: entity, at: place)
      try set(value, field, layout.entities[entity].fields[field].kind, place, &row)
    }
    let keyField = try keyField(of: value, entity, row)

    let slots = row.slots
    var used = count
    while used > 0, slots[used - 1].tag == FASTMAP_MISSING { used -= 1 }
    encoder.begin(id, fieldCount: used)
    for field in 0..<used where slots[field].tag != FASTMAP_MISSING {
      if field == keyField {
        encoder.appendKey(field: field)
      } else {
        encoder.append(slots[field], field: field)
      }
    }
    if let keyField {
      key.setRecord(entity: UInt16(entity), key: slots[keyField])
    } else {
      key.setRecord(keyless: id)
    }
    encoder.seal(key.bytes)
    guard try records.insert(key.bytes, encoder.value) else {
      throw fault(
        "$.values",
        "the key \(keyField.flatMap { PrimaryKey(slot: slots[$0])?.description } ?? "") belongs to another object"
      )
    }
    numbers.set(id, key.bytes)
    if numbers.count >= 4096 { try numbers.write() }
    for field in 0..<used {
      if let target = slots[field].object { try putInverse(target, field, id) }
    }
    layout.entities[entity].counts.objects += 1
    report.objectCount += 1
    if let left = value["left"] { try readLeftover(left, id) }
    guard let keyField else { return }
    layout.entities[entity].noteKey(keyField)
    layout.entities[entity].counts.keyed += 1
  }

  private func keyField(of value: JSONValue, _ entity: Int, _ row: borrowing RowBuffer) throws -> Int? {
    guard value["key"] != nil else { return nil }
    let field = try field(named: try string("key", of: value), of: entity, at: "$.key")
    let slot = row.slots[field]
    guard let kind = layout.entities[entity].keyKind,
      layout.entities[entity].fields[field].kind == .attribute(kind),
      PrimaryKey(slot: slot) != nil
    else { throw fault("$.key", "the object has no key in this field") }
    if let reason = KeyLimit.reason(slot) { throw fault("$.key", reason) }
    if let first = layout.entities[entity].keyField, first != field {
      let name = layout.entities[entity].fields[first].name
      throw fault(
        "$.key", expected: "\(quoted(name)), the primary key of the objects before it", found: value["key"])
    }
    return field
  }

  private func set(
    _ value: JSONValue, _ field: Int, _ kind: EntityLayout.Kind, _ place: String, _ row: inout RowBuffer
  ) throws {
    switch kind {
    case .attribute(let kind):
      guard let read = DumpFormat.value(value, as: kind) else {
        throw fault(place, expected: kind.noun, found: value)
      }
      row.set(read, at: field)
      let slot = row.slots[field]
      if slot.hasBytes, Int(slot.length) > StoreLimitError.valueBytes {
        throw fault(
          place, "\(slot.length) bytes, a store holds values of at most \(StoreLimitError.valueBytes)")
      }
      if kind == .json, let bytes = slot.bytes,
        !lines.isJSON(UnsafeRawBufferPointer(start: bytes, count: Int(slot.length)))
      {
        throw fault(place, "expected the text of a JSON value")
      }
    case .relationship(isToMany: false, _, let target):
      row.copy(.target(try number(value, of: target, place)), at: field)
    case .relationship:
      throw fault(place, "it is a list, which needs lines of its own")
    }
  }

  /// An object's number in the store, from its number within the entity.
  func number(_ value: JSONValue, of entity: UInt16, _ place: String) throws -> ObjectID {
    let next = layout.entities[Int(entity)].counts.nextSerial
    guard let serial = value.integer.flatMap({ UInt64(exactly: $0) }), serial >= 1, serial < next else {
      throw fault(place, expected: "the number of an object", found: value)
    }
    return ObjectNumber.make(entity: entity, serial: serial)
  }

  // MARK: Leftovers

  private mutating func readLeftover(_ value: JSONValue, _ id: ObjectID) throws {
    guard value.kind == .object else { throw fault("$.left", expected: "an object", found: value) }
    try checkMembers(value, ["owned", "shared"], at: "$.left")
    func flag(_ name: String) throws -> Bool {
      guard let flag = value[name] else { return false }
      guard let flag = flag.boolean else {
        throw fault("$.left.\(name)", expected: "true or false", found: flag)
      }
      return flag
    }
    leftovers.objects.append(.init(id: id, isOwned: try flag("owned"), deletesShared: try flag("shared")))
    if leftovers.objects.count == DumpFormat.targetsPerLine { try putLeftovers() }
  }

  mutating func putLeftovers() throws {
    guard !leftovers.objects.isEmpty else { return }
    try leftovers.put(writing, tables)
    leftovers.commit += 1
    leftovers.objects.removeAll(keepingCapacity: true)
  }
}
