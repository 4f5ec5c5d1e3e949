import FastMapSystem

/// How an ``Environment`` is opened.
struct EnvironmentOptions: Sendable {
  enum Durability: Sendable {
    /// A write that has returned survives a power cut.
    case full
    /// The last write before a power cut may be undone; the store stays whole. C: `MDB_NOMETASYNC`
    case lastTransactionMayBeLost
  }

  /// The address space reserved at first. It costs neither disk nor memory; the store grows beyond it by
  /// itself.
  /// C: `mdb_env_set_mapsize`
  var mapSize = 16 << 30

  /// Where growing stops. 4 TiB is eight doublings of `mapSize`, a quarter of the largest file that ext4
  /// takes, and leaves room for thirty such stores in the 128 TiB of a 64-bit process.
  var maxMapSize = 4 << 40

  /// Reads that may be open at once, in all processes. The first opener's figure counts. C:
  /// `mdb_env_set_maxreaders`
  var maxReaders = 1024

  /// How long reader slots of killed processes may stay taken while something is written. Their snapshots keep
  /// pages from being used again, and the file grows.
  var readerCheckInterval = Duration.seconds(1)

  /// C: `mdb_env_set_maxdbs`. Every transaction copies so many small records: keep it low.
  var maxDatabases = 16

  /// The named databases to open. They are made with the store; one that a later FastMap adds is made at
  /// open.
  var databases: [String] = []

  /// Nothing on disk is changed but LMDB's table of readers; see ``EnvironmentOpening`` for where that cannot be
  /// written either.
  var isReadOnly = false

  var durability = Durability.full

  /// Makes the directory (in a parent that exists) and the store where there is none. Not with `isReadOnly`.
  var createsIfMissing = true

  /// Of a store of at most so many bytes, every page is looked at when it is opened; of one of at most sixteen times as
  /// many, the branches.
  var verifiedSize = 256 << 20

  /// Whether every value of a ``Table`` begins with a ``Checksum``.
  var hasChecksums = false

  /// Opens the store even where ``LMDBError/Reason/networkFileSystem(name:)`` would be thrown.
  var allowsNetworkFileSystem = false
}

extension EnvironmentOptions {
  /// How far opening looks into a store.
  func depth(of usedBytes: Int, pageSize: Int) -> PageScan.Depth {
    // Where reads go through LMDB (SnapshotPages.swift), nothing is looked at later.
    if usedBytes <= verifiedSize || pageSize > Int(getpagesize()) { return .pages }
    return usedBytes / 16 <= verifiedSize ? .branches : .names
  }
}
