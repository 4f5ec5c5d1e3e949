internal import FastMapSQL
public import FastMapStoreKit

extension SQLiteWriter {
  /// Reads the old targets of the whole batch, sets the columns of all objects, and then their lists.
  public mutating func apply(_ batch: inout ChangeBatch) throws {
    touched.add(batch, reader.binding)
    var old = SQLOldTargets(of: batch.changes, reader.binding)
    for (index, question) in old.questions.enumerated() {
      let bound = bound(question.entity)
      guard let field = bound.fields[question.field] else { continue }
      old.setLinks(try reader.links(of: question.owners, field, in: bound.stored), to: index)
    }
    var statement: Upsert?
    for index in batch.changes.indices where try setColumns(batch.changes[index], &statement) {
      batch.changes[index].isChanged = true
    }
    for index in batch.changes.indices {
      old.recordRemoved(by: index, of: &batch)
      for field in bound(batch.changes[index].entity).lists {
        guard let change = old.listChange(of: field, by: index, of: batch), !change.isEmpty else { continue }
        try set(change, of: field, batch.changes[index])
        batch.changes[index].isChanged = true
      }
    }
  }

  // MARK: Columns

  /// - Parameter last: The statement of the change before, which mostly sets the same columns.
  /// - Returns: Whether anything became different.
  private func setColumns(_ change: ObjectChange, _ last: inout Upsert?) throws -> Bool {
    let bound = bound(change.entity)
    let fields = bound.columns.filter { !change.row[$0].isMissing }
    if last?.fits(change, fields) != true { last = Upsert(change, fields, bound) }
    guard let upsert = last, !upsert.sql.isEmpty else { return false }
    return try connection.query(upsert.sql) { statement in
      try statement.bind(change.id, at: 1)
      var parameter = 2
      if let keyField = change.keyField {
        try statement.bind(key: change.row[keyField], at: parameter)
        parameter += 1
      }
      for field in fields {
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
    if let position = change.removedFrom {
      try connection.query("DELETE FROM \(table) WHERE owner = ?1 AND position >= ?2") { statement in
        try statement.bind(owner.id, at: 1)
        try statement.bind(position, at: 2)
        try statement.step()
      }
    }
    if change.added.isEmpty { return }
    let sql = """
      INSERT INTO \(table) (owner, position, target) SELECT ?1, ?2 + key, value FROM json_each(?3)
      """
    try connection.query(sql) { statement in
      try statement.bind(owner.id, at: 1)
      try statement.bind(change.firstAdded, at: 2)
      try statement.bind(change.added, at: 3)
      try statement.step()
    }
  }
}

/// A statement that sets the columns of objects.
private struct Upsert {
  let entity: Int
  let isNew: Bool
  let hasKey: Bool
  /// The attributes and to-one relationships that it sets.
  let fields: [Int]
  /// Empty if there is nothing to set.
  let sql: String

  init(_ change: ObjectChange, _ fields: [Int], _ bound: SQLBinding.Entity) {
    entity = change.entity
    isNew = change.isNew
    hasKey = change.keyField != nil
    self.fields = fields
    let columns = (hasKey ? ["fastmap_key"] : []) + fields.compactMap { bound.fields[$0]?.identifier }
    let decimals = Set(fields.compactMap { bound.fields[$0] }.filter { $0.kind.isDecimal }.map(\.identifier))
    sql = isNew ? Self.insert(columns, bound) : columns.isEmpty ? "" : Self.update(columns, decimals, bound)
  }

  func fits(_ change: ObjectChange, _ fields: [Int]) -> Bool {
    entity == change.entity && isNew == change.isNew && hasKey == (change.keyField != nil)
      && self.fields == fields
  }

  private static func insert(_ columns: [String], _ bound: SQLBinding.Entity) -> String {
    let names = (["fastmap_id"] + columns).joined(separator: ", ")
    let values = (0...columns.count).map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(bound.stored.identifier) (\(names)) VALUES (\(values))"
  }

  /// It touches the row only if a column differs.
  /// - Parameter decimals: Columns that differ only if their values do. Else they keep their digits.
  private static func update(
    _ columns: [String], _ decimals: Set<String>, _ bound: SQLBinding.Entity
  ) -> String {
    let names = columns.joined(separator: ", ")
    func compared(_ text: String, _ column: String) -> String {
      decimals.contains(column) ? Conditions.decimal(text) : text
    }
    let values = columns.enumerated().map { place, column in
      let value = "?\(place + 2)"
      guard decimals.contains(column) else { return value }
      return "CASE WHEN \(compared(column, column)) IS \(compared(value, column))"
        + " THEN \(column) ELSE \(value) END"
    }
    let old = columns.map { compared($0, $0) }.joined(separator: ", ")
    let new = columns.enumerated().map { compared("?\($0 + 2)", $1) }.joined(separator: ", ")
    return "UPDATE \(bound.stored.identifier) SET (\(names)) = (\(values.joined(separator: ", ")))"
      + " WHERE fastmap_id = ?1 AND (\(old)) IS NOT (\(new))"
  }
}

extension SQLCatalog.Kind {
  fileprivate var isDecimal: Bool { if case .attribute(.decimal) = self { true } else { false } }
}
