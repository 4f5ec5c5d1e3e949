#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL
  internal import Synchronization

  /// The layout that a store has seen last.
  final class LayoutCache: Sendable {
    /// The cached state of a catalog.
    enum State: Sendable {
      case unknown
      /// The schema had no catalog.
      case absent
      case known(Layout)
    }

    private let state = Mutex(State.unknown)

    var current: State { state.withLock { $0 } }

    func set(_ layout: Layout?) { state.withLock { $0 = layout.map(State.known) ?? .absent } }

    /// Forgets the layout, after an error that it may have caused.
    func clear() { state.withLock { $0 = .unknown } }
  }

  /// The layout of one transaction. It begins with the last layout of the store. The first question of the
  /// transaction also asks for the version of the catalog.
  final class TransactionLayout {
    let connection: Connection
    private let cache: LayoutCache
    /// The schema of the tables; the session's temporary one for copies.
    private var name: String
    let isWrite: Bool
    /// Nil if the store has no catalog.
    private(set) var layout: Layout?
    /// Whether the transaction sees `layout`.
    private(set) var isCurrent: Bool
    /// The locks of a write on Citus; nil elsewhere, and for a read.
    var locks: KeyLocks?
    /// The question for the version, if it was sent before the first question.
    private var version: Ticket?
    /// Whether the planner was told that questions find rows by an index.
    private var usesIndexes = false

    init(_ connection: Connection, _ cache: LayoutCache, schema: String, isWrite: Bool = false) throws {
      self.connection = connection
      self.cache = cache
      self.isWrite = isWrite
      name = schema
      switch cache.current {
      case .known(let layout):
        self.layout = layout
        isCurrent = false
      case .absent, .unknown:
        layout = try Layout.read(connection, schema: schema)
        // A write on Citus asks for the version again, after a lock that keeps it.
        isCurrent = !(isWrite && connection.server.flavour == .citus) || layout == nil
        cache.set(layout)
      }
    }

    /// Takes the snapshot of a transaction that only reads, without waiting for it.
    func takeSnapshot() throws {
      guard !isCurrent else { return }
      version = try connection.send(Layout.versionStatement(in: name))
      try connection.flushAhead()
    }

    /// Makes the planner find many objects by an index. Without statistics, and for some hundred objects, it would read
    /// the whole table.
    func useIndexes() throws {
      guard !usesIndexes else { return }
      usesIndexes = true
      try Self.sendIndexUse(connection)
    }

    /// Sends the setting, for this transaction alone.
    static func sendIndexUse(_ connection: Connection) throws {
      // A write does so when it begins, and Citus plans in its own way.
      guard connection.server.flavour == .postgres else { return }
      try connection.sendQuietly(
        Statement(
          """
          SELECT set_config(n, 'off', true)
          FROM unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,enable_material,jit}'::text[]) n
          """))
    }

    /// Makes the tables of new entities and lists in this transaction, which does not commit.
    func addTables(for schema: Schema, _ settings: PostgresStore.Configuration) throws {
      var settings = settings
      settings.schema = name
      layout = try Preparation(connection: connection, schema: schema, settings: settings, wait: .zero)
        .addTables(to: layout)
      isCurrent = true
    }

    /// Gives a dry run temporary copies of all tables, which end with the transaction, if the role may not write to the
    /// tables. So it needs the right to read them, and to make temporary tables.
    func copyTablesIfNeeded() throws {
      guard var layout = try Layout.read(connection, schema: name) else { return }
      self.layout = layout
      isCurrent = true
      let tables =
        Layout.catalogTables.map(\.name)
        + layout.catalog.entities.flatMap { entity in
          [entity.sqlName] + entity.fields.filter(\.isToMany).map(\.sqlName)
        }
      let rights = ["INSERT", "UPDATE", "DELETE"].map { "has_table_privilege(n, '\($0)')" }
      let mayWrite = try connection.run(
        Statement(
          "SELECT bool_and(\(rights.joined(separator: " AND "))) FROM unnest($1) n", .textArray),
        Parameters(ArrayColumn(tables.map(layout.qualified))))
      if mayWrite.boolean(0, 0) { return }
      for table in tables {
        let (copy, table) = ("pg_temp.\(SQLText.identifier(table))", layout.qualified(table))
        for text in [
          "CREATE TEMP TABLE \(copy) (LIKE \(table) INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES) ON COMMIT DROP",
          "INSERT INTO \(copy) SELECT * FROM \(table)",
        ] { try connection.sendQuietly(Statement(text)) }
      }
      name = try connection.run(Statement("SELECT pg_my_temp_schema()::regnamespace::text")).text(0, 0)
      layout.schema = name
      self.layout = layout
    }

    func readOwnCatalog() throws {
      layout = try Layout.readExisting(connection, schema: name)
    }

    /// Refuses a schema that declares other types or names for stored entities and fields.
    func refuseChanges(by schema: Schema, _ settings: PostgresStore.Configuration) throws {
      guard let layout, schema.changesStore else { return }
      try Preparation(connection: connection, schema: schema, settings: settings, wait: .zero)
        .refuseChanges(of: layout)
    }

    /// Sends a question. The first question travels with one for the version of the catalog. If the version has
    /// changed, reads the catalog again and repeats the question.
    ///
    /// - Parameter send: Sends statements and does not wait.
    /// - Throws: `ConflictError` for a write if the tables belong to another store.
    func send<R>(_ send: () throws -> R, rebind: () throws -> Void) throws -> R {
      guard !isCurrent else { return try send() }
      let version: Ticket
      let sent: R
      if let locks, let layout {
        // With its first lock it asks for the version, which is fixed until the write ends.
        sent = try send()
        version = try locks.version(of: layout)
      } else {
        version = try self.version ?? connection.send(Layout.versionStatement(in: name))
        sent = try send()
      }
      // The caller has not seen this answer.
      let hasAnswered = connection.hasAnswered
      let current = try Layout.version(connection.answer(to: version))
      connection.hasAnswered = hasAnswered
      guard current != layout?.version else {
        isCurrent = true
        return sent
      }
      if !connection.discardAll() {
        guard !connection.isBroken else { throw connection.lost() }
        // The tables of the question are gone: somebody has dropped the store and made it anew.
        cache.clear()
        guard !isWrite else {
          throw ConflictError("the store in the schema \(SQLText.identifier(name)) was made again")
        }
        try connection.beginAgain()
        usesIndexes = false
      }
      let layout = try Layout.readExisting(connection, schema: name)
      if locks != nil, layout.version.store != self.layout?.version.store {
        // The locks belong to the old store.
        cache.set(layout)
        throw ConflictError("the store in the schema \(SQLText.identifier(name)) was made again")
      }
      self.layout = layout
      isCurrent = true
      cache.set(layout)
      try rebind()
      return try send()
    }
  }
#endif
