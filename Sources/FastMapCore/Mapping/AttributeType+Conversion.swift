internal import CFastMap

extension AttributeType {
  /// A stored value of another kind as a value of this type: what an attribute that is lenient reads of its JSON.
  /// A string becomes a boolean where it is `true` or `false`, and everything else a string by its JSON text.
  ///
  /// - Parameter value: Of another kind; dates stand for their ISO 8601 form, data for its base64.
  /// - Returns: A value that means the same; null for null.
  /// - Throws: ``TransformError`` where there is none: `expected an integer, found the string "abc"`.
  package func converted(_ value: Value) throws(TransformError) -> Value {
    if value == .null { return .null }
    var writer = JSONWriter()
    do { try writer.value(value) } catch { throw TransformError(error.reason) }
    let outcome: Result<Value, TransformError> = writer.withBytes { bytes in
      do {
        let document = try JSONDocument(parsing: bytes)
        return document.withRoot { convert(JSONValue($0, document.bigIntegers), for: value) }
      } catch { return .failure(TransformError("\(error)")) }
    }
    return try outcome.get()
  }

  private func convert(_ json: JSONValue, for value: Value) -> Result<Value, TransformError> {
    if case .json = self { return .success(.json(json.text)) }
    if json.isNull, case .json = value { return .success(.null) }
    if let found = read(json) { return .success(found) }
    let expected =
      self == .number && json.number != nil ? "a number that a Double holds exactly" : expectation
    return .failure(TransformError("expected \(expected), found \(json.found)"))
  }

  private func read(_ json: JSONValue) -> Value? {
    switch (self, json.kind) {
    case (_, .null): return nil  // no text of JSON says what the value is, as for a number that is none
    case (.string, _): return .string(json.string ?? json.text)
    case (.boolean, .string): return Self.booleans[json.string ?? ""]
    case (.number, .integer): return json.integer.flatMap { Double(exactly: $0) }.map { .number($0) }
    case (.number, .number) where json.digits != nil: return nil
    default:
      var slot = fastmap_slot()
      var arena = fastmap_arena()
      defer { fastmap_arena_free(&arena) }
      convert(json, takesUnsigned: true, isLenient: true, to: &slot, &arena)
      return slot.value.flatMap { $0 == .null ? nil : $0 }
    }
  }

  private static let booleans: [String: Value] = ["true": .boolean(true), "false": .boolean(false)]
}
