import CFastMapLMDB
import FastMapSystem

/// Puts a compact copy in the place of a store's data file, while nobody has it open.
///
/// Who has a store open has a shared lock on the first byte of lock.mdb. Here it is locked for one: whoever opens
/// the store meanwhile waits in LMDB, before it looks at the data file. The lock file stays, and with it the
/// number of the newest commit, which the copy has, too.
struct Compaction {
  private let directory: StoreDirectory

  init(_ directory: StoreDirectory) { self.directory = directory }

  /// - Returns: The bytes that the file has become shorter.
  func run() throws -> Int {
    try directory.prepare()
    guard let status = try FileSystem.status(of: directory.dataFile) else {
      throw LMDBError(.notFound, path: directory.path)
    }
    let work = try directory.makeWorkDirectory(StoreDirectory.compactingPrefix)
    defer { StoreDirectory.remove(work) }
    let copy = try StoreFile(creating: work + "/data.mdb")
    // The copy, too: who in this process opened it under its new name before the old environment is closed would
    // lose the locks with that.
    return try EnvironmentRegistry.exclusively(FileID(status), directory.path) {
      try EnvironmentRegistry.exclusively(FileID(copy.status()), directory.path) {
        let findings = try Preflight.inspect(directory, mayWrite: true)
        guard let opening = try EnvironmentOpening(directory, FileID(status), findings),
          try opening.take(FileID(status))
        else { throw LMDBError(.inUse, path: directory.path) }
        let lock = try SoleUse(directory)
        guard try opening.verify(.pages) else { throw LMDBError(.inUse, path: directory.path) }
        let saved = try replace(opening, status, copy, work)
        _ = consume opening  // before the lock, which its end would undo
        withExtendedLifetime(lock) {}
        return saved
      }
    }
  }

  private func replace(
    _ opening: borrowing EnvironmentOpening, _ old: stat, _ copy: borrowing StoreFile, _ work: String
  ) throws -> Int {
    try opening.copy(to: copy)
    try copy.take(ownerOf: old)
    try copy.sync()
    let saved = Int(old.st_size) - Int(try copy.status().st_size)
    guard saved > 0 else { return 0 }
    guard rename(work + "/data.mdb", directory.dataFile) == 0 else {
      throw LMDBError.lastSystemError(at: directory.path)
    }
    try directory.sync()
    return saved
  }
}
