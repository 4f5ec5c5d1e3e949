public import FastMapCore

/// A store on disk: one directory with an LMDB environment.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importFile("people.json", as: plan)
///
/// Commits are durable by default, the file grows by itself, and every record carries a checksum that is
/// verified when it is read. Readers and the writer never wait for each other; other processes may read and
/// write at the same time.
///
/// - Note: Thread rule: any thread may use it. Opening one directory several times in a process gives stores
///   that share one environment.
public final class LMDBStore: Store {
  /// How a store is opened.
  ///
  ///     var configuration = LMDBStore.Configuration()
  ///     configuration.isReadOnly = true
  ///     let store = try LMDBStore(at: "people.db", configuration: configuration)
  public struct Configuration: Sendable {
    /// The address space that is reserved at first, in bytes. It takes neither memory nor disk.
    ///
    /// C: `mdb_env_set_mapsize`
    public var mapSize = 16 << 30

    /// Where growing ends, in bytes.
    public var maxMapSize = 4 << 40

    /// Reads that may be open at once in all processes, 64 bytes of `lock.mdb` each. Whoever opens the store
    /// while nobody else has it open decides.
    ///
    /// C: `mdb_env_set_maxreaders`
    public var maxReaders = 1024

    /// Whether nothing is written: no store is made, and a write is an error. Only LMDB's table of readers, in
    /// `lock.mdb`, is kept, so that others may write meanwhile.
    ///
    /// Where `lock.mdb` may not be written, the store is opened without it if no process has it open; nobody
    /// may write to the store then as long as it is.
    ///
    /// C: `MDB_RDONLY`
    public var isReadOnly = false

    /// Whether a store is made where there is none, in a directory whose parent exists.
    public var createsIfMissing = true

    /// What a commit is worth when the power fails.
    public var durability = Durability.full

    /// The largest store, in bytes, of which every page and every checksum is looked at when it is opened. A
    /// damaged one is refused then, with its place. Of a larger store, opening looks at the headers, the roots of the
    /// tables and, up to sixteen times this size, the branches of their trees; a read at each page and record that it
    /// meets; and ``LMDBStore/check()`` at everything. A write believes the pages: check a large store of doubtful
    /// origin before it.
    ///
    /// 256 MiB take a third of a second if they are in memory. `Int.max` is every store, 0 is none.
    public var verifiedSize = 256 << 20

    /// Whether writes that come together share one commit, and with it the sync that a durable commit waits for:
    /// for many threads that each write little.
    ///
    /// Each write has its own result or error, as without it; one that fails undoes nobody else's. A write returns
    /// when the commit that it shares is done: a small one may wait for a long one that came right behind it.
    public var sharesCommits = false

    /// Whether a store on a network file system is opened, where LMDB cannot work safely.
    public var allowsNetworkFileSystem = false

    /// Renames and conversions, in their order; each is made once to each store, when it is opened for writing.
    public var migrations: [Migration] = []

    /// How lists are cut. Tests make them short; a store keeps to what it was made with.
    var lists = ListShape()

    /// Makes the default configuration.
    public init() {}
  }

  /// What a commit is worth when the power fails.
  public enum Durability: Sendable {
    /// A commit that has returned is on the disk.
    case full
    /// The last commit may be undone; the store stays whole.
    ///
    /// C: `MDB_NOMETASYNC`
    case lastTransactionMayBeLost
  }

  let environment: Environment
  let tables: Tables
  let lists: ListShape
  private let layouts = LayoutCache()

  /// The path it was opened with.
  public let path: String

  let isReadOnly: Bool
  private let sharesCommits: Bool

  /// Opens the store in a directory.
  ///
  /// The files are looked over before LMDB sees them: what is truncated or not a store is refused and left as
  /// it is.
  ///
  /// - Parameters:
  ///   - path: The store's directory; made with mode 0700 where it is missing and `createsIfMissing`.
  ///   - configuration: How it is opened; by default for reading and writing, and made where it is missing.
  /// - Throws: ``LMDBError``; of reason ``LMDBError/Reason/layoutChange(change:detail:)`` where one of
  ///   `migrations` cannot be made. No layout is changed then.
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
  public func write<R>(_ schema: Schema, _ body: (inout LMDBWriter) throws -> TransactionCompletion<R>) throws -> R {
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

/// A write transaction that can be copied: valid as long as the transaction it was made from.
struct WriteView: TransactionWriting {
  let view: TransactionView
}
