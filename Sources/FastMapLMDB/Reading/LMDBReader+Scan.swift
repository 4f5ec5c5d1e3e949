internal import CFastMap
public import FastMapCore

extension LMDBReader {
  public mutating func forEach(
    of entity: Int, keys: ClosedKeyRange?, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    guard let number = binding.entities[entity].number else { return }
    guard try scanIndex(of: number, keys, body), keys == nil else { return }
    let counts = layout.entities[Int(number)].counts
    if counts.objects > counts.keyed { try scanKeyless(of: number, body) }
  }

  /// - Returns: Whether to go on.
  private mutating func scanIndex(
    of number: UInt16, _ range: ClosedKeyRange?,
    _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws -> Bool {
    let cursor = try view.unsafeCursor(tables.index)
    var prefix = KeyBytes()
    prefix.setIndex(entity: number)
    var entry = try seek(cursor, number, prefix, range?.lower)
    while let found = entry, found.key.starts(with: prefix.bytes) {
      let id = try id(found.key, found.value)
      guard let key = PrimaryKey(indexKey: found.key) else {
        throw Checksum.damaged(.index, found.key, "not a key", environment)
      }
      if let upper = range?.upper, upper < key { return true }
      guard try body(&self, id, key) else { return false }
      entry = try cursor.next()
    }
    return true
  }

  private func seek(
    _ cursor: borrowing Cursor, _ number: UInt16, _ prefix: borrowing KeyBytes, _ lower: PrimaryKey?
  ) throws -> Cursor.Entry? {
    guard let lower else { return try cursor.seek(atLeast: prefix.bytes) }
    return try lower.withSlot { slot throws -> Cursor.Entry? in
      var cut = slot.pointee
      // No stored key is longer, so that a longer bound stands behind all keys that begin like it.
      let isCut = KeyLimit.reason(cut) != nil
      if isCut { cut.length = UInt32(KeyLimit.stringBytes) }
      var bytes = KeyBytes()
      bytes.setIndex(entity: number, key: cut)
      let found = try cursor.seek(atLeast: bytes.bytes)
      guard isCut, let found, found.key.equals(bytes.bytes) else { return found }
      return try cursor.next()
    }
  }

  private mutating func scanKeyless(
    of number: UInt16, _ body: (inout LMDBReader, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    let cursor = try view.unsafeCursor(tables.records)
    var start = KeyBytes()
    start.setRecord(ObjectNumber.make(entity: number, serial: 0))
    var entry = try cursor.seek(atLeast: start.bytes)
    while let found = entry, found.key.count == 8 {
      let id = found.key.bigEndian(at: 0, as: UInt64.self)
      guard ObjectNumber.entity(id) == number else { return }
      if try record(found.key, found.value).keyField == nil {
        guard try body(&self, id, nil) else { return }
      }
      entry = try cursor.next()
    }
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
