internal import CFastMap

/// Members that `rest` has kept, and that the mapping of a later occurrence reads: they move into its fields.
///
///     {"b": 2} in the rest     b is a field of the mapping that reads the object now: b is 2, and the rest is empty
extension ImportUnit {
  /// Moves the members that an occurrence's mapping reads into its fields, unless the payload has them.
  ///
  /// A value that its field cannot hold stays, and so does a relationship that the payload does not have.
  ///
  /// - Parameters:
  ///   - kept: The rest at this point of the payload.
  ///   - onMoved: Receives the rest without the members, if there are any.
  /// - Returns: Whether members stay that the mapping reads.
  func move(
    from kept: RestMerge, to index: Int, _ members: RestMembers, _ onMoved: (RestMerge) -> Void
  ) throws -> Bool {
    let old = try merged(kept.changes, into: kept.stored, members)
    guard let row = occurrences[index].row, old.tag == FASTMAP_JSON else { return false }
    let text = Array(old.span)
    let reading = try text.withUnsafeBytes { try input.reader.read($0, from: 0) }
    let rest = JSONValue(reading.node, reading.bigIntegers)
    let number = mappingNumber(of: index)
    let planned = plan.mappings[number]
    var moved: [KeyPart] = []
    var isLeft = false
    for attribute in planned.mapping.attributes.indices where planned.mapping.attributes[attribute].isMember {
      let keyPath = planned.mapping.attributes[attribute].keyPath
      guard let node = rest.node.value(at: keyPath) else { continue }
      let field = planned.attributeFields[attribute]
      if row[field].tag == FASTMAP_MISSING {
        guard let slot = convert(JSONValue(node, rest.bigIntegers), number, attribute) else {
          isLeft = true
          continue
        }
        row[field].value = slot
      }
      moved.append(.attribute(attribute))
    }
    for (place, field) in planned.relationshipFields.enumerated() {
      let relationship = planned.mapping.relationships[place]
      guard relationship.outerPath == nil, !relationship.keyPath.isWhole,
        rest.node.value(at: relationship.keyPath) != nil
      else { continue }
      if row[field].tag == FASTMAP_MISSING { isLeft = true } else { moved.append(.relationship(place)) }
    }
    if moved.isEmpty { return isLeft }
    var writer = JSONWriter()
    let level = RestMembers.Level(MemberTree.members(of: moved, planned.mapping))
    _ = writer.append(rest: rest, without: level)
    onMoved(RestMerge(stored: writer.count == 0 ? nil : writer.bytes, last: index))
    return isLeft
  }

  /// Reads a value as an attribute; nil if it does not fit.
  func convert(_ value: JSONValue, _ mapping: Int, _ attribute: Int) -> fastmap_slot? {
    guard let compiled = mappings[mapping].attributes, let converter = batch.pointee.converter else {
      return nil
    }
    let old = batch.pointee.big_integers
    batch.pointee.big_integers = value.bigIntegers?.pointer
    defer { batch.pointee.big_integers = old }
    var slot = fastmap_slot()
    let table = value.bigIntegers?.pointer
    guard
      fastmap_convert(&batch.pointee.arena, compiled + attribute, table, value.node.pointer, &slot)
        == FASTMAP_CONVERTED
    else { return nil }
    let isChecked =
      Int(compiled[attribute].flags) & FASTMAP_ATTRIBUTE_CHECKED != 0 && slot.tag != FASTMAP_NULL
    guard slot.tag == FASTMAP_NODE || isChecked else { return slot }
    let end = converter(batch.pointee.context, UInt32(mapping), UInt32(attribute), value.node.pointer, &slot)
    return end == FASTMAP_CONVERTED ? slot : nil
  }
}

extension AttributeDefinition {
  /// Whether it is a member of the representation, at a key path that leads to one value.
  var isMember: Bool {
    source == .keyPath && outerPath == nil && !keyPath.isWhole && !keyPath.isEach
  }
}
