import CFastMapLMDB
import FastMapSystem
import Synchronization

// The map is the address space that LMDB reserves, and so the maximum size of the store. LMDB moves it even if
// threads are reading, so the gate keeps them out. The caller has the turn and no transaction.
extension Environment {
  /// Doubles the map, or makes it as large as the configuration and the process's limits allow.
  func grow() throws(LMDBError) {
    guard !thread.isReading else { throw error(.growthInsideRead) }
    let (size, _) = mapSize
    guard size < configuration.largestMapSize else {
      throw error(.mapFull(limit: configuration.largestMapSize))
    }
    checkReaders()
    // Each step runs a write's body again, so a step that is too small is not worth it.
    let target = min(2 * size, configuration.largestMapSize)
    try moveMap(to: target, atLeast: min(size + size / 8, target))
  }

  /// Makes the map large enough for the commits of other processes.
  func followMap() throws(LMDBError) {
    let (size, used) = mapSize
    guard used > size else { return }
    var target = size
    while target < used { target *= 2 }
    try moveMap(to: max(used, min(target, configuration.largestMapSize)), atLeast: used)
  }

  /// The size of the map and the size that the newest commit uses. C: `mdb_env_info`
  var mapSize: (map: Int, used: Int) {
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    return (Int(info.me_mapsize), (Int(info.me_last_pgno) + 1) * pageSize)
  }

  /// Moves the map to a place with room for `size` bytes, or for fewer, but at least `least`.
  ///
  /// LMDB releases the old map before it requests the new one, and cannot continue if that fails. So we test first.
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
    if readsPages { checkedPages.grow(to: target / pageSize) }
    guard status == MDB_SUCCESS else {
      close(after: status)
      throw closedError
    }
  }
}

func roundedToPages(_ size: Int) -> Int { size & ~0xFFFF }
