internal import CFastMap
internal import FastMapStoreKit

/// The bytes of an entry of a secondary index. They sort as the index does.
///
///     values of the parts, in order | the record's key after its entity
///
///     no value    0
///     boolean     1, or 2 for true
///     number      3 | 8 bytes, IEEE 754, with the sign bit flipped, or all bits of one below zero; -0 is 0
///     string      4 | its bytes, each 0 as 0 255 | 0 1
///     data        5 | as a string
///     to-one      6 | the target's number 8
///     decimal     8 | its key: see fastmap_decimal.h
///     date        7 | the seconds as an integer | 0, or 1 | nanoseconds 4
///     integer     128 + n | n bytes, or for one below zero 127 - n | the complement of n bytes of -1 - value
///
/// All bytes of a descending part are inverted. Numbers are big-endian, and an integer has as few bytes as it needs.
///
/// An entry must fit in a key of LMDB. So the end of a long string or key is left out: 0 2 and a hash (8) end a string,
/// and the object's number (8) ends a key. Such an entry is *cut*: equal strings are equal in it, and the kept
/// beginnings determine their order.
struct IndexEntry: ~Copyable {
  static let mostValueBytes = Schema.Index.mostValueBytes
  static let mostKeyBytes = 129
  fileprivate enum Tag {
    static let none: UInt8 = 0
    static let isFalse: UInt8 = 1
    static let isTrue: UInt8 = 2
    static let number: UInt8 = 3
    static let string: UInt8 = 4
    static let data: UInt8 = 5
    static let target: UInt8 = 6
    static let date: UInt8 = 7
    static let decimal: UInt8 = 8
  }

  /// Length of the values 2, with the bit 15 if a value is cut | length of the key 1, 255 for a cut key.
  static let headerSize = 3

  private static let cutValue: UInt16 = 1 << 15
  private static let cutKey: UInt8 = 255
  private static let capacity = 512

  /// The header, then the entry.
  private let memory: UnsafeMutableRawPointer
  private var end = Self.headerSize
  /// Whether the end of a value is left out.
  private(set) var isCut = false

  init() { memory = .allocate(byteCount: Self.capacity, alignment: 8) }
  deinit { memory.deallocate() }

  /// The header and the entry.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: end) }

  /// The entry.
  var body: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...]) }

  /// Encodes the entry of an object.
  ///
  /// - Parameters:
  ///   - key: The key of its record.
  ///   - slot: The value of a field of the store; missing if it has none.
  @inline(__always)
  mutating func encode(
    _ index: IndexLayout, _ id: ObjectID, _ key: UnsafeRawBufferPointer, _ slot: (Int) -> fastmap_slot
  ) {
    begin()
    let most = Self.mostValueBytes / index.parts.count
    for part in index.parts { append(slot(Int(part.field)), part.isDescending, most: most) }
    finish(id, key)
  }

  mutating func begin() {
    end = Self.headerSize
    isCut = false
  }

  /// Completes the entry with the record's key.
  mutating func finish(_ id: ObjectID, _ key: UnsafeRawBufferPointer) {
    let values = UInt16(end - Self.headerSize) | (isCut ? Self.cutValue : 0)
    memory.storeBytes(of: values.littleEndian, as: UInt16.self)
    let key = UnsafeRawBufferPointer(rebasing: key[2...])
    append(UnsafeRawBufferPointer(rebasing: key.prefix(Self.mostKeyBytes)))
    if key.count <= Self.mostKeyBytes {
      memory.storeBytes(of: UInt8(key.count), toByteOffset: 2, as: UInt8.self)
    } else {
      append(id.rawValue.bigEndian)
      memory.storeBytes(of: Self.cutKey, toByteOffset: 2, as: UInt8.self)
    }
  }

  // MARK: Values

  /// Appends a value.
  ///
  /// - Parameter most: The bytes that it may take.
  mutating func append(_ slot: fastmap_slot, _ isDescending: Bool, most: Int) {
    let start = end
    switch Int(slot.tag) {
    case FASTMAP_BOOLEAN:
      append(slot.integer == 0 ? Tag.isFalse : Tag.isTrue)
    case FASTMAP_INTEGER: append(integer: slot.integer)
    case FASTMAP_UNSIGNED: append(magnitude: UInt64(bitPattern: slot.integer), isNegative: false)
    case FASTMAP_NUMBER:
      append(Tag.number)
      let number = slot.number == 0 ? 0 : slot.number
      let bits = number.bitPattern
      append(number.isNaN ? .max : (bits >> 63 == 0 ? bits | 1 << 63 : ~bits).bigEndian)
    case FASTMAP_STRING: append(Tag.string, slot.span, most: most)
    case FASTMAP_DATA: append(Tag.data, slot.span, most: most)
    case FASTMAP_DECIMAL: append(decimal: slot)
    case FASTMAP_DATE:
      append(Tag.date)
      append(integer: slot.integer)
      append(UInt8(slot.length == 0 ? 0 : 1))
      if slot.length > 0 { append(slot.length.bigEndian) }
    default:
      if let target = slot.object {
        append(Tag.target)
        append(target.rawValue.bigEndian)
      } else {
        append(Tag.none)
      }
    }
    if isDescending { invert(from: start) }
  }

  private mutating func append(decimal slot: fastmap_slot) {
    var slot = slot
    var value = fastmap_decimal_value()
    _ = fastmap_decimal_read_slot(&slot, &value)
    append(Tag.decimal)
    end += fastmap_decimal_key(&value, (memory + end).assumingMemoryBound(to: UInt8.self))
  }

  private mutating func append(integer value: Int64) {
    append(magnitude: UInt64(bitPattern: value < 0 ? ~value : value), isNegative: value < 0)
  }

  @inline(__always)
  private mutating func append(magnitude: UInt64, isNegative: Bool) {
    let count = 8 - magnitude.leadingZeroBitCount / 8
    append(UInt8(isNegative ? 127 - count : 128 + count))
    if count == 0 { return }
    // Later bytes overwrite the surplus after the last byte.
    let bits = (isNegative ? ~magnitude : magnitude) << UInt64(64 - 8 * count)
    memory.storeBytes(of: bits.bigEndian, toByteOffset: end, as: UInt64.self)
    end += count
  }

  private mutating func append(_ tag: UInt8, _ span: UnsafeBufferPointer<UInt8>, most: Int) {
    append(tag)
    let last = end + most - 11
    if end + span.count <= last, !span.hasZero {
      append(UnsafeRawBufferPointer(span))
    } else {
      for (place, byte) in span.enumerated() {
        guard end + (byte == 0 ? 2 : 1) <= last else { return cut(span[place...]) }
        append(byte)
        if byte == 0 { append(255 as UInt8) }
      }
    }
    append(0 as UInt8)
    append(1 as UInt8)
  }

  /// Ends a string whose rest has no room. FNV-1a of the rest: equal strings have equal entries.
  private mutating func cut(_ rest: Slice<UnsafeBufferPointer<UInt8>>) {
    isCut = true
    append(0 as UInt8)
    append(2 as UInt8)
    append(rest.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }.bigEndian)
  }

  // MARK: Bytes

  @inline(__always)
  private mutating func append<T: FixedWidthInteger>(_ value: T) {
    memory.storeBytes(of: value, toByteOffset: end, as: T.self)
    end += MemoryLayout<T>.size
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { (memory + end).copyMemory(from: start, byteCount: bytes.count) }
    end += bytes.count
  }

  private func invert(from start: Int) {
    for place in start..<end {
      memory.storeBytes(
        of: ~memory.load(fromByteOffset: place, as: UInt8.self), toByteOffset: place, as: UInt8.self)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate var hasZero: Bool {
    guard let baseAddress else { return false }
    return memchr(baseAddress, 0, count) != nil
  }
}

/// An entry of an index whose bytes are borrowed.
struct IndexEntryView {
  /// The values and the key.
  let body: UnsafeRawBufferPointer
  /// The length of the values.
  private let valueCount: Int
  /// Whether the end of a string is left out.
  let isValueCut: Bool
  /// Whether the end of the record's key is left out.
  let isKeyCut: Bool

  /// The entry at `offset`; nil if it is not whole.
  @inline(__always)
  init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard bytes.count - offset >= IndexEntry.headerSize else { return nil }
    let values = bytes.littleEndian(at: offset, as: UInt16.self)
    let key = bytes[offset + 2]
    valueCount = Int(values & 0x7FFF)
    isValueCut = values >> 15 != 0
    isKeyCut = key == 255
    let start = offset + IndexEntry.headerSize
    let end = start + valueCount + (isKeyCut ? IndexEntry.mostKeyBytes + 8 : Int(key))
    guard end <= bytes.count else { return nil }
    body = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// The length of the entry at `offset` in a block; nil if it is not whole.
  @inline(__always)
  static func size(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
    let room = bytes.count - offset
    guard room >= IndexEntry.headerSize else { return nil }
    let key = Int(bytes[offset + 2])
    let values = Int(bytes.littleEndian(at: offset, as: UInt16.self) & 0x7FFF)
    let size = IndexEntry.headerSize + values + (key == 255 ? IndexEntry.mostKeyBytes + 8 : key)
    return size <= room ? size : nil
  }

  /// Its length in a block.
  var size: Int { IndexEntry.headerSize + body.count }

  /// The values.
  var values: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: body[..<valueCount]) }

  /// The record's key after its entity, or the start of a cut key.
  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: body[valueCount..<(isKeyCut ? body.count - 8 : body.count)])
  }

  /// The bytes in front of the first place where something is left out. Entries that begin with them are not in order.
  func orderedPrefix(_ index: IndexLayout) -> UnsafeRawBufferPointer {
    guard isValueCut else {
      return UnsafeRawBufferPointer(rebasing: body[..<(isKeyCut ? body.count - 8 : body.count)])
    }
    var offset = 0
    for part in index.parts {
      guard let end = Self.end(ofValueAt: offset, in: values, part.isDescending) else { break }
      if end.isCut { return UnsafeRawBufferPointer(rebasing: body[..<(end.offset - 8)]) }
      offset = end.offset
    }
    return values
  }

  /// Whether a part has no value.
  func lacksValue(_ index: IndexLayout) -> Bool {
    var offset = 0
    for part in index.parts {
      guard offset < valueCount else { return true }
      let tag = part.isDescending ? ~body[offset] : body[offset]
      guard tag != IndexEntry.Tag.none, let end = Self.end(ofValueAt: offset, in: values, part.isDescending)
      else { return true }
      offset = end.offset
    }
    return false
  }

  /// The end of a value; nil if it is not whole.
  private static func end(
    ofValueAt start: Int, in bytes: UnsafeRawBufferPointer, _ isDescending: Bool
  ) -> (offset: Int, isCut: Bool)? {
    func byte(_ place: Int) -> UInt8? {
      guard place < bytes.count else { return nil }
      return isDescending ? ~bytes[place] : bytes[place]
    }
    func integerEnd(_ place: Int) -> Int? {
      byte(place).map { place + 1 + ($0 >= 128 ? Int($0) - 128 : 127 - Int($0)) }
    }
    guard let tag = byte(start) else { return nil }
    switch tag {
    case IndexEntry.Tag.none, IndexEntry.Tag.isFalse, IndexEntry.Tag.isTrue: return (start + 1, false)
    case IndexEntry.Tag.number, IndexEntry.Tag.target: return (start + 9, false)
    case IndexEntry.Tag.decimal:
      guard let sign = byte(start + 1) else { return nil }
      if sign == 2 { return (start + 2, false) }
      // After the exponent, and in front of the byte that ends the digits.
      var place = start + 4
      let last: UInt8 = sign == 1 ? 255 : 0
      while let next = byte(place), next != last { place += 1 }
      return byte(place).map { _ in (place + 1, false) }
    case IndexEntry.Tag.date:
      guard let end = integerEnd(start + 1), let more = byte(end) else { return nil }
      return (end + (more == 0 ? 1 : 5), false)
    case IndexEntry.Tag.string, IndexEntry.Tag.data:
      var place = start + 1
      while let next = byte(place) {
        guard next == 0 else {
          place += 1
          continue
        }
        guard let mark = byte(place + 1) else { return nil }
        if mark == 255 { place += 2 } else { return mark == 1 ? (place + 2, false) : (place + 10, true) }
      }
      return nil
    default: return integerEnd(start).map { ($0, false) }
    }
  }

  /// The object's number, in an entry whose key is cut.
  var id: ObjectID? { isKeyCut ? body.id(inKeyAt: body.count - 8) : nil }
}
