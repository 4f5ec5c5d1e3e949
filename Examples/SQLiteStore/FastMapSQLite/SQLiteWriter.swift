internal import FastMapSQL
public import FastMapStoreKit

/// One write of a SQLite store.
///
///     try store.write(plan.schema) { writer in
///       guard let id = try writer.reader.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
///
/// - Note: It is valid until the call that lends it returns.
public struct SQLiteWriter: StoreWriter {
  public var reader: SQLiteReader
  public private(set) var hasStoredDefaults = false
  /// The committed state when the write began.
  let before: Before
  /// The objects that were inserted or updated, by the numbers of stored entities with a unique index.
  let touched = Touched()

  init(_ connection: Connection, _ schema: Schema, before: Before) throws {
    reader = try SQLiteReader(connection, connection.catalog(), schema)
    self.before = before
    try use(schema)
  }

  var connection: Connection { reader.connection }

  /// The table of an entity: a write has one for each.
  func bound(_ entity: Int) -> SQLBinding.Entity {
    guard let bound = reader.binding[entity] else { preconditionFailure("an entity beyond the schema") }
    return bound
  }

  public mutating func use(_ schema: Schema) throws {
    var catalog = reader.catalog
    let known = try catalog.bind(schema)
    try catalog.extend(to: schema, connection)
    reader = try SQLiteReader(connection, catalog, schema)
    for case (let entity, let bound?) in known.entities.enumerated() {
      let new = schema.entities[entity].defaults { bound.fields[$0] == nil }
      if new.isEmpty { continue }
      try storeDefaults(new, in: schema, of: entity)
      hasStoredDefaults = true
    }
  }

  public func resolve(_ lookups: [KeyLookup]) throws {
    for lookup in lookups {
      lookup.ids.update(repeating: nil)
      try connection.find(lookup.keys.count, in: bound(lookup.entity).stored) { statement, index, parameter in
        try statement.bind(key: lookup.keys[index], at: parameter)
      } found: {
        lookup.ids[$0] = $1
      }
    }
  }

  /// Takes numbers from the entity's counter. It only grows, so no number comes back.
  public func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    let sql = """
      UPDATE fastmap_entity SET next_id = next_id + ?1 WHERE number = ?2 RETURNING next_id - ?1
      """
    return try requests.map { request in
      try connection.query(sql) { statement in
        try statement.bind(Int64(request.count), at: 1)
        try statement.bind(bound(request.entity).stored.number, at: 2)
        guard try statement.step() else { throw SQLiteStoreError.damaged("an entity has no counter") }
        return .run(from: statement.id(0))
      }
    }
  }

  // MARK: Comparing

  /// Committed rows stay as they are as long as this write holds the lock, so another connection still sees them.
  public func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    let table = bound(entity).stored
    let old = try before.reader()
    let oldTable = old.catalog.entity(named: table.name)
    let columns = table.fields.filter { !$0.isToMany }
    // A column that is new was NULL.
    let oldColumns = columns.map { oldTable?.field(named: $0.name) }
    var changed = try connection.query(Self.rows(columns, in: table)) { now in
      try old.connection.query(Self.rows(oldColumns, in: oldTable)) { before in
        try now.bind(ids, at: 1)
        try before.bind(ids, at: 1)
        return try ids.map { _ in
          guard try now.step(), try before.step() else { throw SQLiteStoreError.damaged("a row is lost") }
          return !now.hasSameRow(as: before)
        }
      }
    }
    for field in table.fields where field.isToMany {
      let now = try reader.targets(of: ids, field, in: table)
      let isOld = oldTable?.field(named: field.name) != nil
      let before = isOld ? try old.targets(of: ids, field, in: table) : ids.map { _ in [] }
      for index in ids.indices where now[index] != before[index] { changed[index] = true }
    }
    return changed
  }

  /// A row for each wanted object, also for one that is not stored.
  private static func rows(_ columns: [SQLCatalog.Field?], in table: SQLCatalog.Entity?) -> String {
    let names = columns.map { $0.map { "t." + $0.identifier } ?? "NULL" }
    guard let table else {
      return "SELECT NULL, NULL\(names.map { ", " + $0 }.joined()) FROM json_each(?1) ORDER BY key"
    }
    return """
      SELECT t.fastmap_id, t.fastmap_key\(names.map { ", " + $0 }.joined()) FROM json_each(?1) AS wanted
      LEFT JOIN \(table.identifier) AS t ON t.fastmap_id = wanted.value ORDER BY wanted.key
      """
  }
}
