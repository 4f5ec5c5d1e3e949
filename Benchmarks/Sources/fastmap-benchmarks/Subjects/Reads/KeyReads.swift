import FastMapCore
import FastMapLMDB
import PlainLMDB

/// Does the work once before it is measured, because a process's first access to a page of a file is a page fault,
/// which takes longer than a look-up.
private func warmed(unless isCold: Bool = false, _ work: @escaping () throws -> Int) throws -> () throws ->
  Int
{
  if !isCold { _ = try work() }
  return work
}

/// FastMap: each key is looked up and one attribute of its record lent, all in one read.
struct FastMapGets: Subject {
  let stored: StoredFamilies
  /// Whether opening is measured, with the store's files not in memory.
  var isCold = false

  func prepare() throws -> () throws -> Int {
    if isCold { stored.evict() }
    let opened = isCold ? nil : try LMDBStore(at: stored.fastMap)
    return try warmed(unless: isCold) {
      let store = try opened ?? LMDBStore(at: stored.fastMap)
      return try store.read(stored.plan) { records in
        guard let entity = records.schema.entity(named: "Child"),
          let field = records.schema.entities[entity].fields.firstIndex(where: { $0.name == "string" })
        else { return -1 }
        var count = 0
        for key in stored.keys {
          guard let id = try records.reader.find(.integer(Int64(key)), of: entity) else { continue }
          count +=
            try records.reader.withRow(id, of: entity) { row in
              row[field].bytes?.isEmpty == false ? 1 : 0
            } ?? 0
        }
        return count
      }
    }
  }
}

/// FastMap: each key in its own snapshot, like a server that handles one request after the other.
struct FastMapSingleGets: Subject {
  let stored: StoredFamilies

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    guard let entity = stored.plan.schema.entity(named: "Child"),
      let field = stored.plan.schema.entities[entity].fields.firstIndex(where: { $0.name == "string" })
    else { return { -1 } }
    return try warmed {
      var count = 0
      for key in stored.keys {
        count += try store.read(stored.plan.schema) { reader in
          guard let id = try reader.find(.integer(Int64(key)), of: entity) else { return 0 }
          return try reader.withRow(id, of: entity) { row in
            row[field].bytes?.isEmpty == false ? 1 : 0
          } ?? 0
        }
      }
      return count
    }
  }
}

/// FastMap: each key is looked up and becomes a dynamic record with all its attributes.
struct FastMapRecordReads: Subject {
  let stored: StoredFamilies

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    return try warmed {
      try store.read(stored.plan) { records in
        var count = 0
        for key in stored.keys {
          if try records.record("Child", key: key) != nil { count += 1 }
        }
        return count
      }
    }
  }
}

/// FastMap: all keys in one call, which makes an instance of a class for each object.
struct FastMapObjectReads: Subject {
  let stored: StoredFamilies

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    return try warmed {
      try store.read { objects in
        try objects.objects(ChildObject.mapping.keys(stored.keys.map { PrimaryKey.integer(Int64($0)) })).count
      }
    }
  }
}

/// LMDB alone: `mdb_get` for each key, reading one byte of each value.
struct LMDBGets: Subject {
  let stored: StoredFamilies
  var isCold = false

  func prepare() throws -> () throws -> Int {
    if isCold { stored.evict() }
    let opened = isCold ? nil : try PlainEnvironment(at: stored.lmdb)
    return try warmed(unless: isCold) {
      let environment = try opened ?? PlainEnvironment(at: stored.lmdb)
      return try environment.read { transaction in
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, nil, 0, &table))
        var count = 0
        for number in stored.keys {
          // Objects are numbered in the order of their keys, with children before or after the parents.
          var key = UInt64(number).bigEndian
          let byte = try withUnsafeMutableBytes(of: &key) { key -> UInt8? in
            var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
            var value = MDB_val()
            try check(mdb_get(transaction, table, &key, &value))
            return value.mv_data?.load(fromByteOffset: value.mv_size / 2, as: UInt8.self)
          }
          if byte != nil { count += 1 }
        }
        return count
      }
    }
  }
}

/// SQLite: a prepared select of one column by key, all in one transaction.
struct SQLiteGets: Subject {
  let stored: StoredFamilies
  var isCold = false

  func prepare() throws -> () throws -> Int {
    if isCold { stored.evict() }
    let opened = isCold ? nil : try FamilyDatabase(at: stored.sqlite)
    return try warmed(unless: isCold) {
      let sqlite = (try opened ?? FamilyDatabase(at: stored.sqlite)).sqlite
      try sqlite.execute("BEGIN")
      let select = try sqlite.prepare("SELECT string FROM child WHERE id = ?")
      var count = 0
      for key in stored.keys {
        select.bind(Int64(key), at: 1)
        if select.step(), !select.bytes(0).isEmpty { count += 1 }
        select.reset()
      }
      try sqlite.execute("COMMIT")
      return count
    }
  }
}
