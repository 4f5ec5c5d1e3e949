import PlainLMDB

/// LMDB alone, as the floor: as many values of the size that FastMap's records have, under ascending keys, in
/// one durable transaction. No JSON is read, and there are no relationships and no index.
struct LMDBPuts: Subject {
  let families: Families
  let folder: Folder

  private static let valueSize = 150

  func prepare() throws -> () throws -> Int {
    let environment = try PlainEnvironment(at: folder.newDirectory("lmdb-puts"))
    return {
      var transaction: OpaquePointer?
      try check(mdb_txn_begin(environment.handle, nil, 0, &transaction))
      var table: MDB_dbi = 0
      try check(mdb_dbi_open(transaction, nil, 0, &table))
      var value = [UInt8](repeating: 0xA5, count: Self.valueSize)
      try value.withUnsafeMutableBytes { value in
        for number in 0..<families.objectCount {
          var key = UInt64(number).bigEndian
          value.storeBytes(of: key, as: UInt64.self)
          try withUnsafeMutableBytes(of: &key) { key in
            var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
            var value = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
            try check(mdb_put(transaction, table, &key, &value, UInt32(MDB_APPEND)))
          }
        }
      }
      try check(mdb_txn_commit(transaction))
      return families.parentCount
    }
  }
}

/// The owner of an environment with LMDB's own defaults.
private final class PlainEnvironment {
  private(set) var handle: OpaquePointer?

  init(at directory: String) throws {
    try check(mdb_env_create(&handle))
    try check(mdb_env_set_mapsize(handle, 4 << 30))
    try check(mdb_env_open(handle, directory, 0, 0o600))
  }

  deinit { mdb_env_close(handle) }
}

private func check(_ status: CInt) throws(WrongOutcome) {
  try WrongOutcome.check(
    status == MDB_SUCCESS, "success of LMDB, found: \(String(cString: mdb_strerror(status)))")
}
