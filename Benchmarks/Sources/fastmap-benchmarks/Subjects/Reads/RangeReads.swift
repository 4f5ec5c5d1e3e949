import FastMapCore
import FastMapLMDB
import PlainLMDB

/// FastMap: the children in a range of keys, in order, lending one attribute of each.
struct FastMapRange: Subject {
  let stored: StoredFamilies
  let range: ClosedRange<Int>

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    let keys = KeyRange(
      from: .integer(Int64(range.lowerBound)), to: .integer(Int64(range.upperBound)))
    return {
      try store.read(stored.plan) { records in
        guard let entity = records.schema.entity(named: "Child"),
          let field = records.schema.entities[entity].fields.firstIndex(where: { $0.name == "string" })
        else { return -1 }
        return try Self.count(in: &records.reader, of: entity, keys: keys, field)
      }
    }
  }
}

extension FastMapRange {
  // The existential reader is opened once for many objects, not for each of them.
  private static func count(
    in reader: inout some StoreReader, of entity: Int, keys: KeyRange, _ field: Int
  ) throws -> Int {
    var count = 0
    try reader.forEachObject(of: entity, keys: keys, isDescending: false) { reader, id, _ in
      count +=
        try reader.withRow(id, of: entity) { row in
          row[field].bytes?.isEmpty == false ? 1 : 0
        } ?? 0
      return true
    }
    return count
  }
}

/// LMDB alone: a cursor over a range of keys, reading one byte of each value.
struct LMDBRange: Subject {
  let stored: StoredFamilies
  let range: ClosedRange<Int>

  func prepare() throws -> () throws -> Int {
    let environment = try PlainEnvironment(at: stored.lmdb)
    return {
      try environment.read { transaction in
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, nil, 0, &table))
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, table, &cursor))
        defer { mdb_cursor_close(cursor) }
        var first = UInt64(range.lowerBound).bigEndian
        return withUnsafeMutableBytes(of: &first) { first in
          var key = MDB_val(mv_size: first.count, mv_data: first.baseAddress)
          var value = MDB_val()
          var count = 0
          var sum: UInt8 = 0
          var status = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
          while status == MDB_SUCCESS, count < range.count {
            sum &+= value.mv_data?.load(fromByteOffset: value.mv_size / 2, as: UInt8.self) ?? 0
            count += 1
            status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
          }
          blackHole(sum)
          return count
        }
      }
    }
  }
}

/// SQLite: a select over a range of keys, in order, reading one column of each row.
struct SQLiteRange: Subject {
  let stored: StoredFamilies
  let range: ClosedRange<Int>

  func prepare() throws -> () throws -> Int {
    let sqlite = try FamilyDatabase(at: stored.sqlite).sqlite
    return {
      let select = try sqlite.prepare("SELECT string FROM child WHERE id BETWEEN ? AND ? ORDER BY id")
      select.bind(Int64(range.lowerBound), at: 1)
      select.bind(Int64(range.upperBound), at: 2)
      var count = 0
      while select.step() {
        if !select.bytes(0).isEmpty { count += 1 }
      }
      return count
    }
  }
}

/// Prevents the optimiser from removing unused reads.
@inline(never)
func blackHole(_ value: some Any) {}
