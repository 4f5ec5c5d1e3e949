internal import CFastMap

/// Values that C cannot convert: JSON that is kept as text, transforms, and values that a property's type checks.
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
    let definition = planned.mapping.attributes[attribute]
    if let transform = planned.transforms[attribute] { return apply(transform, value, definition, slot) }
    if let read = definition.rules.reading {
      var field = FieldWriter(slot, &batch.pointee.arena)
      if let expected = read(value, &field) {
        return refuse(Refusal(reason: .unexpected(expected: expected, found: value.found)), slot)
      }
      if !field.isWhole { return FASTMAP_NO_MEMORY }
    } else if slot.pointee.tag == FASTMAP_NODE {
      var writer = JSONWriter()
      writer.append(value.node, value.bigIntegers)
      var field = FieldWriter(slot, &batch.pointee.arena)
      writer.withBytes { field.set(json: $0) }
      if !field.isWhole { return FASTMAP_NO_MEMORY }
    }
    guard let check = definition.rules.misfit else { return FASTMAP_CONVERTED }
    if definition.rules.isLenient, slot.pointee.isNumber {
      guard let expected = withStrictValue(of: slot.pointee, { check($0)?.expected }) else {
        return FASTMAP_CONVERTED
      }
      return refuse(Refusal(reason: .unexpected(expected: expected, found: value.found)), slot)
    }
    guard let misfit = check(value) else { return FASTMAP_CONVERTED }
    let reason = MappingError.Reason.unexpected(expected: misfit.expected, found: misfit.value.found)
    return refuse(Refusal(steps: misfit.steps, reason: reason), slot)
  }

  /// Lends a number that was read leniently as strict JSON.
  private func withStrictValue(of slot: fastmap_slot, _ body: (JSONValue) -> String?) -> String? {
    var writer = JSONWriter()
    _ = writer.append(slot, as: .plain)
    return writer.withBytes { bytes in
      guard let document = try? JSONDocument(parsing: bytes) else { return nil }
      return document.withRoot { body(JSONValue($0, document.bigIntegers)) }
    }
  }

  private func apply(
    _ transform: AnyTransform, _ value: JSONValue, _ definition: AttributeDefinition,
    _ slot: UnsafeMutablePointer<fastmap_slot>
  ) -> fastmap_conversion {
    var field = FieldWriter(slot, &batch.pointee.arena)
    do {
      switch try transform.read(value, &field) {
      case .written: if !field.isWhole { return FASTMAP_NO_MEMORY }
      case .skipped: slot.pointee = fastmap_slot()
      case .null: definition.rules.keepsOnNull ? (slot.pointee = fastmap_slot()) : field.setNull()
      }
      return FASTMAP_CONVERTED
    } catch {
      return refuse(Refusal(reason: .refused("\(error)")), slot)
    }
  }

  private func refuse(_ refusal: Refusal, _ slot: UnsafeMutablePointer<fastmap_slot>) -> fastmap_conversion {
    slot.pointee.length = UInt32(refusals.count)
    refusals.append(refusal)
    return FASTMAP_UNFIT
  }
}

extension fastmap_slot {
  fileprivate var isNumber: Bool {
    [FASTMAP_INTEGER, FASTMAP_UNSIGNED, FASTMAP_NUMBER].contains(Int(tag))
  }
}
