internal import FastMapCore

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
    guard list.count <= 0xFFFF else { throw fault("$.entities", "a store has at most 65535 entities") }
    for (index, entity) in list.enumerated() {
      let place = "$.entities[\(index)]"
      let name = try string("name", of: entity, at: place)
      guard !name.isEmpty, name.utf8.count <= 0xFFFF else {
        throw fault(place + ".name", "an entity needs a name of at most 65535 bytes")
      }
      guard entities.updateValue(index, forKey: Array(name.utf8)) == nil else {
        throw fault(place + ".name", "\(quoted(name)) occurs twice")
      }
    }
    for (index, entity) in list.enumerated() { try readEntity(entity, UInt16(index), "$.entities[\(index)]") }
    for (index, change) in (value["changes"]?.elements ?? []).enumerated() {
      let place = "$.changes[\(index)]"
      guard let kind = UInt8(exactly: try count("kind", of: change, at: place)) else {
        throw fault(place + ".kind", expected: "a number below 256", found: change["kind"])
      }
      changes.append(
        .init(
          kind: kind, entity: Array(try string("entity", of: change, at: place).utf8),
          field: Array(try string("field", of: change, at: place).utf8),
          target: Array(try string("target", of: change, at: place).utf8)))
    }
  }

  private mutating func readEntity(_ value: JSONValue, _ number: UInt16, _ place: String) throws {
    try checkMembers(value, ["name", "key", "next", "objects", "fields", "indexes"], at: place)
    var entity = EntityLayout(number: number, name: try string("name", of: value, at: place))
    if value["key"] != nil {
      guard let kind = AttributeKind(rawValue: try string("key", of: value, at: place)),
        kind == .integer || kind == .string
      else { throw fault(place + ".key", expected: #""integer" or "string""#, found: value["key"]) }
      entity.keyKind = kind
    }
    let next = try count("next", of: value, at: place)
    guard 1...(ObjectNumber.maxSerial + 1) ~= next else {
      throw fault(
        place + ".next", expected: "a number from 1 to \(ObjectNumber.maxSerial + 1)", found: value["next"])
    }
    entity.counts.nextSerial = next
    promised.append(.init(nextSerial: next, objects: try count("objects", of: value, at: place)))
    guard let list = value["fields"]?.elements else {
      throw fault(place + ".fields", expected: "an array", found: value["fields"])
    }
    guard list.count <= RecordFormat.maxFields else {
      throw fault(place + ".fields", "an entity has at most \(RecordFormat.maxFields) fields")
    }
    var names: [[UInt8]: Int] = [:]
    for (index, field) in list.enumerated() {
      let place = "\(place).fields[\(index)]"
      try checkMembers(field, ["name", "type", "toOne", "toMany", "owned"], at: place)
      let name = try string("name", of: field, at: place)
      guard name.utf8.count <= 0xFFFF, names.updateValue(index, forKey: Array(name.utf8)) == nil else {
        throw fault(place + ".name", "\(quoted(name)) occurs twice or is too long")
      }
      entity.fields.append(.init(name: name, kind: try kind(of: field, place)))
    }
    fields.append(names)
    layout.entities.append(entity)
    var known: Set<[IndexLayout.Part]> = []
    for (number, index) in (value["indexes"]?.elements ?? []).enumerated() {
      try readIndex(index, of: entity.number, names, "\(place).indexes[\(number)]", &known)
    }
  }

  private mutating func readIndex(
    _ value: JSONValue, of entity: UInt16, _ names: [[UInt8]: Int], _ place: String,
    _ known: inout Set<[IndexLayout.Part]>
  ) throws {
    try checkMembers(value, ["fields", "unique"], at: place)
    guard let list = value["fields"]?.elements, (1...Index.mostFields).contains(list.count) else {
      throw fault(place + ".fields", expected: "an array of fields", found: value["fields"])
    }
    let parts = try list.enumerated().map { number, value in
      guard let text = value.string else {
        throw fault("\(place).fields[\(number)]", expected: "a string", found: value)
      }
      let field = Index.Field(text)
      guard let number = names[Array(field.name.utf8)] else {
        throw fault("\(place).fields[\(number)]", "no field named \(quoted(field.name))")
      }
      return IndexLayout.Part(field: UInt16(number), isDescending: field.isDescending)
    }
    guard Set(parts.map(\.field)).count == parts.count else {
      throw fault(place + ".fields", "a field occurs twice")
    }
    guard known.insert(parts).inserted else { throw fault(place, "the same index occurs twice") }
    guard layout.indexes.count < 0xFFFF else { throw fault(place, "a store has at most 65535 indexes") }
    layout.indexes.append(
      IndexLayout(
        number: UInt16(layout.indexes.count), entity: entity, parts: parts,
        isUnique: value["unique"]?.boolean ?? false))
  }

  private func kind(of field: JSONValue, _ place: String) throws -> EntityLayout.Kind {
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
    return .relationship(
      isToMany: isToMany, isOwned: field["owned"]?.boolean ?? false, entity: UInt16(entity))
  }
}
