import CFastMapLMDB
import FastMapSystem

extension Environment {
  /// Opens the store in a directory, and makes it where there is none if the options allow that.
  ///
  /// Whoever opens a store that is open in this process, by whatever path, gets the same environment, with
  /// the first opener's sizes.
  ///
  /// - Throws: ``LMDBError``. What is not a store is not touched.
  static func open(at path: String, _ options: EnvironmentOptions = .init()) throws(LMDBError) -> Environment
  {
    try LMDBLibrary.linked.check(path)
    return try EnvironmentRegistry.open(StoreDirectory(path, options))
  }

  /// Whether another opener can share this environment.
  func checkSharing(_ other: EnvironmentOptions) throws(LMDBError) {
    if options.isReadOnly, !other.isReadOnly {
      throw error(.optionsConflict(detail: "it is open for reading only"))
    }
    if options.durability != .full, other.durability == .full, !other.isReadOnly {
      throw error(.optionsConflict(detail: "its last transaction may be lost in a power cut"))
    }
    if !other.databases.isEmpty, other.databases != options.databases {
      throw error(.optionsConflict(detail: "it has other tables"))
    }
  }

  /// Opens LMDB's environment. The registry has seen that `file` is not open in this process, and nobody else
  /// opens it meanwhile.
  ///
  /// - Returns: `nil` if the data file has become another one.
  convenience init?(opening directory: StoreDirectory, _ file: FileID) throws(LMDBError) {
    let path = directory.path
    let options = directory.options
    let forkCount = ForkCount.start()
    let findings = try Preflight.inspect(directory, mayWrite: !options.isReadOnly)
    // Before its second commit, nobody may have synced the names of a new store: its maker was killed, or has
    // not come so far. Whoever makes that commit comes by here.
    if !options.isReadOnly, findings.commit <= 1 { try directory.sync() }

    guard let opening = try EnvironmentOpening(directory, file, findings), try opening.take(file) else {
      return nil
    }
    let files = try opening.files(file)
    try opening.checkLockFile()
    let databases = try opening.openDatabases(isOurs: findings.isOurs)
    let depth = options.depth(of: findings.usedBytes, pageSize: opening.pageSize)
    let isLookedOver = try depth == .names ? false : opening.verify(depth) && depth == .pages
    guard let thread = ThreadState() else { throw LMDBError(.io(errno: EAGAIN), path: path) }
    self.init(
      opening.release(), files, databases, thread: thread, forkCount: forkCount, path: path, options: options,
      isLookedOver: isLookedOver)
    checkReaders()
  }
}
