#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// An index or a constraint that a table has.
  struct TableConstraint {
    enum Rule {
      /// The text after the name of a constraint.
      case constraint(String)
      /// The columns of an index, and the rows that it has.
      case index(String)
      case uniqueIndex(String)
    }

    /// Without quotes.
    let name: String
    /// Qualified and quoted.
    let table: String
    let rule: Rule

    private var identifier: String { SQLText.identifier(name) }

    /// Whether PostgreSQL keeps it as an index, whose name no table, view or index of the schema may have.
    var isIndex: Bool {
      if case .constraint(let rule) = rule { rule.hasPrefix("PRIMARY KEY") } else { true }
    }

    /// The constraint as a part of `CREATE TABLE`; nil for an index, which is a statement of its own.
    var definition: String? {
      if case .constraint(let rule) = rule { "CONSTRAINT \(identifier) \(rule)" } else { nil }
    }

    /// The statement that adds it to a table that exists.
    var statement: String {
      switch rule {
      case .constraint(let rule): "ALTER TABLE \(table) ADD CONSTRAINT \(identifier) \(rule)"
      case .index(let columns): "CREATE INDEX \(identifier) ON \(table) \(columns)"
      case .uniqueIndex(let columns): "CREATE UNIQUE INDEX \(identifier) ON \(table) \(columns)"
      }
    }
  }

  /// The one place that knows the indexes and constraints of the tables.
  extension Layout {
    /// The constraints that every table of an entity has.
    ///
    /// The number comes first: it tells objects apart at once, and finds an object without its shard.
    func ownConstraints(of entity: SQLCatalog.Entity) -> [TableConstraint] {
      [
        constraint("id", of: entity, .constraint("PRIMARY KEY (fastmap_id, fastmap_shard)")),
        constraint("number", of: entity, .constraint("CHECK (fastmap_id > 0)")),
        constraint("shard", of: entity, .constraint("CHECK (fastmap_shard = fastmap_id >> 32)")),
        constraint(
          "order", of: entity, .index("(fastmap_order, fastmap_id) WHERE fastmap_order IS NOT NULL")),
      ]
    }

    /// The constraints of the keys, if the entity has keys. Two objects with a key have two keys. An object that was
    /// made without a key may hold any value, so its order tells it apart.
    ///
    /// The index has all rows, and the column has the order of bytes, so that plain SQL finds a key by it.
    func keyConstraints(of entity: SQLCatalog.Entity) -> [TableConstraint] {
      guard let key = keys[entity.number] else { return [] }
      let column = SQLText.identifier(key.column)
      return [
        constraint(
          "key", of: entity, .uniqueIndex("(\(column), fastmap_shard, coalesce(fastmap_order, 0))")),
        constraint(
          "keyed", of: entity, .constraint("CHECK (fastmap_order IS NOT NULL OR \(column) IS NOT NULL)")),
      ]
    }

    /// The constraints of a relationship. Their indexes find the references to a target that is deleted.
    func constraints(of field: SQLCatalog.Field, of entity: SQLCatalog.Entity) -> [TableConstraint] {
      func constraint(_ role: String, _ rule: TableConstraint.Rule) -> TableConstraint {
        TableConstraint(
          name: ownName(role, field.number, field.sqlName),
          table: qualified(field.isToMany ? field.sqlName : entity.sqlName), rule: rule)
      }
      switch field.kind {
      case .attribute: return []
      case .toOne:
        let column = field.identifier
        return [constraint("target", .index("(\(column), fastmap_id) WHERE \(column) IS NOT NULL"))]
      case .toMany:
        return [
          constraint("links", .constraint("PRIMARY KEY (owner, position, owner_shard)")),
          constraint("owner", .constraint("CHECK (owner_shard = owner >> 32)")),
          constraint("target", .index("(target, owner)")),
        ]
      }
    }

    func constraints(of entity: SQLCatalog.Entity) -> [TableConstraint] {
      ownConstraints(of: entity) + keyConstraints(of: entity)
        + entity.fields.flatMap { constraints(of: $0, of: entity) }
        + constraints(of: entity.indexes, of: entity)
    }

    private func constraint(
      _ role: String, of entity: SQLCatalog.Entity, _ rule: TableConstraint.Rule
    ) -> TableConstraint {
      TableConstraint(
        name: ownName(role, entity.number, entity.sqlName), table: qualified(entity.sqlName), rule: rule)
    }
  }

  /// TableConstraints that somebody else has removed.
  extension Layout {
    /// Asks for the names of the indexes and constraints that the schema has.
    static func constraintNames(in schema: String, _ connection: Connection) throws -> Ticket {
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

    /// The constraints that were gone when the catalog was read.
    func missing(_ constraints: [TableConstraint]) -> [TableConstraint] {
      guard let names = foundConstraints else { return [] }
      return constraints.filter { !names.contains(ByteName($0.name)) }
    }

    /// The missing constraints of a schema's entities and fields.
    func missingConstraints(_ binding: SQLBinding) -> [TableConstraint] {
      guard foundConstraints != nil else { return [] }
      return binding.entities.flatMap { bound -> [TableConstraint] in
        guard let bound else { return [] }
        let fields = bound.fields.compactMap { $0.map { constraints(of: $0, of: bound.stored) } }
        let indexes = constraints(of: bound.indexes.map(\.stored), of: bound.stored)
        return missing(
          ownConstraints(of: bound.stored) + keyConstraints(of: bound.stored) + fields.joined() + indexes)
      }
    }
  }
#endif
