import CFastMapLMDB
import FastMapSystem

extension Environment {
  /// Opens the store in a directory, and creates it if it is missing and the configuration allows that.
  ///
  /// All openers in this process share one environment, by whatever path, with the sizes of the first one.
  ///
  /// - Throws: ``LMDBError``. A directory that is not a store is not changed.
  static func open(at path: String, _ configuration: LMDBStore.Configuration) throws(LMDBError) -> Environment
  {
    try LMDBLibrary.linked.check(path)
    return try EnvironmentRegistry.open(StoreDirectory(path, configuration))
  }

  /// Checks whether another opener can share this environment.
  func checkSharing(_ other: LMDBStore.Configuration) throws(LMDBError) {
    if configuration.isReadOnly, !other.isReadOnly {
      throw error(.optionsConflict(detail: "open for reading only"))
    }
    if configuration.durability != .full, other.durability == .full, !other.isReadOnly {
      throw error(.optionsConflict(detail: "its last transaction may be lost in a power cut"))
    }
    if other.tables != configuration.tables {
      throw error(.optionsConflict(detail: "open with other tables"))
    }
  }

  /// Opens LMDB's environment. Opening reads the headers and the names of the tables, and no other page.
  ///
  /// The registry ensures that `file` is not open in this process, and that no other program
  /// opens it meanwhile.
  ///
  /// - Returns: `nil` if the data file was replaced by another one.
  convenience init?(opening directory: StoreDirectory, _ file: FileID) throws(LMDBError) {
    let path = directory.path
    let configuration = directory.configuration
    let forkCount = ForkCount.start()
    let findings = try Preflight.inspect(directory, mayWrite: !configuration.isReadOnly)
    // Before its second commit, the names of a new store may not be synced, because its creator was killed or is not
    // done. Every process that makes that commit comes here first.
    if !configuration.isReadOnly, findings.commit <= 1 { try directory.sync() }

    guard let opening = try EnvironmentOpening(directory, file, findings), try opening.adopt(file) else {
      return nil
    }
    let files = try opening.files(file)
    try opening.checkLockFile()
    let databases = try opening.openDatabases(findings)
    // Reads that go through LMDB verify nothing.
    let pageSize = opening.pageSize
    if !configuration.readsPages(ofSize: pageSize) { try opening.verify(.pages) }
    guard let thread = ThreadState() else { throw LMDBError(.io(errno: EAGAIN), path: path) }
    self.init(
      opening.release(), files, databases, thread: thread, forkCount: forkCount, path: path,
      configuration: configuration, pageSize: pageSize)
    checkReaders()
  }
}
