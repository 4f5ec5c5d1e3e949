internal import CFastMap
internal import FastMapStoreKit

/// Writes records into memory that it reuses for each.
struct RecordEncoder: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var end = 0

  init() {
    capacity = 4096
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// The whole value: checksum and record.
  var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: end) }

  var record: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: value[Checksum.size...]) }

  /// Begins a record of at most `fieldCount` fields.
  mutating func begin(_ id: ObjectID, fieldCount: Int) {
    end = 0
    reserve(Checksum.size + RecordFormat.headerSize + fieldCount)
    let header = Checksum.size
    // The flags, which follow the serial, are zero.
    memory.storeBytes(of: ObjectNumber.serial(id).littleEndian, toByteOffset: header, as: UInt64.self)
    memory.storeBytes(of: UInt16(fieldCount).littleEndian, toByteOffset: header + 7, as: UInt16.self)
    (memory + header + RecordFormat.headerSize).initializeMemory(
      as: UInt8.self, repeating: 0, count: fieldCount)
    end = header + RecordFormat.headerSize + fieldCount
  }

  /// Appends the value of a field. Fields must be appended in ascending order.
  @inline(__always)
  mutating func append(_ slot: fastmap_slot, field: Int) {
    typealias Tag = RecordFormat.Tag
    let tag: UInt8
    switch slot.kind {
    case .boolean:
      tag = slot.integer == 0 ? Tag.isFalse : Tag.isTrue
    case .integer:
      tag = appendInteger(slot.integer)
    case .unsigned:
      tag = Tag.unsigned64
      store(slot.integer.littleEndian)
    case .number:
      tag = Tag.number
      store(slot.number.bitPattern.littleEndian)
    case .string:
      tag = Tag.string8 + appendBytes(slot.bytes, Int(slot.length))
    case .date:
      tag = slot.length == 0 ? Tag.seconds : Tag.nanoseconds
      store(slot.integer.littleEndian)
      if slot.length != 0 { store(slot.length.littleEndian) }
    case .data:
      tag = Tag.data8 + appendBytes(slot.bytes, Int(slot.length))
    case .json:
      tag = Tag.json8 + appendBytes(slot.bytes, Int(slot.length))
    case .decimal:
      // A text has at most 255 bytes.
      _ = appendBytes(slot.bytes, Int(min(slot.length, 255)))
      tag = Tag.decimal
    case .target:
      tag = Tag.target
      store(slot.target.littleEndian)
    case .missing, .null, .node, .targets:
      return
    }
    setTag(tag, field)
  }

  /// Appends the field with the primary key, whose value is in the record's key.
  @inline(__always)
  mutating func appendKey(field: Int) { setTag(RecordFormat.Tag.key, field) }

  /// Appends the value of a field from another record.
  @inline(__always)
  mutating func append(_ tag: UInt8, _ value: UnsafeRawBufferPointer, field: Int) {
    reserve(value.count)
    if let start = value.baseAddress { (memory + end).copyMemory(from: start, byteCount: value.count) }
    end += value.count
    setTag(tag, field)
  }

  /// Removes fields without a value from the end. Call it after the last field.
  mutating func trim(fieldCount: Int) {
    let tags = memory + Checksum.size + RecordFormat.headerSize
    var used = fieldCount
    while used > 0, tags.load(fromByteOffset: used - 1, as: UInt8.self) == RecordFormat.Tag.absent {
      used -= 1
    }
    guard used < fieldCount else { return }
    let valuesStart = Checksum.size + RecordFormat.headerSize + fieldCount
    (tags + used).copyMemory(from: memory + valuesStart, byteCount: end - valuesStart)
    end -= fieldCount - used
    memory.storeBytes(of: UInt16(used).littleEndian, toByteOffset: Checksum.size + 7, as: UInt16.self)
  }

  /// Adds the checksum at the start.
  @inline(__always)
  mutating func seal(_ key: UnsafeRawBufferPointer) {
    memory.storeBytes(of: Checksum.make(.records, key, record).littleEndian, as: UInt32.self)
  }

  @inline(__always)
  private func setTag(_ tag: UInt8, _ field: Int) {
    memory.storeBytes(of: tag, toByteOffset: Checksum.size + RecordFormat.headerSize + field, as: UInt8.self)
  }

  @inline(__always)
  private mutating func reserve(_ count: Int) {
    if end + count > capacity { grow(by: count) }
  }

  @inline(never)
  private mutating func grow(by count: Int) {
    capacity = max(capacity * 2, end + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: memory, byteCount: end)
    memory.deallocate()
    memory = larger
  }

  @inline(__always)
  private mutating func store<T>(_ value: T) {
    reserve(MemoryLayout<T>.size)
    memory.storeBytes(of: value, toByteOffset: end, as: T.self)
    end += MemoryLayout<T>.size
  }

  @inline(__always)
  private mutating func appendInteger(_ value: Int64) -> UInt8 {
    if let small = Int8(exactly: value) {
      store(small)
      return RecordFormat.Tag.integer8
    }
    if let small = Int16(exactly: value) {
      store(small.littleEndian)
      return RecordFormat.Tag.integer16
    }
    if let small = Int32(exactly: value) {
      store(small.littleEndian)
      return RecordFormat.Tag.integer32
    }
    store(value.littleEndian)
    return RecordFormat.Tag.integer64
  }

  /// - Returns: 0, 1 or 2, for a length of 1, 2 or 4 bytes.
  @inline(__always)
  private mutating func appendBytes(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> UInt8 {
    let kind: UInt8
    if count <= 0xFF {
      store(UInt8(count))
      kind = 0
    } else if count <= 0xFFFF {
      store(UInt16(count).littleEndian)
      kind = 1
    } else {
      store(UInt32(count).littleEndian)
      kind = 2
    }
    if let bytes, count > 0 {
      reserve(count)
      (memory + end).copyMemory(from: bytes, byteCount: count)
      end += count
    }
    return kind
  }
}
