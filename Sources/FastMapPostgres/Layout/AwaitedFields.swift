#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  // A new attribute with a default takes two transactions. A preparation adds the column, and waits for the table alone. The
  // write that follows stores the default in all objects, and makes the attribute a part of the catalog. If that write is
  // refused, the attribute stays hidden: readers show its default, and the next write stores it.

  extension Layout {
    /// New attributes whose defaults no write has stored, and the indexes over them.
    struct Awaited: Sendable {
      var fields: [SQLCatalog.Field] = []
      var indexes: [SQLCatalog.Index] = []

      func has(fieldOf index: SQLCatalog.Index) -> Bool {
        index.parts.contains { part in fields.contains { $0.number == part.field } }
      }
    }

    /// The layout with all that was ever prepared, whose names and numbers are taken.
    func whole() throws(SQLCatalogError) -> Layout {
      var whole = self
      for field in awaited.fields { try whole.catalog.add(field) }
      for index in awaited.indexes { try whole.catalog.add(index) }
      return whole
    }

    func awaitedFields(of schema: Schema) -> [SQLCatalog.Field] {
      if awaited.fields.isEmpty { return [] }
      return awaited.fields.filter { field in
        guard let name = try? catalog.entity(field.entity).name else { return false }
        return schema.entities.contains { mapped in
          mapped.name.utf8.elementsEqual(name.utf8)
            && mapped.fields.contains { $0.name.utf8.elementsEqual(field.name.utf8) }
        }
      }
    }
  }

  /// The default of a new attribute.
  struct NewDefault {
    let field: SQLCatalog.Field
    /// The columns, quoted, and their values as arrays of one element.
    let columns: [(identifier: String, value: ArrayColumn)]

    private init(_ value: Value, of field: SQLCatalog.Field, _ layout: Layout) {
      self.field = field
      guard case .attribute(let kind) = field.kind else {
        columns = []
        return
      }
      let names = layout.columns(of: field).map { SQLText.identifier($0.name) }
      let values = zip(names, [kind.type, .text]).map { ArrayColumn(of: $1, capacity: 1) }
      var buffer = RowBuffer()
      buffer.reset(count: 1)
      buffer.set(value, at: 0)
      let first = values[0].next()
      kind.write(buffer.row[0], to: first, exact: kind.hasExact ? values[1].next() : first)
      columns = Array(zip(names, values))
    }

    /// The defaults that a schema has for some fields, by the number of their entity.
    static func all(
      of fields: [SQLCatalog.Field], _ schema: Schema, _ layout: Layout
    ) -> [Int64: [NewDefault]] {
      var values: [Int64: [ByteName: Value]] = [:]
      for mapped in schema.entities {
        guard let number = layout.catalog.entity(named: mapped.name)?.number else { continue }
        for field in mapped.fields { values[number, default: [:]][ByteName(field.name)] = field.defaultValue }
      }
      var defaults: [Int64: [NewDefault]] = [:]
      for field in fields {
        guard let value = values[field.entity]?[ByteName(field.name)] else { continue }
        defaults[field.entity, default: []].append(NewDefault(value, of: field, layout))
      }
      return defaults
    }
  }

  extension PostgresWriter {
    public mutating func use(_ schema: Schema) throws {
      try reader.use(schema)
      try storeAwaitedDefaults()
    }

    /// Whether this write has stored the default of a new attribute in all objects.
    public var hasStoredDefaults: Bool { !state.stored.isEmpty }

    /// Stores the defaults that a preparation has left to this write, before it asks for anything.
    mutating func storeAwaitedDefaults() throws {
      let session = reader.session
      guard !state.store.configuration.isDryRun,
        session.layout?.awaitedFields(of: reader.schema).isEmpty == false
      else { return }
      // Another write may have stored them by now.
      try reader.verify()
      guard let layout = session.layout else { return }
      let fields = layout.awaitedFields(of: reader.schema)
      if fields.isEmpty { return }
      try session.lockAll()
      let whole = try layout.whole()
      var migration = SchemaMigration(whole, connection.server)
      for (number, defaults) in NewDefault.all(of: fields, reader.schema, whole) {
        migration.store(defaults, of: try whole.catalog.entity(number))
        for new in defaults { state.stored[new.field.number] = new }
      }
      migration.endWait(for: fields)
      for (statement, parameters) in migration.statements {
        try connection.sendQuietly(statement, parameters)
      }
      state.changesCatalog = true
      try session.readOwnCatalog()
      try reader.rebind()
    }

    /// Counts a change of the catalog, so that other writes learn of it. This comes last, because other preparations wait for
    /// it.
    func raiseVersion() throws {
      guard state.changesCatalog, let layout = reader.session.layout else { return }
      var migration = SchemaMigration(layout, connection.server)
      migration.raiseVersion()
      for (statement, parameters) in migration.statements {
        try connection.sendQuietly(statement, parameters)
      }
    }
  }
#endif
