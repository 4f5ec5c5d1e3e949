import CFastMapLMDB
internal import FastMapStoreKit
import FastMapSystem
import Synchronization

/// One LMDB environment: one store on disk, open in this process.
///
///     open     Environment+Opening.swift, EnvironmentRegistry.swift (all openers of the store share it),
///              StoreDirectory.swift (makes it), Preflight.swift (refuses damage that LMDB would trust)
///     verify   Environment+Verifying.swift (before the first write)
///     use      read (Environment+Read.swift), write (Environment+Write.swift)
///     keep     Environment+Growth.swift (the map), Environment+Closing.swift (errors past repair)
///
/// Closed with the last reference.
///
/// Thread rule: any thread may call any method. Memory lent to a closure may only be used on the closure's thread.
final class Environment: Sendable {
  /// The store's path, as its first opener wrote it.
  let path: String
  let configuration: LMDBStore.Configuration
  let files: OpenFiles
  /// The named databases, in the order of the configuration's tables.
  let databases: [Database]
  /// The size of a page. C: `mdb_env_stat`
  let pageSize: Int
  /// Whether snapshots read the pages themselves. Otherwise they go through LMDB, so the store was verified when it was opened.
  let readsPages: Bool

  /// C: `MDB_env *`.
  // nonisolated(unsafe): used only inside the gate, or with the turn and before the gate is dead.
  nonisolated(unsafe) let handle: OpaquePointer
  let gate = Gate()
  private let writerLock: WriterLock
  let group = CommitGroup()
  let thread: ThreadState
  let forkCount: Int
  let verification: Atomic<Verification>
  /// Held by the thread that verifies the store.
  let verifying = Monitor()
  // nonisolated(unsafe): changed only before the environment is shared, and while the gate is shut.
  nonisolated(unsafe) var checkedPages = CheckedPages()
  let pagesInFile = Atomic<UInt64>(0)
  /// The start of LMDB's map; 0 until asked for after a move.
  let mapBase = Atomic<UInt>(0)
  let commitPages = CommitPagesCache()
  /// The write that has the turn.
  // nonisolated(unsafe): used only by the thread that has the turn.
  nonisolated(unsafe) var turn = Turn()
  /// Whether the current write has changed anything. Not part of `turn`, because it is set at every change, and Swift
  /// checks each access to a variable of a class.
  private let changes = Atomic<Bool>(false)
  /// The status that made the environment unusable, or `MDB_SUCCESS`.
  let lastStatus = Atomic<CInt>(MDB_SUCCESS)
  let isHandleClosed = Atomic<Bool>(false)

  /// The state of the write that has the turn.
  struct Turn {
    /// The first status that invalidated the transaction. The transaction can only be aborted, even if its body
    /// ignores the error.
    var failure: CInt = MDB_SUCCESS
    /// The error of the first change that failed midway. The body may have caught it, but must not commit a half of it.
    var unfinished: (any Error)?
    var isDiscarded = false
    /// Whether other writers in the transaction have changed something before.
    var hasEarlierChanges = false
    /// Whether the file had the mark of a verified one when the turn began (``VerifiedMark``).
    var isMarked = false
    /// Whether the file that describes the schema was compared with the schema (``SchemaFile``).
    var isDescribed = false
    var thread: pthread_t?
    var readerCheck = ContinuousClock.now
  }

  init(
    _ handle: OpaquePointer, _ files: consuming OpenFiles, _ databases: [Database],
    thread: consuming ThreadState,
    forkCount: Int, path: String, configuration: LMDBStore.Configuration, pageSize: Int
  ) {
    self.handle = handle
    writerLock = WriterLock(handle)
    self.files = files
    self.databases = databases
    self.thread = thread
    self.forkCount = forkCount
    self.path = path
    self.configuration = configuration
    self.pageSize = pageSize
    readsPages = configuration.readsPages(ofSize: pageSize)
    verification = Atomic(readsPages ? .none : .complete)
    if readsPages { checkedPages.grow(to: mapSize.map / pageSize) }
  }

  deinit {
    // The child of a fork must not release the parent's locks, so it leaks the handle.
    if isOurs { closeHandle() }
  }

  /// Whether this process opened the environment, rather than a parent that forked it.
  @inline(__always)
  var isOurs: Bool { forkCount == ForkCount.current }

  var hasChanges: Bool { changes.load(ordering: .relaxed) }

  @inline(__always)
  func markChanged() { changes.store(true, ordering: .relaxed) }

  func forgetChanges() { changes.store(false, ordering: .relaxed) }

  /// Waits until no other process writes or is about to write. The caller has the turn.
  func waitForWriters() { writerLock.lock() }
  func letOthersWrite() { writerLock.giveBack() }

  @inline(__always)
  func checkOurs() throws(LMDBError) {
    guard isOurs else { throw error(.forked) }
  }
}

/// A named table of the environment. C: `MDB_dbi`
struct Database: Hashable, Sendable {
  let handle: UInt32
  /// Its index in the configuration's tables.
  let place: Int
}

// MARK: - Errors

extension Environment {
  @inline(never)
  func error(_ reason: LMDBError.Reason) -> LMDBError { LMDBError(reason, path: path) }

  @inline(never)
  func failure(_ status: CInt) -> LMDBError {
    switch status {
    case MDB_MAP_FULL: error(.mapFull(limit: configuration.largestMapSize))
    // LMDB reports an incomplete write as an I/O error.
    case EIO where FileSystem.hasNoRoom(descriptor): error(.diskFull)
    default: error(.init(status: status))
    }
  }

  /// The error for a status of a change. The transaction can only be aborted now.
  @inline(never)
  func changeFailure(_ status: CInt) -> LMDBError {
    // LMDB checks sizes, and the kind of the transaction, before it changes anything.
    let isHarmless = status == MDB_BAD_VALSIZE || status == EACCES
    if !isHarmless, turn.failure == MDB_SUCCESS { turn.failure = status }
    return status == EACCES ? error(.readOnly) : failure(status)
  }

  /// The error of every operation after the environment has become unusable.
  var closedError: LMDBError { error(.closed(status: lastStatus.load(ordering: .acquiring))) }

  /// The open data file. C: `mdb_env_get_fd`
  var descriptor: CInt {
    var descriptor: CInt = -1
    mdb_env_get_fd(handle, &descriptor)
    return descriptor
  }
}
