internal import CFastMap

// The kinds of a filter's literals, and the text of terms in messages.

extension FilterTerm {
  /// For messages: `@.age`, or `"abc"`.
  package var text: String {
    switch self {
    case .literal(let literal, _): literal.text
    case .path(let path): path.names()
    case .length(let inner): "length(\(inner.text))"
    case .lowercased(let inner): "lower(\(inner.text))"
    case .count(let path): "count(\(path.names()))"
    case .value(let path): "value(\(path.names()))"
    }
  }
}

extension FilterLiteral {
  /// A whole number is an integer.
  package var value: Value {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
    case .number(let value):
      Int64(exactly: value).map { .integer($0) } ?? UInt64(exactly: value).map { .unsigned($0) }
        ?? .number(value)
    case .decimal(let value):
      value.place == IntegerPlace(value.nearest)
        ? FilterLiteral.number(value.nearest).value : .number(value.nearest)
    case .string(let value): .string(value)
    case .date(let value): .date(value)
    case .data(let value): .data(value)
    }
  }

  /// The value beside JSON, whose numbers have all their digits.
  var valueInJSON: Value {
    if case .decimal(let decimal) = self, let exact = decimal.exact { .decimal(exact) } else { value }
  }

  var kind: FilterKind {
    switch self {
    case .null: .null
    case .boolean: .value(.boolean)
    case .integer, .unsigned: .value(.integer)
    case .number, .decimal: .value(.number)
    case .string: .value(.string)
    case .date: .value(.date)
    case .data: .value(.data)
    }
  }

  /// For messages.
  package var text: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): FilterPrinter.text(of: value)
    case .decimal(let value): value.text
    case .string(let value): quoted(value)
    case .date: "a date"
    case .data: "data"
    }
  }
}

extension Timestamp {
  init?(iso8601 text: String) {
    var text = text
    var instant = fastmap_instant()
    let isRead = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        fastmap_date_parse_iso8601($0.baseAddress, $0.count, &instant)
      }
    }
    guard isRead else { return nil }
    self.init(seconds: instant.seconds, nanoseconds: instant.nanoseconds)
  }
}

/// The bytes of base64; nil for other text.
func base64(_ text: String) -> [UInt8]? {
  var text = text
  return text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) { characters in
      var isRead = false
      let data = [UInt8](unsafeUninitializedCapacity: max(1, fastmap_base64_decoded_max(characters.count))) {
        isRead = fastmap_base64_decode(characters.baseAddress, characters.count, $0.baseAddress, &$1)
        if !isRead { $1 = 0 }
      }
      return isRead ? data : nil
    }
  }
}
