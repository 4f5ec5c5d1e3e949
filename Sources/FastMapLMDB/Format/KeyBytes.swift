internal import CFastMap
internal import FastMapCore

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

  // MARK: The five kinds of keys

  @inline(__always)
  mutating func setRecord(_ id: ObjectID) {
    memory.storeBytes(of: id.rawValue.bigEndian, as: UInt64.self)
    count = 8
  }

  /// The prefix of all keys of an entity.
  @inline(__always)
  mutating func setIndex(entity: UInt16) {
    memory.storeBytes(of: entity.bigEndian, as: UInt16.self)
    count = 2
  }

  /// The bytes that follow all keys of an entity.
  @inline(__always)
  mutating func setIndexEnd(entity: UInt16) {
    memory.storeBytes(of: entity.bigEndian, as: UInt16.self)
    memory.storeBytes(of: 0xFF, toByteOffset: 2, as: UInt8.self)
    count = 3
  }

  /// Integers sort by value. They come before strings, which sort by their bytes.
  ///
  /// The caller has checked the length of the key.
  @inline(__always)
  mutating func setIndex(entity: UInt16, key: borrowing fastmap_slot) {
    count = Self.writeIndex(entity, key, to: memory)
  }

  /// Lends the key of one look-up on the stack, because an allocation would take a tenth of the look-up.
  @inline(__always)
  static func withIndex<R>(
    entity: UInt16, key: borrowing fastmap_slot, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let slot = copy key
    return try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { memory in
      guard let start = memory.baseAddress else { preconditionFailure("a key has room") }
      return try body(UnsafeRawBufferPointer(start: start, count: writeIndex(entity, slot, to: start)))
    }
  }

  /// - Returns: The length.
  @inline(__always)
  private static func writeIndex(
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

  @inline(__always)
  mutating func setInverse(_ entry: InverseEntry) {
    entry.write(to: memory)
    count = InverseEntry.size
  }
}

/// The byte after the entity in a key of the index.
enum KeyKind {
  static let integer: UInt8 = 1
  static let string: UInt8 = 2
}

extension UnsafeRawBufferPointer {
  /// A big-endian number in a key.
  @inline(__always)
  func bigEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// A little-endian number in a value. LMDB does not align values.
  @inline(__always)
  func littleEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// An object's number in a key.
  @inline(__always)
  func id(inKeyAt offset: Int) -> ObjectID { ObjectID(rawValue: bigEndian(at: offset, as: UInt64.self)) }

  /// An object's number in a value.
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
