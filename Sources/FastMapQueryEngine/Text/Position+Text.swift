internal import CFastMap

// The text of a position: "p", and in base64 for URLs
//
//     version, query, number of values, values, key, CRC-32C of all these

private let version = 2

private func checksum(_ bytes: [UInt8]) -> UInt32 {
  bytes.withUnsafeBytes { fastmap_crc32c(0, $0.baseAddress, $0.count) }
}

/// Writes the text of a position.
struct PositionWriter {
  private let bytes: [UInt8]

  static func text(of position: Position) -> String {
    var record = RecordBytes()
    record.add(version)
    record.add(Int(bitPattern: UInt(position.query)))
    record.add(position.values.count)
    for value in position.values {
      if case .json(let text) = value { record.add(.string(text)) } else { record.add(value) }
    }
    record.add(position.key)
    let sum = checksum(record.bytes).littleEndian
    return "p" + PositionWriter(bytes: record.bytes + withUnsafeBytes(of: sum) { Array($0) }).base64
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
enum PositionReader {
  /// Nil for any other text.
  package static func position(_ text: String) -> Position? {
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
    var record = RecordBytes(Array(bytes.dropLast(4)))
    let sum = bytes.suffix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard sum == checksum(record.bytes), record.integer() == version else { return nil }
    let query = UInt64(UInt(bitPattern: record.integer()))
    let count = record.integer()
    guard (0...record.bytes.count).contains(count) else { return nil }
    let values = (0..<count).map { _ in record.value() }
    guard let key = record.key(), record.isWhole, record.isAtEnd else { return nil }
    return Position(query: query, values: values, key: key)
  }
}
