#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// Adds the tables, columns and indexes that a schema needs and a store lacks, in a transaction of its own.
  ///
  /// Two processes may prepare a store at once: each locks the row of `fastmap_store` first, and the second finds
  /// everything there. DDL waits until the table is free.
  struct Preparation {
    let connection: Connection
    let schema: Schema
    let settings: PostgresStore.Configuration
    /// How long it waits for a table alone.
    let wait: Duration
    /// Whether it leaves the objects to the write that follows. That write stores the defaults of new fields, and decides
    /// when it ends whether an index is unique.
    var precedesWrite = false
    /// Whether it is a dry run's, which leaves stored tables as they are.
    var addsTablesOnly = false

    var name: String { settings.schema }

    /// Another session has prepared the store for longer than the time-out.
    struct CatalogIsBusy: Error {
      let cause: PostgresError
    }

    /// A write may have read the catalog before this adds a list, and may delete an object after a third transaction has
    /// put it into that list. PostgreSQL finds the cycle, because this runs in SERIALIZABLE, too. On Citus, which finds
    /// none, writes share a lock that this one takes alone.
    ///
    /// - Returns: The catalog that has everything, and notes for the user.
    func run() throws -> (Layout, notes: [String]) {
      let isSharded = connection.server.flavour == .citus
      try connection.server.requireWrites(at: connection.place)
      // Outside of the transaction, whose snapshot must be younger than the lock on the catalog.
      let (statement, parameters) = Layout.existence(in: name)
      let exists = try !connection.run(statement, parameters).isNull(0, 0)
      let level = isSharded ? "READ COMMITTED" : "SERIALIZABLE"
      try connection.sendQuietly(Statement("BEGIN ISOLATION LEVEL \(level)"))
      // No reader waits for the lock on the catalog.
      let catalogWait = settings.lockTimeout ?? .seconds(60)
      try connection.sendQuietly(Statement("SET LOCAL lock_timeout = \(catalogWait.milliseconds)"))
      if isSharded {
        try connection.sendQuietly(Statement("SET LOCAL citus.multi_shard_modify_mode = 'sequential'"))
      }
      let prefix = SQLText.identifier(name)
      if !exists {
        try makeCatalog()
      } else if connection.server.flavour == .postgres {
        // Takes no snapshot. Locking the row alone would take a snapshot, which may be too old by then.
        try connection.sendQuietly(
          Statement("LOCK TABLE \(prefix).fastmap_store IN SHARE ROW EXCLUSIVE MODE"))
      }
      if isSharded {
        let answer = try connection.run(Statement("SELECT id FROM \(prefix).fastmap_store"))
        if answer.rowCount == 1 {
          try KeyLocks.waitForWrites(of: UUIDBytes(answer.bytes(0, 0)), connection)
        }
      }
      do {
        _ = try connection.run(Statement("SELECT version FROM \(prefix).fastmap_store FOR UPDATE"))
      } catch let error as PostgresError where error.code == "55P03" {
        throw CatalogIsBusy(cause: error)
      }
      // Other questions on a table wait behind this one, so it does not wait for long.
      try connection.sendQuietly(Statement("SET LOCAL lock_timeout = \(wait.milliseconds)"))
      var layout = try Layout.readExisting(connection, schema: name)
      let changes = try makeChanges(of: layout)
      if !changes.isEmpty { layout = try Layout.readExisting(connection, schema: name) }
      let names = try takenNames()
      var grown = try grow(layout, names)
      grown.notes = changes + grown.notes
      try connection.finish()
      try connection.execute("COMMIT")
      return grown
    }

    /// The catalog as the connection's transaction sees it, which makes it if there is none.
    func openCatalog() throws -> Layout {
      let (statement, parameters) = Layout.existence(in: name)
      if try connection.run(statement, parameters).isNull(0, 0) { try makeCatalog() }
      // Another preparation waits.
      _ = try connection.run(
        Statement("SELECT version FROM \(SQLText.identifier(name)).fastmap_store FOR UPDATE"))
      return try Layout.readExisting(connection, schema: name)
    }

    private func makeCatalog() throws {
      for (statement, parameters) in try catalog() {
        try connection.sendQuietly(statement, parameters)
      }
    }

    func catalog() throws -> [(Statement, Parameters)] {
      // Before the question for a store, so that the names are no other preparation's.
      let others = try sendCatalogNames()
      let (statement, parameters) = Layout.existence(in: name)
      let known = try connection.send(statement, parameters)
      var row = Parameters()
      row.text(name)
      let hasSchema = try connection.send(
        Statement("SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1", .text), row)
      let isMissing = try connection.answer(to: known).isNull(0, 0)
      // The right to create schemas is not needed if there is one.
      let makesSchema = try connection.answer(to: hasSchema).int8(0, 0) == 0
      // The name is seen at once, and the rows only by a younger snapshot.
      guard isMissing else {
        throw ConflictError("another write has just made the store in the schema \(name)")
      }
      try refuse(connection.answer(to: others))
      return SchemaMigration.catalog(in: name, connection.server, makesSchema: makesSchema)
    }

    /// Adds the tables of new entities and lists in the connection's transaction, which must not commit: a dry run.
    ///
    /// - Parameter layout: Nil if the schema has no catalog.
    /// - Throws: ``PostgresError`` for a field that needs a column in a table that exists. The lock of ALTER TABLE would
    ///   keep readers out until the transaction ends.
    func addTables(to layout: Layout?) throws -> Layout {
      var preparation = self
      preparation.precedesWrite = true
      preparation.addsTablesOnly = true
      let layout = try layout ?? openCatalog()
      guard let growth = try preparation.growth(of: layout, takenNames()) else { return layout }
      for (statement, parameters) in growth.statements { try connection.sendQuietly(statement, parameters) }
      return try Layout.readExisting(connection, schema: name)
    }

    /// The tables, indexes, views and types of the schema, which have their names in common. A table is a type, too.
    func takenNames() throws -> SQLNames {
      var row = Parameters()
      row.text(name)
      let answer = try connection.run(
        Statement(
          """
          SELECT c.relname::text FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
          UNION ALL
          SELECT t.typname::text FROM pg_catalog.pg_type t
          JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
          WHERE n.nspname = $1 AND t.typcategory <> 'A'
          """, .text), row)
      var names = SQLNames.tables
      for row in 0..<answer.rowCount { names.insert(answer.text(row, 0)) }
      return names
    }

    /// Adds the missing tables, columns and indexes, in the connection's transaction.
    func grow(_ layout: Layout, _ names: SQLNames) throws -> (Layout, notes: [String]) {
      guard let growth = try growth(of: layout, names) else { return (layout, []) }
      for constraint in growth.lost { try restore(constraint) }
      for (statement, parameters) in growth.statements { try connection.sendQuietly(statement, parameters) }
      let result = try Layout.readExisting(connection, schema: name)
      var left: [Int64] = []
      for (index, entity) in growth.indexes where index.isUnique {
        if result.awaited.has(fieldOf: index) {
          left.append(index.number)
          continue
        }
        let stored = try result.catalog.entity(entity.number)
        let search = DuplicateSearch(result, stored, index)
        try search.forEachPair(touched: nil, limit: 1, connection) { pair in
          guard precedesWrite else { throw try search.error(of: pair, connection) }
          left.append(index.number)
        }
      }
      if left.isEmpty { return (result, growth.notes) }
      try connection.sendQuietly(
        Statement(
          "UPDATE \(result.qualified("fastmap_index")) SET is_unique = false WHERE number = ANY ($1)",
          .int8Array),
        Parameters(ArrayColumn(left)))
      return (try Layout.readExisting(connection, schema: name), growth.notes)
    }

    /// The tables, columns and indexes that a store lacks.
    struct Growth {
      /// The indexes and constraints that somebody else has removed.
      let lost: [TableConstraint]
      /// DDL, and changes of the catalog, in order.
      let statements: [(Statement, Parameters)]
      let indexes: [(SQLCatalog.Index, SQLCatalog.Entity)]
      /// Notes for the user.
      let notes: [String]
    }

    /// The growth that the schema needs; nil if the store has everything.
    func growth(of layout: Layout, _ names: SQLNames) throws -> Growth? {
      for (entity, mapped) in schema.entities.enumerated() {
        let stored = layout.catalog.entity(named: mapped.name)
        guard let name = stored.flatMap({ layout.keys[$0.number]?.field }) else { continue }
        try schema.entities[entity].checkKeyField(name)
      }
      let layout = try layout.whole()
      let awaited = precedesWrite ? [] : layout.awaitedFields(of: schema)
      var grown = layout
      let additions = try grown.catalog.extend(to: schema, tables: names, columns: .columns)
      let lost =
        addsTablesOnly ? [] : layout.missingConstraints(try layout.bind(schema, at: connection.place).sql)
      guard !additions.isEmpty || !lost.isEmpty || !awaited.isEmpty else { return nil }
      let restored = lost.map { "made \(escaped($0.name)) again, which another program had removed" }
      var new: [SQLCatalog.Entity] = []
      var isNew: Set<Int64> = []
      var fields: [Int64: [SQLCatalog.Field]] = [:]
      var keyed: [Int64] = []
      var others: [SQLCatalog.Field] = []
      var indexes: [(SQLCatalog.Index, SQLCatalog.Entity)] = []
      for addition in additions {
        switch addition {
        case .entity(let entity):
          new.append(entity)
          isNew.insert(entity.number)
        case .keyKind(_, let entity): keyed.append(entity.number)
        case .index(let index, let entity):
          if !addsTablesOnly { indexes.append((index, entity)) }
        case .field(let field, let entity):
          if isNew.contains(entity.number) {
            fields[entity.number, default: []].append(field)
          } else {
            others.append(field)
          }
        }
      }
      if addsTablesOnly { try refuseAlterations(keyed, others, grown) }
      for number in new.map(\.number) + keyed {
        grown.keys[number] = try key(of: grown.catalog.entity(number))
      }
      for field in others { try refuseColumns(of: field, grown) }
      try refuseNames(of: additions, grown, names, layout)
      for number in Set(new.map(\.number) + others.map(\.entity)) { try refuseWideTable(of: number, grown) }
      let notes = try undeclaredRenames(of: others, layout.catalog) + otherNames(of: additions, layout)
      var growth = SchemaMigration(grown, connection.server)
      for entity in new {
        growth.create(entity, key: grown.keys[entity.number], fields: fields[entity.number] ?? [])
      }
      let defaults = NewDefault.all(of: others + awaited, schema, grown)
      let withDefaults = Set(defaults.values.joined().map(\.field.number))
      for field in others {
        let awaitsDefault = precedesWrite && withDefaults.contains(field.number)
        growth.add(field, to: try grown.catalog.entity(field.entity), awaitsDefault: awaitsDefault)
      }
      if !precedesWrite {
        for (number, values) in defaults { growth.store(values, of: try grown.catalog.entity(number)) }
        growth.endWait(for: awaited)
      }
      for number in keyed {
        guard let key = grown.keys[number] else { continue }
        let entity = try grown.catalog.entity(number)
        growth.setKey(key, of: entity)
        growth.renewIndexes(of: entity, try layout.catalog.entity(number), layout)
      }
      for (index, entity) in indexes {
        growth.add(index, to: entity, isKnown: layout.hasIndex(index))
      }
      if !addsTablesOnly, !additions.isEmpty || !awaited.isEmpty { growth.raiseVersion() }
      return Growth(lost: lost, statements: growth.statements, indexes: indexes, notes: notes + restored)
    }

    /// Makes an index or a constraint again that somebody else has removed.
    private func restore(_ constraint: TableConstraint) throws {
      do {
        _ = try connection.run(Statement(constraint.statement))
      } catch let error as PostgresError {
        // Rows or other database objects cause these errors, and no repeat helps.
        guard ["23502", "23505", "23514", "42710", "42P07", "42P16"].contains(error.sqlState ?? "") else {
          throw error
        }
        throw PostgresError(
          server: error.server,
          message: "another program has removed \(escaped(constraint.name)), and it cannot be made again: "
            + "\(error.message) (\(error.sqlState ?? ""))", detail: error.detail,
          hint: "Run check, repair the named objects, and import again.", schema: name, table: error.table,
          constraint: constraint.name)
      }
    }

    /// Makes sure that no other program has given a table, a view or an index the name of a new index.
    private func refuseNames(
      of additions: [SQLAddition], _ layout: Layout, _ names: SQLNames, _ known: Layout
    ) throws {
      for addition in additions {
        let (entity, constraints): (Int64, [TableConstraint]) =
          switch addition {
          case .entity(let entity):
            (entity.number, layout.ownConstraints(of: entity) + layout.keyConstraints(of: entity))
          case .keyKind(_, let entity): (entity.number, layout.keyConstraints(of: entity))
          case .field(let field, let entity): (entity.number, layout.constraints(of: field, of: entity))
          case .index(let index, let entity):
            (
              entity.number,
              known.hasIndex(index)
                ? [] : layout.constraints(of: index, of: entity, besides: entity.indexes(before: index))
            )
          }
        guard let taken = constraints.first(where: { $0.isIndex && names.isTaken($0.name) }) else { continue }
        throw PostgresError(
          server: connection.place,
          message:
            "another program has a table or an index of the name \(escaped(taken.name)), which the entity "
            + "\(escaped(try layout.catalog.entity(entity).name)) needs",
          hint: "Rename it, and import again.", schema: name)
      }
    }

    /// Makes sure that no stored table needs another column.
    private func refuseAlterations(
      _ keyed: [Int64], _ fields: [SQLCatalog.Field], _ layout: Layout
    ) throws {
      let field = fields.first { !$0.isToMany }
      guard let number = keyed.first ?? field?.entity else { return }
      let entity = try layout.catalog.entity(number)
      let column = keyed.isEmpty ? field.map { "the field \(quoted($0.name))" } : "a key"
      throw PostgresError(
        server: connection.place,
        message: "a dry run cannot add \(column ?? "a field") to the stored entity \(escaped(entity.name)), "
          + "because readers would wait for its end",
        hint: "Prepare the store first: fastmap prepare, or the SQL of prepare --print.", schema: name,
        table: entity.sqlName)
    }

    /// A table of PostgreSQL has a limited number of columns.
    private func refuseWideTable(of number: Int64, _ layout: Layout) throws {
      let entity = try layout.catalog.entity(number)
      let columns = entity.fields.reduce(Layout.ownColumns.count) { $0 + layout.columns(of: $1).count }
      guard columns > Layout.mostColumns else { return }
      throw PostgresError(
        server: connection.place,
        message: "the entity \(escaped(entity.name)) needs \(columns) columns, and a table of PostgreSQL has "
          + "at most \(Layout.mostColumns)", schema: name, table: entity.sqlName)
    }

    /// Makes sure that no other program has added a column with the name of a new field.
    private func refuseColumns(of field: SQLCatalog.Field, _ layout: Layout) throws {
      let entity = try layout.catalog.entity(field.entity)
      guard let found = layout.found[ByteName(entity.sqlName)] else { return }
      for (name, _) in layout.columns(of: field) where found[ByteName(name)] != nil {
        throw PostgresError(
          server: connection.place,
          message: "another program has added a column that the new field \(quoted(field.name)) of "
            + "\(escaped(entity.name)) needs",
          hint: "Rename the column, and import again.", schema: self.name, table: entity.sqlName, column: name
        )
      }
    }

    /// Where the keys of an entity are: in the column of their field, if the schema names that field.
    private func key(of entity: SQLCatalog.Entity) throws -> Layout.Key? {
      let same = schema.entities.first { $0.name.utf8.elementsEqual(entity.name.utf8) }
      guard entity.keyKind != nil, let mapped = same else { return nil }
      guard let field = mapped.keyField, let stored = entity.field(named: mapped.fields[field].name) else {
        return Layout.Key(field: nil, column: Layout.keyColumn)
      }
      return Layout.Key(field: stored.name, column: stored.sqlName)
    }
  }

  extension Layout {
    func hasIndex(_ index: SQLCatalog.Index) -> Bool {
      (try? catalog.entity(index.entity))?.index(named: index.name) != nil
    }
  }

  extension PostgresError {
    /// Whether another process has made the same tables at the same time.
    var isPreparationConflict: Bool {
      switch code {
      // Serialization, deadlock, and objects that exist by now: rows, tables, columns, schemas, indexes.
      case "40001", "40P01", "23505", "42P07", "42701", "42P06", "42710": true
      case "XX000": message.contains("concurrently updated")
      default: isConflict
      }
    }
  }
#endif
