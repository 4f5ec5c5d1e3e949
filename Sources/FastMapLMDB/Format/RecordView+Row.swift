internal import CFastMap

extension RecordView {
  /// Decodes fields into the slots of a row, which then borrow the bytes of the record.
  ///
  /// Every read of whole objects and every scan with a filter run this loop. The loop writes each part of a slot where
  /// it belongs, because a slot that is made first and then copied takes three times the instructions.
  ///
  /// - Parameters:
  ///   - slots: All are missing.
  ///   - places: For each field, its place among the slots, or -1. Fields beyond are not decoded.
  /// - Returns: False if the record is incomplete.
  func decode(into slots: UnsafeMutablePointer<fastmap_slot>, _ places: UnsafeBufferPointer<Int>) -> Bool {
    typealias Tag = RecordFormat.Tag
    guard let start = bytes.baseAddress else { return false }
    let tags = start + RecordFormat.headerSize
    var at = start + valuesOffset
    let end = start + bytes.count
    for field in 0..<min(fieldCount, places.count) {
      let tag = tags.load(fromByteOffset: field, as: UInt8.self)
      let place = places[field]
      let room = end - at
      switch tag {
      case Tag.absent:
        continue
      case Tag.key:
        if place >= 0 { slots[place] = key.slot }
      case Tag.isFalse, Tag.isTrue:
        Self.put(FASTMAP_BOOLEAN, tag == Tag.isTrue ? 1 : 0, slots, place)
      case Tag.integer8:
        guard room >= 1 else { return false }
        Self.put(FASTMAP_INTEGER, Int64(at.load(as: Int8.self)), slots, place)
        at += 1
      case Tag.integer16:
        guard room >= 2 else { return false }
        Self.put(FASTMAP_INTEGER, Int64(Self.load(Int16.self, at)), slots, place)
        at += 2
      case Tag.integer32:
        guard room >= 4 else { return false }
        Self.put(FASTMAP_INTEGER, Int64(Self.load(Int32.self, at)), slots, place)
        at += 4
      case Tag.integer64:
        guard room >= 8 else { return false }
        Self.put(FASTMAP_INTEGER, Self.load(Int64.self, at), slots, place)
        at += 8
      case Tag.unsigned64:
        guard room >= 8 else { return false }
        Self.put(FASTMAP_UNSIGNED, Self.load(Int64.self, at), slots, place)
        at += 8
      case Tag.number:
        guard room >= 8 else { return false }
        Self.put(FASTMAP_NUMBER, Self.load(Int64.self, at), slots, place)
        at += 8
      case Tag.seconds:
        guard room >= 8 else { return false }
        Self.put(FASTMAP_DATE, Self.load(Int64.self, at), slots, place)
        at += 8
      case Tag.target:
        guard room >= 8 else { return false }
        Self.put(FASTMAP_TARGET, Self.load(Int64.self, at), slots, place)
        at += 8
      case Tag.nanoseconds:
        guard room >= 12 else { return false }
        Self.put(FASTMAP_DATE, Self.load(Int64.self, at), slots, place)
        if place >= 0 { slots[place].length = Self.load(UInt32.self, at + 8) }
        at += 12
      case Tag.string8:
        guard let next = Self.put(FASTMAP_STRING, UInt8.self, at, room, slots, place) else { return false }
        at = next
      case Tag.string16:
        guard let next = Self.put(FASTMAP_STRING, UInt16.self, at, room, slots, place) else { return false }
        at = next
      case Tag.string32:
        guard let next = Self.put(FASTMAP_STRING, UInt32.self, at, room, slots, place) else { return false }
        at = next
      case Tag.data8:
        guard let next = Self.put(FASTMAP_DATA, UInt8.self, at, room, slots, place) else { return false }
        at = next
      case Tag.data16:
        guard let next = Self.put(FASTMAP_DATA, UInt16.self, at, room, slots, place) else { return false }
        at = next
      case Tag.data32:
        guard let next = Self.put(FASTMAP_DATA, UInt32.self, at, room, slots, place) else { return false }
        at = next
      case Tag.json8:
        guard let next = Self.put(FASTMAP_JSON, UInt8.self, at, room, slots, place) else { return false }
        at = next
      case Tag.json16:
        guard let next = Self.put(FASTMAP_JSON, UInt16.self, at, room, slots, place) else { return false }
        at = next
      case Tag.json32:
        guard let next = Self.put(FASTMAP_JSON, UInt32.self, at, room, slots, place) else { return false }
        at = next
      case Tag.decimal:
        guard let next = Self.put(FASTMAP_DECIMAL, UInt8.self, at, room, slots, place) else { return false }
        at = next
      default:
        return false
      }
    }
    return true
  }

  /// Sets a slot to a value of 8 bytes.
  @inline(__always)
  private static func put(
    _ kind: Int, _ value: Int64, _ slots: UnsafeMutablePointer<fastmap_slot>, _ place: Int
  ) {
    guard place >= 0 else { return }
    slots[place].tag = UInt8(truncatingIfNeeded: kind)
    slots[place].length = 0
    slots[place].integer = value
  }

  /// Sets a slot to bytes, which follow their length.
  ///
  /// - Returns: The place after them; nil if they do not end in the record.
  @inline(__always)
  private static func put<Length: FixedWidthInteger>(
    _ kind: Int, _ type: Length.Type, _ at: UnsafeRawPointer, _ room: Int,
    _ slots: UnsafeMutablePointer<fastmap_slot>, _ place: Int
  ) -> UnsafeRawPointer? {
    let prefix = MemoryLayout<Length>.size
    guard room >= prefix else { return nil }
    let length = Int(load(type, at))
    guard room - prefix >= length else { return nil }
    if place >= 0 {
      slots[place].tag = UInt8(truncatingIfNeeded: kind)
      slots[place].length = UInt32(truncatingIfNeeded: length)
      slots[place].bytes = (at + prefix).assumingMemoryBound(to: UInt8.self)
    }
    return at + prefix + length
  }

  @inline(__always)
  private static func load<T: FixedWidthInteger>(_ type: T.Type, _ at: UnsafeRawPointer) -> T {
    T(littleEndian: at.loadUnaligned(as: T.self))
  }
}
