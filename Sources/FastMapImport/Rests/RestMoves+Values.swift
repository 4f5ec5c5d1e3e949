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
      move(out: value, rest, read, unit, &values)
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
    guard areKindsNew.contains(entity), kinds.keyPath.origin == .object,
      let node = rest.node.value(at: kinds.keyPath)
    else { return [] }
    let value = JSONValue(node, rest.bigIntegers).string
    guard
      let number = kinds.values.first(where: { $0.value == value })?.mapping
        ?? otherwise(of: sources[0], unit),
      let blank = unit.mappings[number].blank
    else {
      if let attribute = first.choosingAttribute { values.left.insert(first.attributeFields[attribute]) }
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
    out rest: JSONValue, _ field: Int, _ sources: [Source], _ unit: ImportUnit, _ values: inout MovedValues
  ) {
    var trees: [MemberTree] = []
    var moved: Set<String> = []
    var left: [(path: String, field: Int)] = []
    for source in sources {
      let (number, planned) = (source.mapping, plan.mappings[source.mapping])
      for attribute in source.attributes {
        let path = planned.mapping.attributes[attribute].keyPath
        guard let node = rest.node.value(at: path) else { continue }
        if let slot = unit.convert(JSONValue(node, rest.bigIntegers), number, attribute) {
          values.slots.append((planned.attributeFields[attribute], slot))
          trees += MemberTree.members(of: [.attribute(attribute)], planned.mapping)
          moved.insert(path.description)
        } else {
          left.append((path.description, planned.attributeFields[attribute]))
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
