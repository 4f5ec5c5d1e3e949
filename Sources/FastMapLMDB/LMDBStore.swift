public import FastMapCore

/// A store on disk: one directory with an LMDB environment.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importFile("people.json", as: plan)
///
/// By default, commits are durable. The file grows automatically. Every record has a checksum, which is verified when
/// the record is read. Readers and the writer never wait for each other. Other processes may read and write at the
/// same time.
///
/// - Note: Thread rule: any thread may use it. Stores of the same directory in one process share one environment.
public final class LMDBStore: Store {
  /// How a store is opened.
  ///
  ///     var configuration = LMDBStore.Configuration()
  ///     configuration.isReadOnly = true
  ///     let store = try LMDBStore(at: "people.db", configuration: configuration)
  public struct Configuration: Sendable {
    /// The address space that is reserved initially, in bytes. It uses neither memory nor disk space.
    ///
    /// C: `mdb_env_set_mapsize`
    public var mapSize = 16 << 30

    /// The maximum size of the store, in bytes.
    public var maxMapSize = 4 << 40

    /// The maximum number of open reads in all processes. Each takes 64 bytes of `lock.mdb`. The first process to
    /// open the store sets the number.
    ///
    /// C: `mdb_env_set_maxreaders`
    public var maxReaders = 1024

    /// Whether the store is opened for reading only. No store is created, and a write is an error. Only LMDB's table
    /// of readers, in `lock.mdb`, is updated, so that others may write meanwhile.
    ///
    /// If `lock.mdb` is not writable, the store is opened without it, provided that no process has it open. Nobody
    /// may write to the store then while it is open.
    ///
    /// C: `MDB_RDONLY`
    public var isReadOnly = false

    /// Whether to create a missing store, in a directory whose parent exists.
    public var createsIfMissing = true

    /// What a power failure can undo.
    public var durability = Durability.full

    /// The maximum size, in bytes, of a store that is verified completely when it is opened. A damaged store is
    /// refused then, and the error names the place.
    ///
    /// In a larger store, opening verifies the headers and the roots of the tables. Up to sixteen times this size, it
    /// also verifies the branches of the trees. Each read verifies the pages and records that it reads, and
    /// ``LMDBStore/check()`` verifies everything. A write trusts the pages, so check a large store of doubtful origin
    /// before you write to it.
    ///
    /// 256 MiB take a third of a second if they are in memory. `Int.max` verifies every store, and 0 none.
    public var verifiedSize = 256 << 20

    /// Whether concurrent writes share one commit and its sync. Use it if many threads each write little.
    ///
    /// Each write has its own result or error. A failed write does not undo others. A write returns after the shared
    /// commit, so a short write may wait for a long one that began just after it.
    public var sharesCommits = false

    /// Whether to open a store on a network file system, where LMDB is not safe.
    public var allowsNetworkFileSystem = false

    /// Renames and conversions, in order. Each is applied once to each store, when the store is opened for writing.
    public var migrations: [Migration] = []

    /// How lists are split into segments. Tests use short ones; a store keeps the shape with which it was created.
    var lists = ListShape()

    /// Makes the default configuration.
    public init() {}
  }

  /// What a power failure can undo.
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

  let environment: Environment
  let tables: Tables
  let lists: ListShape
  private let layouts = LayoutCache()

  /// The path with which the store was opened.
  public let path: String

  let isReadOnly: Bool
  private let sharesCommits: Bool

  /// Opens the store in a directory.
  ///
  /// FastMap verifies the files before LMDB uses them. Truncated files, and files that are not a store, are refused
  /// and not changed.
  ///
  /// - Parameters:
  ///   - path: The store's directory. It is created with mode 0700 if it is missing and `createsIfMissing` is true.
  ///   - configuration: How to open it. By default, for reading and writing; a missing store is created.
  /// - Throws: ``LMDBError``. The reason is ``LMDBError/Reason/layoutChange(change:detail:)`` if one of the
  ///   `migrations` cannot be applied. No migration is applied then.
  ///
  /// C: `mdb_env_open`
  public init(at path: String, configuration: Configuration = Configuration()) throws(LMDBError) {
    var options = EnvironmentOptions()
    options.mapSize = configuration.mapSize
    options.maxMapSize = max(configuration.mapSize, configuration.maxMapSize)
    options.maxReaders = configuration.maxReaders
    options.isReadOnly = configuration.isReadOnly
    options.createsIfMissing = configuration.createsIfMissing
    options.durability = configuration.durability == .full ? .full : .lastTransactionMayBeLost
    options.allowsNetworkFileSystem = configuration.allowsNetworkFileSystem
    options.databases = Table.allCases.map(\.name)
    options.verifiedSize = configuration.verifiedSize
    options.hasChecksums = true
    environment = try Environment.open(at: path, options)
    tables = Tables(environment.databases)
    lists = configuration.lists
    self.path = path
    isReadOnly = configuration.isReadOnly
    sharesCommits = configuration.sharesCommits
    try make(configuration.migrations)
  }

  @discardableResult
  public func read<R>(_ schema: Schema, _ body: (inout LMDBReader) throws -> R) throws -> R {
    try environment.read { transaction in
      let layout = try layouts.layout(transaction.view, tables)
      let binding = try layouts.binding(schema, in: layout, of: transaction.id)
      var reader = LMDBReader(
        view: transaction.view, tables: tables, binding: binding, layout: layout, lists: lists, layouts)
      return try body(&reader)
    }
  }

  @discardableResult
  public func write<R>(_ schema: Schema, _ body: (inout LMDBWriter) throws -> TransactionCompletion<R>) throws
    -> R
  {
    // The environment may be shared with a store that writes.
    guard !isReadOnly else { throw environment.error(.readOnly) }
    return try environment.write(isSharing: sharesCommits) { transaction in
      let old = try StoreLayout(transaction.view, tables)
      var layout = old
      let binding = try layout.extend(to: schema, environment)
      let reader = LMDBReader(
        view: transaction.view, tables: tables, binding: binding, layout: layout, lists: lists,
        notes: old.undeclaredRenames(in: layout, binding))
      var writer = LMDBWriter(WriteView(view: transaction.view), reader)
      switch try body(&writer) {
      case .rollBack(let result):
        transaction.discardChanges()
        return result
      case .commit(let result):
        try writer.reader.layout.write(writer.writing, tables, since: old)
        return result
      }
    }
  }
}

/// A write transaction that can be copied. It is valid as long as the original transaction.
struct WriteView: TransactionWriting {
  let view: TransactionView
}
