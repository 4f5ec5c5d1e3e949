public import FastMapCore
internal import FastMapSQL

extension SQLiteWriter {
  /// Reads the old targets of the whole batch, sets the columns of all objects, and then their lists.
  public mutating func apply(_ batch: inout ChangeBatch) throws {
    var old = SQLOldTargets(of: batch.changes, reader.binding)
    for (index, question) in old.questions.enumerated() {
      let targets = try reader.targets(of: question.owners, entity: question.entity, fields: question.fields)
      old.setAnswer(targets, to: index)
    }
    for group in SQLChangeGroup.groups(of: batch.changes, reader.binding) {
      let sql = sql(of: group)
      for index in group.changes where try setColumns(group, batch.changes[index], sql) {
        batch.changes[index].isChanged = true
      }
    }
    for index in batch.changes.indices {
      old.noteRemoved(by: index, of: &batch)
      for field in bound(batch.changes[index].entity).lists {
        guard let change = old.listChange(of: field, by: index, of: batch), !change.isEmpty else { continue }
        try set(change, of: field, batch.changes[index])
        batch.changes[index].isChanged = true
      }
    }
  }

  // MARK: Columns

  /// An update touches the row only if a column differs.
  private func sql(of group: SQLChangeGroup) -> String {
    let bound = bound(group.entity)
    let columns =
      (group.hasKey ? ["fastmap_key"] : []) + group.fields.compactMap { bound.fields[$0]?.identifier }
    let parameters = columns.indices.map { "?\($0 + 2)" }
    let (names, values) = (columns.joined(separator: ", "), parameters.joined(separator: ", "))
    if group.isNew {
      return "INSERT INTO \(bound.stored.identifier) (\((["fastmap_id"] + columns).joined(separator: ", ")))"
        + " VALUES (\((["?1"] + parameters).joined(separator: ", ")))"
    }
    return "UPDATE \(bound.stored.identifier) SET (\(names)) = (\(values))"
      + " WHERE fastmap_id = ?1 AND (\(names)) IS NOT (\(values))"
  }

  /// - Returns: Whether anything became different.
  private func setColumns(_ group: SQLChangeGroup, _ change: ObjectChange, _ sql: String) throws -> Bool {
    if !group.isNew, !group.hasKey, group.fields.isEmpty { return false }
    let bound = bound(group.entity)
    return try connection.query(sql) { statement in
      try statement.bind(change.id, at: 1)
      var parameter = 2
      if let keyField = change.keyField {
        try statement.bind(key: change.row[keyField], at: parameter)
        parameter += 1
      }
      for field in group.fields {
        if case .attribute(let kind) = bound.column(of: field)?.kind {
          try statement.bind(change.row[field], kind, at: parameter)
        } else if let target = change.row[field].target {
          try statement.bind(target, at: parameter)
        }
        parameter += 1
      }
      try statement.step()
      return connection.changes > 0
    }
  }

  // MARK: Lists

  /// Deleted targets leave gaps between positions, which is harmless.
  private func set(_ change: SQLListChange, of field: Int, _ owner: ObjectChange) throws {
    guard let table = bound(owner.entity).fields[field]?.identifier else { return }
    if change.removesRest {
      let sql = """
        DELETE FROM \(table) WHERE owner = ?1 AND position >=
          (SELECT position FROM \(table) WHERE owner = ?1 ORDER BY position LIMIT 1 OFFSET ?2)
        """
      try connection.query(sql) { statement in
        try statement.bind(owner.id, at: 1)
        try statement.bind(Int64(change.kept), at: 2)
        try statement.step()
      }
    }
    if change.added.isEmpty { return }
    let sql = """
      INSERT INTO \(table) (owner, position, target)
      SELECT ?1, key + (SELECT coalesce(max(position) + 1, 0) FROM \(table) WHERE owner = ?1), value
      FROM json_each(?2)
      """
    try connection.query(sql) { statement in
      try statement.bind(owner.id, at: 1)
      try statement.bind(change.added, at: 2)
      try statement.step()
    }
  }
}
