extension Value {
  /// The value as an attribute of a kind stores it; nil if it has no such value.
  package func stored(as kind: AttributeKind) -> Value? {
    switch (self, kind) {
    case (.integer(let value), .number):
      // Above that, two integers are one number.
      return value.magnitude <= 1 << 53 ? .number(Double(value)) : nil
    case (.integer, .integer), (.unsigned, .integer), (.number, .number), (.string, .string), (.date, .date),
      (.data, .data), (.boolean, .boolean), (.decimal, .decimal):
      return self
    case (.integer(let value), .decimal): return .decimal(DecimalNumber(value))
    case (.unsigned(let value), .decimal): return .decimal(DecimalNumber(value))
    case (.number(let value), .decimal): return DecimalNumber(meaning: value).map { .decimal($0) }
    default: return nil
    }
  }

  /// The value as an attribute of a kind has it; nil if it has another kind.
  package func fitted(to kind: AttributeKind) -> Value? {
    switch (self, kind) {
    case (.unsigned(let value), .integer): return Int64(exactly: value).map { .integer($0) } ?? self
    case (.integer(let value), .number): return Double(exactly: value).map { .number($0) }
    case (.unsigned(let value), .number): return Double(exactly: value).map { .number($0) }
    case (.json(let text), .json):
      let bytes = Array(text.utf8)
      return bytes.withUnsafeBytes { bytes in
        guard let document = try? JSONDocument(parsing: bytes, keepsReals: true) else { return nil }
        return document.withRoot { $0.isNull ? .null : .json(JSONValue($0, document.bigIntegers).keptText) }
      }
    default: return stored(as: kind)
    }
  }

  /// The value in a message.
  package var found: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "the number \(value)"
    case .unsigned(let value): "the number \(value)"
    case .number(let value): "the number \(value)"
    case .decimal(let value): "the decimal \(value)"
    case .string(let text): "the string \(quoted(text))"
    case .date: "a date"
    case .data: "data"
    case .json(let text): "the JSON text \(quoted(text))"
    }
  }
}
