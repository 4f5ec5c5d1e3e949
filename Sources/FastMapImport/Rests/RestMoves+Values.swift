internal import CFastMap

/// The values that leave the rest of one object.
struct MovedValues {
  var slots: [(field: Int, slot: fastmap_slot)] = []
  /// The fields that read a member which stays.
  var left: Set<Int> = []
  /// The texts of rests. The slots borrow from them and from the unit.
  fileprivate var documents: [JSONDocument] = []
}

extension RestMoves {
  /// Reads members of an object's rest as an import reads them; nil if its fields read none.
  func values(of row: Row, _ entity: Int, _ unit: ImportUnit) throws -> MovedValues? {
    guard let sources = sources[entity] else { return nil }
    var values = MovedValues()
    for rest in Set(sources.map(\.rest)) {
      guard row[rest].slot.tag == FASTMAP_JSON, let bytes = row[rest].bytes else { continue }
      let document = try JSONDocument(keptText: Array(bytes))
      values.documents.append(document)
      let value = JSONValue(document.root, document.bigIntegers)
      let read = try reading(value, row, sources.filter { $0.rest == rest }, entity, unit, &values)
      move(out: value, rest, of: row, read, unit, &values)
    }
    return values.slots.isEmpty && values.left.isEmpty ? nil : values
  }

  /// The mappings that read an object: all of its entity, or its kind alone.
  private func reading(
    _ rest: JSONValue, _ row: Row, _ sources: [Source], _ entity: Int, _ unit: ImportUnit,
    _ values: inout MovedValues
  ) throws -> [Source] {
    let first = plan.mappings[sources[0].mapping]
    guard let kindField = first.kindField, let kinds = first.kinds else { return sources }
    if let kind = row[kindField].string {
      return sources.filter { plan.mappings[$0.mapping].kind.map { NameIndex.isSame($0, kind) } ?? false }
    }
    guard areKindsNew.contains(entity), kinds.keyPath.origin == .object else { return [] }
    let value = rest.node.value(at: kinds.keyPath).flatMap { JSONValue($0, rest.bigIntegers).string }
    let number = kinds.values.first { $0.value == value }?.mapping ?? otherwise(of: sources[0], unit)
    guard let number, let blank = unit.mappings[number].blank else {
      values.left.insert(kindField)
      return []
    }
    values.slots.append((kindField, blank[kindField]))
    return sources.filter { $0.mapping == number }.map { source in
      var source = source
      if let choosing = plan.mappings[number].choosingAttribute, !source.attributes.contains(choosing) {
        source.attributes.append(choosing)
      }
      return source
    }
  }

  private func otherwise(of source: Source, _ unit: ImportUnit) -> Int? {
    guard let kinds = unit.mappings[source.mapping].kinds?.pointee,
      Int(kinds.otherwise) == FASTMAP_KINDLESS_MAPPING
    else { return nil }
    return Int(kinds.otherwise_mapping)
  }

  private func move(
    out rest: JSONValue, _ field: Int, of row: Row, _ sources: [Source], _ unit: ImportUnit,
    _ values: inout MovedValues
  ) {
    var trees: [MemberTree] = []
    var moved: Set<String> = []
    var left: [(path: String, field: Int)] = []
    for source in sources {
      let (number, planned) = (source.mapping, plan.mappings[source.mapping])
      for attribute in source.attributes {
        let path = planned.mapping.attributes[attribute].keyPath
        guard let node = rest.node.value(at: path) else { continue }
        let place = planned.attributeFields[attribute]
        let schema = plan.schema.entities[planned.entity].fields[place]
        if let value = row[place].value, value != schema.defaultValue {
          // A write of another mapping has set it since then.
          trees += MemberTree.members(of: [.attribute(attribute)], planned.mapping)
          moved.insert(path.description)
        } else if let slot = unit.convert(JSONValue(node, rest.bigIntegers), number, attribute) {
          values.slots.append((place, slot))
          trees += MemberTree.members(of: [.attribute(attribute)], planned.mapping)
          moved.insert(path.description)
        } else {
          left.append((path.description, place))
        }
      }
      for relationship in source.relationships {
        let path = planned.mapping.relationships[relationship].keyPath
        guard rest.node.value(at: path) != nil else { continue }
        left.append((path.description, planned.relationshipFields[relationship]))
      }
    }
    // Of the fields that read one member, each takes its own values.
    for (path, field) in left where !moved.contains(path) { values.left.insert(field) }
    if !trees.isEmpty { values.slots.append((field, unit.slot(rest: rest, without: trees))) }
  }
}

extension ImportUnit {
  /// A rest without members, in the memory of the batch; null without any.
  fileprivate func slot(rest: JSONValue, without trees: [MemberTree]) -> fastmap_slot {
    var slot = fastmap_slot()
    var writer = JSONWriter()
    _ = writer.append(rest: rest, without: RestMembers.Level(trees))
    var field = FieldWriter(&slot, &batch.pointee.arena)
    if writer.count == 0 { field.setNull() } else { writer.withBytes { field.set(json: $0) } }
    return slot
  }

  /// A unit that reads single values.
  convenience init(reading plan: Plan) throws {
    var options = ImportOptions()
    options.format = .ndjson
    let source = try RootSource(
      .text(UnsafeRawBufferPointer(start: nil, count: 0)), plan: plan, options: options)
    try self.init(
      plan: plan, input: source.makeBatch(), stopsAtFault: false, fills: false,
      shared: SharedState(plan, options))
  }
}
