import CFastMapLMDB
import FastMapSystem
import Synchronization

// The map is the address space that LMDB reserves, and so the largest size of the store. LMDB moves it
// without asking who reads from it; the gate asks. The caller has the turn and no transaction.
extension Environment {
  /// Doubles the map, or makes it as large as the options and the process's limits allow.
  func grow() throws(LMDBError) {
    guard !thread.isReading else { throw error(.growthInsideRead) }
    let (size, _) = mapSize
    guard size < options.maxMapSize else { throw error(.mapFull(limit: options.maxMapSize)) }
    checkReaders()
    // Each step runs a write's body again: better none than many small ones.
    let target = min(2 * size, options.maxMapSize)
    try moveMap(to: target, atLeast: min(size + size / 8, target))
  }

  /// Makes the map large enough for what other processes have committed.
  func followMap() throws(LMDBError) {
    let (size, used) = mapSize
    guard used > size else { return }
    var target = size
    while target < used { target *= 2 }
    try moveMap(to: max(used, min(target, options.maxMapSize)), atLeast: used)
  }

  /// The sizes of the map and of what the newest commit refers to. C: `mdb_env_info`, `mdb_env_stat`
  private var mapSize: (map: Int, used: Int) {
    var info = MDB_envinfo()
    var statistics = MDB_stat()
    mdb_env_info(handle, &info)
    mdb_env_stat(handle, &statistics)
    return (Int(info.me_mapsize), (Int(info.me_last_pgno) + 1) * Int(statistics.ms_psize))
  }

  /// Moves the map to where there is room for `size` bytes, or for fewer, but no fewer than `least`.
  ///
  /// LMDB gives the old map up before it asks for the new one, and cannot go on if that fails; so we try
  /// first.
  private func moveMap(to size: Int, atLeast least: Int) throws(LMDBError) {
    let current = mapSize.map
    var target = size
    while !FileSystem.canMap(target - current) {
      target = roundedToPages(current + (target - current) / 2)
      guard target >= least else { throw error(.addressSpaceFull(needed: size)) }
    }
    gate.shutAndDrain()
    defer { gate.reopen() }
    let status = mdb_env_set_mapsize(handle, target)
    mapBase.store(0, ordering: .relaxed)
    guard status == MDB_SUCCESS else {
      close(after: status)
      throw closedError
    }
  }
}

/// Rounds down to what every page size divides.
func roundedToPages(_ size: Int) -> Int { size & ~0xFFFF }
