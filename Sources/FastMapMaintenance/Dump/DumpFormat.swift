internal import CFastMap

// A dump is NDJSON: a header, each object followed by its lists, and a last line. See docs/DUMP.md.
//
//     {"fastmapDump":1,"entities":[{"name":"Person","key":"id","objects":2,"fields":[…]}]}
//     {"entity":"Person","object":1,"values":{"id":7,"name":"Ada","boss":2}}
//     {"entity":"Person","object":1,"list":"friends","targets":[2,1]}
//     {"entity":"Person","object":2,"values":{"id":9}}
//     {"end":true,"objects":2,"targets":2,"checksum":"1f0c33b5"}

/// Definitions shared by dumping and loading.
enum DumpFormat {
  static let version: Int64 = 1
  static let mostEntities = 0xFFFF
  static let mostIndexes = 0xFFFF
  static let longestName = 0xFFFF
  /// The maximum number of targets per line, so that a long list takes little memory.
  static let targetsPerLine = 1000

  /// The CRC-32C of the preceding lines, as text.
  static func text(of checksum: UInt32) -> String {
    let digits = String(checksum, radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }

  static func text(ofBits number: Double) -> String {
    let digits = String(number.bitPattern, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Writes the value of an attribute so that it reads back bit for bit.
  static func write(_ slot: fastmap_slot, to writer: inout JSONWriter) {
    switch slot.kind {
    case .boolean: writer.boolean(slot.integer != 0)
    case .integer: writer.integer(slot.integer)
    case .unsigned: writer.string(String(UInt64(bitPattern: slot.integer)))
    case .number:
      if slot.number.isFinite { writer.number(slot.number) } else { writer.string(text(ofBits: slot.number)) }
    case .string, .json, .decimal:
      writer.string(UnsafeBufferPointer(start: slot.bytes, count: Int(slot.length)))
    case .date:
      writer.beginArray()
      writer.integer(slot.integer)
      writer.integer(Int64(slot.length))
      writer.endArray()
    case .data:
      guard let bytes = slot.bytes, slot.length > 0 else { return writer.string("") }
      let room = fastmap_base64_encoded_length(Int(slot.length))
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { text in
        guard let start = text.baseAddress else { return }
        let count = fastmap_base64_encode(bytes, Int(slot.length), start)
        start.withMemoryRebound(to: UInt8.self, capacity: room) {
          writer.string(UnsafeBufferPointer(start: $0, count: count))
        }
      }
    case .missing, .null, .node, .target, .targets: writer.null()
    }
  }

  /// Reads a value that `write` wrote into a field of a row.
  ///
  /// - Returns: False if it is not a value of the kind.
  static func read(
    _ value: JSONValue, as kind: AttributeKind, into row: inout RowBuffer, at field: Int
  ) -> Bool {
    if kind == .string || kind == .json, let text = value.node.text {
      row.copy(.bytes(UnsafeRawBufferPointer(text), as: kind == .json ? .json : .string), at: field)
      return true
    }
    guard let read = self.value(value, as: kind) else { return false }
    row.set(read, at: field)
    return true
  }

  private static func value(_ value: JSONValue, as kind: AttributeKind) -> Value? {
    switch kind {
    case .boolean: return value.boolean.map { .boolean($0) }
    case .integer:
      if let integer = value.integer { return .integer(integer) }
      guard let text = value.string, let number = UInt64(text), number > UInt64(Int64.max),
        String(number) == text
      else { return nil }
      return .unsigned(number)
    case .number:
      if let number = value.number { return .number(number) }
      guard let text = value.string, text.utf8.count == 16, let bits = UInt64(text, radix: 16) else {
        return nil
      }
      return .number(Double(bitPattern: bits))
    case .string, .json: return nil
    case .decimal: return value.string.flatMap { DecimalNumber($0) }.map { .decimal($0) }
    case .date:
      guard let parts = value.elements, parts.count == 2, let seconds = parts[0].integer,
        let nanoseconds = parts[1].integer, 0..<1_000_000_000 ~= nanoseconds
      else { return nil }
      return .date(Timestamp(seconds: seconds, nanoseconds: UInt32(nanoseconds)))
    case .data:
      guard var text = value.string else { return nil }
      return text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { text in
          var bytes = [UInt8](repeating: 0, count: max(1, fastmap_base64_decoded_max(text.count)))
          var count = 0
          guard let start = text.baseAddress else { return .data([]) }
          guard fastmap_base64_decode(start, text.count, &bytes, &count) else { return nil }
          return .data(Array(bytes[..<count]))
        }
      }
    }
  }
}
