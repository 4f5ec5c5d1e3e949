#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// The statements that make tables and columns.
  struct SchemaMigration {
    /// DDL, and changes of the catalog, in order.
    private(set) var statements: [(Statement, Parameters)] = []
    private let layout: Layout
    private let server: Server

    init(_ layout: Layout, _ server: Server) {
      self.layout = layout
      self.server = server
    }

    private mutating func add(_ text: String, about entity: SQLCatalog.Entity? = nil) {
      let statement = Statement(text, types: [], about: entity.map { layout.subject($0) })
      statements.append((statement, Parameters()))
    }

    // MARK: The catalog

    /// Makes the tables of the catalog, and its one row.
    static func catalog(in schema: String, _ server: Server, makesSchema: Bool) -> [(Statement, Parameters)] {
      let prefix = SQLText.identifier(schema)
      var texts = makesSchema ? ["CREATE SCHEMA IF NOT EXISTS \(prefix)"] : []
      texts += Layout.catalogTables.map { table in
        let columns = table.columns.map { "\($0.name) \($0.typeName)\($0.rule)" } + table.rules
        return "CREATE TABLE IF NOT EXISTS \(prefix).\(table.name) (\(columns.joined(separator: ", ")))"
      }
      texts += [
        "COMMENT ON SCHEMA \(prefix) IS 'A store of FastMap. Read its tables with SQL; write them with FastMap alone.'",
        "COMMENT ON TABLE \(prefix).fastmap_store IS 'The version of the format and of the catalog.'",
        "COMMENT ON TABLE \(prefix).fastmap_entity IS 'The entities with their tables.'",
        "COMMENT ON TABLE \(prefix).fastmap_field IS 'The fields with their columns, or tables of links; awaits_default until a write has stored the default of a new one.'",
        "COMMENT ON TABLE \(prefix).fastmap_index IS 'The declared indexes; fields are numbers of fastmap_field, negative if descending.'",
        "COMMENT ON TABLE \(prefix).fastmap_text IS 'The mapping file that the store is written with, and the mappings that were imported at the root.'",
        "COMMENT ON TABLE \(prefix).fastmap_import IS 'The imports in several commits that run, until they renew their time, or that were interrupted.'",
        "COMMENT ON TABLE \(prefix).fastmap_leftover IS 'The objects that those imports have unlinked, and delete at their end.'",
      ]
      if !makesSchema { texts.removeAll { $0.hasPrefix("COMMENT ON SCHEMA") } }
      if server.flavour == .citus {
        // A reference table has one lock for all its rows. So the imports, which renew their rows while others write, stay in
        // tables of the coordinator alone.
        for table in ["fastmap_store", "fastmap_entity", "fastmap_field", "fastmap_index", "fastmap_text"] {
          texts.append("SELECT create_reference_table(\(SQLText.literal("\(prefix).\(table)")))")
        }
      }
      var row = Parameters()
      row.int4(Layout.format)
      row.uuid(.random)
      row.uuid(.random)
      let insert = Statement(
        """
        INSERT INTO \(prefix).fastmap_store (format, id, version, fingerprint_key)
        VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING
        """, .int4, .uuid, .uuid)
      return texts.map { (Statement($0), Parameters()) } + [(insert, row)]
    }

    // MARK: Entities

    /// Makes the table of an entity with all its new fields at once.
    mutating func create(_ entity: SQLCatalog.Entity, key: Layout.Key?, fields: [SQLCatalog.Field]) {
      let table = layout.qualified(entity.sqlName)
      let constraints = layout.ownConstraints(of: entity)
      var columns = [
        "fastmap_id bigint NOT NULL", "fastmap_shard integer NOT NULL",
        "fastmap_order bigint", "fastmap_fingerprint uuid",
      ]
      for column in fields.flatMap({ layout.columns(of: $0) }) {
        columns.append(definition(column, isKey: column.name == key?.column))
      }
      if key?.column == Layout.keyColumn {
        columns.append(definition(keyColumn(entity), isKey: true))
      }
      columns += constraints.compactMap(\.definition)
      add("CREATE TABLE \(table) (\(columns.joined(separator: ", ")))", about: entity)
      for constraint in constraints where constraint.definition == nil { add(constraint.statement) }
      distribute(table, by: "fastmap_shard", beside: nil)
      comment(on: entity)
      insert(entity, key)
      for constraint in layout.keyConstraints(of: entity) { add(constraint.statement) }
      for field in fields { finish(field, of: entity) }
    }

    private func keyColumn(_ entity: SQLCatalog.Entity) -> (name: String, typeName: String) {
      (Layout.keyColumn, (entity.keyKind ?? .integer).typeName)
    }

    private func definition(_ column: (name: String, typeName: String), isKey: Bool = false)
      -> String
    {
      "\(SQLText.identifier(column.name)) \(column.typeName)"
        + (isKey && column.typeName == "text" ? Self.keyOrder : "")
    }

    /// Plain SQL compares with a key in the order of its index.
    private static let keyOrder = " COLLATE \"C\""

    /// Gives keys to an entity that had none, whose catalog has their kind by now.
    mutating func setKey(_ key: Layout.Key, of entity: SQLCatalog.Entity) {
      if key.column == Layout.keyColumn {
        add(
          "ALTER TABLE \(layout.qualified(entity.sqlName)) ADD COLUMN \(definition(keyColumn(entity), isKey: true))"
        )
      } else if entity.keyKind == .string {
        let column = SQLText.identifier(key.column)
        add(
          "ALTER TABLE \(layout.qualified(entity.sqlName)) ALTER COLUMN \(column) TYPE text\(Self.keyOrder)"
        )
      }
      let statement = Statement(
        """
        UPDATE \(layout.qualified("fastmap_entity")) SET key_kind = $2, key_field = $3, key_column = $4
        WHERE number = $1
        """, .int8, .text, .text, .text)
      var row = Parameters()
      row.int8(entity.number)
      row.optionalText(entity.keyKind?.rawValue)
      row.optionalText(key.field.map { StoredText.encoded($0) })
      row.text(key.column)
      statements.append((statement, row))
      for constraint in layout.keyConstraints(of: entity) { add(constraint.statement) }
    }

    // MARK: Fields

    /// Adds a field to a table that exists.
    ///
    /// - Parameter awaitsDefault: Whether a write stores its default.
    mutating func add(_ field: SQLCatalog.Field, to entity: SQLCatalog.Entity, awaitsDefault: Bool) {
      let columns = layout.columns(of: field).map { "ADD COLUMN \(definition($0))" }
      if !columns.isEmpty {
        add(
          "ALTER TABLE \(layout.qualified(entity.sqlName)) \(columns.joined(separator: ", "))",
          about: entity)
      }
      finish(field, of: entity, awaitsDefault: awaitsDefault)
    }

    /// Stores the defaults of new fields in all objects of a table, in one pass. The objects lose their fingerprints,
    /// because they have other values.
    mutating func store(_ defaults: [NewDefault], of entity: SQLCatalog.Entity) {
      var assignments: [String] = []
      var types: [TypeOID] = []
      var row = Parameters()
      for column in defaults.flatMap(\.columns) {
        types.append(column.value.element.array)
        row.column(column.value)
        assignments.append("\(column.identifier) = ($\(types.count))[1]")
      }
      if assignments.isEmpty { return }
      let text =
        "UPDATE \(layout.qualified(entity.sqlName)) SET \(assignments.joined(separator: ", ")), fastmap_fingerprint = NULL"
      statements.append((Statement(text, types: types, about: layout.subject(entity)), row))
    }

    /// Makes awaited fields and their indexes a part of the catalog.
    mutating func endWait(for fields: [SQLCatalog.Field]) {
      if fields.isEmpty { return }
      let numbers = ArrayColumn(of: .int8, capacity: fields.count * 12)
      for field in fields { numbers.int8(field.number) }
      statements.append(
        (
          Statement(
            "UPDATE \(layout.qualified("fastmap_field")) SET awaits_default = false WHERE number = ANY ($1)",
            .int8Array), Parameters(numbers)
        ))
    }

    /// Adds the links, constraints and indexes that a field needs beside its columns.
    private mutating func finish(
      _ field: SQLCatalog.Field, of entity: SQLCatalog.Entity, awaitsDefault: Bool = false
    ) {
      let constraints = layout.constraints(of: field, of: entity)
      let table = layout.qualified(field.sqlName)
      if field.isToMany {
        let columns = Layout.linkColumns.map { "\($0.name) \($0.typeName) NOT NULL" }
        let rules = constraints.compactMap(\.definition)
        add("CREATE TABLE \(table) (\((columns + rules).joined(separator: ", ")))")
      }
      for constraint in constraints where !field.isToMany || constraint.definition == nil {
        add(constraint.statement)
      }
      if field.isToMany { distribute(table, by: "owner_shard", beside: layout.qualified(entity.sqlName)) }
      comment(on: field, of: entity)
      insert(field, awaitsDefault)
    }

    private mutating func distribute(_ table: String, by column: String, beside other: String?) {
      guard server.flavour == .citus else { return }
      let beside = other.map { ", colocate_with => \(SQLText.literal($0))" } ?? ""
      add("SELECT create_distributed_table(\(SQLText.literal(table)), '\(column)'\(beside))")
    }

    // MARK: Rows of the catalog

    private mutating func insert(_ entity: SQLCatalog.Entity, _ key: Layout.Key?) {
      let statement = Statement(
        """
        INSERT INTO \(layout.qualified("fastmap_entity"))
          (number, name, table_name, key_kind, key_field, key_column) VALUES ($1, $2, $3, $4, $5, $6)
        """, .int8, .text, .text, .text, .text, .text)
      var row = Parameters()
      row.int8(entity.number)
      row.text(StoredText.encoded(entity.name))
      row.text(entity.sqlName)
      row.optionalText(entity.keyKind?.rawValue)
      row.optionalText(key?.field.map { StoredText.encoded($0) })
      row.optionalText(key?.column)
      statements.append((statement, row))
    }

    private mutating func insert(_ field: SQLCatalog.Field, _ awaitsDefault: Bool) {
      let statement = Statement(
        """
        INSERT INTO \(layout.qualified("fastmap_field"))
          (number, entity, name, kind, target, is_owned, column_name, awaits_default)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """, .int8, .int8, .text, .text, .int8, .boolean, .text, .boolean)
      var row = Parameters()
      row.int8(field.number)
      row.int8(field.entity)
      row.text(StoredText.encoded(field.name))
      row.text(field.kind.text)
      if let target = field.kind.target { row.int8(target.entity) } else { row.null() }
      row.boolean(field.kind.target?.isOwned ?? false)
      row.text(field.sqlName)
      row.boolean(awaitsDefault)
      statements.append((statement, row))
    }

    // MARK: Indexes

    /// Makes an index that a mapping declares, of the fields that the table has by now.
    ///
    /// - Parameter isKnown: Whether it exists, and becomes unique.
    mutating func add(_ index: SQLCatalog.Index, to entity: SQLCatalog.Entity, isKnown: Bool) {
      if isKnown {
        var row = Parameters()
        row.int8(index.number)
        let statement = Statement(
          "UPDATE \(layout.qualified("fastmap_index")) SET is_unique = true WHERE number = $1", .int8)
        return statements.append((statement, row))
      }
      for constraint in layout.constraints(of: index, of: entity, besides: entity.indexes(before: index)) {
        add(constraint.statement, about: entity)
      }
      var row = Parameters()
      row.int8(index.number)
      row.int8(index.entity)
      row.text(StoredText.encoded(index.name))
      row.text(index.partsText)
      row.boolean(index.isUnique)
      let statement = Statement(
        """
        INSERT INTO \(layout.qualified("fastmap_index")) (number, entity, name, fields, is_unique)
        VALUES ($1, $2, $3, $4, $5)
        """, .int8, .int8, .text, .text, .boolean)
      statements.append((statement, row))
    }

    /// Makes the known indexes of an entity again that has a key by now, by which they sort equal objects.
    ///
    /// - Parameters:
    ///   - old: The entity without a key.
    ///   - known: The layout that has it.
    mutating func renewIndexes(of entity: SQLCatalog.Entity, _ old: SQLCatalog.Entity, _ known: Layout) {
      for constraint in known.constraints(of: old.indexes, of: old) {
        add("DROP INDEX IF EXISTS \(layout.qualified(constraint.name))")
      }
      for constraint in layout.constraints(of: old.indexes, of: entity) {
        add(constraint.statement, about: entity)
      }
    }

    /// Counts the change, so that other instances read the catalog again.
    mutating func raiseVersion() {
      add("UPDATE \(layout.qualified("fastmap_store")) SET version = version + 1")
    }

    // MARK: Comments

    mutating func comment(on entity: SQLCatalog.Entity) {
      let table = layout.qualified(entity.sqlName)
      add(
        "COMMENT ON TABLE \(table) IS "
          + Self.comment("The objects of the entity \(entity.name). Written by FastMap alone."))
      for (column, text) in [
        ("fastmap_id", "The number of the object, to which relationships refer."),
        ("fastmap_shard", "The upper 31 bits of fastmap_id: a hash of the key."),
        ("fastmap_order", "The order of creation of an object without a key; null for one with a key."),
        ("fastmap_fingerprint", "Stands for all values that were last written; null if unknown."),
      ] { add("COMMENT ON COLUMN \(table).\(column) IS \(Self.comment(text))") }
    }

    mutating func comment(on field: SQLCatalog.Field, of entity: SQLCatalog.Entity) {
      func target(_ number: Int64) -> String { (try? layout.catalog.entity(number).name) ?? "?" }
      func joins(_ number: Int64) -> String {
        "References \((try? layout.catalog.entity(number)).map { layout.qualified($0.sqlName) } ?? "?") (fastmap_id)."
      }
      let column = "\(layout.qualified(entity.sqlName)).\(field.identifier)"
      switch field.kind {
      case .attribute(let kind):
        let columns = layout.columns(of: field)
        var text = "The attribute \(field.name), \(kind.noun)."
        if columns.count > 1 {
          text +=
            " \(columns[1].name) has the exact value, if this type cannot hold it or writes it in another way."
        }
        add("COMMENT ON COLUMN \(column) IS \(Self.comment(text))")
        guard columns.count > 1 else { return }
        let exact = SQLText.identifier(columns[1].name)
        add(
          "COMMENT ON COLUMN \(layout.qualified(entity.sqlName)).\(exact) IS "
            + Self.comment(
              "The exact value of \(field.name), if its own column cannot hold it or writes it in another way; else null."
            ))
      case .toOne(let number, let isOwned):
        add(
          "COMMENT ON COLUMN \(column) IS "
            + Self.comment(
              "The relationship \(field.name), \(Schema.noun(isToMany: false, target(number), isOwned: isOwned)). \(joins(number))"
            ))
      case .toMany(let number, let isOwned):
        let table = layout.qualified(field.sqlName)
        add(
          "COMMENT ON TABLE \(table) IS "
            + Self.comment(
              "The relationship \(field.name) of \(entity.name), "
                + "\(Schema.noun(isToMany: true, target(number), isOwned: isOwned)), in the order of position."
            ))
        add("COMMENT ON COLUMN \(table).owner IS \(Self.comment(joins(entity.number)))")
        add("COMMENT ON COLUMN \(table).target IS \(Self.comment(joins(number)))")
      }
    }

    /// A literal, without NUL, which no literal can have.
    private static func comment(_ text: String) -> String {
      SQLText.literal(String(text.unicodeScalars.map { $0 == "\0" ? "\u{2400}" : Character($0) }))
    }
  }

  extension Parameters {
    mutating func optionalText(_ text: String?) {
      if let text { self.text(text) } else { null() }
    }
  }
#endif
