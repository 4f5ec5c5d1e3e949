#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  // Other names and types of stored entities and fields: see `Schema.changes(of:)`. A name is a row of the catalog, and tables and columns keep
  // their own. Another type takes a new column, which gets the converted values page by page, and the place of the old one.

  extension Preparation {
    /// The changes that the schema declares, and a note about each; none if the writes may not make them.
    func changes(of layout: Layout) throws -> (changes: [SchemaChange], notes: [String]) {
      guard schema.changesStore else { return ([], []) }
      if !schema.hasEarlierNames {
        do { _ = try layout.whole().catalog.bind(schema) } catch is SchemaMismatchError {
          return try schema.changes(of: layout.catalog.schema { layout.keys[$0.number]?.field })
        }
        return ([], [])
      }
      return try schema.changes(of: layout.catalog.schema { layout.keys[$0.number]?.field })
    }

    /// Makes the changes.
    ///
    /// - Returns: A note about each.
    /// - Throws: `SchemaMismatchError` if values do not fit.
    func makeChanges(of layout: Layout) throws -> [String] {
      let (changes, notes) = try changes(of: layout)
      if changes.isEmpty { return [] }
      var (converted, renamed): (Set<Int>, Set<Int>) = ([], [])
      for change in changes {
        switch change {
        case .renameEntity(let entity, let name):
          try set("fastmap_entity", "name", to: name, of: layout.catalog.entities[entity].number)
        case .renameField(let field, let entity, let name):
          try rename(layout.catalog.entities[entity], field, to: name, layout)
          renamed.insert(entity)
        case .convert(let conversion):
          if converted.insert(conversion.entity).inserted {
            let entity = layout.catalog.entities[conversion.entity]
            for constraint in layout.constraints(of: entity.indexes, of: entity) {
              try send("DROP INDEX IF EXISTS \(layout.qualified(constraint.name))")
            }
          }
          try ColumnConversion(conversion, layout, connection).run()
        }
      }
      let changed = try Layout.readExisting(connection, schema: name)
      try comment(on: changes, changed)
      for number in converted {
        let entity = changed.catalog.entities[number]
        for constraint in changed.constraints(of: entity.indexes, of: entity) {
          try send(constraint.statement)
        }
      }
      // Fingerprints have the names of fields.
      for entity in renamed {
        let table = layout.qualified(layout.catalog.entities[entity].sqlName)
        try send("UPDATE \(table) SET fastmap_fingerprint = NULL WHERE fastmap_fingerprint IS NOT NULL")
      }
      try keepMappings(changed)
      try send("UPDATE \(layout.qualified("fastmap_store")) SET version = version + 1")
      return notes
    }

    private func comment(on changes: [SchemaChange], _ layout: Layout) throws {
      var comments = SchemaMigration(layout, connection.server)
      for change in changes {
        switch change {
        case .renameEntity(let entity, _): comments.comment(on: layout.catalog.entities[entity])
        case .renameField(let field, let entity, _):
          let entity = layout.catalog.entities[entity]
          comments.comment(on: entity.fields[field], of: entity)
        case .convert(let conversion):
          let entity = layout.catalog.entities[conversion.entity]
          comments.comment(on: entity.fields[conversion.field], of: entity)
        }
      }
      for (statement, parameters) in comments.statements { try connection.sendQuietly(statement, parameters) }
    }

    /// Refuses changes in a dry run. The error lists the changes that a preparation would make.
    func refuseChanges(of layout: Layout) throws {
      let (changes, notes) = try changes(of: layout)
      if changes.isEmpty { return }
      throw PostgresError(
        server: connection.place,
        message:
          "a dry run cannot change stored types and names, because readers would wait for its end; prepare would: "
          + notes.joined(separator: "; "),
        hint: "Prepare the store first: fastmap prepare.", schema: name)
    }

    private func rename(_ entity: SQLCatalog.Entity, _ field: Int, to new: String, _ layout: Layout) throws {
      let field = entity.fields[field]
      try set("fastmap_field", "name", to: new, of: field.number)
      if let key = layout.keys[entity.number]?.field, key.utf8.elementsEqual(field.name.utf8) {
        try set("fastmap_entity", "key_field", to: new, of: entity.number)
      }
      for index in entity.indexes where index.parts.contains(where: { $0.field == field.number }) {
        let names = index.parts.map { part in
          let name = part.field == field.number ? new : entity.fields.first { $0.number == part.field }?.name
          return IndexField(name: name ?? "", isDescending: part.isDescending).description
        }
        try set("fastmap_index", "name", to: names.joined(separator: ","), of: index.number)
      }
    }

    private func set(_ table: String, _ column: String, to name: String, of number: Int64) throws {
      var row = Parameters()
      row.int8(number)
      row.text(StoredText.encoded(name))
      let table = "\(SQLText.identifier(self.name)).\(table)"
      try connection.sendQuietly(
        Statement("UPDATE \(table) SET \(column) = $2 WHERE number = $1", .int8, .text), row)
    }

    private func send(_ text: String) throws { try connection.sendQuietly(Statement(text)) }

    /// Changes the mapping file that the store keeps along with its types, because the write that follows may fail.
    private func keepMappings(_ layout: Layout) throws {
      guard let changed = schema.keptFile else { return }
      let table = layout.qualified("fastmap_text")
      let name = SQLText.literal(KeptText.mappings.rawValue)
      let answer = try connection.run(Statement("SELECT value FROM \(table) WHERE name = \(name)"))
      guard answer.rowCount == 1, let text = changed(Array(answer.bytes(0, 0))) else { return }
      var row = Parameters()
      row.text(String(decoding: text, as: UTF8.self))
      try connection.sendQuietly(Statement("UPDATE \(table) SET value = $1 WHERE name = \(name)", .text), row)
    }
  }

  /// Another type for the column of an attribute.
  private struct ColumnConversion {
    private let conversion: AttributeConversion
    private let connection: Connection
    private let old: AttributeKind
    private let field: SQLCatalog.Field
    private let layout: Layout
    private let entity: SQLCatalog.Entity
    /// The columns of the old type, by the names that they have meanwhile.
    private let oldColumns: [String]
    private let newColumns: [(name: String, typeName: String)]
    private static let pageSize = 256

    init(_ conversion: AttributeConversion, _ layout: Layout, _ connection: Connection) {
      (self.conversion, self.layout, self.connection) = (conversion, layout, connection)
      entity = layout.catalog.entities[conversion.entity]
      let stored = entity.fields[conversion.field]
      if case .attribute(let kind) = stored.kind { old = kind } else { old = .json }
      field = SQLCatalog.Field(
        number: stored.number, entity: stored.entity, name: stored.name, sqlName: stored.sqlName,
        kind: .attribute(conversion.kind))
      oldColumns = layout.columns(of: stored).indices.map { "fastmap_old_\($0)_\(stored.number)" }
      newColumns = layout.columns(of: field)
    }

    private var table: String { layout.qualified(entity.sqlName) }

    private func send(_ text: String) throws { try connection.sendQuietly(Statement(text)) }

    func run() throws {
      let stored = entity.fields[conversion.field]
      for (column, name) in zip(layout.columns(of: stored), oldColumns) {
        try send("ALTER TABLE \(table) RENAME COLUMN \(SQLText.identifier(column.name)) TO \(name)")
      }
      let added = newColumns.map { "ADD COLUMN \(SQLText.identifier($0.name)) \($0.typeName)" }
      try send("ALTER TABLE \(table) \(added.joined(separator: ", "))")
      try convert()
      let dropped = oldColumns.map { "DROP COLUMN \($0)" }
      try send("ALTER TABLE \(table) \(dropped.joined(separator: ", "))")
      var row = Parameters()
      row.int8(field.number)
      row.text(conversion.kind.rawValue)
      try connection.sendQuietly(
        Statement(
          "UPDATE \(layout.qualified("fastmap_field")) SET kind = $2 WHERE number = $1", .int8, .text),
        row)
    }

    /// Fills the new columns. Objects without a value are left alone.
    private func convert() throws {
      let key = layout.keys[entity.number].map { SQLText.identifier($0.column) } ?? "NULL"
      let isSet = oldColumns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
      let question = Statement(
        """
        SELECT fastmap_id, CASE WHEN fastmap_order IS NULL THEN \(key)::text END, \(oldColumns.joined(separator: ", "))
        FROM \(table) WHERE fastmap_id > $1 AND (\(isSet)) ORDER BY fastmap_id LIMIT \(Self.pageSize)
        """, .int8)
      let update = updating
      var misfits = AttributeConversion.Misfits()
      var last = Int64(0)
      while true {
        var row = Parameters()
        row.int8(last)
        let answer = try connection.run(question, row)
        if answer.rowCount == 0 { break }
        let arrays = update.types.map { ArrayColumn(of: $0.element) }
        for row in 0..<answer.rowCount {
          last = answer.int8(row, 0)
          if !write(answer, row, to: arrays) { misfits.add(self.key(answer, row)) }
        }
        var values = Parameters()
        for array in arrays { values.column(array) }
        try connection.sendQuietly(update, values)
        if answer.rowCount < Self.pageSize { break }
      }
      try conversion.check(misfits)
    }

    private var updating: Statement {
      let names = newColumns.indices.map { "c\($0)" }
      let assignments = zip(newColumns, names).map { "\(SQLText.identifier($0.name)) = u.\($1)" }
      let types = [TypeOID.int8.array, conversion.kind.type.array, .textArray].prefix(1 + newColumns.count)
      let parameters = types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
      return Statement(
        """
        UPDATE \(table) t SET fastmap_fingerprint = NULL, \(assignments.joined(separator: ", "))
        FROM unnest(\(parameters)) u (id, \(names.joined(separator: ", ")))
        WHERE t.fastmap_id = u.id AND t.fastmap_shard = u.id >> 32
        """, types: Array(types), about: layout.subject(entity))
    }

    /// - Returns: False if the value does not fit.
    private func write(_ answer: borrowing Answer, _ row: Int, to arrays: [ArrayColumn]) -> Bool {
      let memory = DecodedBytes()
      guard let old = old.read(answer, row, 2, memory)?.value, let value = conversion.converted(old) else {
        return false
      }
      var buffer = RowBuffer()
      buffer.reset(count: 1)
      buffer.set(value, at: 0)
      arrays[0].int8(answer.int8(row, 0))
      let first = arrays[1].next()
      conversion.kind.write(
        buffer.row[0], to: first, exact: conversion.kind.hasExact ? arrays[2].next() : first)
      return true
    }

    private func key(_ answer: borrowing Answer, _ row: Int) -> PrimaryKey? {
      if answer.isNull(row, 1) { return nil }
      let text = StoredText.decoded(answer.text(row, 1))
      return entity.keyKind == .integer ? Int64(text).map { .integer($0) } : .string(text)
    }
  }
#endif
