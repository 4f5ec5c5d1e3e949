internal import CFastMap

// The text of a position: "p", and in base64 for URLs
//
//     version, query, number of values, values, key, CRC-32C of all these
//
// A value is its kind and its bytes, integers with the least byte first.

private enum Kind {
  static let none: UInt8 = 0
  static let no: UInt8 = 1
  static let yes: UInt8 = 2
  static let integer: UInt8 = 3
  static let unsigned: UInt8 = 4
  static let number: UInt8 = 5
  static let string: UInt8 = 6
  static let date: UInt8 = 7
  static let data: UInt8 = 8
  static let decimal: UInt8 = 9
}

private let version: UInt8 = 1

private func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
  Array(bytes).withUnsafeBytes { fastmap_crc32c(0, $0.baseAddress, $0.count) }
}

/// Writes the text of a position.
struct PositionWriter {
  private var bytes: [UInt8] = [version]

  static func text(of position: Position) -> String {
    var writer = PositionWriter()
    writer.append(position.query)
    writer.append(UInt32(position.values.count))
    for value in position.values { writer.append(value) }
    switch position.key {
    case .integer(let key): writer.append(.integer(key))
    case .string(let key): writer.append(.string(key))
    }
    writer.append(checksum(writer.bytes))
    return "p" + writer.base64
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .null: bytes.append(Kind.none)
    case .boolean(let value): bytes.append(value ? Kind.yes : Kind.no)
    case .integer(let value): append(Kind.integer, value)
    case .unsigned(let value): append(Kind.unsigned, value)
    case .number(let value): append(Kind.number, value.bitPattern)
    case .decimal(let value): append(Kind.decimal, Array(value.text.utf8))
    case .string(let text), .json(let text): append(Kind.string, Array(text.utf8))
    case .date(let date):
      append(Kind.date, date.seconds)
      append(date.nanoseconds)
    case .data(let data): append(Kind.data, data)
    }
  }

  private mutating func append(_ kind: UInt8, _ value: some FixedWidthInteger) {
    bytes.append(kind)
    append(value)
  }

  private mutating func append(_ kind: UInt8, _ content: [UInt8]) {
    append(kind, UInt32(content.count))
    bytes.append(contentsOf: content)
  }

  /// The alphabet for URLs (RFC 4648, section 5), without padding.
  private var base64: String {
    let count = fastmap_base64_encoded_length(bytes.count)
    return String(unsafeUninitializedCapacity: count) { text in
      text.withMemoryRebound(to: CChar.self) { _ = fastmap_base64_encode(bytes, bytes.count, $0.baseAddress) }
      for index in 0..<count {
        switch text[index] {
        case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
        case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
        case UInt8(ascii: "="): return index
        default: break
        }
      }
      return count
    }
  }
}

/// Reads the text of a position.
struct PositionReader {
  private var rest: ArraySlice<UInt8>

  /// Nil for any other text.
  static func position(_ text: String) -> Position? {
    guard text.utf8.first == UInt8(ascii: "p") else { return nil }
    let standard = text.dropFirst().utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): 0  // in no position
      default: byte
      }
    }
    guard let bytes = base64(String(decoding: standard, as: UTF8.self)), bytes.count > 4 else { return nil }
    var sum = PositionReader(rest: bytes.suffix(4))
    guard sum.integer(UInt32.self) == checksum(bytes.dropLast(4)) else { return nil }
    var reader = PositionReader(rest: bytes.dropLast(4))
    return reader.position()
  }

  private mutating func position() -> Position? {
    guard integer(UInt8.self) == version, let query = integer(UInt64.self), let count = integer(UInt32.self)
    else { return nil }
    var values: [Value] = []
    for _ in 0..<count {
      guard let value = value() else { return nil }
      values.append(value)
    }
    guard let value = value(), let key = PrimaryKey(value), rest.isEmpty else { return nil }
    return Position(query: query, values: values, key: key)
  }

  private mutating func value() -> Value? {
    switch integer(UInt8.self) {
    case Kind.none: .null
    case Kind.no: .boolean(false)
    case Kind.yes: .boolean(true)
    case Kind.integer: integer(Int64.self).map { .integer($0) }
    case Kind.unsigned: integer(UInt64.self).map { .unsigned($0) }
    case Kind.number: integer(UInt64.self).map { .number(Double(bitPattern: $0)) }
    case Kind.string: content().flatMap { String(validating: $0, as: UTF8.self) }.map { .string($0) }
    case Kind.decimal:
      content().flatMap { DecimalNumber(String(decoding: $0, as: UTF8.self)) }.map { .decimal($0) }
    case Kind.date: date()
    case Kind.data: content().map { .data($0) }
    default: nil
    }
  }

  private mutating func date() -> Value? {
    guard let seconds = integer(Int64.self), let nanoseconds = integer(UInt32.self),
      nanoseconds < 1_000_000_000
    else { return nil }
    return .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  private mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    let size = MemoryLayout<Integer>.size
    guard rest.count >= size else { return nil }
    defer { rest = rest.dropFirst(size) }
    return rest.prefix(size).enumerated().reduce(0) {
      $0 | Integer(truncatingIfNeeded: $1.element) << (8 * $1.offset)
    }
  }

  private mutating func content() -> [UInt8]? {
    guard let count = integer(UInt32.self), count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }
}
