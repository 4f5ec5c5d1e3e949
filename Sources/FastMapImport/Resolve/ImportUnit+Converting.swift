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
    if let rest = planned.rest, rest.attribute == attribute { return read(rest, of: value, slot) }
    if let transform = planned.transforms[attribute] { return apply(transform, value, definition, slot) }
    let isLenient = definition.rules.isLenient
    guard isLenient || definition.hasDecimalElements else {
      return convert(value, read: value, definition, slot)
    }
    if let write = definition.rules.writeElements {
      var writer = JSONWriter()
      write(value, isLenient, &writer)
      return withStrictValue(in: writer) { convert(value, read: $0, definition, slot) } ?? FASTMAP_NO_MEMORY
    }
    if slot.pointee.tag == FASTMAP_NODE, definition.type == .string, definition.rules.reading == nil {
      var field = FieldWriter(slot, &batch.pointee.arena)
      field.set(string: value.text)
      if !field.isWhole { return FASTMAP_NO_MEMORY }
    }
    guard definition.rules.misfit != nil, !slot.pointee.isOfKind(value.kind) else {
      return convert(value, read: value, definition, slot)
    }
    // The type checks the value that was read, as strict JSON has it.
    var writer = JSONWriter()
    _ = writer.append(slot.pointee, as: .plain)
    return withStrictValue(in: writer) { convert(value, read: $0, definition, slot) } ?? FASTMAP_NO_MEMORY
  }

  /// - Parameters:
  ///   - found: The value of the payload, for messages.
  ///   - value: The same as strict JSON has it.
  private func convert(
    _ found: JSONValue, read value: JSONValue, _ definition: AttributeDefinition,
    _ slot: UnsafeMutablePointer<fastmap_slot>
  ) -> fastmap_conversion {
    if let read = definition.rules.reading {
      var field = FieldWriter(slot, &batch.pointee.arena)
      if let expected = read(value, &field) {
        return refuse(Refusal(reason: .unexpected(expected: expected, found: found.found)), slot)
      }
      if !field.isWhole { return FASTMAP_NO_MEMORY }
    } else if slot.pointee.tag == FASTMAP_NODE, definition.type == .decimal {
      var field = FieldWriter(slot, &batch.pointee.arena)
      if let decimal = value.decimal { field.set(decimal: decimal) } else { field.setNull() }
      if !field.isWhole { return FASTMAP_NO_MEMORY }
    } else if slot.pointee.tag == FASTMAP_NODE {
      var writer = JSONWriter()
      writer.append(value.node, value.bigIntegers, keepsReals: definition.keepsTextOfReals)
      var field = FieldWriter(slot, &batch.pointee.arena)
      writer.withBytes { field.set(json: $0) }
      if !field.isWhole { return FASTMAP_NO_MEMORY }
    }
    guard let misfit = definition.rules.misfit?(value) else { return FASTMAP_CONVERTED }
    let isFound = found.node.pointer == value.node.pointer
    let place = isFound ? misfit.value : found.inner(misfit.steps) ?? misfit.value
    let reason = MappingError.Reason.unexpected(expected: misfit.expected, found: place.found)
    return refuse(Refusal(steps: misfit.steps, reason: reason), slot)
  }

  /// Lends a text of this module's as a JSON value; nil if memory has run out.
  private func withStrictValue<R>(in writer: borrowing JSONWriter, _ body: (JSONValue) -> R) -> R? {
    writer.withBytes { bytes in
      let document = try? JSONDocument(parsing: bytes, maxDepth: Int(UInt32.max), keepsReals: true)
      guard let document else { return nil }
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
  /// Whether a check can look at the JSON value of this kind that the slot was read from.
  fileprivate func isOfKind(_ kind: JSONValue.Kind) -> Bool {
    switch self.kind {
    case .boolean: kind == .boolean
    case .integer, .unsigned: kind == .integer
    case .number, .decimal: kind == .integer || kind == .number
    case .string: kind == .string
    default: true
    }
  }
}

extension JSONValue {
  fileprivate func inner(_ steps: [JSONPath.Step]) -> JSONValue? {
    steps.reduce(self) { value, step in
      guard case .index(let index) = step, let elements = value?.elements else { return nil }
      return elements.indices.contains(index) ? elements[index] : nil
    }
  }
}
