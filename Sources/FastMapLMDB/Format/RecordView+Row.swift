internal import CFastMap

extension RecordView {
  /// Decodes all fields into the slots of a row, which then borrow the bytes of the record.
  ///
  /// The loop takes a third of the instructions of ``forEach(_:)`` and ``slot(_:_:)``, and every read of whole objects runs it.
  ///
  /// - Parameters:
  ///   - slots: All are missing.
  ///   - places: For each field, its place among the slots, or -1. Fields beyond have none.
  /// - Returns: False if the record is incomplete.
  func decode(into slots: UnsafeMutablePointer<fastmap_slot>, _ places: UnsafeBufferPointer<Int>) -> Bool {
    typealias Tag = RecordFormat.Tag
    guard let start = bytes.baseAddress else { return false }
    let tags = start + RecordFormat.headerSize
    var at = start + valuesOffset
    let end = start + bytes.count
    for field in 0..<fieldCount {
      let tag = tags.load(fromByteOffset: field, as: UInt8.self)
      let room = end - at
      var slot = fastmap_slot()
      switch tag {
      case Tag.absent:
        continue
      case Tag.isFalse, Tag.isTrue:
        slot.tag = UInt8(FASTMAP_BOOLEAN)
        slot.integer = tag == Tag.isTrue ? 1 : 0
      case Tag.integer8:
        guard room >= 1 else { return false }
        slot.tag = UInt8(FASTMAP_INTEGER)
        slot.integer = Int64(at.load(as: Int8.self))
        at += 1
      case Tag.integer16:
        guard room >= 2 else { return false }
        slot.tag = UInt8(FASTMAP_INTEGER)
        slot.integer = Int64(Self.load(Int16.self, at))
        at += 2
      case Tag.integer32:
        guard room >= 4 else { return false }
        slot.tag = UInt8(FASTMAP_INTEGER)
        slot.integer = Int64(Self.load(Int32.self, at))
        at += 4
      case Tag.integer64, Tag.unsigned64, Tag.number, Tag.seconds, Tag.target:
        guard room >= 8 else { return false }
        slot.tag = Self.kind(tag)
        slot.integer = Self.load(Int64.self, at)
        at += 8
      case Tag.nanoseconds:
        guard room >= 12 else { return false }
        slot.tag = UInt8(FASTMAP_DATE)
        slot.integer = Self.load(Int64.self, at)
        slot.length = Self.load(UInt32.self, at + 8)
        at += 12
      case Tag.string8, Tag.data8, Tag.json8:
        guard room >= 1 else { return false }
        slot.length = UInt32(at.load(as: UInt8.self))
        at += 1
      case Tag.string16, Tag.data16, Tag.json16:
        guard room >= 2 else { return false }
        slot.length = UInt32(Self.load(UInt16.self, at))
        at += 2
      case Tag.string32, Tag.data32, Tag.json32:
        guard room >= 4 else { return false }
        slot.length = Self.load(UInt32.self, at)
        at += 4
      case Tag.key:
        slot = key.slot
      default:
        return false
      }
      if slot.tag == FASTMAP_MISSING, tag != Tag.key {
        // Bytes follow their length.
        guard end - at >= Int(slot.length) else { return false }
        slot.tag = Self.kind(tag)
        slot.bytes = UnsafePointer(at.assumingMemoryBound(to: UInt8.self))
        at += Int(slot.length)
      }
      if field < places.count, places[field] >= 0 { slots[places[field]] = slot }
    }
    return true
  }

  @inline(__always)
  private static func load<T: FixedWidthInteger>(_ type: T.Type, _ at: UnsafeRawPointer) -> T {
    T(littleEndian: at.loadUnaligned(as: T.self))
  }

  /// The kind of a slot for a value of 8 bytes, or for bytes.
  @inline(__always)
  private static func kind(_ tag: UInt8) -> UInt8 {
    typealias Tag = RecordFormat.Tag
    return switch tag {
    case Tag.integer64: UInt8(FASTMAP_INTEGER)
    case Tag.unsigned64: UInt8(FASTMAP_UNSIGNED)
    case Tag.number: UInt8(FASTMAP_NUMBER)
    case Tag.seconds: UInt8(FASTMAP_DATE)
    case Tag.target: UInt8(FASTMAP_TARGET)
    case Tag.string8, Tag.string16, Tag.string32: UInt8(FASTMAP_STRING)
    case Tag.data8, Tag.data16, Tag.data32: UInt8(FASTMAP_DATA)
    default: UInt8(FASTMAP_JSON)
    }
  }
}
