#if Postgres
  internal import FastMapCore
  internal import FastMapSQL

  /// An index or a constraint that the tables of an entity have.
  struct Safeguard {
    /// Without quotes.
    let name: String
    /// The statement that makes it again.
    let statement: String
  }

  extension Layout {
    /// The indexes and constraints that the tables of an entity have.
    func safeguards(of entity: SQLCatalog.Entity) -> [Safeguard] {
      let table = qualified(entity.sqlName)
      var all: [Safeguard] = []
      func add(_ role: String, _ number: Int64, _ name: String, _ statement: (String) -> String) {
        all.append(
          Safeguard(
            name: unquotedOwnName(role, number, name), statement: statement(ownName(role, number, name))))
      }
      func own(_ role: String, _ statement: (String) -> String) {
        add(role, entity.number, entity.sqlName, statement)
      }
      func constraint(_ name: String, _ table: String, _ rule: String) -> String {
        "ALTER TABLE \(table) ADD CONSTRAINT \(name) \(rule)"
      }
      own("id") { constraint($0, table, "PRIMARY KEY (fastmap_id, fastmap_shard)") }
      own("number") { constraint($0, table, "CHECK (fastmap_id > 0)") }
      own("shard") { constraint($0, table, "CHECK (fastmap_shard = fastmap_id >> 32)") }
      own("order") {
        "CREATE INDEX \($0) ON \(table) (fastmap_order, fastmap_id) WHERE fastmap_order IS NOT NULL"
      }
      if let key = keys[entity.number] {
        let column = SQLText.identifier(key.column)
        let compared = entity.keyKind == .string ? "\(column) COLLATE \"C\"" : column
        own("key") {
          "CREATE UNIQUE INDEX \($0) ON \(table) (\(compared), fastmap_shard) WHERE fastmap_order IS NULL"
        }
        own("keyed") { constraint($0, table, "CHECK (fastmap_order IS NOT NULL OR \(column) IS NOT NULL)") }
      }
      for field in entity.fields {
        let links = qualified(field.sqlName)
        func own(_ role: String, _ statement: (String) -> String) {
          add(role, field.number, field.sqlName, statement)
        }
        switch field.kind {
        case .attribute: break
        case .toOne:
          own("target") {
            "CREATE INDEX \($0) ON \(table) (\(field.identifier), fastmap_id) "
              + "WHERE \(field.identifier) IS NOT NULL"
          }
        case .toMany:
          own("links") { constraint($0, links, "PRIMARY KEY (owner, position, owner_shard)") }
          own("owner") { constraint($0, links, "CHECK (owner_shard = owner >> 32)") }
          own("target") { "CREATE INDEX \($0) ON \(links) (target, owner)" }
        }
      }
      return all
    }

    /// The names of the indexes and constraints that the schema has.
    func foundSafeguards(_ connection: Connection) throws -> Ticket {
      var row = Parameters()
      row.text(schema)
      return try connection.send(
        Statement(
          """
          SELECT c.relname::text FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid WHERE n.nspname = $1 AND i.indisvalid
          UNION ALL
          SELECT o.conname::text FROM pg_catalog.pg_constraint o
          JOIN pg_catalog.pg_namespace n ON n.oid = o.connamespace WHERE n.nspname = $1 AND o.convalidated
          """, .text), row)
    }
  }
#endif
