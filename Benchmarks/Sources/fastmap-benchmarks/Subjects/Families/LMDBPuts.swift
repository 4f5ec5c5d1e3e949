import FastMapCore
import FastMapLMDB
import PlainLMDB

/// LMDB alone, as the lower limit: the values of FastMap's own records under ascending keys, in one durable
/// transaction. There is no JSON, no look-up of keys, no relationship and no index.
struct LMDBPuts: Subject {
  let rootCount: Int
  let folder: Folder
  private let records: Records

  init(_ families: Families, _ folder: Folder) throws {
    rootCount = families.parentCount
    self.folder = folder
    let path = try folder.newPath("records")
    let plan = try Families.makePlan()
    _ = try Mapper(LMDBStore(at: path)).importJSON(families.json, as: plan)
    records = try Records(ofStore: path)
    try WrongOutcome.check(records.sizes.count == families.objectCount, "a record for each object")
    _ = try folder.newPath("records")
  }

  func prepare() throws -> () throws -> Int {
    let environment = try PlainEnvironment(at: folder.newDirectory("lmdb-puts"))
    return {
      try environment.put(records)
      return rootCount
    }
  }
}

/// The values of records in sequence.
struct Records {
  private(set) var bytes: [UInt8] = []
  private(set) var sizes: [Int] = []

  init(ofStore path: String) throws {
    let environment = try PlainEnvironment(at: path, flags: UInt32(MDB_RDONLY | MDB_NOLOCK))
    try environment.read { transaction in
      var table: MDB_dbi = 0
      try check(mdb_dbi_open(transaction, "records", 0, &table))
      var cursor: OpaquePointer?
      try check(mdb_cursor_open(transaction, table, &cursor))
      defer { mdb_cursor_close(cursor) }
      var key = MDB_val()
      var value = MDB_val()
      while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
        sizes.append(value.mv_size)
      }
    }
  }
}

/// The owner of an environment with LMDB's own defaults.
final class PlainEnvironment {
  private var handle: OpaquePointer?

  init(at directory: String, flags: UInt32 = 0) throws {
    try check(mdb_env_create(&handle))
    try check(mdb_env_set_mapsize(handle, 16 << 30))
    try check(mdb_env_set_maxdbs(handle, 8))
    try check(mdb_env_open(handle, directory, flags, 0o600))
  }

  deinit { mdb_env_close(handle) }

  func read<R>(_ body: (OpaquePointer?) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction))
    defer { mdb_txn_abort(transaction) }
    return try body(transaction)
  }

  /// Stores values under the keys 1, 2, 3, … (8 bytes, big-endian).
  func put(_ records: Records) throws {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle, nil, 0, &transaction))
    var table: MDB_dbi = 0
    try check(mdb_dbi_open(transaction, nil, 0, &table))
    try records.bytes.withUnsafeBytes { bytes in
      var start = 0
      for (number, size) in records.sizes.enumerated() {
        var key = UInt64(number + 1).bigEndian
        try withUnsafeMutableBytes(of: &key) { key in
          var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
          let source = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + start) }
          var value = MDB_val(mv_size: size, mv_data: source)
          try check(mdb_put(transaction, table, &key, &value, UInt32(MDB_APPEND)))
        }
        start += size
      }
    }
    try check(mdb_txn_commit(transaction))
  }
}

func check(_ status: CInt) throws(WrongOutcome) {
  try WrongOutcome.check(
    status == MDB_SUCCESS, "success of LMDB, found: \(String(cString: mdb_strerror(status)))")
}
