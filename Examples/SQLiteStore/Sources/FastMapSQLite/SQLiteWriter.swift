public import FastMapCore

/// One write of a SQLite store.
///
///     try store.write(plan.schema) { writer in
///       guard let id = try writer.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
///
/// - Note: It is valid until the call that lends it returns.
public struct SQLiteWriter: StoreWriter {
  public var reader: SQLiteReader
  /// What was committed when the write began.
  private let before: Before
  /// The SQL of inserts and updates, by what they set.
  var upserts: [Upsert: String] = [:]

  init(_ connection: Connection, _ schema: Schema, before: Before) throws {
    var layout = try Layout(connection)
    let binding = try layout.extend(to: schema, connection)
    reader = SQLiteReader(connection, layout, binding)
    self.before = before
  }

  var connection: Connection { reader.connection }

  /// The entity of a number: a write has a table for each.
  func bound(_ entity: Int) -> Binding.Entity {
    guard let bound = reader.binding.entities[entity] else {
      preconditionFailure("an entity beyond the schema")
    }
    return bound
  }

  /// Makes what the other schema has and the database has not met, as the write did for its own.
  public mutating func use(_ schema: Schema) throws {
    var layout = reader.layout
    let binding = try layout.extend(to: schema, connection)
    reader = SQLiteReader(connection, layout, binding)
    upserts.removeAll()  // their fields are numbers of the schema
  }

  // MARK: Finding

  private static let keysAtOnce = 256
  /// `(1, ?1), (2, ?2), …`: a parameter that is not bound is NULL, which equals no key.
  private static let wanted = (1...keysAtOnce).map { "(\($0), ?\($0))" }.joined(separator: ", ")

  /// A round trip for every 256 keys. Sorted as they are, they walk through the index from left to right.
  public func resolve(_ lookups: [KeyLookup]) throws {
    for lookup in lookups { try find(lookup.keys, of: lookup.entity, into: lookup.ids) }
  }

  private func find(
    _ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID?>
  ) throws {
    ids.update(repeating: nil)
    let sql = """
      WITH wanted(place, key) AS (VALUES \(Self.wanted))
      SELECT wanted.place, t.id FROM wanted CROSS JOIN \(bound(entity).table.table) AS t ON t.key = wanted.key
      """
    for start in stride(from: 0, to: keys.count, by: Self.keysAtOnce) {
      let end = min(start + Self.keysAtOnce, keys.count)
      try connection.query(sql) { statement in
        for index in start..<end {
          try statement.bind(key: keys[index], at: index - start + 1)
        }
        while try statement.step() { ids[start + Int(statement.integer(0)) - 1] = statement.id(1) }
      }
    }
  }

  /// Takes numbers from the entity's counter, which only grows, so that none comes back.
  public func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    try requests.map { .run(from: try reserve($0.count, of: $0.entity)) }
  }

  private func reserve(_ count: Int, of entity: Int) throws -> ObjectID {
    let sql = "UPDATE fastmap_entity SET next_id = next_id + ?1 WHERE number = ?2 RETURNING next_id"
    return try connection.query(sql) { statement in
      try statement.bind(Int64(count), at: 1)
      try statement.bind(bound(entity).table.number, at: 2)
      guard try statement.step() else { throw SQLiteStoreError.damaged("an entity has no counter") }
      return ObjectID(rawValue: UInt64(statement.integer(0) - Int64(count)))
    }
  }

  // MARK: Comparing

  /// What is committed stays as it is as long as this write holds the lock, so another connection still sees what was.
  public func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try ids.map { try isChanged($0, of: entity) }
  }

  private func isChanged(_ id: ObjectID, of entity: Int) throws -> Bool {
    let table = bound(entity).table
    let old = try before.reader()
    guard let oldTable = old.layout.entity(named: table.name) else { return try isStored(id, in: table) }
    let isSameRow = try old.connection.query("SELECT * FROM \(oldTable.table) WHERE id = ?1") { row in
      try row.bind(id, at: 1)
      guard try row.step() else { return try !isStored(id, in: table) }
      return try isStored(id, in: table, as: row, oldTable)
    }
    guard isSameRow else { return true }
    for field in table.fields where field.isToMany {
      let isOld = oldTable.field(named: field.name) != nil
      let oldTargets = isOld ? try old.targets(of: [id], field, in: oldTable) : [[]]
      if try oldTargets != reader.targets(of: [id], field, in: table) { return true }
    }
    return false
  }

  private func isStored(_ id: ObjectID, in table: Layout.Entity) throws -> Bool {
    try connection.query("SELECT 1 FROM \(table.table) WHERE id = ?1") { statement in
      try statement.bind(id, at: 1)
      return try statement.step()
    }
  }

  /// Whether the object's row is just what it was; columns that are new hold nothing then.
  private func isStored(
    _ id: ObjectID, in table: Layout.Entity, as old: Statement, _ oldTable: Layout.Entity
  ) throws -> Bool {
    let columns = ["id", "key"] + table.fields.filter { !$0.isToMany }.map(\.column)
    let conditions = columns.indices.map { "\(columns[$0]) IS ?\($0 + 1)" }.joined(separator: " AND ")
    return try connection.query("SELECT 1 FROM \(table.table) WHERE \(conditions)") { statement in
      for column in 0..<old.columnCount { try statement.bind(column, of: old, at: column + 1) }
      return try statement.step()
    }
  }
}
