internal import FastMapCore

extension Layout {
  /// Makes tables and columns for what a schema has and the database has not met. Nothing is ever taken away: a field
  /// that a schema leaves out keeps its values. It is part of the transaction, and rolled back with it.
  mutating func extend(to schema: Schema, _ connection: Connection) throws -> Binding {
    _ = try bind(schema)  // a mismatch must not leave half of it
    for mapped in schema.entities where entity(named: mapped.name) == nil {
      try create(mapped, connection)
    }
    for mapped in schema.entities {
      guard let stored = entity(named: mapped.name) else { continue }
      if stored.keyKind == nil, let kind = mapped.keyKind { try setKeyKind(kind, of: stored, connection) }
      for field in mapped.fields where stored.field(named: field.name) == nil {
        try create(field, of: stored, schema, connection)
      }
    }
    return try bind(schema)
  }

  /// The key has no type, so that integers and texts stay what they are, and sort as `PrimaryKey` does.
  private mutating func create(_ mapped: Schema.Entity, _ connection: Connection) throws {
    let sql = "INSERT INTO fastmap_entity (name, key_kind) VALUES (?1, ?2) RETURNING number"
    let number = try connection.query(sql) { statement in
      try statement.bind(mapped.name, at: 1)
      if let kind = mapped.keyKind { try statement.bind(kind.rawValue, at: 2) }
      try statement.step()
      return statement.integer(0)
    }
    let entity = Entity(number: number, name: mapped.name, keyKind: mapped.keyKind)
    try connection.execute("CREATE TABLE \(entity.table) (id INTEGER PRIMARY KEY, key UNIQUE)")
    append(entity)
  }

  private mutating func setKeyKind(
    _ kind: AttributeKind, of entity: Entity, _ connection: Connection
  ) throws {
    try connection.query("UPDATE fastmap_entity SET key_kind = ?1 WHERE number = ?2") { statement in
      try statement.bind(kind.rawValue, at: 1)
      try statement.bind(entity.number, at: 2)
      try statement.step()
    }
    setKeyKind(kind, of: entity.number)
  }

  private mutating func create(
    _ mapped: Schema.Field, of entity: Entity, _ schema: Schema, _ connection: Connection
  ) throws {
    let kind = try kind(of: mapped, schema)
    let sql = """
      INSERT INTO fastmap_field (entity, name, kind, target, is_owned) VALUES (?1, ?2, ?3, ?4, ?5)
      RETURNING number
      """
    let number = try connection.query(sql) { statement in
      try statement.bind(entity.number, at: 1)
      try statement.bind(mapped.name, at: 2)
      switch kind {
      case .attribute(let kind): try statement.bind(kind.rawValue, at: 3)
      case .toOne(let target, let isOwned), .toMany(let target, let isOwned):
        if case .toOne = kind {
          try statement.bind("toOne", at: 3)
        } else {
          try statement.bind("toMany", at: 3)
        }
        try statement.bind(target, at: 4)
        try statement.bind(Int64(isOwned ? 1 : 0), at: 5)
      }
      try statement.step()
      return statement.integer(0)
    }
    let field = Field(number: number, entity: entity.number, name: mapped.name, kind: kind)
    try append(field)
    try connection.execute(definition(of: field, entity))
  }

  /// Relationships are indexed both ways: who is deleted must be found where it is a target.
  private func definition(of field: Field, _ entity: Entity) -> String {
    switch field.kind {
    case .attribute(let kind):
      return "ALTER TABLE \(entity.table) ADD COLUMN \(field.column) \(kind.columnType)"
    case .toOne:
      return """
        ALTER TABLE \(entity.table) ADD COLUMN \(field.column) INTEGER;
        CREATE INDEX i\(field.number) ON \(entity.table) (\(field.column))
        WHERE \(field.column) IS NOT NULL
        """
    case .toMany:
      return """
        CREATE TABLE \(field.linkTable) (owner INTEGER, position INTEGER, target INTEGER NOT NULL,
          PRIMARY KEY (owner, position)) WITHOUT ROWID;
        CREATE INDEX i\(field.number) ON \(field.linkTable) (target)
        """
    }
  }

  private func kind(of field: Schema.Field, _ schema: Schema) throws -> Kind {
    func number(_ target: Int) throws -> Int64 {
      let name = schema.entities[target].name
      guard let entity = entity(named: name) else {
        throw SQLiteStoreError.damaged("the entity \(name) has no table")
      }
      return entity.number
    }
    switch field.kind {
    case .attribute(let kind): return .attribute(kind)
    case .toOne(let target, let isOwned): return .toOne(entity: try number(target), isOwned: isOwned)
    case .toMany(let target, let isOwned): return .toMany(entity: try number(target), isOwned: isOwned)
    }
  }
}
