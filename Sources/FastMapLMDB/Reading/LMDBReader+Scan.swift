internal import CFastMap
public import FastMapCore

extension LMDBReader {
  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    // The first pages are small, because the caller may stop early.
    var size = min(pageSize, 16)
    // Collected in arrays of this module, whose appending is inlined here.
    var ids: [ObjectID] = []
    var found: [PrimaryKey?] = []
    ids.reserveCapacity(size)
    found.reserveCapacity(size)
    var isEnded = false
    func add(_ reader: inout LMDBReader, _ id: ObjectID, _ key: PrimaryKey?) throws -> Bool {
      ids.append(id)
      found.append(key)
      guard ids.count >= size else { return true }
      isEnded = try !body(&reader, ObjectPage(ids: ids, keys: found))
      if isEnded { return false }
      size = min(pageSize, size * 4)
      ids.removeAll(keepingCapacity: true)
      found.removeAll(keepingCapacity: true)
      return true
    }
    try forEachObject(of: entity, keys: keys, isDescending: isDescending, add)
    if !isEnded, !ids.isEmpty { _ = try body(&self, ObjectPage(ids: ids, keys: found)) }
  }

  public mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    if isDescending {
      try scanReversed(of: entity, keys: keys, body)
    } else {
      try scan(of: entity, keys: keys, body)
    }
  }

  private mutating func scan(
    of entity: Int, keys: KeyRange?, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    guard let number = binding.entities[entity].number else { return }
    guard try scanIndex(of: number, keys, body), keys == nil, hasKeyless(number) else { return }
    _ = try scanKeyless(of: number, body)
  }

  private mutating func scanReversed(
    of entity: Int, keys: KeyRange?, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    guard let number = binding.entities[entity].number else { return }
    if keys == nil, hasKeyless(number), try !scanKeylessReversed(of: number, body) { return }
    let range = IndexRange(number, keys)
    let cursor = try view.unsafeCursor(tables.index)
    var entry = try range.last(cursor)
    while let found = entry, range.isAboveLower(found.key) {
      guard try visit(found, body) else { return }
      entry = try cursor.previous()
    }
  }

  public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    guard let number = binding.entities[entity].number else { return 0 }
    let range = IndexRange(number, keys)
    let cursor = try view.unsafeCursor(tables.index)
    var count = 0
    var entry = try range.first(cursor)
    while let found = entry, range.isBelowUpper(found.key) {
      _ = try id(found.key, found.value)
      count += 1
      entry = try cursor.next()
    }
    return count
  }

  // MARK: Keys

  /// - Returns: Whether to continue.
  private mutating func scanIndex(
    of number: UInt16, _ keys: KeyRange?,
    _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    let range = IndexRange(number, keys)
    let cursor = try view.unsafeCursor(tables.index)
    var entry = try range.first(cursor)
    while let found = entry, range.isBelowUpper(found.key) {
      guard try visit(found, body) else { return false }
      entry = try cursor.next()
    }
    return true
  }

  private mutating func visit(
    _ found: Cursor.Entry, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    let id = try id(found.key, found.value)
    guard let key = PrimaryKey(indexKey: found.key) else {
      throw Checksum.damaged(.index, found.key, "not a key", environment)
    }
    return try body(&self, id, key)
  }

  // MARK: Objects without a key

  private func hasKeyless(_ number: UInt16) -> Bool {
    layout.entities[Int(number)].counts.objects > layout.entities[Int(number)].counts.keyed
  }

  /// - Returns: Whether to continue.
  private mutating func scanKeyless(
    of number: UInt16, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    let cursor = try view.unsafeCursor(tables.records)
    var start = KeyBytes()
    start.setRecord(ObjectNumber.make(entity: number, serial: 0))
    var entry = try cursor.seek(atLeast: start.bytes)
    while let found = entry {
      guard let isToGoOn = try visitKeyless(found, number, body) else { return true }
      guard isToGoOn else { return false }
      entry = try cursor.next()
    }
    return true
  }

  /// - Returns: Whether to continue.
  private mutating func scanKeylessReversed(
    of number: UInt16, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    let cursor = try view.unsafeCursor(tables.records)
    var end = KeyBytes()
    end.setRecord(ObjectNumber.make(entity: number + 1, serial: 0))
    var entry = try cursor.seek(atLeast: end.bytes) == nil ? cursor.last() : cursor.previous()
    while let found = entry {
      guard let isToGoOn = try visitKeyless(found, number, body) else { return true }
      guard isToGoOn else { return false }
      entry = try cursor.previous()
    }
    return true
  }

  /// - Returns: The result of `body`, or true for an object with a key; nil for an object of another entity.
  private mutating func visitKeyless(
    _ found: Cursor.Entry, _ number: UInt16, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws -> Bool? {
    guard found.key.count == 8, found.key.bigEndian(at: 0, as: UInt16.self) == number else { return nil }
    guard try record(found.key, found.value).keyField == nil else { return true }
    return try body(&self, found.key.id(inKeyAt: 0), nil)
  }
}

/// The keys of an entity, or those in a range, as bytes of the index.
struct IndexRange: ~Copyable {
  private var lower = KeyBytes()
  private var upper = KeyBytes()
  /// A stored key is never longer than the truncated bound. A key that equals it comes before the bound.
  private var isLowerCut = false
  /// Whether the range excludes the upper bound. A truncated bound comes before the requested one.
  private var isUpperOut = false

  init(_ entity: UInt16, _ range: KeyRange?) {
    if let key = range?.lower {
      isLowerCut = Self.set(&lower, entity, key)
    } else {
      lower.setIndex(entity: entity)
    }
    if let key = range?.upper {
      let isCut = Self.set(&upper, entity, key)
      isUpperOut = range?.includesUpper == false && !isCut
    } else {
      upper.setIndexEnd(entity: entity)
    }
  }

  /// - Returns: Whether the key was truncated to the length of the index.
  private static func set(_ bytes: inout KeyBytes, _ entity: UInt16, _ key: PrimaryKey) -> Bool {
    key.withSlot { slot in
      var slot = slot.pointee
      let isCut = KeyLimit.reason(slot) != nil
      if isCut { slot.length = UInt32(KeyLimit.stringBytes) }
      bytes.setIndex(entity: entity, key: slot)
      return isCut
    }
  }

  /// Moves to the first key that is not below the range.
  func first(_ cursor: borrowing Cursor) throws -> Cursor.Entry? {
    let found = try cursor.seek(atLeast: lower.bytes)
    return isLowerCut && found?.key.equals(lower.bytes) == true ? try cursor.next() : found
  }

  /// Moves to the last key that is not above the range.
  func last(_ cursor: borrowing Cursor) throws -> Cursor.Entry? {
    guard let found = try cursor.seek(atLeast: upper.bytes) else { return try cursor.last() }
    return !isUpperOut && found.key.equals(upper.bytes) ? found : try cursor.previous()
  }

  func isBelowUpper(_ key: UnsafeRawBufferPointer) -> Bool {
    isUpperOut ? key.precedes(upper.bytes) : !upper.bytes.precedes(key)
  }

  func isAboveLower(_ key: UnsafeRawBufferPointer) -> Bool {
    isLowerCut ? lower.bytes.precedes(key) : !key.precedes(lower.bytes)
  }
}

extension PrimaryKey {
  /// The key in an entry of the index.
  init?(indexKey bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 3 else { return nil }
    switch bytes[2] {
    case KeyKind.integer where bytes.count == 11:
      self = .integer(Int64(bitPattern: bytes.bigEndian(at: 3, as: UInt64.self) ^ (1 << 63)))
    case KeyKind.string:
      self = .string(String(decoding: bytes[3...], as: UTF8.self))
    default:
      return nil
    }
  }
}
