import CFastMapLMDB

/// The size and shape of one table. C: `MDB_stat`
struct DatabaseStatistics: Equatable, Sendable {
  let entries: Int
  let depth: Int
  let branchPages: Int
  let leafPages: Int
  let overflowPages: Int
  let pageSize: Int

  init(_ statistics: MDB_stat) {
    entries = statistics.ms_entries
    depth = Int(statistics.ms_depth)
    branchPages = statistics.ms_branch_pages
    leafPages = statistics.ms_leaf_pages
    overflowPages = statistics.ms_overflow_pages
    pageSize = Int(statistics.ms_psize)
  }

  /// The size of its pages in bytes; nil if they are more than any file has.
  var byteCount: Int? {
    let counts = [branchPages, leafPages, overflowPages]
    return counts.allSatisfy((0..<1 << 40).contains) ? counts.reduce(0, +) * pageSize : nil
  }
}

/// The size of the whole store. C: `MDB_envinfo`
struct EnvironmentStatistics: Equatable, Sendable {
  /// The maximum size of the store before it grows, in bytes.
  let mapSize: Int
  /// The size that the newest commit uses in bytes, including free pages.
  let usedSize: Int
  let pageSize: Int
  let lastCommit: Int
  let maxReaders: Int
  let maxKeySize: Int
}

extension Environment {
  func statistics() throws(LMDBError) -> EnvironmentStatistics {
    try checkOurs()
    try enter()
    defer { leave() }
    var info = MDB_envinfo()
    var main = MDB_stat()
    try check(mdb_env_info(handle, &info), at: path)
    try check(mdb_env_stat(handle, &main), at: path)
    return EnvironmentStatistics(
      mapSize: info.me_mapsize, usedSize: (info.me_last_pgno + 1) * Int(main.ms_psize),
      pageSize: Int(main.ms_psize), lastCommit: info.me_last_txnid,
      maxReaders: Int(info.me_maxreaders), maxKeySize: Int(mdb_env_get_maxkeysize(handle)))
  }
}
