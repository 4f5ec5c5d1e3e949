import FastMapSystem

/// Removes a new store that is not in use.
///
/// Others may have opened it meanwhile and wait to write. So the files are removed only if no process has the store open,
/// none can open it meanwhile, and nothing was committed. A process that waits to open it then finds no data file
/// and creates a new store.
struct StoreRemoval {
  private let directory: StoreDirectory

  init(_ directory: StoreDirectory) { self.directory = directory }

  enum Outcome {
    case removed
    /// There is no data file.
    case missing
    /// Somebody has the store open.
    case inUse
    /// Something was committed, or the store cannot be locked.
    case kept
  }

  /// - Parameter commit: The last commit that may be lost.
  func run(commit: UInt64) throws(LMDBError) -> Outcome {
    guard let file = try dataFile() else { return .missing }
    guard Preflight.commit(of: directory) == commit else { return .kept }
    do {
      return try EnvironmentRegistry.exclusively(file, directory.path) { try remove(file, commit) }
    } catch let error as LMDBError {
      if error.reason == .inUse { return .inUse }
      throw error
    } catch {
      return .kept
    }
  }

  private func remove(_ file: FileID, _ commit: UInt64) throws(LMDBError) -> Outcome {
    let lock = DirectoryLock(directory.path)
    guard lock.isHeld else { return .kept }
    let sole = try ExclusiveAccess(directory, flags: O_CREAT)
    guard try dataFile() == file, Preflight.commit(of: directory) == commit else { return .kept }
    for name in [SchemaFile.name, SchemaFile.newName] { unlink(directory.path + "/" + name) }
    unlink(directory.dataFile)
    unlink(directory.lockFile)
    withExtendedLifetime(sole) {}
    withExtendedLifetime(lock) {}
    return .removed
  }

  private func dataFile() throws(LMDBError) -> FileID? {
    guard let status = try FileSystem.status(of: directory.dataFile, followsLinks: false),
      FileSystem.kind(status) == .file
    else { return nil }
    return FileID(status)
  }
}

extension LMDBStore {
  /// Removes the store in a directory if it has never had a commit and is not open.
  ///
  /// - Parameters:
  ///   - keepsDirectory: Whether to keep the directory. A directory that is not empty is always kept.
  ///   - tries: How often to try, 10 ms apart, while others have the store open or create it again. They did not create the store,
  ///     or the directory, so they leave it behind if they fail, too.
  /// - Returns: Whether the store was removed.
  package static func removeUnused(
    at path: String, keepsDirectory: Bool, tries: Int = 1
  ) throws(LMDBError) -> Bool {
    let removal = StoreRemoval(StoreDirectory(path, LMDBStore.Configuration()))
    var isRemoved = false
    for last in stride(from: tries - 1, through: 0, by: -1) {
      // The first commit creates the tables, and so the store.
      let outcome = try removal.run(commit: 1)
      if outcome == .removed { isRemoved = true }
      if outcome == .kept || outcome == .missing && !isRemoved { break }
      if outcome != .inUse, keepsDirectory || rmdir(path) == 0 || errno != ENOTEMPTY { break }
      if last > 0 { usleep(10_000) }
    }
    return isRemoved
  }

  package static func removeTemporary(at path: String) { StoreDirectory.remove(path) }
}
