internal import FastMapSQL
public import FastMapStoreKit

extension SQLiteWriter {
  /// One statement for each relationship that may have the objects as targets. Each has an index by target, so none is
  /// searched from end to end. SQLite has no lateral joins, but a table function takes the result of a subquery.
  public func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    var found = [[Reference]](repeating: [], count: ids.count)
    var open = Array(ids.indices)  // places of ids with fewer references than `limit`
    for (owner, field) in reader.catalog.referrers(to: bound(entity).stored) where !open.isEmpty {
      let number = Int(field.number)
      if let last, number < last.field { continue }
      let (table, column, target) =
        field.isToMany
        ? (field.identifier, "owner", "target") : (owner.identifier, "fastmap_id", field.identifier)
      let sql = """
        SELECT wanted.key, found.value FROM json_each(?1) AS wanted CROSS JOIN json_each((
          SELECT json_group_array(id) FROM (
            SELECT DISTINCT \(column) AS id FROM \(table)
            WHERE \(target) = wanted.value AND \(column) > ?2 ORDER BY \(column) LIMIT ?3))) AS found
        ORDER BY wanted.key, found.value
        """
      try connection.query(sql) { statement in
        try statement.bind(open.map { ids[$0] }, at: 1)
        try statement.bind(
          last.flatMap { $0.field == number ? $0.owner : nil } ?? ObjectID(rawValue: 0), at: 2)
        try statement.bind(Int64(limit), at: 3)
        while try statement.step() {
          let place = open[Int(statement.integer(0))]
          if found[place].count < limit {
            let entity = reader.binding.number(of: owner)
            found[place].append(Reference(owner: statement.id(1), entity: entity, field: number))
          }
        }
      }
      open = open.filter { found[$0].count < limit }
    }
    return found
  }

  /// Uses the catalog, not the schema of this write: relationships that a schema leaves out lose the objects, too.
  public func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    let table = bound(entity).stored
    let wanted = "IN (SELECT value FROM json_each(?1))"
    let sql = "DELETE FROM \(table.identifier) WHERE fastmap_id \(wanted) RETURNING fastmap_id"
    var deleted: [ObjectID] = []
    try connection.query(sql) { statement in
      try statement.bind(ids, at: 1)
      while try statement.step() { deleted.append(statement.id(0)) }
    }
    if deleted.isEmpty { return [] }
    for field in table.fields where field.isToMany {
      try run("DELETE FROM \(field.identifier) WHERE owner \(wanted)", deleted)
    }
    for (owner, field) in reader.catalog.referrers(to: table) {
      let name = field.identifier
      try run(
        field.isToMany
          ? "DELETE FROM \(name) WHERE target \(wanted)"
          : "UPDATE \(owner.identifier) SET \(name) = NULL WHERE \(name) \(wanted)", deleted)
    }
    return deleted.sorted()
  }

  private func run(_ sql: String, _ ids: [ObjectID]) throws {
    try connection.query(sql) { statement in
      try statement.bind(ids, at: 1)
      try statement.step()
    }
  }
}
