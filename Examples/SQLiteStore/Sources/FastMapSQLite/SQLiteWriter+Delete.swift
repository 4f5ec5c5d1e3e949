public import FastMapCore

extension SQLiteWriter {
  /// Every relationship has an index by target, so none is searched from end to end.
  public func isReferenced(_ id: ObjectID, of entity: Int) throws -> Bool {
    let conditions = reader.layout.referrers(to: bound(entity).table).map { owner, field in
      field.isToMany
        ? "EXISTS (SELECT 1 FROM \(field.linkTable) WHERE target = ?1)"
        : "EXISTS (SELECT 1 FROM \(owner.table) WHERE \(field.column) = ?1)"
    }
    if conditions.isEmpty { return false }
    return try connection.query("SELECT \(conditions.joined(separator: " OR "))") { statement in
      try statement.bind(id, at: 1)
      return try statement.step() && statement.integer(0) != 0
    }
  }

  /// Goes by what the database has met, not by the schema of this write: relationships that a schema leaves out lose
  /// the object, too.
  public func delete(_ id: ObjectID, of entity: Int) throws -> Bool {
    let table = bound(entity).table
    guard try run("DELETE FROM \(table.table) WHERE id = ?1", id) > 0 else { return false }
    for field in table.fields where field.isToMany {
      try run("DELETE FROM \(field.linkTable) WHERE owner = ?1", id)
    }
    for (owner, field) in reader.layout.referrers(to: table) {
      if field.isToMany {
        try run("DELETE FROM \(field.linkTable) WHERE target = ?1", id)
      } else {
        try run("UPDATE \(owner.table) SET \(field.column) = NULL WHERE \(field.column) = ?1", id)
      }
    }
    return true
  }

  /// - Returns: How many rows it changed.
  @discardableResult
  private func run(_ sql: String, _ id: ObjectID) throws -> Int {
    try connection.query(sql) { statement in
      try statement.bind(id, at: 1)
      try statement.step()
      return connection.changes
    }
  }
}
