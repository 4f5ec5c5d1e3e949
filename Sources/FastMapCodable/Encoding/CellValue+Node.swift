internal import CFastMap

extension Bool {
  func node(_ encoder: ValueEncoder, _ step: (any CodingKey)?) -> JSONNode { encoder.builder.boolean(self) }
}

extension String {
  func node(_ encoder: ValueEncoder, _ step: (any CodingKey)?) -> JSONNode { encoder.builder.string(self) }
}

extension Double {
  func node(_ encoder: ValueEncoder, _ step: (any CodingKey)?) throws -> JSONNode {
    if !isFinite { throw encoder.refusal(of: self, at: step, "JSON has no number for \(self)") }
    return encoder.builder.real(self)
  }
}

extension Float {
  /// The shortest number that is read as the same one.
  func node(_ encoder: ValueEncoder, _ step: (any CodingKey)?) throws -> JSONNode {
    try (Double(description) ?? Double(self)).node(encoder, step)
  }
}

extension CellValue where Self: FixedWidthInteger {
  func node(_ encoder: ValueEncoder, _ step: (any CodingKey)?) -> JSONNode {
    Int64(exactly: self).map { encoder.builder.integer($0) } ?? encoder.builder.number("\(self)")
  }
}

extension ValueEncoder {
  /// The node of a value in the form that it has in a mapping.
  func node<V: AttributeValue>(ofAttribute value: V, at step: (any CodingKey)?) throws -> JSONNode {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        var field = FieldWriter(slot, arena)
        value.write(to: &field)
      }
    }
    switch Field(slot).value {
    case .boolean(let value): return builder.boolean(value)
    case .integer(let value): return builder.integer(value)
    case .unsigned(let value): return value.node(self, step)
    case .number(let value): return try value.node(self, step)
    case .decimal(let value): return builder.number(value.text)
    case .string(let value): return builder.string(value)
    case .json(let text):
      return builder.copy(try text.withJSON { try JSONDocument(parsing: $0, keepsReals: true) })
    case .date, .data: return try text(of: slot, value, at: step)
    case .null, nil: return builder.null()
    }
  }

  /// A date or data as the text that JSON has.
  private func text(of slot: fastmap_slot, _ value: Any, at step: (any CodingKey)?) throws -> JSONNode {
    var writer = JSONWriter()
    guard writer.append(slot, as: .plain) else {
      throw refusal(of: value, at: step, "ISO 8601 has no date for \(value)")
    }
    // Neither has characters that JSON escapes.
    return writer.bytes.withUnsafeBufferPointer { builder.string(.init(rebasing: $0.dropFirst().dropLast())) }
  }
}
