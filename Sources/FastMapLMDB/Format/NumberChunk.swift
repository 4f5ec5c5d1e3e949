internal import CFastMap
internal import FastMapStoreKit

/// The keys of the records of 64 objects with consecutive numbers, after the checksum.
///
///     numbers   object / 64, 8   →   bitmap 8 | form 1 | keys
///
/// Bit *i* is set if the chunk's object *i* exists. The keys of the existing objects follow in this order. Form 0: none
/// of them has a primary key, and nothing follows. Form 1: all have integer keys, 8 bytes each. Form 2: any others, each
/// with its length (2), as they are in the keys of records after the entity.
struct NumberChunk {
  /// The number of bits of an object's number that are its place in the chunk.
  static let bits: UInt64 = 6
  static let size: UInt64 = 1 << bits
  static let headerSize = 9

  enum Form {
    static let keyless: UInt8 = 0
    static let integers: UInt8 = 1
    static let any: UInt8 = 2
  }

  let bitmap: UInt64
  let form: UInt8
  private let keys: UnsafeRawBufferPointer

  /// - Parameter bytes: The bytes after the checksum. The result is nil if they cannot be a chunk.
  @inline(__always)
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headerSize else { return nil }
    bitmap = bytes.littleEndian(at: 0, as: UInt64.self)
    form = bytes[8]
    keys = UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])
    switch form {
    case Form.keyless where keys.isEmpty: break
    case Form.integers where keys.count == 8 * bitmap.nonzeroBitCount: break
    case Form.any where keys.count >= 2 * bitmap.nonzeroBitCount: break
    default: return nil
    }
  }

  /// The verified chunk of an entry.
  @inline(__always)
  init(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in view: TransactionView
  ) throws(LMDBError) {
    guard let chunk = NumberChunk(try Checksum.open(.numbers, key, value, in: view)), key.count == 8 else {
      throw Checksum.damaged(.numbers, key, "not a chunk of numbers", view.environment)
    }
    self = chunk
  }

  static func damaged(_ id: ObjectID, _ detail: String, _ environment: Environment) -> LMDBError {
    var key = (id.rawValue >> bits).bigEndian
    return withUnsafeBytes(of: &key) { Checksum.damaged(.numbers, $0, detail, environment) }
  }

  /// A chunk without objects.
  init() {
    (bitmap, form) = (0, Form.keyless)
    keys = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  @inline(__always)
  func has(_ id: ObjectID) -> Bool { bitmap >> (id.rawValue % Self.size) & 1 != 0 }

  /// Writes the key of an object's record.
  ///
  /// - Returns: Its length; nil if the chunk does not have the object, or not its whole key.
  @inline(__always)
  func writeKey(of id: ObjectID, to memory: UnsafeMutableRawPointer) -> Int? {
    guard has(id) else { return nil }
    let rank = (bitmap & (1 << (id.rawValue % Self.size) &- 1)).nonzeroBitCount
    switch form {
    case Form.keyless: return KeyBytes.writeRecord(keyless: id, to: memory)
    case Form.integers:
      var slot = fastmap_slot()
      slot.set(FASTMAP_INTEGER, integer: keys.littleEndian(at: 8 * rank, as: Int64.self))
      return KeyBytes.writeRecord(ObjectNumber.entity(id), slot, to: memory)
    default:
      guard let key = key(rank) else { return nil }
      memory.storeBytes(of: ObjectNumber.entity(id).bigEndian, as: UInt16.self)
      if let start = key.baseAddress { (memory + 2).copyMemory(from: start, byteCount: key.count) }
      return 2 + key.count
    }
  }

  /// A key of form 2, after the entity.
  private func key(_ rank: Int) -> UnsafeRawBufferPointer? {
    var offset = 0
    for place in 0...rank {
      guard offset + 2 <= keys.count else { return nil }
      let length = Int(keys.littleEndian(at: offset, as: UInt16.self))
      guard length > 0, length <= 1 + KeyLimit.stringBytes, offset + 2 + length <= keys.count else {
        return nil
      }
      if place == rank { return UnsafeRawBufferPointer(rebasing: keys[(offset + 2)..<(offset + 2 + length)]) }
      offset += 2 + length
    }
    return nil
  }

  /// Calls `body` with the places of the existing objects, and their keys after the entity.
  ///
  /// - Returns: False if the keys are incomplete, or not the shortest form.
  func forEach(_ number: UInt64, _ body: (ObjectID, RecordKey) throws -> Void) rethrows -> Bool {
    var memory = KeyBytes()
    return try forEach(number, &memory, body)
  }

  /// - Parameter memory: Room for a key.
  func forEach(
    _ number: UInt64, _ memory: inout KeyBytes, _ body: (ObjectID, RecordKey) throws -> Void
  ) rethrows -> Bool {
    guard number >> (64 - UInt64(Self.bits)) == 0 else { return false }
    var left = bitmap
    var (size, integers, keyless) = (0, 0, 0)
    while left != 0 {
      let id = ObjectID(rawValue: number << Self.bits | UInt64(left.trailingZeroBitCount))
      left &= left - 1
      guard memory.setRecord(of: id, in: self), RecordKey(memory.bytes).isValid else { return false }
      let key = RecordKey(memory.bytes)
      size += memory.count
      if key.isKeyless { keyless += 1 } else if key.bytes[2] == KeyKind.integer { integers += 1 }
      try body(id, key)
    }
    let count = bitmap.nonzeroBitCount
    switch form {
    case Form.any: return keys.count == size && keyless < count && integers < count
    default: return count > 0
    }
  }
}

/// Finds the keys of records by the numbers of their objects. Neighbours share a chunk, for which it searches once.
struct KeyFinder: ~Copyable {
  private(set) var key = KeyBytes()
  private let view: TransactionView
  private let numbers: Database
  private var number = UInt64.max
  /// A copy, because a write may change the page.
  private var value: [UInt8] = []

  init(_ view: TransactionView, _ tables: Tables) {
    self.view = view
    numbers = tables.numbers
  }

  /// Sets ``key`` to the key of the object's record.
  ///
  /// - Returns: False if there is no such object.
  mutating func find(_ id: ObjectID) throws -> Bool {
    guard try exists(id) else { return false }
    let isWhole = value.withUnsafeBytes { bytes in
      NumberChunk(bytes).map { key.setRecord(of: id, in: $0) } ?? false
    }
    guard isWhole else { throw NumberChunk.damaged(id, "a key is not whole", view.environment) }
    return true
  }

  /// The error for a missing object whose references are still in the table `inverse`.
  func missing(_ id: ObjectID) -> LMDBError {
    NumberChunk.damaged(id, "an object that refers to others is missing", view.environment)
  }

  mutating func exists(_ id: ObjectID) throws -> Bool {
    let wanted = id.rawValue >> NumberChunk.bits
    if wanted != number {
      value.removeAll(keepingCapacity: true)
      number = .max  // until the chunk is verified
      var place = wanted.bigEndian
      try withUnsafeBytes(of: &place) { place in
        guard let found = try view.get(numbers, place) else { return }
        _ = try NumberChunk(place, found, in: view)
        value.append(contentsOf: found[Checksum.size...])
      }
      number = wanted
    }
    return value.withUnsafeBytes { NumberChunk($0)?.has(id) ?? false }
  }
}
