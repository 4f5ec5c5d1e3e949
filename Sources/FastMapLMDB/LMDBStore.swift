public import FastMapStoreKit

/// A store on disk: one directory with an LMDB environment.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importJSON(.file("people.json"), as: plan)
///
/// By default, commits are durable. The file grows automatically. Every record has a checksum, which is verified when
/// the record is read. The first write verifies the whole store, up to a size. Readers and the writer never wait for each other. Other processes may read and write at the
/// same time.
///
/// - Note: Thread rule: any thread may use it. Stores of the same directory in one process share one environment.
public final class LMDBStore: Store {
  let environment: Environment
  let tables: Tables
  let lists: ListShape
  private let layouts = LayoutCache()

  /// The path of the store's directory, as its opener wrote it.
  public let path: String

  let isReadOnly: Bool
  private let sharesCommits: Bool

  /// Opens the store in a directory.
  ///
  /// Truncated files, and files that are not a store, are refused and not changed. Opening reads the headers and the
  /// names of the tables only, for writing too. Damage elsewhere is an error of the read that meets it, or of the first
  /// write: see ``Configuration/verifiedSize``.
  ///
  /// - Parameters:
  ///   - path: The store's directory. Created with mode 0700 if it is missing and `createsIfMissing` is true.
  ///   - configuration: How to open it. By default, for reading and writing; a missing store is created.
  /// - Throws: ``LMDBError``.
  /// - Complexity: O(1).
  ///
  /// C: `mdb_env_open`
  public init(at path: String, configuration: Configuration = Configuration()) throws(LMDBError) {
    environment = try Environment.open(at: path, configuration)
    tables = Tables(environment.databases)
    lists = configuration.lists
    self.path = path
    isReadOnly = configuration.isReadOnly
    sharesCommits = configuration.sharesCommits
  }

  public var capabilities: StoreCapabilities {
    StoreCapabilities(keepsUniqueIndexes: true, mostValueBytes: StoreLimitError.valueBytes)
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
      let stored = try StoreLayout(transaction.view, tables, isWriting: true)
      let (old, layout, binding, changes) = try declare(schema, stored, WriteView(view: transaction.view))
      var reader = LMDBReader(
        view: transaction.view, tables: tables, binding: binding, layout: layout, lists: lists,
        notes: changes + old.undeclaredRenames(in: layout, binding))
      let indexes = IndexWriter(old.indexes, transaction.view, tables)
      indexes.begin(layout)
      reader.indexes = indexes
      var writer = LMDBWriter(
        WriteView(view: transaction.view), reader, indexes, hasChangedLayout: !changes.isEmpty)
      try writer.storeNewDefaults()
      switch try body(&writer) {
      case .rollBack(let result):
        transaction.discardChanges()
        return result
      case .commit(let result):
        try writer.finishIndexes()
        try writer.reader.layout.write(writer.writing, tables, since: stored)
        return result
      }
    }
  }
}

/// A write transaction that can be copied, valid as long as the original transaction.
struct WriteView: TransactionWriting {
  let view: TransactionView
}
