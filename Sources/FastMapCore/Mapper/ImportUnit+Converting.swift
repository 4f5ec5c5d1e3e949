internal import CFastMap

/// What C cannot convert: JSON that is kept as text, transforms, and values that a property's type looks at once more.
extension ImportUnit {
  func useConverter() {
    // The batch lives in this unit, so the unit outlives every call.
    batch.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    batch.pointee.converter = { context, mapping, attribute, node, slot in
      guard let context, let slot, let node = JSONNode(unsafe: node) else { return FASTMAP_NO_MEMORY }
      let unit = Unmanaged<ImportUnit>.fromOpaque(context).takeUnretainedValue()
      let table = unit.batch.pointee.big_integers.map { BigIntegers($0) }
      return unit.convert(JSONValue(node, table), Int(mapping), Int(attribute), slot)
    }
  }

  private func convert(
    _ value: JSONValue, _ mapping: Int, _ attribute: Int, _ slot: UnsafeMutablePointer<fastmap_slot>
  ) -> fastmap_conversion {
    let planned = plan.mappings[mapping]
    let description = planned.mapping.attributes[attribute]
    if let transform = planned.transforms[attribute] { return apply(transform, value, description, slot) }
    if let read = description.rules.reading {
      var field = FieldWriter(slot, &batch.pointee.arena)
      if let expected = read(value, &field) { return refuse(value, expected, slot) }
    } else if slot.pointee.tag == FASTMAP_NODE {
      var writer = JSONWriter()
      writer.append(value.node, value.bigIntegers)
      var field = FieldWriter(slot, &batch.pointee.arena)
      writer.withBytes { field.set(json: $0) }
    }
    if let expected = description.rules.expectation?(value) { return refuse(value, expected, slot) }
    return FASTMAP_CONVERTED
  }

  private func apply(
    _ transform: AnyTransform, _ value: JSONValue, _ description: AttributeDescription,
    _ slot: UnsafeMutablePointer<fastmap_slot>
  ) -> fastmap_conversion {
    var field = FieldWriter(slot, &batch.pointee.arena)
    do {
      switch try transform.read(value, &field) {
      case .written: break
      case .skipped: slot.pointee = fastmap_slot()
      case .null: description.rules.keepsOnNull ? (slot.pointee = fastmap_slot()) : field.setNull()
      }
      return FASTMAP_CONVERTED
    } catch {
      return refuse("\(error)", slot)
    }
  }

  private func refuse(
    _ value: JSONValue, _ expected: String, _ slot: UnsafeMutablePointer<fastmap_slot>
  ) -> fastmap_conversion {
    refuse("expected \(expected), found \(found(value.node))", slot)
  }

  private func refuse(_ reason: String, _ slot: UnsafeMutablePointer<fastmap_slot>) -> fastmap_conversion {
    slot.pointee.length = UInt32(refusals.count)
    refusals.append(reason)
    return FASTMAP_UNFIT
  }
}
