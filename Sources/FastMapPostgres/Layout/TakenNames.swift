#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// Names that somebody else's tables have in the schema of the store.
  extension Preparation {
    /// A note for each new table whose first name is somebody else's.
    func otherNames(of additions: [SQLAddition], _ layout: Layout) throws -> [String] {
      var catalog = layout.catalog
      let free = try catalog.extend(to: schema, tables: .tables, columns: .columns)
      return zip(additions, free).compactMap { addition, free in
        let (noun, table, wished): (String, String, String)
        switch (addition, free) {
        case (.entity(let entity), .entity(let other)):
          (noun, table, wished) = ("objects of \(escaped(entity.name))", entity.sqlName, other.sqlName)
        case (.field(let field, let entity), .field(let other, let owner))
        where field.isToMany && entity.sqlName == owner.sqlName:
          noun = "links of \(quoted(field.name)) of \(escaped(entity.name))"
          (table, wished) = (field.sqlName, other.sqlName)
        default: return nil
        }
        guard table != wished else { return nil }
        return "the \(noun) go into the table \(SQLText.identifier(table)), because the name "
          + "\(SQLText.identifier(wished)) is taken in the schema \(SQLText.identifier(name))"
      }
    }

    func sendCatalogNames() throws -> Ticket {
      var tables = Parameters()
      tables.text(name)
      tables.column(ArrayColumn(Layout.catalogColumns.map(\.name)))
      return try connection.send(
        Statement(
          """
          SELECT c.relname::text FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = $1 AND c.relname = ANY ($2) ORDER BY c.relname
          """, .text, .textArray), tables)
    }

    /// Ensures that the catalog, which does not exist, can have its names.
    func refuse(_ catalogNames: consuming Answer) throws {
      guard catalogNames.rowCount > 0 else { return }
      let table = catalogNames.text(0, 0)
      throw PostgresError(
        server: connection.place,
        message: "there is no store in the schema \(SQLText.identifier(name)), but another program's "
          + "\(escaped(table)), whose name a store needs",
        hint: "Name another schema, or rename it.", schema: name, table: table)
    }
  }
#endif
