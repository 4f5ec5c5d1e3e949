/// The lines of objects and of their lists.
extension DumpReader {
  /// The entity of a line, which is mostly the one of the line before.
  private func entity(of line: DumpLine) throws -> Int {
    guard let name = line.entity?.text else {
      throw fault("$.entity", expected: "a string", found: value(line.entity))
    }
    guard let entity = names.place(of: name, from: max(0, last.entity)) else {
      throw fault("$.entity", "no entity named \(quoted(String(decoding: name, as: UTF8.self)))")
    }
    return entity
  }

  private func value(_ node: JSONNode?) -> JSONValue? { node.map { JSONValue($0, nil) } }

  private func field(_ name: UnsafeBufferPointer<UInt8>, of entity: Int, from start: Int, _ place: String)
    throws -> Int
  {
    guard let field = fields[entity].place(of: name, from: start) else {
      let name = quoted(String(decoding: name, as: UTF8.self))
      throw fault(place, "\(escaped(header.schema.entities[entity].name)) has no field named \(name)")
    }
    return field
  }

  private func checkUnknown(_ line: DumpLine, _ other: JSONNode?, _ name: String) throws {
    if let unknown = other == nil ? line.unknown : name {
      throw fault("$", "unknown member \(quoted(unknown))")
    }
  }

  mutating func readObject(
    _ line: DumpLine, _ bigIntegers: BigIntegers?, _ write: (inout DumpBatch) throws -> Void
  ) throws {
    try checkUnknown(line, line.targets, "targets")
    let entity = try entity(of: line)
    if entity != last.entity || batch.isFull {
      guard entity >= last.entity else {
        throw fault("$.entity", "objects must come in the order of the entities in the first line")
      }
      try flush(write)
      batch.begin(entity, of: header.schema)
      if entity != last.entity { last = LastObject(entity: entity) }
    } else {
      endList()
    }
    let next = counts[entity] + 1
    guard line.object?.integer == Int64(next) else {
      throw fault("$.object", expected: "\(next), the next object of its entity", found: value(line.object))
    }
    guard next <= header.counts[entity] else {
      throw fault(
        "$.object", "the first line says that there are \(header.counts[entity]) objects of its entity")
    }
    guard let members = line.values?.members else {
      throw fault("$.values", expected: "an object", found: value(line.values))
    }
    counts[entity] = next
    report.objectCount += 1
    batch.append(id(next, of: entity))
    var field = -1
    for (name, value) in members {
      field = try self.field(name, of: entity, from: field + 1, "$.values")
      try set(JSONValue(value, bigIntegers), field, of: entity)
    }
    try readKey(line, of: entity)
  }

  private mutating func readKey(_ line: DumpLine, of entity: Int) throws {
    if let member = line.keyless, member.boolean != true {
      throw fault("$.keyless", expected: "true", found: value(member))
    }
    guard let field = header.schema.entities[entity].keyField, line.keyless == nil else {
      last.isKeyless = true
      return
    }
    guard let key = batch.setKey(field, lines.number) else {
      throw fault(place(of: field, of: entity), "the object has no key in this field")
    }
    guard !last.isKeyless else {
      throw fault(place(of: field, of: entity), "objects with a key must come before objects without one")
    }
    if let before = last.key, key <= before {
      throw fault(
        place(of: field, of: entity),
        key == before ? "the key \(key) occurs twice" : "the keys of an entity must ascend")
    }
    last.key = key
  }

  private func place(of field: Int, of entity: Int) -> String {
    "$.values"
      + JSONPath([.member(header.schema.entities[entity].fields[field].name)]).description.dropFirst()
  }

  private mutating func set(_ value: JSONValue, _ field: Int, of entity: Int) throws {
    switch header.schema.entities[entity].fields[field].kind {
    case .attribute(let kind):
      guard let count = batch.set(value, as: kind, at: field) else {
        throw fault(place(of: field, of: entity), expected: kind.noun, found: value)
      }
      if count > mostValueBytes {
        throw fault(
          place(of: field, of: entity), "\(count) bytes, the store holds values of at most \(mostValueBytes)")
      }
      if kind == .json, batch.withBytes(of: field, lines.isJSON) != true {
        throw fault(place(of: field, of: entity), "expected the text of a JSON value")
      }
    case .toOne(let target, _):
      batch.setTarget(
        try id(value.node, of: target) { place(of: field, of: entity) }, at: field)
    case .toMany:
      throw fault(place(of: field, of: entity), "a list needs lines of its own")
    }
  }

  /// The store's number of a target.
  private func id(_ node: JSONNode, of entity: Int, _ place: () -> String) throws -> ObjectID {
    guard let number = node.integer, number >= 1 else {
      throw fault(place(), expected: "the number of an object", found: value(node))
    }
    guard number <= header.counts[entity] else {
      throw fault(
        place(),
        "object \(number) of \(escaped(header.schema.entities[entity].name)) is missing from the dump")
    }
    return id(Int(number), of: entity)
  }

  // MARK: Lists

  mutating func readList(_ line: DumpLine) throws {
    try checkUnknown(line, line.values ?? line.keyless, line.values == nil ? "keyless" : "values")
    let entity = try entity(of: line)
    guard entity == last.entity, line.object?.integer == Int64(counts[entity]) else {
      throw fault("$.object", "a list must follow its object")
    }
    guard let name = line.list?.text else {
      throw fault("$.list", expected: "a string", found: value(line.list))
    }
    let field = try field(name, of: entity, from: last.list?.field ?? 0, "$.list")
    guard case .toMany(let other, _) = header.schema.entities[entity].fields[field].kind else {
      throw fault("$.list", expected: "the name of a list", found: value(line.list))
    }
    if let before = last.list?.field {
      if field < before { throw fault("$.list", "lists must be in the order of the fields") }
      if field > before { endList() }
    }
    guard let targets = line.targets?.elements, !targets.isEmpty else {
      throw fault("$.targets", expected: "an array that is not empty", found: value(line.targets))
    }
    var known = last.list?.targets ?? []
    last.list = nil
    for (index, element) in targets.enumerated() {
      known.append(try id(element, of: other) { "$.targets[\(index)]" })
    }
    last.list = (field, known)
    report.targetCount += targets.count
  }
}
