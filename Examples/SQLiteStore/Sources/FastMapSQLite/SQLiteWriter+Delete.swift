public import FastMapCore

extension SQLiteWriter {
  /// Every relationship has an index by target, so none is searched from end to end.
  public func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    try ids.map { id in
      var found: [Reference] = []
      while found.count < limit, let next = try reference(to: id, of: entity, after: found.last ?? last) {
        found.append(next)
      }
      return found
    }
  }

  private func reference(
    to id: ObjectID, of entity: Int, after last: Reference?
  ) throws -> Reference? {
    let referrers = reader.layout.referrers(to: bound(entity).table)
    for number in (last?.field ?? 0)..<max(referrers.count, last?.field ?? 0) {
      let (owner, field) = referrers[number]
      let column = field.isToMany ? "owner" : "id"
      let (table, target) = field.isToMany ? (field.linkTable, "target") : (owner.table, field.column)
      let sql =
        "SELECT \(column) FROM \(table) WHERE \(target) = ?1 AND \(column) > ?2 ORDER BY \(column) LIMIT 1"
      let before = last.flatMap { $0.field == number ? $0.owner : nil } ?? ObjectID(rawValue: 0)
      let found: ObjectID? = try connection.query(sql) { statement in
        try statement.bind(id, at: 1)
        try statement.bind(before, at: 2)
        return try statement.step() ? statement.id(0) : nil
      }
      if let found {
        return Reference(
          owner: found, entity: reader.binding.entities.firstIndex { $0?.table.number == owner.number },
          field: number)
      }
    }
    return nil
  }

  /// Goes by what the database has met, not by the schema of this write: relationships that a schema leaves out lose
  /// the object, too.
  public func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try ids.filter { try delete($0, of: entity) }
  }

  private func delete(_ id: ObjectID, of entity: Int) throws -> Bool {
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
