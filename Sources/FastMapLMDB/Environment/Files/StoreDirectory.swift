import CFastMapLMDB
import FastMapSystem

/// The directory of a store, also before the store exists.
///
///     people.db/             0700
///       data.mdb             0600   the store
///       lock.mdb             0600   LMDB's locks and readers; worth nothing when no process is running
///       data.schema.json     0600   the schema, for repairs (SchemaFile.swift)
///       .creating-31337-1/          a store in the making; litter of a killed process once data.mdb is there
///
/// LMDB creates data.mdb in steps, and a kill between them leaves a file that looks like a truncated store. So a new
/// store is completed in a directory of its own, and data.mdb is then linked into place. The store appears with all its
/// tables, or not at all. If two processes create a store, one of them fails and opens the other's.
struct StoreDirectory {
  let path: String
  let configuration: LMDBStore.Configuration

  var dataFile: String { path + "/data.mdb" }
  var lockFile: String { path + "/lock.mdb" }

  private static let makingPrefix = ".creating-"
  static let compactingPrefix = ".compacting-"
  /// Names that an empty directory may contain. A lock file and a schema alone are left of a store that its
  /// owner deleted.
  private static let harmlessNames: Set = [
    "lost+found", ".DS_Store", "lock.mdb", SchemaFile.name, SchemaFile.newName,
  ]

  init(_ path: String, _ configuration: LMDBStore.Configuration) {
    self.path = path
    self.configuration = configuration
  }

  /// Ensures that there is a data file, if the configuration allows creating one.
  func prepare() throws(LMDBError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw LMDBError(.notFound, path: path) }
    var triesLeft = 100
    while true {
      do throws(LMDBError) { return try prepareOnce() } catch {
        // A process that fails to create a store removes its directory, which may contain the work of other
        // processes.
        triesLeft -= 1
        guard error.reason == .notFound, mayCreate, triesLeft > 0 else { throw error }
        usleep(1000)
      }
    }
  }

  private var mayCreate: Bool { configuration.createsIfMissing && !configuration.isReadOnly }

  /// - Throws: ``LMDBError``. If a store may be created, the reason `notFound` means that a directory disappeared
  ///   meanwhile.
  private func prepareOnce() throws(LMDBError) {
    if let status = try FileSystem.status(of: path) {
      guard FileSystem.kind(status) == .directory else {
        throw LMDBError(.notAStore(detail: "not a directory"), path: path)
      }
      try refuseNetworkFileSystem()
      try LockFile(self).check()
      if try hasDataFile() {
        if !configuration.isReadOnly { removeLeftovers() }
        return
      }
      try refuseForeignDirectory()
      guard mayCreate else { throw LMDBError(.notFound, path: path) }
      try makeStore()
      removeLeftovers(onlyOfDead: true)
    } else {
      if let link = try FileSystem.status(of: path, followsLinks: false), FileSystem.kind(link) == .link {
        let detail = "a symbolic link to a missing directory"
        throw LMDBError(.notAStore(detail: detail), path: path)
      }
      guard mayCreate else { throw LMDBError(.notFound, path: path) }
      let isOurs = try FileSystem.makeDirectory(path)
      do throws(LMDBError) {
        try refuseNetworkFileSystem()
        try makeStore()
      } catch {
        if isOurs { rmdir(path) }  // fails if it is not empty, as it should
        throw error
      }
    }
  }

  /// Whether no process has the store open. The test cannot detect this process, which must not have it open.
  ///
  /// C: `F_GETLK`, for the lock that LMDB keeps on the first byte of its lock file.
  var isOpenNowhere: Bool {
    let descriptor = open(lockFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return errno == ENOENT }
    defer { close(descriptor) }
    var lock = flock(F_WRLCK)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == CShort(F_UNLCK)
  }

  /// Creates a store whose data file `fill` writes. The directory must not exist, or be empty except for leftovers of
  /// other creators. When this returns, the store is on the disk. If it throws, nothing is left.
  ///
  /// - Parameter fill: Creates and syncs `data.mdb` in the directory that it receives.
  func make(_ fill: (_ directory: String) throws -> Void) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw LMDBError(.notFound, path: path) }
    let isOurs = try FileSystem.makeDirectory(path)
    do {
      guard let status = try FileSystem.status(of: path), FileSystem.kind(status) == .directory else {
        throw LMDBError(.targetExists, path: path)
      }
      try refuseNetworkFileSystem()
      let others = try FileSystem.names(in: path).filter {
        $0 != "lost+found" && $0 != ".DS_Store" && !$0.hasPrefix(Self.makingPrefix)
      }
      guard others.isEmpty else { throw LMDBError(.targetExists, path: path) }
      removeLeftovers()
      let making = try makeWorkDirectory()
      defer { Self.remove(making) }
      do { try fill(making) } catch var error as LMDBError {
        if error.path.hasPrefix(making) { error.path = path }
        throw error
      }
      let commit = Preflight.commit(of: StoreDirectory(making, configuration))
      guard try publish(making + "/data.mdb") else { throw LMDBError(.targetExists, path: path) }
      publishSchema(making + "/" + SchemaFile.name)
      do { try sync() } catch {
        // It must neither pass for a durable store nor be in the way.
        if let commit { _ = try? StoreRemoval(self).run(commit: commit) }
        throw error
      }
    } catch {
      if isOurs { rmdir(path) }  // fails if it is not empty, as it should
      throw error
    }
  }

  /// Makes the names of the store durable. LMDB syncs its files, but no directory.
  func sync() throws(LMDBError) {
    try FileSystem.sync(directory: path)
    try FileSystem.sync(directory: path + "/..")
  }

  private func hasDataFile() throws(LMDBError) -> Bool {
    guard let status = try FileSystem.status(of: dataFile, followsLinks: false) else { return false }
    switch FileSystem.kind(status) {
    case .file: return true
    case .link:
      // Two directories would have two lock files for one data file, and their processes would overwrite each other.
      let detail = "data.mdb is a symbolic link; open the directory that holds the file itself"
      throw LMDBError(.notAStore(detail: detail), path: path)
    default: throw LMDBError(.notAStore(detail: "data.mdb is not a file"), path: path)
    }
  }

  private func refuseNetworkFileSystem() throws(LMDBError) {
    guard !configuration.allowsNetworkFileSystem else { return }
    if let name = FileSystem.networkFileSystem(holding: path) {
      throw LMDBError(.networkFileSystem(name: name), path: path)
    }
  }

  private func refuseForeignDirectory() throws(LMDBError) {
    let foreign = try FileSystem.names(in: path).filter {
      !Self.harmlessNames.contains($0) && !$0.hasPrefix(Self.makingPrefix)
    }
    if foreign.isEmpty { return }
    if try hasDataFile() { return }  // just created
    let entries = foreign.count == 1 ? "1 other entry" : "\(foreign.count) other entries"
    let detail = "the directory has \(entries), but no data.mdb"
    throw LMDBError(.notAStore(detail: detail), path: path)
  }

  /// Creates the data file, unless another thread or process is faster.
  private func makeStore() throws(LMDBError) {
    do throws(LMDBError) {
      let making = try makeWorkDirectory()
      defer { Self.remove(making) }
      try makeDataFile(in: making)
      _ = try publish(making + "/data.mdb")
    } catch {
      // A faster process may have removed our work.
      guard try hasDataFile() else { throw error }
    }
  }

  /// Gives the data file its name, if the name is free.
  ///
  /// - Returns: False if the name is taken.
  private func publish(_ made: String) throws(LMDBError) -> Bool {
    if link(made, dataFile) == 0 {
      FileStep.didName(dataFile)
      return true
    }
    switch errno {
    case EEXIST: return false
    case EPERM, ENOTSUP, ENOSYS:
      // A file system without hard links, such as FAT. `rename` would replace an existing file, so we check first.
      let lock = DirectoryLock(path)
      defer { withExtendedLifetime(lock) {} }
      if try hasDataFile() { return false }
      if rename(made, dataFile) != 0 { throw .lastSystemError(at: path) }
      FileStep.didName(dataFile)
      return true
    default: throw .lastSystemError(at: path)
    }
  }

  /// Gives the schema its name, unless somebody has opened the store and changed its schema meanwhile. Nothing requires it.
  private func publishSchema(_ made: String) {
    let name = path + "/" + SchemaFile.name
    guard access(made, F_OK) == 0 else { return }
    if link(made, name) != 0, errno != EEXIST { _ = rename(made, name) }
  }

  func makeWorkDirectory(_ prefix: String = makingPrefix) throws(LMDBError) -> String {
    for _ in 0..<100 {
      let name = "\(prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      do throws(LMDBError) {
        if try FileSystem.makeDirectory(path + "/" + name) { return path + "/" + name }
      } catch {
        throw error.reason == .parentNotFound ? LMDBError(.notFound, path: path) : error
      }
    }
    throw LMDBError(.io(errno: EEXIST), path: path)
  }

  private func makeDataFile(in directory: String) throws(LMDBError) {
    var handle: OpaquePointer?
    try check(mdb_env_create(&handle), at: path)
    defer { mdb_env_close(handle) }
    try check(mdb_env_set_mapsize(handle, 1 << 20), at: path)
    try check(mdb_env_set_maxdbs(handle, MDB_dbi(max(configuration.tables.count, 1))), at: path)
    // No other process knows the directory, and a lock file would need more space on a full disk.
    try check(mdb_env_open(handle, directory, UInt32(MDB_NOTLS | MDB_NOLOCK), 0o600), at: path)
    var descriptor: CInt = -1
    try check(mdb_env_get_fd(handle, &descriptor), at: path)

    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle, nil, 0, &transaction), at: path)
    for name in configuration.tables {
      var database = MDB_dbi()
      let status = mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &database)
      if status != MDB_SUCCESS {
        mdb_txn_abort(transaction)
        try check(status, at: path)
      }
    }
    let status = putCommitRecord(transaction)
    if status != MDB_SUCCESS {
      mdb_txn_abort(transaction)
      try check(status, at: path)
    }
    let committed = mdb_txn_commit(transaction)
    if committed == EIO, FileSystem.hasNoRoom(descriptor) { throw LMDBError(.diskFull, path: path) }
    try check(committed, at: path)
    try FileSystem.sync(descriptor, at: path)
  }

  /// Removes leftovers of killed processes. If there is a data file, other creators have lost. A running compaction
  /// is left alone.
  ///
  /// - Parameter onlyOfDead: Whether the work of running creators stays. They remove it themselves.
  private func removeLeftovers(onlyOfDead: Bool = false) {
    let isMade = (try? hasDataFile()) == true
    for name in (try? FileSystem.names(in: path)) ?? [] {
      for prefix in [Self.makingPrefix, Self.compactingPrefix] where name.hasPrefix(prefix) {
        let hasLost = isMade && prefix == Self.makingPrefix && !onlyOfDead
        if hasLost || !Self.isAlive(name.dropFirst(prefix.count)) { Self.remove(path + "/" + name) }
      }
    }
  }

  /// Whether the process that a work directory is named after is still running.
  private static func isAlive(_ name: Substring) -> Bool {
    guard let process = name.split(separator: "-").first.flatMap({ pid_t($0) }) else { return false }
    return kill(process, 0) == 0 || errno == EPERM
  }

  static func remove(_ making: String) {
    // A repair opens its store there, and that store is created in a directory of its own.
    for name in (try? FileSystem.names(in: making)) ?? [] where name.hasPrefix(makingPrefix) {
      remove(making + "/" + name)
    }
    unlink(making + "/data.mdb")
    unlink(making + "/lock.mdb")
    for name in [SchemaFile.name, SchemaFile.newName] { unlink(making + "/" + name) }
    rmdir(making)
  }
}
