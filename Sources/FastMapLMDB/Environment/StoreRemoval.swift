import FastMapSystem

/// Removes a store that was created in vain.
///
/// Others may have opened it meanwhile and wait to write. So the files are removed only if nobody has the store open,
/// nobody can open it meanwhile, and nothing was committed. A process that waits to open it then finds no data file
/// and creates a new store.
struct StoreRemoval {
  private let directory: StoreDirectory

  init(_ directory: StoreDirectory) { self.directory = directory }

  /// - Parameter commit: The last commit that may be lost.
  /// - Returns: Whether the files were removed.
  func run(commit: UInt64) throws(LMDBError) -> Bool {
    guard let file = try dataFile() else { return false }
    do {
      return try EnvironmentRegistry.exclusively(file, directory.path) { try remove(file, commit) }
    } catch let error as LMDBError {
      if error.reason == .inUse { return false }
      throw error
    } catch {
      return false
    }
  }

  private func remove(_ file: FileID, _ commit: UInt64) throws(LMDBError) -> Bool {
    let lock = DirectoryLock(directory.path)
    guard lock.isHeld else { return false }
    let sole = try SoleUse(directory, flags: O_CREAT)
    guard try dataFile() == file, Preflight.commit(of: directory) == commit else { return false }
    unlink(directory.dataFile)
    unlink(directory.lockFile)
    withExtendedLifetime(sole) {}
    withExtendedLifetime(lock) {}
    return true
  }

  private func dataFile() throws(LMDBError) -> FileID? {
    guard let status = try FileSystem.status(of: directory.dataFile, followsLinks: false),
      FileSystem.kind(status) == .file
    else { return nil }
    return FileID(status)
  }
}

extension LMDBStore {
  /// Removes the store in a directory if it has never had a commit and nobody has it open.
  ///
  /// - Parameter keepsDirectory: Whether to keep the directory. A directory that is not empty is always kept.
  /// - Returns: Whether the store was removed.
  package static func removeUnused(at path: String, keepsDirectory: Bool) throws(LMDBError) -> Bool {
    // The first commit creates the tables, and so the store.
    guard try StoreRemoval(StoreDirectory(path, LMDBStore.Configuration())).run(commit: 1) else {
      return false
    }
    if !keepsDirectory { rmdir(path) }
    return true
  }
}
