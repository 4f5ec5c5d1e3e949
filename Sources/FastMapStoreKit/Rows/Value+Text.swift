internal import CFastMap

extension Value {
  /// The value in messages. Strings are quoted and cut, data is base64.
  package var messageText: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    case .decimal(let value): value.text
    case .string(let text): quoted(text)
    case .date(let date): date.iso8601.map { quoted($0) } ?? date.text
    case .data(let bytes): "\"\(beginning(of: base64(of: bytes), most: 80))\""
    case .json(let text): beginning(of: text, most: 80)
    }
  }
}

private func base64(of bytes: [UInt8]) -> String {
  // Whole groups of three, of which the message has the beginning.
  let start = Array(bytes.prefix(90))
  return String(unsafeUninitializedCapacity: fastmap_base64_encoded_length(start.count)) { text in
    text.withMemoryRebound(to: CChar.self) { text in
      text.baseAddress.map { fastmap_base64_encode(start, start.count, $0) } ?? 0
    }
  }
}

extension Timestamp {
  /// The date in messages: ISO 8601, and outside its years the seconds.
  package var text: String { iso8601 ?? "\(seconds) s" }

  fileprivate var iso8601: String? {
    let instant = fastmap_instant(seconds: seconds, nanoseconds: nanoseconds)
    let text = String(unsafeUninitializedCapacity: 40) { text in
      text.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { fastmap_date_format_iso8601(instant, $0) } ?? 0
      }
    }
    return text.isEmpty ? nil : text
  }
}
