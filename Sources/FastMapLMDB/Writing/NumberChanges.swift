internal import CFastMap
internal import FastMapStoreKit

/// Collects the new keys of numbers, and numbers without an object, and then writes each chunk once.
struct NumberChanges: ~Copyable {
  private struct Change {
    let id: ObjectID
    /// Its key after the entity, in `keys`; empty if there is no such object any more.
    let key: Range<Int>
  }

  private let writing: WriteView
  private let numbers: Database
  private var changes: [Change] = []
  private var keys: [UInt8] = []
  private var value: [UInt8] = []

  init(_ writing: WriteView, _ tables: Tables) {
    self.writing = writing
    numbers = tables.numbers
  }

  @inline(__always)
  private static func number(_ change: Change) -> UInt64 { change.id.rawValue >> NumberChunk.bits }

  /// Makes room for integer keys, which are the usual ones.
  mutating func reserve(_ count: Int) {
    // Later batches let the arrays grow by their own rule: to reserve for each would copy all of them each time.
    guard changes.isEmpty else { return }
    changes.reserveCapacity(count)
    keys.reserveCapacity(9 * count)
  }

  /// The record of an object is under this key from now on.
  mutating func set(_ id: ObjectID, _ key: UnsafeRawBufferPointer) {
    let start = keys.count
    keys.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[2...]))
    changes.append(Change(id: id, key: start..<keys.count))
  }

  mutating func remove(_ id: ObjectID) { changes.append(Change(id: id, key: 0..<0)) }

  /// Writes the changed chunks, in the order of their numbers.
  mutating func write() throws {
    if changes.isEmpty { return }
    let isSorted = zip(changes, changes.dropFirst()).allSatisfy { $0.id < $1.id }
    if !isSorted { changes.sort { $0.id < $1.id } }
    let cursor = try writing.unsafeCursor(numbers)
    var key = KeyBytes()
    var room = KeyBytes()
    var chunk = ChunkBuilder()
    var start = 0
    while start < changes.count {
      key.setNumbers(changes[start].id)
      chunk.removeAll()
      let old = try cursor.seek(key.bytes)
      if let old {
        let stored = try NumberChunk(key.bytes, old.value, in: writing.view)
        guard chunk.add(stored, Self.number(changes[start]), &room) else {
          throw NumberChunk.damaged(changes[start].id, "a key is not whole", writing.view.environment)
        }
      }
      var end = start
      while end < changes.count, Self.number(changes[end]) == Self.number(changes[start]) {
        keys.withUnsafeBytes { keys in
          chunk.set(changes[end].id, UnsafeRawBufferPointer(rebasing: keys[changes[end].key]))
        }
        end += 1
      }
      start = end
      if chunk.isEmpty {
        if old != nil { try cursor.delete() }
        continue
      }
      chunk.encode(&value, key.bytes)
      try value.withUnsafeBytes { value in
        if old == nil { try cursor.append(key.bytes, value) } else { try cursor.put(key.bytes, value) }
      }
    }
    changes.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
  }
}

/// Builds the value of a chunk.
private struct ChunkBuilder: ~Copyable {
  private var bitmap: UInt64 = 0
  /// The keys after the entity, by their places in the chunk, in `bytes`.
  private var keys = [Range<Int>](repeating: 0..<0, count: Int(NumberChunk.size))
  private var bytes: [UInt8] = []

  var isEmpty: Bool { bitmap == 0 }

  mutating func removeAll() {
    bitmap = 0
    bytes.removeAll(keepingCapacity: true)
  }

  /// - Parameter room: For one key at a time.
  /// - Returns: False if the stored chunk is damaged.
  mutating func add(_ chunk: NumberChunk, _ number: UInt64, _ room: inout KeyBytes) -> Bool {
    chunk.forEach(number, &room) { id, key in
      set(id, UnsafeRawBufferPointer(rebasing: key.bytes[2...]))
    }
  }

  /// - Parameter key: Empty to remove the object.
  mutating func set(_ id: ObjectID, _ key: UnsafeRawBufferPointer) {
    let place = id.rawValue % NumberChunk.size
    guard !key.isEmpty else {
      bitmap &= ~(1 << place)
      return
    }
    bitmap |= 1 << place
    keys[Int(place)] = bytes.count..<(bytes.count + key.count)
    bytes.append(contentsOf: key)
  }

  /// The lowest form that fits.
  private var form: UInt8 {
    var (areKeyless, areIntegers) = (true, true)
    for place in 0..<keys.count where bitmap >> UInt64(place) & 1 != 0 {
      let kind = bytes[keys[place].lowerBound]
      if kind != KeyKind.none { areKeyless = false }
      if kind != KeyKind.integer { areIntegers = false }
    }
    return areKeyless
      ? NumberChunk.Form.keyless : areIntegers ? NumberChunk.Form.integers : NumberChunk.Form.any
  }

  /// Encodes the chunk in the shortest form, with its checksum.
  func encode(_ value: inout [UInt8], _ key: UnsafeRawBufferPointer) {
    let form = form
    value.removeAll(keepingCapacity: true)
    func append<T: FixedWidthInteger>(_ number: T) {
      withUnsafeBytes(of: number.littleEndian) { value.append(contentsOf: $0) }
    }
    append(UInt32(0))
    append(bitmap)
    append(form)
    bytes.withUnsafeBytes { bytes in
      for place in 0..<keys.count where bitmap >> UInt64(place) & 1 != 0 && form != NumberChunk.Form.keyless {
        let key = UnsafeRawBufferPointer(rebasing: bytes[keys[place]])
        if form == NumberChunk.Form.integers {
          append(key.bigEndian(at: 1, as: UInt64.self) ^ (1 << 63))
        } else {
          append(UInt16(key.count))
          value.append(contentsOf: key)
        }
      }
    }
    value.withUnsafeMutableBytes { value in
      let crc = Checksum.make(.numbers, key, UnsafeRawBufferPointer(rebasing: value[Checksum.size...]))
      value.storeBytes(of: crc.littleEndian, as: UInt32.self)
    }
  }
}
