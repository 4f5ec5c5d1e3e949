internal import CFastMap

/// Lists of scalars: each element is a value of one type, and the list is stored as JSON.
extension AttributeType {
  /// The type of the elements; nil for a type that is no list.
  package var element: AttributeType? { if case .list(let element) = self { element } else { nil } }

  /// Finds the first element that is no value of a list's element type.
  ///
  /// - Parameters:
  ///   - value: A value that should be an array.
  ///   - takesNull: Whether null is an element, as it is where a key path with `[]` found nothing.
  package func misfit(amongElementsOf value: JSONValue, takesNull: Bool) -> TypeMismatch? {
    guard let element else { return nil }
    guard let values = value.elements else { return TypeMismatch(expected: expectation, value: value) }
    for (index, value) in values.enumerated() {
      if takesNull && value.isNull || element.reads(value) { continue }
      let expected = AttributeDefinition("element", element).expectation(for: value)
      return TypeMismatch(steps: [.index(index)], expected: expected, value: value)
    }
    return nil
  }

  /// Writes a list with each element as its type has it. An element that cannot be one is written as it is.
  func writeElements(of value: JSONValue, isLenient: Bool, to writer: inout JSONWriter) {
    guard let element, let values = value.elements else {
      return writer.append(value.node, value.bigIntegers)
    }
    writer.beginArray()
    for value in values {
      if element == .decimal, !isLenient || value.string != "" {
        writer.append(decimal: value)
      } else if !isLenient || value.isNull || element.reads(value) {
        writer.append(value.node, value.bigIntegers)
      } else if value.string == "", element.kind != .string {
        writer.null()
      } else {
        element.writeConverted(value, takesUnsigned: false, to: &writer)
      }
    }
    writer.endArray()
  }

  /// Writes a value as a store keeps it.
  package func write(_ value: JSONValue, to writer: inout JSONWriter) {
    if element == .decimal { return writeElements(of: value, isLenient: false, to: &writer) }
    writer.append(value.node, value.bigIntegers, keepsReals: true)
  }

  /// Whether a value is one of the type.
  package func reads(_ value: JSONValue) -> Bool {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    if value.isNull { return false }
    convert(value, takesUnsigned: false, to: &slot, &arena)
    return slot.tag != FASTMAP_NULL
  }

  /// Writes a value of another kind as a lenient attribute reads it; as it is where that is impossible.
  func writeConverted(_ value: JSONValue, takesUnsigned: Bool, to writer: inout JSONWriter) {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    convert(value, takesUnsigned: takesUnsigned, isLenient: true, to: &slot, &arena)
    let isRead = slot.tag != FASTMAP_MISSING && slot.tag != FASTMAP_NULL
    guard isRead, writer.append(slot, as: numericForm) else {
      return writer.append(value.node, value.bigIntegers)
    }
  }

  /// The form of a date that was a number in a string; plain for every other type.
  private var numericForm: JSONWriter.Form {
    guard case .date(let format) = self else { return .plain }
    for format in format.all {
      if case .epoch = format { return .epoch }
      if case .epochMilliseconds = format { return .epochMilliseconds }
    }
    return .plain
  }
}

extension AttributeRules {
  /// The conditions on a list.
  mutating func addElements(of type: AttributeType, at keyPath: JSONKeyPath) {
    guard type.element != nil else { return }
    misfit = { type.misfit(amongElementsOf: $0, takesNull: keyPath.isEach) }
    writeElements = { type.writeElements(of: $0, isLenient: $1, to: &$2) }
  }
}

extension AttributeDefinition {
  /// Whether it is a list of decimals. Each element is stored as a number with its digits.
  package var hasDecimalElements: Bool { rules.hasDecimalElements || type.element == .decimal }
}

extension JSONWriter {
  /// Writes an element of a list of decimals: a number with its digits, also where a string has it. Another value stays as it is.
  package mutating func append(decimal element: JSONValue) {
    if let decimal = element.string.flatMap({ DecimalNumber($0) }) { return value(decimal) }
    append(element.node, element.bigIntegers, keepsReals: true)
  }
}
