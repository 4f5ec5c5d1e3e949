/// The first line: the entities with their fields, and the texts that the store keeps.
extension DumpReader {
  mutating func readHeader(_ value: JSONValue) throws {
    guard let version = value["fastmapDump"]?.integer else {
      throw fault(#"expected a dump, which begins with {"fastmapDump":\#(DumpFormat.version), …"#)
    }
    guard version == DumpFormat.version else {
      throw fault(
        "$.fastmapDump", "this FastMap reads dumps of version \(DumpFormat.version), found version \(version)"
      )
    }
    try checkMembers(value, ["fastmapDump", "entities"] + KeptText.allCases.map(\.rawValue))
    guard let list = value["entities"]?.elements else {
      throw fault("$.entities", expected: "an array", found: value["entities"])
    }
    guard list.count <= DumpFormat.mostEntities else {
      throw fault("$.entities", "a store has at most \(DumpFormat.mostEntities) entities")
    }
    for name in KeptText.allCases where value[name.rawValue] != nil {
      header.texts[name] = Array(try string(name.rawValue, of: value, at: "$").utf8)
    }
    let entities = try list.enumerated().map { index, entity in
      try self.name(of: entity, "$.entities[\(index)]", "an entity")
    }
    names = OrderedNames(entities)
    try refuseRepeats(in: entities, names) { "$.entities[\($0)]" }
    var indexCount = 0
    header.schema = Schema(
      entities: try list.enumerated().map { try readEntity($1, "$.entities[\($0)]", &indexCount) })
    counts = Array(repeating: 0, count: list.count)
  }

  private func name(of value: JSONValue, _ place: String, _ noun: String) throws -> String {
    let name = try string("name", of: value, at: place)
    guard 1...DumpFormat.longestName ~= name.utf8.count else {
      throw fault(place + ".name", "\(noun) needs a name of at most \(DumpFormat.longestName) bytes")
    }
    return name
  }

  private func refuseRepeats(in names: [String], _ index: OrderedNames, _ place: (Int) -> String) throws {
    for (number, name) in names.enumerated() where index[name] != number {
      throw fault(place(number) + ".name", "\(quoted(name)) occurs twice")
    }
  }

  private mutating func readEntity(
    _ value: JSONValue, _ place: String, _ indexCount: inout Int
  ) throws -> Schema.Entity {
    try checkMembers(value, ["name", "key", "objects", "fields", "indexes"], at: place)
    header.counts.append(try count("objects", of: value, at: place))
    guard let list = value["fields"]?.elements else {
      throw fault(place + ".fields", expected: "an array", found: value["fields"])
    }
    guard list.count <= Schema.Entity.mostFields else {
      throw fault(place + ".fields", "an entity has at most \(Schema.Entity.mostFields) fields")
    }
    let fields = try list.enumerated().map { index, field in
      let place = "\(place).fields[\(index)]"
      try checkMembers(field, ["name", "type", "toOne", "toMany", "owned"], at: place)
      return Schema.Field(name: try name(of: field, place, "a field"), kind: try kind(of: field, place))
    }
    let names = OrderedNames(fields.map(\.name))
    try refuseRepeats(in: fields.map(\.name), names) { "\(place).fields[\($0)]" }
    self.fields.append(names)
    let key = try readKey(of: value, names, fields, place)
    var indexes: [Schema.Index] = []
    var known: Set<[Schema.Index.Part]> = []
    for (number, index) in (value["indexes"]?.elements ?? []).enumerated() {
      let place = "\(place).indexes[\(number)]"
      let index = try readIndex(index, names, fields, place)
      guard known.insert(index.parts).inserted else { throw fault(place, "the same index occurs twice") }
      indexCount += 1
      guard indexCount <= DumpFormat.mostIndexes else {
        throw fault(place, "a store has at most \(DumpFormat.mostIndexes) indexes")
      }
      indexes.append(index)
    }
    return Schema.Entity(
      name: try string("name", of: value, at: place), fields: fields, keyKind: key?.kind,
      keyField: key?.field,
      indexes: indexes)
  }

  private func readKey(
    of value: JSONValue, _ names: OrderedNames, _ fields: [Schema.Field], _ place: String
  ) throws -> (field: Int, kind: AttributeKind)? {
    guard value["key"] != nil else { return nil }
    let name = try string("key", of: value, at: place)
    guard let field = names[name], case .attribute(let kind) = fields[field].kind,
      kind == .integer || kind == .string
    else {
      throw fault(place + ".key", expected: "the name of an integer or a string", found: value["key"])
    }
    return (field, kind)
  }

  private func readIndex(
    _ value: JSONValue, _ names: OrderedNames, _ fields: [Schema.Field], _ place: String
  ) throws -> Schema.Index {
    try checkMembers(value, ["fields", "unique"], at: place)
    guard let list = value["fields"]?.elements, (1...Schema.Index.mostFields).contains(list.count) else {
      throw fault(place + ".fields", expected: "an array of fields", found: value["fields"])
    }
    let parts = try list.enumerated().map { number, value in
      let place = "\(place).fields[\(number)]"
      guard let text = value.string else { throw fault(place, expected: "a string", found: value) }
      let field = IndexField(text)
      guard let number = names[field.name] else {
        throw fault(place, "no field named \(quoted(field.name))")
      }
      switch fields[number].kind {
      case .attribute(.json), .toMany, .toOne(_, isOwned: true):
        throw fault(place, "an index of a field that has no order")
      case .attribute, .toOne: break
      }
      return Schema.Index.Part(field: number, isDescending: field.isDescending)
    }
    guard Set(parts.map(\.field)).count == parts.count else {
      throw fault(place + ".fields", "a field occurs twice")
    }
    let name = parts.map {
      IndexField(name: fields[$0.field].name, isDescending: $0.isDescending).description
    }
    return Schema.Index(
      name: name.joined(separator: ","), parts: parts, isUnique: value["unique"]?.boolean ?? false)
  }

  private func kind(of field: JSONValue, _ place: String) throws -> Schema.Kind {
    if field["type"] != nil {
      guard let kind = AttributeKind(rawValue: try string("type", of: field, at: place)) else {
        throw fault(place + ".type", expected: "a type", found: field["type"])
      }
      return .attribute(kind)
    }
    let isToMany = field["toMany"] != nil
    let member = isToMany ? "toMany" : "toOne"
    let target = try string(member, of: field, at: place)
    guard let entity = names[target] else {
      throw fault("\(place).\(member)", "no entity named \(quoted(target))")
    }
    let isOwned = field["owned"]?.boolean ?? false
    return isToMany ? .toMany(entity: entity, isOwned: isOwned) : .toOne(entity: entity, isOwned: isOwned)
  }
}
