internal import FastMapSQL
internal import FastMapStoreKit

// The tables of a database:
//
//     fastmap_entity   the entities, with the next free number of each
//     fastmap_field    their fields
//     fastmap_index    their declared indexes
//     Book             fastmap_id, fastmap_key, title, publisher, …   attributes, and to-one targets
//     Book_authors     owner, position, target                        a to-many relationship
//
// SQLite's tables are part of the transaction, so a write adds tables and columns itself, and a rollback removes them.

extension SQLCatalog {
  static let tables = """
    CREATE TABLE fastmap_entity (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, sql_name TEXT NOT NULL, key_kind TEXT,
      next_id INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE fastmap_field (
      number INTEGER PRIMARY KEY, entity INTEGER NOT NULL, name TEXT NOT NULL, sql_name TEXT NOT NULL,
      kind TEXT NOT NULL, target INTEGER, is_owned INTEGER NOT NULL, UNIQUE (entity, name));
    CREATE TABLE fastmap_index (
      number INTEGER PRIMARY KEY, entity INTEGER NOT NULL, name TEXT NOT NULL, fields TEXT NOT NULL,
      is_unique INTEGER NOT NULL, UNIQUE (entity, name));
    """

  /// Reads the catalog from the database.
  fileprivate init(_ connection: Connection) throws {
    self.init()
    try connection.query("SELECT number, name, sql_name, key_kind FROM fastmap_entity ORDER BY number") {
      row in
      while try row.step() {
        let kind = row.isNull(3) ? nil : AttributeKind(rawValue: row.text(3))
        try add(Entity(number: row.integer(0), name: row.text(1), sqlName: row.text(2), keyKind: kind))
      }
    }
    let sql =
      "SELECT number, entity, name, sql_name, kind, target, is_owned FROM fastmap_field ORDER BY number"
    try connection.query(sql) { row in
      while try row.step() {
        let target = row.isNull(5) ? nil : row.integer(5)
        let kind = try Kind(text: row.text(4), target: target, isOwned: row.integer(6) != 0)
        try add(
          Field(
            number: row.integer(0), entity: row.integer(1), name: row.text(2), sqlName: row.text(3),
            kind: kind))
      }
    }
    let indexes = "SELECT number, entity, name, fields, is_unique FROM fastmap_index ORDER BY number"
    try connection.query(indexes) { row in
      while try row.step() {
        try add(
          Index(
            number: row.integer(0), entity: row.integer(1), name: row.text(2),
            parts: Index.parts(of: row.text(3)), isUnique: row.integer(4) != 0))
      }
    }
  }

  /// Adds the tables and columns that a schema needs and the database lacks, and with `indexes` its indexes.
  mutating func extend(to schema: Schema, indexes: Bool = false, _ connection: Connection) throws {
    let schema = indexes ? schema : schema.withoutIndexes
    let names = SQLNames(maximumBytes: 100, ignoresCase: true, reservedPrefixes: ["sqlite_"])
    for addition in try extend(to: schema, tables: names, columns: names) {
      connection.known = nil
      switch addition {
      case .entity(let entity): try connection.create(entity)
      case .keyKind(let kind, let entity): try connection.set(kind, of: entity)
      case .field(let field, let entity): try connection.create(field, of: entity)
      case .index(let index, _): try connection.create(index, self)
      }
    }
  }
}

extension Schema {
  /// An index is made at the end of a write, from all objects at once.
  fileprivate var withoutIndexes: Schema {
    Schema(
      entities: entities.map {
        Entity(name: $0.name, fields: $0.fields, keyKind: $0.keyKind, keyField: $0.keyField)
      })
  }
}

extension Connection {
  /// The catalog of the database. Reading it is the first question of a transaction, so it also fixes the snapshot.
  ///
  /// It is read again only if another connection has committed something in between.
  func catalog() throws -> SQLCatalog {
    let version = try query("PRAGMA data_version") { try $0.step() ? $0.integer(0) : 0 }
    if let known, known.version == version { return known.catalog }
    let catalog = try SQLCatalog(self)
    known = (version, catalog)
    return catalog
  }

  /// The key has no type, so that integers and texts keep their types, and sort as `PrimaryKey` does.
  fileprivate func create(_ entity: SQLCatalog.Entity) throws {
    let sql = "INSERT INTO fastmap_entity (number, name, sql_name, key_kind) VALUES (?1, ?2, ?3, ?4)"
    try query(sql) { statement in
      try statement.bind(entity.number, at: 1)
      try statement.bind(entity.name, at: 2)
      try statement.bind(entity.sqlName, at: 3)
      if let kind = entity.keyKind { try statement.bind(kind.rawValue, at: 4) }
      try statement.step()
    }
    try execute("CREATE TABLE \(entity.identifier) (fastmap_id INTEGER PRIMARY KEY, fastmap_key UNIQUE)")
  }

  fileprivate func set(_ kind: AttributeKind, of entity: SQLCatalog.Entity) throws {
    try query("UPDATE fastmap_entity SET key_kind = ?1 WHERE number = ?2") { statement in
      try statement.bind(kind.rawValue, at: 1)
      try statement.bind(entity.number, at: 2)
      try statement.step()
    }
  }

  fileprivate func create(_ field: SQLCatalog.Field, of entity: SQLCatalog.Entity) throws {
    let sql = "INSERT INTO fastmap_field VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    try query(sql) { statement in
      try statement.bind(field.number, at: 1)
      try statement.bind(entity.number, at: 2)
      try statement.bind(field.name, at: 3)
      try statement.bind(field.sqlName, at: 4)
      try statement.bind(field.kind.text, at: 5)
      if let target = field.target { try statement.bind(target, at: 6) }
      try statement.bind(Int64(field.kind.target?.isOwned ?? false ? 1 : 0), at: 7)
      try statement.step()
    }
    try execute(definition(of: field, entity))
  }

  /// Makes an index, or makes one unique that was not.
  fileprivate func create(_ index: SQLCatalog.Index, _ catalog: SQLCatalog) throws {
    let sql = "INSERT OR REPLACE INTO fastmap_index VALUES (?1, ?2, ?3, ?4, ?5)"
    try query(sql) { statement in
      try statement.bind(index.number, at: 1)
      try statement.bind(index.entity, at: 2)
      try statement.bind(index.name, at: 3)
      try statement.bind(index.partsText, at: 4)
      try statement.bind(Int64(index.isUnique ? 1 : 0), at: 5)
      try statement.step()
    }
    try execute(index.definition(in: catalog))
  }

  /// Every relationship has an index by target, because a deletion removes the object from each.
  private func definition(of field: SQLCatalog.Field, _ entity: SQLCatalog.Entity) -> String {
    let (table, name) = (entity.identifier, field.identifier)
    switch field.kind {
    case .attribute(let kind):
      return "ALTER TABLE \(table) ADD COLUMN \(name) \(kind.columnType)"
    case .toOne:
      return """
        ALTER TABLE \(table) ADD COLUMN \(name) INTEGER;
        CREATE INDEX fastmap_index_\(field.number) ON \(table) (\(name)) WHERE \(name) IS NOT NULL
        """
    case .toMany:
      return """
        CREATE TABLE \(name) (owner INTEGER, position INTEGER, target INTEGER NOT NULL,
          PRIMARY KEY (owner, position)) WITHOUT ROWID;
        CREATE INDEX fastmap_index_\(field.number) ON \(name) (target)
        """
    }
  }
}
