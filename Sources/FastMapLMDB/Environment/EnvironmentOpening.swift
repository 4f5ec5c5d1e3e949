import CFastMapLMDB
import FastMapSystem

/// The sole owner of an LMDB environment. C: `MDB_env *`
struct EnvironmentHandle: ~Copyable {
  let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  deinit { mdb_env_close(pointer) }

  consuming func release() -> OpaquePointer {
    let pointer = self.pointer
    discard self
    return pointer
  }
}

/// An LMDB environment that is being opened, closed if a check fails.
///
/// Only one thread knows it, so that thread can move the map freely.
struct EnvironmentOpening: ~Copyable {
  private let owner: EnvironmentHandle
  private let directory: StoreDirectory
  private let lockFile: FileID?

  private var handle: OpaquePointer { owner.pointer }
  private var path: String { directory.path }
  private var configuration: LMDBStore.Configuration { directory.configuration }

  consuming func release() -> OpaquePointer { owner.release() }

  /// - Parameter file: The data file.
  /// - Returns: Nil if the file is gone or was replaced. LMDB would create a new one there.
  ///
  /// C: `mdb_env_open`
  init?(_ directory: StoreDirectory, _ file: FileID, _ findings: Preflight.Findings) throws(LMDBError) {
    let lock = DirectoryLock(directory.path)
    defer { withExtendedLifetime(lock) {} }
    guard let named = try FileSystem.status(of: directory.dataFile), FileID(named) == file else { return nil }
    let lockFile = try LockFile(directory).prepare()
    let mapSize = Self.firstMapSize(findings, directory.configuration)
    var triesLeft = 20
    var flags = Self.flags(directory.configuration)
    while true {
      var handle: OpaquePointer?
      try check(mdb_env_create(&handle), at: directory.path)
      let status = Self.open(handle, directory, mapSize, flags)
      if status == MDB_SUCCESS, let handle {
        self.directory = directory
        self.lockFile = lockFile
        owner = EnvironmentHandle(adopting: handle)
        return
      }
      mdb_env_close(handle)

      switch status {
      case EACCES, EPERM:
        // LMDB works without locks on a read-only file system. Read-only permissions are equivalent, as long as no
        // process with write permission has the store open.
        guard directory.configuration.isReadOnly, flags & MDB_NOLOCK == 0, directory.isOpenNowhere else {
          throw LMDBError(.noPermission, path: directory.path)
        }
        flags |= MDB_NOLOCK
      case MDB_INVALID, MDB_VERSION_MISMATCH, EINVAL, EAGAIN, EINTR:
        // The data file is intact. The lock file may be incomplete, because another program is creating it or was
        // killed while doing so. (FastMap's own processes wait for the directory.)
        triesLeft -= 1
        guard triesLeft > 0 else { throw LMDBError(.foreignLockFile, path: directory.path) }
        usleep(2000)
      case ENOMEM:
        throw LMDBError(.addressSpaceFull(needed: mapSize), path: directory.path)
      default:
        throw LMDBError(.init(status: status), path: directory.path)
      }
    }
  }

  private static func flags(_ configuration: LMDBStore.Configuration) -> CInt {
    // No WRITEMAP: a stray write of the program would reach the file. No table has DUPSORT, and transactions do not nest.
    var flags = MDB_NOTLS
    if configuration.isReadOnly { flags |= MDB_RDONLY }
    if configuration.durability == .lastTransactionMayBeLost { flags |= MDB_NOMETASYNC }
    return flags
  }

  private static func open(
    _ handle: OpaquePointer?, _ directory: StoreDirectory, _ mapSize: Int, _ flags: CInt
  ) -> CInt {
    let configuration = directory.configuration
    // Every transaction copies a small record for each: keep it low.
    let databases = max(16, configuration.tables.count)
    for status in [
      mdb_env_set_mapsize(handle, mapSize),
      mdb_env_set_maxdbs(handle, MDB_dbi(databases)),
      mdb_env_set_maxreaders(handle, CUnsignedInt(configuration.readerCount)),
    ] where status != MDB_SUCCESS { return status }
    return mdb_env_open(handle, directory.path, UInt32(flags), 0o600)
  }

  /// Growing is free without readers. So a store that is half full gets twice the room when it is opened.
  private static func firstMapSize(_ findings: Preflight.Findings, _ configuration: LMDBStore.Configuration)
    -> Int
  {
    let used = findings.usedBytes
    var size = max(configuration.mapSize, min(findings.mapSize, configuration.largestMapSize), 1 << 16)
    while size / 2 < used, size <= configuration.largestMapSize / 2 { size *= 2 }
    while size / 2 >= max(used, 1 << 20), !FileSystem.canMap(size) { size /= 2 }
    return roundedToPages(max(size, used) + 0xFFFF)
  }

  /// Keeps the data file from child processes. Checks that it is the expected file and still has its name, because a
  /// reader opens it before it waits for a compaction.
  func adopt(_ file: FileID) throws(LMDBError) -> Bool {
    var descriptor: CInt = -1
    try check(mdb_env_get_fd(handle, &descriptor), at: path)
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .lastSystemError(at: path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .lastSystemError(at: path) }
    guard let named = try FileSystem.status(of: directory.dataFile) else { return false }
    guard FileID(status) == file, FileID(named) == file else { return false }
    return try hasLockFile()
  }

  /// Whether LMDB found the lock file that was checked. A program that ignores the directory's lock may have replaced
  /// it.
  private func hasLockFile() throws(LMDBError) -> Bool {
    guard let lockFile else { return true }
    let named = try FileSystem.status(of: directory.lockFile, followsLinks: false)
    return named.map { FileID($0) } == lockFile
  }

  /// The files to check at each commit.
  func files(_ data: FileID) throws(LMDBError) -> OpenFiles {
    try OpenFiles(path, data: data, lock: lockFile)
  }

  /// Refuses a lock file that does not know the newest commit, because writers would start from an older one.
  ///
  /// The lock file may belong to a deleted data file, or to another program that was killed (``DirectoryLock``). A
  /// process that opens the store alone creates the lock file again. A difference of one commit is correct: another
  /// process has written the commit and not yet recorded it.
  func checkLockFile() throws(LMDBError) {
    for _ in 0..<20 {
      let before = try lastCommit()
      let transaction = try begin(MDB_RDONLY)
      let known = mdb_txn_id(transaction)
      mdb_txn_abort(transaction)
      let after = try lastCommit()
      let isCurrent = known + 1 >= before && known <= after && (known > 0 || before == 0)
      if isCurrent { return }
      usleep(2000)
    }
    throw LMDBError(.foreignLockFile, path: path)
  }

  private func lastCommit() throws(LMDBError) -> Int {
    var info = MDB_envinfo()
    try check(mdb_env_info(handle, &info), at: path)
    return info.me_last_txnid
  }

  private func begin(_ flags: CInt) throws(LMDBError) -> OpaquePointer {
    while true {
      var transaction: OpaquePointer?
      let status = mdb_txn_begin(handle, nil, UInt32(flags), &transaction)
      if status == MDB_SUCCESS, let transaction { return transaction }
      switch status {
      case MDB_MAP_RESIZED: try check(mdb_env_set_mapsize(handle, 0), at: path)
      case MDB_READERS_FULL:
        var freed: CInt = 0
        try check(mdb_reader_check(handle, &freed), at: path)
        guard freed > 0 else { throw LMDBError(.readersFull, path: path) }
      default: throw LMDBError(.init(status: status), path: path)
      }
    }
  }

  // MARK: Databases

  /// Opens the named databases, and creates missing ones. This waits for another process's write only in that case.
  ///
  /// - Parameter findings: They say whether FastMap made the newest commit. Otherwise nothing is changed.
  func openDatabases(_ findings: Preflight.Findings) throws(LMDBError) -> [Database] {
    let found = try openDatabases(flags: MDB_RDONLY)
    let isComplete = found.allSatisfy { $0 != nil }
    let hasSome = isComplete || found.contains { $0 != nil }
    let isNew = hasSome ? false : try isEmpty()
    guard hasSome || isNew else {
      throw LMDBError(.foreignFile(detail: "none of FastMap's tables are in the file"), path: path)
    }
    guard findings.isOurs else {
      let detail = "last written by another program, or by FastMap before its first release"
      throw LMDBError(.foreignFile(detail: detail), path: path)
    }
    if isComplete { return found.compactMap(\.self) }
    // A store of another version may have other tables.
    if hasSome { try checkFormat(isWriting: false) }
    // The only other entry is the commit record. A table with an unknown name is a damaged one.
    let known = found.count(where: { $0 != nil }) + 1
    let count = try names()
    guard !hasSome || count == known else {
      let detail = "a table has an unknown name"
      throw LMDBError(.damaged(place: "data.mdb", detail: detail), path: path)
    }
    guard !configuration.isReadOnly else {
      let detail = "tables of this version of FastMap are missing; open the store once for writing"
      throw LMDBError(.foreignFile(detail: detail), path: path)
    }
    if hasSome { try verify(configuration.depth(of: findings.usedBytes)) }
    return try openDatabases(flags: 0).compactMap(\.self)
  }

  /// Refuses a store of another version, and one with features that this FastMap does not know. Trusts no page.
  func checkFormat(isWriting: Bool) throws(LMDBError) {
    for _ in 0..<Environment.mostOvertaken {
      let transaction = try begin(MDB_RDONLY)
      defer { mdb_txn_abort(transaction) }
      let commit = UInt64(mdb_txn_id(transaction))
      guard let header = try SnapshotScan(handle, path).formatHeader(of: commit) else { continue }
      return try header?.check(isWriting: isWriting, path: path) ?? ()
    }
    throw LMDBError(.io(errno: EBUSY), path: path)
  }

  /// - Parameter flags: The flags of the transaction. A write transaction creates missing databases.
  private func openDatabases(flags: CInt) throws(LMDBError) -> [Database?] {
    let transaction = try begin(flags)
    var databases: [Database?] = []
    for (place, name) in configuration.tables.enumerated() {
      var database = MDB_dbi()
      let status = mdb_dbi_open(transaction, name, UInt32(flags == 0 ? MDB_CREATE : 0), &database)
      switch status {
      case MDB_SUCCESS: databases.append(Database(handle: database, place: place))
      case MDB_NOTFOUND: databases.append(nil)
      default:
        mdb_txn_abort(transaction)
        throw LMDBError(.init(status: status), path: path)
      }
    }
    if flags == 0 {
      let status = putCommitRecord(transaction)
      if status != MDB_SUCCESS {
        mdb_txn_abort(transaction)
        try check(status, at: path)
      }
    }
    // Handles stay valid only if their transaction is committed, even if it only reads.
    try check(mdb_txn_commit(transaction), at: path)
    return databases
  }

  /// Verifies every page and every entry of the newest commit, or only a part of its trees.
  func verify(_ depth: PageScan.Depth) throws(LMDBError) {
    for _ in 0..<Environment.mostOvertaken {
      let transaction = try begin(MDB_RDONLY)
      defer { mdb_txn_abort(transaction) }
      let commit = UInt64(mdb_txn_id(transaction))
      if try SnapshotScan(handle, path).run(commit, depth, verifiesEntries: true) { return }
    }
    throw LMDBError(.io(errno: EBUSY), path: path)
  }

  /// The size of a page. C: `mdb_env_stat`
  var pageSize: Int {
    var statistics = MDB_stat()
    mdb_env_stat(handle, &statistics)
    return Int(statistics.ms_psize)
  }

  /// Copies the newest commit without free pages, and verifies the copy.
  func copy(to file: borrowing StoreFile) throws {
    let status = file.fill(from: handle, isCompact: true)
    guard status == MDB_SUCCESS else { throw file.failure(status, of: path) }
    try file.renumber()
    _ = try file.verify(verifiesEntries: true)
  }

  private func isEmpty() throws(LMDBError) -> Bool { try names() == 0 }

  /// The number of names. C: `mdb_env_stat`
  private func names() throws(LMDBError) -> Int {
    var statistics = MDB_stat()
    try check(mdb_env_stat(handle, &statistics), at: path)
    return statistics.ms_entries
  }
}
