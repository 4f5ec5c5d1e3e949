#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// The purpose of an access to the tables.
  enum Intention {
    case read, write, dryRun, prepare

    /// The rights that it needs on each table.
    var rights: [String] {
      switch self {
      // A dry run of a role that may not write copies the tables.
      case .read, .dryRun: ["SELECT"]
      case .write: ["SELECT", "INSERT", "UPDATE", "DELETE"]
      // Whoever makes tables also writes the catalog.
      case .prepare: ["SELECT", "INSERT", "UPDATE"]
      }
    }
  }

  extension PostgresStore {
    /// Runs `body`, and explains an error of the server that comes from the tables or the rights.
    func explaining<R>(_ intention: Intention, _ schema: Schema, _ body: () throws -> R) throws -> R {
      do {
        return try body()
      } catch let error as PostgresError {
        switch error.code {
        case "25006":
          throw error.saying(
            error.message,
            hint: error.hint ?? "default_transaction_read_only is on, set by the role, the database, the URL "
              + "or the server, and also holds for FastMap.")
        case "42501": throw (try? lackingRights(intention, schema, error)) ?? error
        // No such schema, table, column, function or type; another type; a plan that no longer fits; an earlier error.
        case "3F000", "42P01", "42703", "42883", "42704", "42804", "22P02", "22P03", "0A000", "25P02":
          let isKnown = if case .known = layouts.current { true } else { false }
          layouts.clear()
          let isThere = try readAgain(schema)
          if !isThere, isKnown {
            throw error.saying(
              "another program has dropped the store: \(error.message)", schema: configuration.schema)
          }
          throw isThere ? error.asChange(in: configuration.schema) : error
        default: throw error
        }
      } catch let error as SQLCatalogError {
        layouts.clear()
        throw PostgresError(
          server: pool.place, message: "another program has changed the store: \(error)",
          schema: configuration.schema)
      }
    }

    /// Reads the catalog once more, and compares the tables with it.
    ///
    /// - Returns: Whether there is a store.
    /// - Throws: ``PostgresError`` that names the change of another program.
    private func readAgain(_ schema: Schema) throws -> Bool {
      do {
        return try pool.read(isRepeatable: true) { connection in
          guard let layout = try Layout.read(connection, schema: configuration.schema) else {
            return false
          }
          try layout.checkCatalog(connection.place)
          _ = try layout.bind(schema, at: connection.place)
          return true
        }
      } catch let error as PostgresError {
        throw error.asChange(in: configuration.schema)
      }
    }

    /// The same error with the rights that the role lacks; nil if it lacks none that are known.
    private func lackingRights(
      _ intention: Intention, _ schema: Schema, _ error: PostgresError
    ) throws -> PostgresError? {
      let lacking = try pool.read(isRepeatable: true) { connection in
        var lacking = try Self.rightsOnSchema(intention, configuration.schema, connection)
        lacking += try Self.rightsOnTables(intention, tables(of: schema), configuration.schema, connection)
        return lacking
      }
      guard let first = lacking.first else { return nil }
      let rest = list(lacking.map { "\($0.right) on \($0.object)" })
      return PostgresError(
        server: error.server, code: error.sqlState,
        message: "the role \(SQLText.identifier(first.role)) lacks \(rest)",
        hint: intention == .prepare && !schema.entities.isEmpty
          ? "Let a role that has this prepare the store: fastmap prepare, or the SQL of prepare --print."
          : nil,
        schema: configuration.schema, table: first.table)
    }

    private struct Lack {
      let role: String
      let right: String
      let object: String
      var table: String?
    }

    private static func rightsOnSchema(
      _ intention: Intention, _ schema: String, _ connection: Connection
    ) throws -> [Lack] {
      var parameters = Parameters()
      parameters.text(schema)
      let answer = try connection.run(
        Statement(
          """
          SELECT current_user::text, current_database()::text,
            has_database_privilege(current_database(), 'CREATE'),
            has_database_privilege(current_database(), 'TEMPORARY'),
            n.oid IS NOT NULL, has_schema_privilege(n.oid, 'USAGE'), has_schema_privilege(n.oid, 'CREATE')
          FROM (SELECT 1) one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
          """, .text), parameters)
      guard answer.rowCount == 1 else { return [] }
      let role = answer.text(0, 0)
      let name = "the schema \(SQLText.identifier(schema))"
      let database = "the database \(SQLText.identifier(answer.text(0, 1)))"
      guard answer.boolean(0, 4) else {
        guard intention == .prepare, !answer.boolean(0, 2) else { return [] }
        return [Lack(role: role, right: "CREATE", object: database)]
      }
      if !answer.boolean(0, 5) { return [Lack(role: role, right: "USAGE", object: name)] }
      if intention == .prepare, !answer.boolean(0, 6) {
        return [Lack(role: role, right: "CREATE", object: name)]
      }
      if intention == .dryRun, !answer.boolean(0, 3) {
        return [Lack(role: role, right: "TEMPORARY", object: database)]
      }
      return []
    }

    private static func rightsOnTables(
      _ intention: Intention, _ tables: [String], _ schema: String, _ connection: Connection
    ) throws -> [Lack] {
      var parameters = Parameters()
      parameters.text(schema)
      parameters.column(ArrayColumn(tables))
      parameters.column(ArrayColumn(intention.rights))
      let answer = try connection.run(
        Statement(
          """
          SELECT current_user::text, c.relname::text, string_agg(r.name, ' and ' ORDER BY r.place)
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          CROSS JOIN unnest($3) WITH ORDINALITY r (name, place)
          WHERE n.nspname = $1 AND c.relname = ANY ($2) AND c.relkind IN ('r', 'p')
            AND NOT has_table_privilege(c.oid, r.name)
            -- FastMap writes the catalog only to add something to it.
            AND (r.name = 'SELECT' OR c.relname NOT LIKE 'fastmap\\_%' OR \(intention == .prepare))
          GROUP BY c.relname ORDER BY c.relname
          """, .text, .textArray, .textArray), parameters)
      var lacking = (0..<answer.rowCount).map { row in
        Lack(
          role: answer.text(row, 0), right: answer.text(row, 2),
          object: "the table \(SQLText.identifier(schema)).\(SQLText.identifier(answer.text(row, 1)))",
          table: answer.text(row, 1))
      }
      if intention == .prepare { lacking += try ownership(tables, schema, connection) }
      return lacking
    }

    /// The tables that the role may not alter.
    private static func ownership(
      _ tables: [String], _ schema: String, _ connection: Connection
    ) throws -> [Lack] {
      var parameters = Parameters()
      parameters.text(schema)
      parameters.column(ArrayColumn(tables))
      let answer = try connection.run(
        Statement(
          """
          SELECT current_user::text, c.relname::text, pg_get_userbyid(c.relowner)::text
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = $1 AND c.relname = ANY ($2) AND c.relkind IN ('r', 'p')
            AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY c.relname
          """, .text, .textArray), parameters)
      return (0..<answer.rowCount).map { row in
        Lack(
          role: answer.text(row, 0),
          right: "the membership in the role \(SQLText.identifier(answer.text(row, 2))), the owner,",
          object: "the table \(SQLText.identifier(schema)).\(SQLText.identifier(answer.text(row, 1)))",
          table: answer.text(row, 1))
      }
    }

    /// The tables that a schema uses, as far as the store has them.
    private func tables(of schema: Schema) -> [String] {
      var tables = ["fastmap_store", "fastmap_entity", "fastmap_field", "fastmap_index"]
      guard case .known(let layout) = layouts.current else { return tables }
      for mapped in schema.entities {
        guard let entity = layout.catalog.entity(named: mapped.name) else { continue }
        tables.append(entity.sqlName)
        for field in mapped.fields {
          if let stored = entity.field(named: field.name), stored.isToMany { tables.append(stored.sqlName) }
        }
      }
      return tables
    }
  }

  extension Layout {
    /// A table of the catalog.
    struct CatalogTable {
      let name: String
      let columns: [(name: String, typeName: String, rule: String)]
      var rules: [String] = []

      var types: [(name: String, typeName: String)] { columns.map { ($0.name, $0.typeName) } }
    }

    static let catalogTables = [
      CatalogTable(
        name: "fastmap_store",
        columns: [
          ("row", "integer", " PRIMARY KEY DEFAULT 1 CHECK (row = 1)"), ("format", "integer", required),
          ("id", "uuid", required), ("version", "bigint", required), ("fingerprint_key", "uuid", required),
        ]),
      CatalogTable(
        name: "fastmap_entity",
        columns: [
          ("number", "bigint", " PRIMARY KEY"), ("name", "text", " NOT NULL UNIQUE"),
          ("table_name", "text", " NOT NULL UNIQUE"), ("key_kind", "text", ""), ("key_field", "text", ""),
          ("key_column", "text", ""),
        ], rules: ["CHECK ((key_kind IS NULL) = (key_column IS NULL))"]),
      CatalogTable(
        name: "fastmap_field",
        columns: [
          ("number", "bigint", " PRIMARY KEY"), ("entity", "bigint", required), ("name", "text", required),
          ("kind", "text", required), ("target", "bigint", ""), ("is_owned", "boolean", required),
          ("column_name", "text", required), ("awaits_default", "boolean", " NOT NULL DEFAULT false"),
        ], rules: ["UNIQUE (entity, name)"]),
      CatalogTable(
        name: "fastmap_index",
        columns: [
          ("number", "bigint", " PRIMARY KEY"), ("entity", "bigint", required), ("name", "text", required),
          ("fields", "text", required), ("is_unique", "boolean", required),
        ], rules: ["UNIQUE (entity, name)"]),
      // The texts that a store keeps about itself: `KeptText`.
      CatalogTable(
        name: "fastmap_text",
        columns: [("name", "text", " PRIMARY KEY"), ("value", "text", required)]),
      // Imports that run in several commits, and the objects that they have unlinked.
      CatalogTable(
        name: "fastmap_import",
        columns: [("id", "uuid", " PRIMARY KEY"), ("expires", "timestamp with time zone", required)]),
      CatalogTable(
        name: "fastmap_leftover",
        columns: [
          ("import", "uuid", required), ("entity", "bigint", required), ("object", "bigint", required),
          ("is_owned", "boolean", required), ("deletes_shared", "boolean", required),
        ], rules: ["PRIMARY KEY (import, entity, object, is_owned, deletes_shared)"]),
    ]
    private static let required = " NOT NULL"

    /// Compares the tables of the catalog with the tables that FastMap makes.
    ///
    /// - Throws: ``PostgresError`` that names the first table that somebody else has changed.
    func checkCatalog(_ server: String) throws(PostgresError) {
      for table in Self.catalogTables { try check(table.types, of: table.name, server) }
    }
  }

  extension PostgresError {
    /// The same error of the server, if it lacks something that FastMap has made. Only another program removes that.
    fileprivate func asChange(in schema: String) -> PostgresError {
      guard code == "42P01" || code == "42703" || code == "42804" else { return self }
      return saying("another program has changed the store: \(message)", schema: schema)
    }
  }
#endif
