internal import FastMapJSON

/// The schema of a store as JSON text: the layouts and the indexes, without counts.
///
///     {"fastmap": 1,
///      "entities": [{"name": "Order", "key": "integer", "fields": [
///        {"name": "id", "type": "integer", "isKey": true},
///        {"name": "items", "type": "to-many", "entity": "Item", "isOwned": true}]}],
///      "indexes": [{"number": 1, "entity": "Order", "fields": [{"name": "id", "isDescending": true}]}]}
///
/// Entities and fields stand in the order of their numbers. Names link them, so a reader of names needs no numbers.
extension StoreLayout {
  private static let textVersion: Int64 = 1

  var schemaText: [UInt8] {
    var writer = JSONWriter(isPretty: true)
    writer.object { writer in
      writer.name("fastmap")
      writer.integer(Self.textVersion)
      writer.name("about")
      writer.string(
        "The schema of data.mdb. Only `fastmap repair` reads this file, if data.mdb has lost its own copies.")
      writer.name("entities")
      writer.list(entities) { write($1, to: &$0) }
      writer.name("indexes")
      writer.list(indexes) { write($1, to: &$0) }
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Whether another layout has the same text.
  func hasSchema(of other: StoreLayout) -> Bool {
    entities.count == other.entities.count && indexes.count == other.indexes.count
      && zip(entities, other.entities).allSatisfy {
        $0.fields == $1.fields && $0.name.utf8.elementsEqual($1.name.utf8) && $0.keyKind == $1.keyKind
      }
      && zip(indexes, other.indexes).allSatisfy {
        $0.number == $1.number && $0.entity == $1.entity && $0.parts == $1.parts && $0.isUnique == $1.isUnique
      }
  }

  private func write(_ entity: EntityLayout, to writer: inout JSONWriter) {
    writer.name("name")
    writer.string(entity.name)
    if let key = entity.keyKind {
      writer.name("key")
      writer.string(key.rawValue)
    }
    writer.name("fields")
    writer.list(entity.fields) { writer, field in
      writer.name("name")
      writer.string(field.name)
      writer.name("type")
      switch field.kind {
      case .attribute(let kind): writer.string(kind.rawValue)
      case .relationship(let isToMany, let isOwned, let target):
        writer.string(isToMany ? "to-many" : "to-one")
        writer.name("entity")
        writer.string(Int(target) < entities.count ? entities[Int(target)].name : "")
        if isOwned { writer.flag("isOwned") }
      }
      if field.isKey { writer.flag("isKey") }
    }
  }

  private func write(_ index: IndexLayout, to writer: inout JSONWriter) {
    let entity = entities[Int(index.entity)]
    writer.name("number")
    writer.integer(Int64(index.number))
    writer.name("entity")
    writer.string(entity.name)
    if index.isUnique { writer.flag("isUnique") }
    writer.name("fields")
    writer.list(index.parts) { writer, part in
      writer.name("name")
      writer.string(entity.fields[Int(part.field)].name)
      if part.isDescending { writer.flag("isDescending") }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func flag(_ name: String) {
    self.name(name)
    boolean(true)
  }

  fileprivate mutating func list<Element>(
    _ elements: [Element], _ members: (inout JSONWriter, Element) -> Void
  ) {
    beginArray()
    for element in elements { object { members(&$0, element) } }
    endArray()
  }
}

// MARK: - Reading

extension StoreLayout {
  /// Reads a schema. The text may be anything, so nothing in it is trusted: it is read whole, or not at all.
  ///
  /// - Returns: Nil if it is not a schema. Members that this FastMap does not know are skipped.
  init?(schemaText text: [UInt8]) {
    let layout = try? JSONDocument(parsing: text).withParsedJSON { StoreLayout(schema: $0) }
    guard let layout = layout ?? nil else { return nil }
    self = layout
  }

  private init?(schema root: JSONValue) {
    guard root["fastmap"]?.integer == Self.textVersion, let listed = root["entities"]?.elements,
      listed.count <= 0xFFFF
    else { return nil }
    var numbers: [[UInt8]: UInt16] = [:]
    for entity in listed {
      guard let name = Self.name(of: entity), numbers[Array(name.utf8)] == nil else { return nil }
      numbers[Array(name.utf8)] = UInt16(numbers.count)
    }
    for (number, entity) in listed.enumerated() {
      guard let layout = Self.entity(UInt16(number), entity, numbers) else { return nil }
      entities.append(layout)
    }
    for index in root["indexes"]?.elements ?? [] {
      guard let index = self.index(index, numbers), !indexes.contains(where: { $0.number == index.number }),
        index.isSound(in: self)
      else { return nil }
      indexes.append(index)
    }
    indexes.sort { $0.number < $1.number }
  }

  private static func name(of value: JSONValue) -> String? {
    guard let name = value["name"]?.string, (1...0xFFFF).contains(name.utf8.count) else { return nil }
    return name
  }

  private static func entity(
    _ number: UInt16, _ value: JSONValue, _ numbers: [[UInt8]: UInt16]
  ) -> EntityLayout? {
    guard let name = name(of: value), let fields = value["fields"]?.elements,
      fields.count <= RecordFormat.maxFields
    else { return nil }
    var layout = EntityLayout(number: number, name: name)
    if let key = value["key"] {
      guard let kind = key.string.flatMap({ AttributeKind(rawValue: $0) }),
        [.integer, .string].contains(kind)
      else { return nil }
      layout.keyKind = kind
    }
    var names: Set<[UInt8]> = []
    for value in fields {
      guard let field = field(value, numbers), names.insert(Array(field.name.utf8)).inserted,
        !field.isKey || layout.keyKind.map({ field.kind == .attribute($0) }) == true
      else { return nil }
      layout.fields.append(field)
    }
    return layout.fields.count(where: \.isKey) <= 1 ? layout : nil
  }

  private static func field(_ value: JSONValue, _ numbers: [[UInt8]: UInt16]) -> EntityLayout.Field? {
    guard let name = name(of: value), let type = value["type"]?.string else { return nil }
    let isKey = value["isKey"]?.boolean ?? false
    if let kind = AttributeKind(rawValue: type) {
      return .init(name: name, kind: .attribute(kind), isKey: isKey)
    }
    guard ["to-one", "to-many"].contains(type), !isKey,
      let target = value["entity"]?.string.flatMap({ numbers[Array($0.utf8)] })
    else { return nil }
    return .init(
      name: name,
      kind: .relationship(
        isToMany: type == "to-many", isOwned: value["isOwned"]?.boolean ?? false, entity: target))
  }

  private func index(_ value: JSONValue, _ numbers: [[UInt8]: UInt16]) -> IndexLayout? {
    guard let number = value["number"]?.integer.flatMap({ UInt16(exactly: $0) }),
      let entity = value["entity"]?.string.flatMap({ numbers[Array($0.utf8)] }),
      let fields = value["fields"]?.elements, (1...Schema.Index.mostFields).contains(fields.count)
    else { return nil }
    var parts: [IndexLayout.Part] = []
    for field in fields {
      guard let name = Self.name(of: field),
        let place = entities[Int(entity)].fields.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) })
      else { return nil }
      parts.append(.init(field: UInt16(place), isDescending: field["isDescending"]?.boolean ?? false))
    }
    return IndexLayout(
      number: number, entity: entity, parts: parts, isUnique: value["isUnique"]?.boolean ?? false)
  }
}
