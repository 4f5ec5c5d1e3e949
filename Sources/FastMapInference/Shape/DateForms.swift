internal import CFastMap

/// The forms of dates that inference knows. A form stays for a place while every value survives a round trip.
enum DateForms {
  /// As the mapping file writes them. Earlier ones are preferred.
  static let names = [
    "iso8601", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S %z",
    "%Y-%m-%d %H:%M:%S %Z", "%a %b %d %H:%M:%S %z %Y", "%a, %d %b %Y %H:%M:%S GMT",
    "%a, %d %b %Y %H:%M:%S %z", "%a %b %e %H:%M:%S %Y", "%d.%m.%Y", "%Y/%m/%d", "%Y/%m/%d %H:%M:%S",
    "%d %b %Y", "%b %d, %Y", "%B %d, %Y", "%d %B %Y", "%d-%b-%Y", "%d/%m/%Y", "%m/%d/%Y",
  ]

  private static let patterns = names.map { Array($0.utf8) }
  static let all = UInt32((1 << names.count) - 1)

  /// The forms among `mask` in which a text survives: written again, it is the same text. ISO 8601 may lose zeros at the end of
  /// the fraction.
  static func surviving(_ mask: UInt32, _ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
    guard text.count >= 8, text.count <= 40, let first = text.first, isStart(first) else { return 0 }
    var rest = mask
    var result: UInt32 = 0
    while rest != 0 {
      let form = rest.trailingZeroBitCount
      rest &= rest - 1
      if survives(text, form) { result |= 1 << form }
    }
    return result
  }

  private static func isStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func survives(_ text: UnsafeBufferPointer<UInt8>, _ form: Int) -> Bool {
    var instant = fastmap_instant()
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
      text.withMemoryRebound(to: CChar.self) { text in
        if form == 0 {
          guard fastmap_date_parse_iso8601(text.baseAddress, text.count, &instant),
            let start = room.baseAddress
          else { return false }
          let count = fastmap_date_format_iso8601(instant, start)
          return isSame(text, UnsafeBufferPointer(rebasing: room[..<count]))
        }
        return patterns[form].withUnsafeBufferPointer { pattern in
          pattern.withMemoryRebound(to: CChar.self) { pattern in
            guard
              fastmap_date_parse_pattern(
                pattern.baseAddress, pattern.count, text.baseAddress, text.count, &instant)
            else { return false }
            let count = fastmap_date_format_pattern(
              pattern.baseAddress, pattern.count, instant, room.baseAddress, room.count)
            return count == text.count && zip(text, room).allSatisfy { $0 == $1 }
          }
        }
      }
    }
  }

  /// Whether a text in ISO 8601 is the written one, but for zeros at the end of a fraction and `+00:00` for `Z`.
  private static func isSame(_ text: UnsafeBufferPointer<CChar>, _ written: UnsafeBufferPointer<CChar>)
    -> Bool
  {
    var body = text[...]
    let zero = CChar(bitPattern: UInt8(ascii: "0"))
    if body.last == CChar(bitPattern: UInt8(ascii: "Z")) {
      body = body.dropLast()
    } else if body.suffix(6).elementsEqual("+00:00".utf8.map { CChar(bitPattern: $0) }) {
      body = body.dropLast(6)
    } else {
      return false
    }
    if let point = body.firstIndex(of: CChar(bitPattern: UInt8(ascii: "."))) {
      while body.endIndex > point + 1, body.last == zero { body = body.dropLast() }
      if body.endIndex == point + 1 { body = body.dropLast() }
    }
    return body.elementsEqual(written.dropLast())
  }

  /// The form for a place; nil if none survived, or if days and months cannot be told apart.
  static func chosen(_ mask: UInt32) -> String? {
    guard mask != 0 else { return nil }
    let form = mask.trailingZeroBitCount
    let isAmbiguous = names[form] == "%d/%m/%Y" && mask.nonzeroBitCount > 1
    return isAmbiguous ? nil : names[form]
  }
}
