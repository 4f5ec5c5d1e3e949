internal import CFastMap
internal import FastMapStoreKit

/// The checksum at the start of every value: CRC-32C of the table's number, the key and the rest of the value.
///
/// LMDB has no checksums, so a flipped bit on disk would otherwise be returned as data.
enum Checksum {
  static let size = 4

  @inline(__always)
  static func seed(_ table: Table) -> UInt32 { UInt32(truncatingIfNeeded: table.rawValue &+ 1) }

  @inline(__always)
  static func make(_ table: Table, _ key: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer) -> UInt32 {
    let crc = fastmap_crc32c(seed(table), key.baseAddress, key.count)
    return fastmap_crc32c(crc, rest.baseAddress, rest.count)
  }

  static func sealed(_ table: Table, _ key: UnsafeRawBufferPointer, _ rest: ArraySlice<UInt8>) -> [UInt8] {
    let checksum = rest.withUnsafeBytes { make(table, key, $0) }
    return withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + rest
  }

  static func matches(
    _ table: Table, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> Bool {
    value.count >= size
      && value.littleEndian(at: 0, as: UInt32.self)
        == make(table, key, UnsafeRawBufferPointer(rebasing: value[size...]))
  }

  /// The part of a value after the checksum.
  ///
  /// - Parameter view: The view of the reading transaction. Its environment is used only for an error, because
  ///   retaining it takes longer than the checksum of a key.
  /// - Throws: ``LMDBError`` of reason `damaged` if the checksum does not match.
  @inline(__always)
  static func open(
    _ table: Table, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    in view: TransactionView
  ) throws(LMDBError) -> UnsafeRawBufferPointer {
    guard value.count >= size else {
      throw damaged(table, key, "a value of \(value.count) bytes", view.environment)
    }
    let rest = UnsafeRawBufferPointer(rebasing: value[size...])
    guard value.littleEndian(at: 0, as: UInt32.self) == make(table, key, rest) else {
      throw damaged(table, key, "the checksum does not match", view.environment)
    }
    return rest
  }

  @inline(never)
  static func damaged(
    _ table: Table, _ key: UnsafeRawBufferPointer, _ detail: String, _ environment: Environment
  ) -> LMDBError {
    environment.error(.damaged(place: Place.describe(table, key), detail: detail))
  }
}

/// Descriptions of places in a store.
enum Place {
  /// `object 12 of entity 3 in field 2 of object 4 of entity 1`
  static func describe(_ entry: InverseEntry) -> String {
    func object(_ id: ObjectID) -> String {
      "object \(ObjectNumber.serial(id)) of entity \(ObjectNumber.entity(id))"
    }
    return "\(object(entry.target)) in field \(entry.field) of \(object(entry.owner))"
  }

  /// `records, key 12 of entity 3`
  static func describe(_ table: Table, _ key: UnsafeRawBufferPointer) -> String {
    func object(at offset: Int) -> String {
      let id = key.id(inKeyAt: offset)
      return "object \(ObjectNumber.serial(id)) of entity \(ObjectNumber.entity(id))"
    }
    switch table {
    case .records where RecordKey(key).isValid:
      return "records, \(RecordKey(key))"
    case .numbers where key.count == 8:
      let first = ObjectID(rawValue: key.bigEndian(at: 0, as: UInt64.self) << NumberChunk.bits)
      let serial = ObjectNumber.serial(first)
      return
        "numbers, objects \(serial) to \(serial + NumberChunk.size - 1) of entity \(ObjectNumber.entity(first))"
    case .links where key.count == 18:
      return "links, field \(key.bigEndian(at: 8, as: UInt16.self)) of \(object(at: 0))"
    case .index where key.count > 2:
      return "index, a block of index \(key.bigEndian(at: 0, as: UInt16.self))"
    case .inverse where key.count == 18:
      return "inverse, the block from \(describe(InverseEntry(key)))"
    default:
      let bytes = key.prefix(24).map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }
      return "\(table.name), key \(bytes.joined())\(key.count > 24 ? "…" : "")"
    }
  }
}
