public import FastMapCore

/// What one statement inserts or updates.
struct Upsert: Hashable {
  let entity: Int
  let isNew: Bool
  let hasKey: Bool
  /// The attributes and to-one relationships that are not missing.
  let fields: [Int]
}

extension SQLiteWriter {
  /// Sets the columns of all objects first, and then the relationships to many.
  public mutating func apply(_ batch: inout ChangeBatch) throws {
    let old = try OldTargets(batch.changes, reader)
    for index in batch.changes.indices {
      let change = batch.changes[index]
      if try setColumns(change) { batch.changes[index].isChanged = true }
      noteRemovedTargets(of: change, old, &batch)
    }
    for index in batch.changes.indices {
      if try setLinks(batch.changes[index], old) { batch.changes[index].isChanged = true }
    }
  }

  // MARK: Columns

  /// - Returns: Whether anything became different: an update touches the row only where a column is.
  private mutating func setColumns(_ change: ObjectChange) throws -> Bool {
    let bound = bound(change.entity)
    let upsert = upsert(for: change, bound)
    if !change.isNew, !upsert.hasKey, upsert.fields.isEmpty { return false }
    let sql = upserts[upsert] ?? sql(of: upsert, bound)
    upserts[upsert] = sql
    return try connection.query(sql) { statement in
      try statement.bind(change.id, at: 1)
      var index = 2
      if let keyField = change.keyField {
        try statement.bind(key: change.row[keyField], at: index)
        index += 1
      }
      for field in upsert.fields {
        switch bound.fields[field]?.kind {
        case .attribute(let kind): try statement.bind(change.row[field], kind, at: index)
        default: if let target = change.row[field].target { try statement.bind(target, at: index) }
        }
        index += 1
      }
      try statement.step()
      return connection.changes > 0
    }
  }

  private func upsert(for change: ObjectChange, _ bound: Binding.Entity) -> Upsert {
    let fields = bound.read.filter { !change.row[$0].isMissing }
    return Upsert(
      entity: change.entity, isNew: change.isNew, hasKey: change.keyField != nil, fields: fields)
  }

  private func sql(of upsert: Upsert, _ bound: Binding.Entity) -> String {
    let columns = (upsert.hasKey ? ["key"] : []) + upsert.fields.compactMap { bound.fields[$0]?.column }
    let values = columns.indices.map { "?\($0 + 2)" }
    let (names, parameters) = (columns.joined(separator: ", "), values.joined(separator: ", "))
    let table = bound.table.table
    if upsert.isNew {
      return "INSERT INTO \(table) (\((["id"] + columns).joined(separator: ", ")))"
        + " VALUES (\((["?1"] + values).joined(separator: ", ")))"
    }
    return "UPDATE \(table) SET (\(names)) = (\(parameters))"
      + " WHERE id = ?1 AND (\(names)) IS NOT (\(parameters))"
  }
}
