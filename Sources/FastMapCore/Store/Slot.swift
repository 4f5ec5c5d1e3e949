package import CFastMap

extension fastmap_slot {
  /// The bytes of a string, of data or of JSON text.
  package var span: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: Int(length)) }

  package mutating func set(_ tag: Int, integer: Int64) {
    self.tag = UInt8(tag)
    self.integer = integer
  }

  package var instant: Timestamp { Timestamp(seconds: integer, nanoseconds: length) }

  /// A copy of an attribute's value; nil if it is missing or a relationship.
  package var value: Value? {
    switch Int(tag) {
    case FASTMAP_NULL: .null
    case FASTMAP_BOOLEAN: .boolean(integer != 0)
    case FASTMAP_INTEGER: .integer(integer)
    case FASTMAP_UNSIGNED: .unsigned(UInt64(bitPattern: integer))
    case FASTMAP_NUMBER: .number(number)
    case FASTMAP_STRING: .string(String(decoding: span, as: UTF8.self))
    case FASTMAP_DATE: .date(instant)
    case FASTMAP_DATA: .data(Array(span))
    case FASTMAP_JSON: .json(String(decoding: span, as: UTF8.self))
    default: nil
    }
  }

  /// Whether two attribute values are equal bit for bit.
  package func isIdentical(to other: fastmap_slot) -> Bool {
    guard tag == other.tag else { return false }
    switch Int(tag) {
    case FASTMAP_MISSING, FASTMAP_NULL: return true
    case FASTMAP_DATE: return integer == other.integer && length == other.length
    case FASTMAP_STRING, FASTMAP_DATA, FASTMAP_JSON: return span.elementsEqual(other.span)
    default: return integer == other.integer
    }
  }
}
