internal import CFastMap
internal import FastMapStoreKit

/// Memory for one key of a table, lent to LMDB. Reuse it for many keys.
///
/// LMDB's longest key has 511 bytes.
struct KeyBytes: ~Copyable {
  static let capacity = 512
  private let memory: UnsafeMutableRawPointer
  private(set) var count = 0

  init() { memory = .allocate(byteCount: Self.capacity, alignment: 8) }
  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer {
    @inline(__always) get { UnsafeRawBufferPointer(start: memory, count: count) }
  }

  mutating func set(_ bytes: UnsafeRawBufferPointer) {
    count = min(bytes.count, Self.capacity)
    if count > 0, let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: count) }
  }

  // MARK: Records

  /// The prefix of all keys of an entity.
  @inline(__always)
  mutating func setRecords(of entity: UInt16) {
    memory.storeBytes(of: entity.bigEndian, as: UInt16.self)
    count = 2
  }

  /// The prefix of the keys of one kind.
  @inline(__always)
  mutating func setRecords(of entity: UInt16, kind: UInt8) {
    memory.storeBytes(of: entity.bigEndian, as: UInt16.self)
    memory.storeBytes(of: kind, toByteOffset: 2, as: UInt8.self)
    count = 3
  }

  /// The key of a record.
  ///
  /// - Parameter rest: Its key after the entity.
  mutating func setRecord(of entity: UInt16, behind rest: UnsafeRawBufferPointer) {
    setRecords(of: entity)
    count = 2 + min(rest.count, Self.capacity - 2)
    if count > 2, let start = rest.baseAddress { (memory + 2).copyMemory(from: start, byteCount: count - 2) }
  }

  /// The key of an object without a primary key.
  @inline(__always)
  mutating func setRecord(keyless id: ObjectID) { count = Self.writeRecord(keyless: id, to: memory) }

  /// Integers sort by value. They come before strings, which sort by their bytes.
  ///
  /// The caller has checked the length of the key.
  @inline(__always)
  mutating func setRecord(entity: UInt16, key: borrowing fastmap_slot) {
    count = Self.writeRecord(entity, key, to: memory)
  }

  /// - Returns: The length.
  @inline(__always)
  static func writeRecord(
    _ entity: UInt16, _ key: borrowing fastmap_slot, to memory: UnsafeMutableRawPointer
  ) -> Int {
    memory.storeBytes(of: entity.bigEndian, as: UInt16.self)
    if key.tag == FASTMAP_INTEGER {
      memory.storeBytes(of: KeyKind.integer, toByteOffset: 2, as: UInt8.self)
      let flipped = UInt64(bitPattern: key.integer) ^ (1 << 63)
      memory.storeBytes(of: flipped.bigEndian, toByteOffset: 3, as: UInt64.self)
      return 11
    } else {
      memory.storeBytes(of: KeyKind.string, toByteOffset: 2, as: UInt8.self)
      let length = Int(key.length)
      if length > 0 { (memory + 3).copyMemory(from: key.bytes, byteCount: length) }
      return 3 + length
    }
  }

  /// The key of the record that a chunk of numbers names.
  ///
  /// - Returns: False if the chunk does not have the object, or not its whole key.
  mutating func setRecord(of id: ObjectID, in chunk: NumberChunk) -> Bool {
    count = chunk.writeKey(of: id, to: memory) ?? 0
    return count > 0
  }

  @inline(__always)
  static func writeRecord(keyless id: ObjectID, to memory: UnsafeMutableRawPointer) -> Int {
    memory.storeBytes(of: ObjectNumber.entity(id).bigEndian, as: UInt16.self)
    memory.storeBytes(of: (ObjectNumber.serial(id) << 16).bigEndian, toByteOffset: 3, as: UInt64.self)
    memory.storeBytes(of: KeyKind.none, toByteOffset: 2, as: UInt8.self)
    return 9
  }

  // MARK: Others

  /// An object's number, the prefix of the keys of its links and of references to it.
  @inline(__always)
  mutating func setObject(_ id: ObjectID) {
    memory.storeBytes(of: id.rawValue.bigEndian, as: UInt64.self)
    count = 8
  }

  @inline(__always)
  mutating func setNumbers(_ id: ObjectID) {
    memory.storeBytes(of: (id.rawValue >> NumberChunk.bits).bigEndian, as: UInt64.self)
    count = 8
  }

  @inline(__always)
  mutating func setLink(owner: ObjectID, field: UInt16, position: UInt64) {
    setLink(owner: owner, field: field)
    memory.storeBytes(of: position.bigEndian, toByteOffset: 10, as: UInt64.self)
    count = 18
  }

  @inline(__always)
  mutating func setLink(owner: ObjectID, field: UInt16) {
    memory.storeBytes(of: owner.rawValue.bigEndian, as: UInt64.self)
    memory.storeBytes(of: field.bigEndian, toByteOffset: 8, as: UInt16.self)
    count = 10
  }

  /// A block of an index.
  ///
  /// - Parameter entry: Its first entry, of at most 509 bytes; empty for the prefix of all blocks.
  mutating func setIndex(_ number: UInt16, _ entry: UnsafeRawBufferPointer) {
    memory.storeBytes(of: number.bigEndian, as: UInt16.self)
    count = 2 + min(entry.count, Self.capacity - 2)
    if count > 2, let start = entry.baseAddress { (memory + 2).copyMemory(from: start, byteCount: count - 2) }
  }

  @inline(__always)
  mutating func setInverse(_ entry: InverseEntry) {
    entry.write(to: memory)
    count = InverseEntry.size
  }
}

/// The byte after the entity in the key of a record.
enum KeyKind {
  static let integer: UInt8 = 1
  static let string: UInt8 = 2
  /// For objects without a primary key. They come after all others of their entity.
  static let none: UInt8 = 0xF0
  /// After all keys of an entity.
  static let end: UInt8 = 0xFF
}

/// The key of a record in the table, which is its entity and its primary key.
///
///     entity 2 | kind 1 | integer 8, or UTF-8, or serial 6
struct RecordKey: CustomStringConvertible {
  let bytes: UnsafeRawBufferPointer

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether it has the form of a key that this version writes.
  var isValid: Bool {
    guard bytes.count >= 3 else { return false }
    switch bytes[2] {
    case KeyKind.integer: return bytes.count == 11
    case KeyKind.string: return bytes.count <= 3 + KeyLimit.stringBytes
    case KeyKind.none: return bytes.count == 9
    default: return false
    }
  }

  @inline(__always)
  var entity: UInt16 { bytes.bigEndian(at: 0, as: UInt16.self) }

  @inline(__always)
  var isKeyless: Bool { bytes.count == 9 && bytes[2] == KeyKind.none }

  var serial: UInt64 { bytes.bigEndian(at: 1, as: UInt64.self) & ObjectNumber.maxSerial }

  /// The primary key, which borrows these bytes; missing if there is none.
  @inline(__always)
  var slot: fastmap_slot {
    var slot = fastmap_slot()
    if bytes[2] == KeyKind.integer, bytes.count == 11 {
      slot.set(
        FASTMAP_INTEGER, integer: Int64(bitPattern: bytes.bigEndian(at: 3, as: UInt64.self) ^ (1 << 63)))
    } else if bytes[2] == KeyKind.string {
      slot.tag = UInt8(FASTMAP_STRING)
      slot.length = UInt32(truncatingIfNeeded: bytes.count - 3)
      slot.bytes = bytes.baseAddress.map { ($0 + 3).assumingMemoryBound(to: UInt8.self) }
    }
    return slot
  }

  /// `the object with the key 7`
  var noun: String { isKeyless ? "object \(serial)" : "the object with the \(name)" }

  /// `key 7 of entity 0`
  var description: String { "\(name) of entity \(entity)" }

  private var name: String {
    isKeyless ? "object \(serial)" : "key \(PrimaryKey(slot: slot).map { "\($0)" } ?? "?")"
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func bigEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// A little-endian number in a value. LMDB does not align values.
  @inline(__always)
  func littleEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  @inline(__always)
  func id(inKeyAt offset: Int) -> ObjectID { ObjectID(rawValue: bigEndian(at: offset, as: UInt64.self)) }

  @inline(__always)
  func id(inValueAt offset: Int) -> ObjectID { ObjectID(rawValue: littleEndian(at: offset, as: UInt64.self)) }

  @inline(__always)
  func starts(with prefix: UnsafeRawBufferPointer) -> Bool {
    count >= prefix.count && sharesBytes(prefix, prefix.count)
  }

  @inline(__always)
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && sharesBytes(other, count)
  }

  @inline(__always)
  private func sharesBytes(_ other: UnsafeRawBufferPointer, _ length: Int) -> Bool {
    guard length > 0, let a = baseAddress, let b = other.baseAddress else { return true }
    return memcmp(a, b, length) == 0
  }

  /// Whether it precedes `other` in the order of LMDB's keys.
  @inline(__always)
  func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let shared = Swift.min(count, other.count)
    guard shared > 0, let a = baseAddress, let b = other.baseAddress else { return count < other.count }
    let order = memcmp(a, b, shared)
    return order == 0 ? count < other.count : order < 0
  }
}
