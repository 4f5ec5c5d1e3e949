internal import CFastMap

/// The lines of objects and of their lists.
extension DumpLoader {
  private func object(of value: JSONValue) throws -> (entity: Int, number: UInt64) {
    let name = try string("entity", of: value)
    guard let entity = entities[Array(name.utf8)] else {
      throw fault("$.entity", "no entity named \(quoted(name))")
    }
    let number = try count("object", of: value)
    guard number >= 1, number < header.counts[entity].next else {
      throw fault(
        "$.object", "expected a number from 1 to \(header.counts[entity].next - 1), found \(number)")
    }
    return (entity, number)
  }

  private func field(named name: String, of entity: Int, at place: String) throws -> Int {
    guard let field = fields[entity][Array(name.utf8)] else {
      throw fault(
        place, "\(escaped(header.schema.entities[entity].name)) has no field named \(quoted(name))")
    }
    return field
  }

  mutating func readObject(_ value: JSONValue, _ row: inout RowBuffer) throws {
    try checkMembers(value, ["entity", "object", "key", "left", "values"])
    let (entity, number) = try object(of: value)
    if let last, (entity, number) <= last {
      throw fault("$.object", "objects must be sorted by entity and number, each once")
    }
    (last, list) = ((entity, number), nil)
    let schema = header.schema.entities[entity]
    row.reset(count: schema.fields.count)
    guard let members = value["values"]?.members else {
      throw fault("$.values", expected: "an object", found: value["values"])
    }
    for (name, value) in members {
      let place = "$.values" + JSONPath([.member(name)]).description.dropFirst()
      let field = try field(named: name, of: entity, at: place)
      try set(value, field, schema.fields[field].kind, place, &row)
    }
    try row.checkWhole()
    let id = target.id(number, of: entity)
    let keyField = try keyField(of: value, entity, row.row)
    let object = DumpedObject(
      id: id, entity: entity, keyField: keyField,
      leftover: try value["left"].map { try leftover($0, id, of: entity) })
    guard try target.insert(object, row.row) else {
      let key = keyField.flatMap { row.row[$0].key?.description } ?? ""
      throw fault("$.values", "the key \(key) belongs to another object")
    }
    objectCounts[entity] += 1
    report.objectCount += 1
    if let keyField { keyFields[entity] = keyField }
  }

  private func keyField(of value: JSONValue, _ entity: Int, _ row: Row) throws -> Int? {
    guard value["key"] != nil else { return nil }
    let field = try field(named: try string("key", of: value), of: entity, at: "$.key")
    let schema = header.schema.entities[entity]
    guard let kind = schema.keyKind, schema.fields[field].kind == .attribute(kind), row[field].key != nil
    else { throw fault("$.key", "the object has no key in this field") }
    if let reason = target.refusal(ofKey: row[field]) { throw fault("$.key", reason) }
    if let first = keyFields[entity], first != field {
      throw fault(
        "$.key",
        expected: "\(quoted(schema.fields[first].name)), the primary key of the preceding objects",
        found: value["key"])
    }
    return field
  }

  private func set(
    _ value: JSONValue, _ field: Int, _ kind: Schema.Kind, _ place: String, _ row: inout RowBuffer
  ) throws {
    switch kind {
    case .attribute(let kind):
      guard let read = DumpFormat.value(value, as: kind) else {
        throw fault(place, expected: kind.noun, found: value)
      }
      row.set(read, at: field)
      guard let bytes = row.row[field].bytes else { return }
      if bytes.count > target.mostValueBytes {
        throw fault(
          place, "\(bytes.count) bytes, the store holds values of at most \(target.mostValueBytes)")
      }
      if kind == .json, !lines.isJSON(bytes) { throw fault(place, "expected the text of a JSON value") }
    case .toOne(let entity, _):
      row.copy(.target(try number(value, of: entity, place)), at: field)
    case .toMany:
      throw fault(place, "a list needs lines of its own")
    }
  }

  /// An object's number in the store, from its number within the entity.
  private func number(_ value: JSONValue, of entity: Int, _ place: String) throws -> ObjectID {
    let next = header.counts[entity].next
    guard let number = value.integer.flatMap({ UInt64(exactly: $0) }), number >= 1, number < next else {
      throw fault(place, expected: "the number of an object", found: value)
    }
    return target.id(number, of: entity)
  }

  private func leftover(_ value: JSONValue, _ id: ObjectID, of entity: Int) throws -> Leftover {
    guard value.kind == .object else { throw fault("$.left", expected: "an object", found: value) }
    try checkMembers(value, ["owned", "shared"], at: "$.left")
    func flag(_ name: String) throws -> Bool {
      guard let flag = value[name] else { return false }
      guard let flag = flag.boolean else {
        throw fault("$.left.\(name)", expected: "true or false", found: flag)
      }
      return flag
    }
    return Leftover(id: id, entity: entity, isOwned: try flag("owned"), deletesShared: try flag("shared"))
  }

  // MARK: Lists

  mutating func readList(_ value: JSONValue) throws {
    try checkMembers(value, ["entity", "object", "list", "targets"])
    let (entity, number) = try object(of: value)
    guard let last, (entity, number) == last else { throw fault("$.object", "a list must follow its object") }
    let field = try field(named: try string("list", of: value), of: entity, at: "$.list")
    guard case .toMany(let other, _) = header.schema.entities[entity].fields[field].kind else {
      throw fault("$.list", "not a list")
    }
    if let list, field < list { throw fault("$.list", "lists must be in the order of the fields") }
    list = field
    guard let targets = value["targets"]?.elements, !targets.isEmpty else {
      throw fault("$.targets", expected: "an array that is not empty", found: value["targets"])
    }
    for (index, element) in targets.enumerated() {
      try target.append(try self.number(element, of: other, "$.targets[\(index)]"), to: field)
    }
    report.targetCount += targets.count
  }
}
