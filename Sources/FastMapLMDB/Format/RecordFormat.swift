internal import CFastMap
internal import FastMapStoreKit

/// The bytes of a record, after its checksum.
///
///     serial 6 | flags 1 | field count 2 | tag 1 × count | values in the order of the fields
///
/// The serial is part of the object's number. No flag has a meaning yet. Fields beyond the count, and fields with the
/// tag `absent`, have no value. Missing and null are the same, so that a second import of a payload changes nothing.
/// The value of the field with the tag `key` is the primary key in the record's key.
///
/// Integers take as few bytes as they need. Strings, data and JSON begin with their length in 1, 2 or 4 bytes, as the
/// tag says. A decimal is its text, with its length in 1 byte. A date is seconds (8) and, unless they are zero,
/// nanoseconds (4). A to-one target is an object's number (8). To-many targets are in the table of links.
enum RecordFormat {
  static let headerSize = 9
  static let maxFields = 4096

  enum Tag {
    static let absent: UInt8 = 0
    static let isFalse: UInt8 = 1
    static let isTrue: UInt8 = 2
    static let integer8: UInt8 = 3
    static let integer16: UInt8 = 4
    static let integer32: UInt8 = 5
    static let integer64: UInt8 = 6
    static let unsigned64: UInt8 = 7
    static let number: UInt8 = 8
    static let string8: UInt8 = 9
    static let string16: UInt8 = 10
    static let string32: UInt8 = 11
    static let seconds: UInt8 = 12
    static let nanoseconds: UInt8 = 13
    static let data8: UInt8 = 14
    static let data16: UInt8 = 15
    static let data32: UInt8 = 16
    static let json8: UInt8 = 17
    static let json16: UInt8 = 18
    static let json32: UInt8 = 19
    static let target: UInt8 = 20
    static let key: UInt8 = 21
    static let decimal: UInt8 = 22
    static let count: UInt8 = 23
  }

  /// The bytes of a value without its length prefix, or of the length prefix.
  private static let sizes: [UInt8] = [0, 0, 0, 1, 2, 4, 8, 8, 8, 1, 2, 4, 8, 12, 1, 2, 4, 1, 2, 4, 8, 0, 1]

  /// The size of the value at `offset`; nil if it is incomplete.
  @inline(__always)
  static func size(_ tag: UInt8, at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard tag < Tag.count else { return nil }
    // This cannot overflow: an offset is within a record, and a length has at most 32 bits.
    let room = bytes.count &- offset
    let size = Int(sizes.withUnsafeBufferPointer { $0[Int(tag)] })
    guard size <= room else { return nil }
    var whole = size
    switch tag {
    case Tag.string8, Tag.data8, Tag.json8, Tag.decimal: whole &+= Int(bytes[offset])
    case Tag.string16, Tag.data16, Tag.json16: whole &+= Int(bytes.littleEndian(at: offset, as: UInt16.self))
    case Tag.string32, Tag.data32, Tag.json32: whole &+= Int(bytes.littleEndian(at: offset, as: UInt32.self))
    default: return size
    }
    return whole <= room ? whole : nil
  }
}

/// A record in LMDB's map, decoded field by field.
struct RecordView {
  let key: RecordKey
  let bytes: UnsafeRawBufferPointer
  let fieldCount: Int

  /// - Parameters:
  ///   - key: Its key in the table.
  ///   - bytes: The bytes after the checksum. The result is nil if they cannot be a record.
  @inline(__always)
  init?(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    guard key.count >= 3, bytes.count >= RecordFormat.headerSize, bytes[6] == 0 else { return nil }
    self.key = RecordKey(key)
    self.bytes = bytes
    fieldCount = Int(bytes.littleEndian(at: 7, as: UInt16.self))
    guard bytes.count >= RecordFormat.headerSize + fieldCount else { return nil }
  }

  /// The verified record of an entry.
  @inline(__always)
  init(_ entry: Cursor.Entry, in view: TransactionView) throws(LMDBError) {
    let bytes = try Checksum.open(.records, entry.key, entry.value, in: view)
    guard let record = RecordView(entry.key, bytes) else {
      throw Checksum.damaged(.records, entry.key, "not a record", view.environment)
    }
    self = record
  }

  @inline(__always)
  init(verified entry: fastmap_page_entry, in view: TransactionView) throws(LMDBError) {
    let value = entry.valueBytes
    guard value.count >= Checksum.size,
      let record = RecordView(entry.keyBytes, UnsafeRawBufferPointer(rebasing: value[Checksum.size...]))
    else { throw Checksum.damaged(.records, entry.keyBytes, "not a record", view.environment) }
    self = record
  }

  @inline(__always)
  var id: ObjectID {
    ObjectNumber.make(
      entity: key.entity, serial: bytes.littleEndian(at: 0, as: UInt64.self) & ObjectNumber.maxSerial)
  }

  var keyField: Int? { (0..<fieldCount).first { tag($0) == RecordFormat.Tag.key } }

  /// Whether exactly one field has the tag `key` if the object has a key. Without a key, no field may have the tag, and
  /// the record's key must have the object's serial.
  var hasKeyInPlace: Bool {
    (0..<fieldCount).count { tag($0) == RecordFormat.Tag.key } == (key.isKeyless ? 0 : 1)
      && (!key.isKeyless || key.serial == ObjectNumber.serial(id))
  }

  @inline(__always)
  var valuesOffset: Int { RecordFormat.headerSize + fieldCount }

  @inline(__always)
  func tag(_ field: Int) -> UInt8 { bytes[RecordFormat.headerSize + field] }

  /// Calls `body` with every field that has a value, in order, until it returns false.
  ///
  /// - Returns: False if the record is incomplete.
  @inline(__always)
  func forEach(_ body: (_ field: Int, _ tag: UInt8, _ value: UnsafeRawBufferPointer) -> Bool) -> Bool {
    var offset = valuesOffset
    for field in 0..<fieldCount {
      let tag = tag(field)
      if tag == RecordFormat.Tag.absent { continue }
      guard let size = RecordFormat.size(tag, at: offset, in: bytes) else { return false }
      if !body(field, tag, UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + size)])) { return true }
      offset += size
    }
    return true
  }

  /// A value as a slot that borrows its bytes, or the key's.
  @inline(__always)
  func slot(_ tag: UInt8, _ value: UnsafeRawBufferPointer) -> fastmap_slot {
    tag == RecordFormat.Tag.key ? key.slot : RecordFormat.slot(tag, value)
  }

  /// One field, without decoding the others.
  func slot(_ wanted: Int) -> fastmap_slot? {
    guard wanted < fieldCount, let start = bytes.baseAddress else { return nil }
    let tags = start + RecordFormat.headerSize
    let tag = tags.load(fromByteOffset: wanted, as: UInt8.self)
    if tag == RecordFormat.Tag.absent { return nil }
    if tag == RecordFormat.Tag.key { return key.slot }
    // All tags are in the record.
    var offset = valuesOffset
    for field in 0..<wanted {
      let tag = tags.load(fromByteOffset: field, as: UInt8.self)
      guard let size = RecordFormat.size(tag, at: offset, in: bytes) else { return nil }
      offset &+= size
    }
    guard let size = RecordFormat.size(tag, at: offset, in: bytes) else { return nil }
    return RecordFormat.slot(tag, UnsafeRawBufferPointer(start: start + offset, count: size))
  }
}

extension RecordFormat {
  /// A value as a slot that borrows its bytes. The tag `key` has none.
  @inline(__always)
  static func slot(_ tag: UInt8, _ value: UnsafeRawBufferPointer) -> fastmap_slot {
    var slot = fastmap_slot()
    func setBytes(_ kind: Int, _ prefix: Int) {
      slot.tag = UInt8(kind)
      slot.length = UInt32(value.count - prefix)
      slot.bytes = (value.baseAddress! + prefix).assumingMemoryBound(to: UInt8.self)
    }
    switch tag {
    case Tag.isFalse: slot.set(FASTMAP_BOOLEAN, integer: 0)
    case Tag.isTrue: slot.set(FASTMAP_BOOLEAN, integer: 1)
    case Tag.integer8: slot.set(FASTMAP_INTEGER, integer: Int64(value.littleEndian(at: 0, as: Int8.self)))
    case Tag.integer16: slot.set(FASTMAP_INTEGER, integer: Int64(value.littleEndian(at: 0, as: Int16.self)))
    case Tag.integer32: slot.set(FASTMAP_INTEGER, integer: Int64(value.littleEndian(at: 0, as: Int32.self)))
    case Tag.integer64: slot.set(FASTMAP_INTEGER, integer: value.littleEndian(at: 0, as: Int64.self))
    case Tag.unsigned64: slot.set(FASTMAP_UNSIGNED, integer: value.littleEndian(at: 0, as: Int64.self))
    case Tag.number:
      slot.tag = UInt8(FASTMAP_NUMBER)
      slot.number = Double(bitPattern: value.littleEndian(at: 0, as: UInt64.self))
    case Tag.string8: setBytes(FASTMAP_STRING, 1)
    case Tag.string16: setBytes(FASTMAP_STRING, 2)
    case Tag.string32: setBytes(FASTMAP_STRING, 4)
    case Tag.seconds: slot.set(FASTMAP_DATE, integer: value.littleEndian(at: 0, as: Int64.self))
    case Tag.nanoseconds:
      slot.set(FASTMAP_DATE, integer: value.littleEndian(at: 0, as: Int64.self))
      slot.length = value.littleEndian(at: 8, as: UInt32.self)
    case Tag.data8: setBytes(FASTMAP_DATA, 1)
    case Tag.data16: setBytes(FASTMAP_DATA, 2)
    case Tag.data32: setBytes(FASTMAP_DATA, 4)
    case Tag.json8: setBytes(FASTMAP_JSON, 1)
    case Tag.json16: setBytes(FASTMAP_JSON, 2)
    case Tag.json32: setBytes(FASTMAP_JSON, 4)
    case Tag.decimal: setBytes(FASTMAP_DECIMAL, 1)
    case Tag.target:
      slot.tag = UInt8(FASTMAP_TARGET)
      slot.target = value.littleEndian(at: 0, as: UInt64.self)
    default: break
    }
    return slot
  }
}
