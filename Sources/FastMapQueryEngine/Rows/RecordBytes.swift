/// The bytes of one record, written and read in one order.
///
///     var record = RecordBytes()
///     record.add("ada@example.org")
///     let email = record.string()
///
/// An integer has seven bits a byte, the lowest first. All bytes but the last have the highest bit.
package struct RecordBytes {
  package var bytes: [UInt8]
  /// Where the next part begins.
  package private(set) var place = 0
  /// Whether each part was read as it was written. Damaged parts are read as 0 and as empty.
  package private(set) var isWhole = true

  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  package init(length: Int) {
    bytes = []
    add(length)
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func markDamaged() { isWhole = false }

  package mutating func add(_ integer: Int) {
    var rest = UInt(bitPattern: integer)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func integer() -> Int {
    var (integer, shift): (UInt, UInt) = (0, 0)
    while shift < UInt.bitWidth, place < bytes.count {
      let byte = bytes[place]
      place += 1
      integer |= UInt(byte & 0x7F) << shift
      if byte < 0x80 { return Int(bitPattern: integer) }
      shift += 7
    }
    markDamaged()
    return 0
  }

  package mutating func add(_ text: String) { add(Array(text.utf8)) }

  package mutating func string() -> String { String(decoding: data(), as: UTF8.self) }

  package mutating func add(_ data: [UInt8]) {
    add(data.count)
    bytes += data
  }

  mutating func data() -> ArraySlice<UInt8> {
    let count = integer()
    guard count >= 0, count <= bytes.count - place else {
      markDamaged()
      return []
    }
    defer { place += count }
    return bytes[place..<place + count]
  }
}
