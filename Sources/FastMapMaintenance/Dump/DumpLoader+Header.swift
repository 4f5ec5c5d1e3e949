/// The first line: the entities with their fields, and the applied migrations.
extension DumpLoader {
  mutating func readHeader(_ value: JSONValue) throws {
    guard let version = value["fastmapDump"]?.integer else {
      throw fault(#"expected a dump, which begins with {"fastmapDump":\#(DumpFormat.version), …"#)
    }
    guard version == DumpFormat.version else {
      throw fault(
        "$.fastmapDump", "this FastMap reads dumps of version \(DumpFormat.version), found version \(version)"
      )
    }
    try checkMembers(value, ["fastmapDump", "entities", "changes"])
    guard let list = value["entities"]?.elements else {
      throw fault("$.entities", expected: "an array", found: value["entities"])
    }
    guard list.count <= DumpFormat.mostEntities else {
      throw fault("$.entities", "a store has at most \(DumpFormat.mostEntities) entities")
    }
    for (index, entity) in list.enumerated() {
      let place = "$.entities[\(index)]"
      let name = try string("name", of: entity, at: place)
      guard !name.isEmpty, name.utf8.count <= DumpFormat.longestName else {
        throw fault(
          place + ".name", "an entity needs a name of at most \(DumpFormat.longestName) bytes")
      }
      guard entities.updateValue(index, forKey: Array(name.utf8)) == nil else {
        throw fault(place + ".name", "\(quoted(name)) occurs twice")
      }
    }
    var indexCount = 0
    header.schema = Schema(
      entities: try list.enumerated().map { try readEntity($1, "$.entities[\($0)]", &indexCount) })
    objectCounts = Array(repeating: 0, count: list.count)
    keyFields = Array(repeating: nil, count: list.count)
    for (index, change) in (value["changes"]?.elements ?? []).enumerated() {
      let place = "$.changes[\(index)]"
      guard let kind = UInt8(exactly: try count("kind", of: change, at: place)) else {
        throw fault(place + ".kind", expected: "a number below 256", found: change["kind"])
      }
      header.changes.append(
        .init(
          kind: kind, entity: Array(try string("entity", of: change, at: place).utf8),
          field: Array(try string("field", of: change, at: place).utf8),
          target: Array(try string("target", of: change, at: place).utf8)))
    }
  }

  private mutating func readEntity(
    _ value: JSONValue, _ place: String, _ indexCount: inout Int
  ) throws -> Schema.Entity {
    try checkMembers(value, ["name", "key", "next", "objects", "fields", "indexes"], at: place)
    let name = try string("name", of: value, at: place)
    var keyKind: AttributeKind?
    if value["key"] != nil {
      keyKind = AttributeKind(rawValue: try string("key", of: value, at: place))
      guard keyKind == .integer || keyKind == .string else {
        throw fault(place + ".key", expected: #""integer" or "string""#, found: value["key"])
      }
    }
    let next = try count("next", of: value, at: place)
    guard 1...(DumpFormat.mostNumber + 1) ~= next else {
      throw fault(
        place + ".next", expected: "a number from 1 to \(DumpFormat.mostNumber + 1)", found: value["next"])
    }
    header.counts.append(.init(next: next, objects: try count("objects", of: value, at: place)))
    guard let list = value["fields"]?.elements else {
      throw fault(place + ".fields", expected: "an array", found: value["fields"])
    }
    guard list.count <= Schema.Entity.mostFields else {
      throw fault(place + ".fields", "an entity has at most \(Schema.Entity.mostFields) fields")
    }
    var names: [[UInt8]: Int] = [:]
    var fields: [Schema.Field] = []
    for (index, field) in list.enumerated() {
      let place = "\(place).fields[\(index)]"
      try checkMembers(field, ["name", "type", "toOne", "toMany", "owned"], at: place)
      let name = try string("name", of: field, at: place)
      guard name.utf8.count <= DumpFormat.longestName,
        names.updateValue(index, forKey: Array(name.utf8)) == nil
      else {
        throw fault(place + ".name", "\(quoted(name)) occurs twice or is too long")
      }
      fields.append(Schema.Field(name: name, kind: try kind(of: field, place)))
    }
    self.fields.append(names)
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
    return Schema.Entity(name: name, fields: fields, keyKind: keyKind, indexes: indexes)
  }

  private func readIndex(
    _ value: JSONValue, _ names: [[UInt8]: Int], _ fields: [Schema.Field], _ place: String
  ) throws -> Schema.Index {
    try checkMembers(value, ["fields", "unique"], at: place)
    guard let list = value["fields"]?.elements, (1...Schema.Index.mostFields).contains(list.count) else {
      throw fault(place + ".fields", expected: "an array of fields", found: value["fields"])
    }
    let parts = try list.enumerated().map { number, value in
      let place = "\(place).fields[\(number)]"
      guard let text = value.string else { throw fault(place, expected: "a string", found: value) }
      let field = IndexField(text)
      guard let number = names[Array(field.name.utf8)] else {
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
    guard let entity = entities[Array(target.utf8)] else {
      throw fault("\(place).\(member)", "no entity named \(quoted(target))")
    }
    let isOwned = field["owned"]?.boolean ?? false
    return isToMany ? .toMany(entity: entity, isOwned: isOwned) : .toOne(entity: entity, isOwned: isOwned)
  }
}
