internal import FastMapStoreKit

/// The named databases of a store, and the bytes of their keys.
///
///     table     key                                                value
///     meta      "format" | "layout" entity 2 | "count" entity 2    see Layout.swift
///     records   entity 2 | kind 1 | key                            see RecordFormat.swift
///     numbers   object / 64, 8                                     see NumberChunk.swift
///     links     owner 8 | field 2 | position 8                     see ListShape.swift
///     inverse   target 8 | field 2 | owner 8                       see InverseBlock.swift
///     index     index 2 | first entry                              see IndexBlock.swift
///     spare     the keys of meta but "count" and "left"            see StoreLayout.swift
///
/// Numbers in keys are big-endian, so that they sort. Numbers in values are little-endian. An object's number is its
/// entity (16 bits) and its serial within the entity (48 bits), so a reference includes the entity. A record is stored
/// under its primary key, and `numbers` leads from an object's number to that key. Every value begins with a checksum of the table, the key and the rest of the value
/// (Checksum.swift).
enum Table: Int, CaseIterable {
  case meta, records, numbers, links, inverse, index, spare

  var name: String {
    switch self {
    case .meta: "meta"
    case .records: "records"
    case .numbers: "numbers"
    case .links: "links"
    case .inverse: "inverse"
    case .index: "index"
    case .spare: "spare"
    }
  }
}

extension Table {
  init?(name: String) {
    switch name {
    case "meta": self = .meta
    case "records": self = .records
    case "numbers": self = .numbers
    case "links": self = .links
    case "inverse": self = .inverse
    case "index": self = .index
    case "spare": self = .spare
    default: return nil
    }
  }
}

/// The databases of one open store.
struct Tables {
  let meta: Database
  let records: Database
  let numbers: Database
  let links: Database
  let inverse: Database
  let index: Database
  let spare: Database

  /// - Parameter databases: In the order of ``Table``.
  init(_ databases: [Database]) {
    precondition(databases.count == Table.allCases.count, "a store has all its tables open")
    meta = databases[Table.meta.rawValue]
    records = databases[Table.records.rawValue]
    numbers = databases[Table.numbers.rawValue]
    links = databases[Table.links.rawValue]
    inverse = databases[Table.inverse.rawValue]
    index = databases[Table.index.rawValue]
    spare = databases[Table.spare.rawValue]
  }
}

/// The parts of an object's number.
enum ObjectNumber {
  static let serialBits: UInt64 = 48
  static let maxSerial: UInt64 = 1 << serialBits - 1

  @inline(__always)
  static func make(entity: UInt16, serial: UInt64) -> ObjectID {
    ObjectID(rawValue: UInt64(entity) << serialBits | serial)
  }

  @inline(__always)
  static func entity(_ id: ObjectID) -> UInt16 { UInt16(truncatingIfNeeded: id.rawValue >> serialBits) }

  @inline(__always)
  static func serial(_ id: ObjectID) -> UInt64 { id.rawValue & maxSerial }
}
