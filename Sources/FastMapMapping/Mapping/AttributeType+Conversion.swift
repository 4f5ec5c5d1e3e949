package import CFastMap

extension AttributeType {
  /// Converts a stored value of another kind to this type, as an attribute reads its JSON.
  ///
  /// - Parameter value: A value of another kind; dates stand for their ISO 8601 form, data for its base64.
  /// - Returns: A value that means the same; nil if there is none.
  package func converted(_ value: Value) -> Value? {
    var writer = JSONWriter()
    guard (try? writer.value(value)) != nil else { return nil }
    return writer.withBytes { bytes in
      guard let document = try? JSONDocument(parsing: bytes, keepsReals: true) else { return nil }
      var slot = fastmap_slot()
      var arena = fastmap_arena()
      defer { fastmap_arena_free(&arena) }
      document.withRoot { root in
        convert(JSONValue(root, document.bigIntegers), takesUnsigned: true, to: &slot, &arena)
      }
      return slot.value.flatMap { $0 == .null ? nil : $0 }
    }
  }

  /// Reads a JSON value as this type; null where it is of another.
  package func convert(
    _ value: JSONValue, takesUnsigned: Bool, isLenient: Bool = false, to slot: inout fastmap_slot,
    _ arena: inout fastmap_arena
  ) {
    slot = fastmap_slot()
    if kind == .json {
      if misfit(amongElementsOf: value, takesNull: false) != nil {
        slot.tag = UInt8(FASTMAP_NULL)
        return
      }
      var writer = JSONWriter()
      write(value, to: &writer)
      var field = FieldWriter(&slot, &arena)
      writer.withBytes { field.set(json: $0) }
      return
    }
    for (code, pattern) in codes {
      var text = Array((pattern ?? "").utf8CString)
      let length = UInt32(text.count - 1)
      let isConverted = text.withUnsafeMutableBufferPointer { text in
        var attribute = fastmap_plan_attribute()
        attribute.type = UInt8(code)
        attribute.pattern = UnsafePointer(text.baseAddress)
        attribute.pattern_length = length
        if takesUnsigned { attribute.flags |= UInt8(FASTMAP_ATTRIBUTE_UNSIGNED) }
        if isLenient { attribute.flags |= UInt8(FASTMAP_ATTRIBUTE_LENIENT) }
        let table = value.bigIntegers?.pointer
        return fastmap_convert(&arena, &attribute, table, value.node.pointer, &slot) == FASTMAP_CONVERTED
      }
      if isConverted {
        if slot.tag == FASTMAP_NODE {  // a real for a string or a decimal
          var field = FieldWriter(&slot, &arena)
          if self != .decimal {
            field.set(string: value.text)
          } else if let decimal = value.decimal {
            field.set(decimal: decimal)
          } else {
            field.setNull()
          }
        }
        return
      }
    }
    slot = fastmap_slot()
    slot.tag = UInt8(FASTMAP_NULL)
  }

  /// The walk's code of the type, and the pattern of a date. A date of several formats has several, in their order.
  var codes: [(type: Int, pattern: String?)] {
    switch self {
    case .boolean: [(FASTMAP_TYPE_BOOLEAN, nil)]
    case .integer: [(FASTMAP_TYPE_INTEGER, nil)]
    case .number: [(FASTMAP_TYPE_NUMBER, nil)]
    case .decimal: [(FASTMAP_TYPE_DECIMAL, nil)]
    case .string: [(FASTMAP_TYPE_STRING, nil)]
    case .data: [(FASTMAP_TYPE_DATA, nil)]
    case .json, .list: [(FASTMAP_TYPE_NODE, nil)]
    case .date(let format): format.all.map(\.code)
    }
  }
}

extension AttributeType.DateFormat {
  /// The code of a single format.
  fileprivate var code: (type: Int, pattern: String?) {
    switch self {
    case .iso8601, .anyOf: (FASTMAP_TYPE_DATE_ISO8601, nil)
    case .epoch: (FASTMAP_TYPE_DATE_EPOCH, nil)
    case .epochMilliseconds: (FASTMAP_TYPE_DATE_EPOCH_MS, nil)
    case .pattern(let pattern): (FASTMAP_TYPE_DATE_PATTERN, pattern)
    }
  }
}
