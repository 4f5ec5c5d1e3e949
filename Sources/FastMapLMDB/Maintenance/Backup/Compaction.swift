import CFastMapLMDB
import FastMapSystem

/// Replaces a store's data file by a compact copy, while it is not open.
///
/// Every process with the store open has a shared lock on the first byte of lock.mdb. Here it is locked exclusively,
/// so other openers wait in LMDB before they read the data file. The lock file stays, with the number of the newest
/// commit. The copy has the same number.
struct Compaction {
  private let directory: StoreDirectory

  init(_ directory: StoreDirectory) { self.directory = directory }

  /// - Returns: The reduction of the file's size, in bytes.
  func run() throws -> Int {
    try directory.prepare()
    guard let status = try FileSystem.status(of: directory.dataFile) else {
      throw LMDBError(.notFound, path: directory.path)
    }
    let work = try directory.makeWorkDirectory(StoreDirectory.compactingPrefix)
    defer { StoreDirectory.remove(work) }
    let copy = try StoreFile(creating: work + "/data.mdb")
    // The copy, too. If another opener in this process used its new name before the old environment is closed, that
    // opener would lose its locks.
    return try EnvironmentRegistry.exclusively(FileID(status), directory.path) {
      try EnvironmentRegistry.exclusively(FileID(copy.status()), directory.path) {
        let findings = try Preflight.inspect(directory, mayWrite: true)
        guard let opening = try EnvironmentOpening(directory, FileID(status), findings),
          try opening.adopt(FileID(status))
        else { throw LMDBError(.inUse, path: directory.path) }
        let lock = try ExclusiveAccess(directory)
        try opening.checkFormat(isWriting: true)
        try opening.verify(.pages)
        // Refuses names of tables that are damaged: they have no checksum.
        _ = try opening.openDatabases(findings)
        let saved = try replace(opening, status, copy, work)
        _ = consume opening  // before taking the lock, which closing it would release
        withExtendedLifetime(lock) {}
        return saved
      }
    }
  }

  private func replace(
    _ opening: borrowing EnvironmentOpening, _ old: stat, _ copy: borrowing StoreFile, _ work: String
  ) throws -> Int {
    try opening.copy(to: copy)
    try copy.copyOwner(of: old)
    try copy.sync()
    let saved = Int(old.st_size) - Int(try copy.status().st_size)
    guard saved > 0 else { return 0 }
    guard rename(work + "/data.mdb", directory.dataFile) == 0 else {
      throw LMDBError.lastSystemError(at: directory.path)
    }
    FileStep.didName(directory.dataFile)
    try directory.sync()
    return saved
  }
}
