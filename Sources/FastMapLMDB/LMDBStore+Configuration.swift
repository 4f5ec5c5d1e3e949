extension LMDBStore {
  /// How a store is opened.
  ///
  ///     var configuration = LMDBStore.Configuration()
  ///     configuration.isReadOnly = true
  ///     let store = try LMDBStore(at: "people.db", configuration: configuration)
  public struct Configuration: Sendable {
    /// The address space that is reserved initially, in bytes, which uses neither memory nor disk space.
    ///
    /// C: `mdb_env_set_mapsize`
    public var mapSize = 16 << 30

    /// The maximum size of the store, in bytes.
    public var maxMapSize = 4 << 40

    /// The maximum number of open reads in all processes, from 1 to 1 048 576. Each takes 64 bytes of `lock.mdb`. The
    /// first process to open the store sets the number.
    ///
    /// C: `mdb_env_set_maxreaders`
    public var maxReaders = 1024

    /// Whether the store is opened for reading only. No store is created, and a write is an error. Only LMDB's table
    /// of readers, in `lock.mdb`, is updated, so that others may write meanwhile.
    ///
    /// If `lock.mdb` is not writable, the store is opened without it, provided that no process has it open. None
    /// may write to the store then while it is open.
    ///
    /// C: `MDB_RDONLY`
    public var isReadOnly = false

    /// Whether to create a missing store, in a directory whose parent exists.
    public var createsIfMissing = true

    /// The commits that a power failure can undo.
    public var durability = Durability.full

    /// The maximum size, in bytes, of a store that its first write verifies completely. Damage is an error then. The error
    /// names the place, and nothing is written. A verified file is not verified again unless another program changes
    /// it, or the machine restarts.
    ///
    /// In a larger store, the first write verifies the roots of the tables and the list of free pages. Up to sixteen
    /// times this size, it also verifies the branches of the trees. Later writes trust the pages, so call
    /// ``LMDBStore/check()`` before you write to a large store of doubtful origin.
    ///
    /// Stores of one directory in one process share the size of the first opened store.
    ///
    /// Reads need no such step. They verify the pages and records that they read, in a store of any size.
    ///
    /// 256 MiB take a third of a second if they are in memory. `Int.max` verifies every store, and 0 only the roots.
    public var verifiedSize = 256 << 20

    /// Whether concurrent writes share one commit and its sync. Use it if many threads each write little.
    ///
    /// Each write has its own result or error. A failed write does not undo others. A write returns after the shared
    /// commit, so a short write may wait for a long one that began just after it.
    public var sharesCommits = false

    /// Whether to open a store on a network file system, where LMDB is not safe.
    public var allowsNetworkFileSystem = false

    /// The tables to open. A new store gets all of them; opening for writing adds a missing one.
    var tables = Table.allCases.map(\.name)

    /// How often a writer frees the reader slots of killed processes. Until then, their snapshots keep pages from being
    /// reused, and the file grows.
    var readerCheckInterval = Duration.seconds(1)

    /// How lists are split into segments. Tests use short ones; a store keeps the shape with which it was created.
    var lists = ListShape()

    /// Makes the default configuration.
    public init() {}
  }

  /// The commits that a power failure can undo.
  ///
  ///     configuration.durability = .lastTransactionMayBeLost
  public enum Durability: Sendable {
    /// A commit is on the disk when it returns.
    case full
    /// A power failure may undo the last commit. The store stays intact.
    ///
    /// C: `MDB_NOMETASYNC`
    case lastTransactionMayBeLost
  }
}

extension LMDBStore.Configuration {
  /// Where growing ends: `maxMapSize`, or `mapSize` if that is larger.
  var largestMapSize: Int { max(mapSize, maxMapSize) }

  /// `maxReaders` within the room of the lock file.
  var readerCount: Int { min(max(maxReaders, 1), 1 << 20) }

  /// How much of a store is verified before the first write.
  func depth(of usedBytes: Int) -> PageScan.Depth {
    if usedBytes <= verifiedSize { return .pages }
    return usedBytes / 16 <= verifiedSize ? .branches : .roots
  }

  /// Whether every value of every table begins with a ``Checksum``. (Tests have tables of their own.)
  var hasChecksums: Bool { tables.allSatisfy { Table(name: $0) != nil } }
}
