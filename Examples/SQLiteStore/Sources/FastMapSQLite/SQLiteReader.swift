public import FastMapCore

/// A snapshot of a SQLite store.
///
///     let count = try store.read(plan.schema) { try $0.count(of: 0) }
///
/// - Note: It is valid until the call that lends it returns.
public struct SQLiteReader: StoreReader {
  let connection: Connection
  let layout: Layout
  private(set) var binding: Binding

  /// What the connection's transaction sees.
  init(_ connection: Connection, _ schema: Schema) throws {
    let layout = try Layout(connection)
    self.init(connection, layout, try layout.bind(schema))
  }

  init(_ connection: Connection, _ layout: Layout, _ binding: Binding) {
    self.connection = connection
    self.layout = layout
    self.binding = binding
  }

  public mutating func use(_ schema: Schema) throws { binding = try layout.bind(schema) }

  public func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try keys.map { try find($0, of: entity) }
  }

  public func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    for (index, id) in ids.enumerated() {
      _ = try withRow(id, of: entity) { try body(index, $0) }
    }
  }

  public func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    guard let bound = binding.entities[entity] else { return nil }
    return try connection.query("SELECT id FROM \(bound.table.table) WHERE key = ?1") { statement in
      try statement.bind(key, at: 1)
      return try statement.step() ? statement.id(0) : nil
    }
  }

  public func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    guard let bound = binding.entities[entity] else { return false }
    return try connection.query(bound.select) { statement in
      try statement.bind(id, at: 1)
      guard try statement.step() else { return false }
      buffer.reset(count: bound.fields.count)
      for number in bound.read {
        guard let field = bound.field(number, of: statement) else { throw bound.damaged(number) }
        buffer.copy(field, at: number)
      }
      return true
    }
  }

  /// The row stays where it is: of a column that nobody asks for, not even the type is looked at.
  public func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R? {
    guard let bound = binding.entities[entity] else { return nil }
    return try connection.lend(bound.select) { statement in
      try statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      var damaged: Int?
      let result = try Row.lend(count: bound.fields.count) { number in
        if let field = bound.field(number, of: statement) { return field }
        damaged = number
        return .missing
      } to: {
        try body($0)
      }
      if let damaged { throw bound.damaged(damaged) }
      return result
    }
  }

  public func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try fields.map { field in
      guard let bound = binding.entities[entity], let field = bound.fields[field] else {
        return owners.map { _ in [] }
      }
      return try targets(of: owners, field, in: bound.table)
    }
  }

  /// All owners in one round trip. SQLite takes no arrays, but JSON; `key` is an element's index.
  func targets(
    of owners: [ObjectID], _ field: Layout.Field, in table: Layout.Entity
  ) throws -> [[ObjectID]] {
    let from =
      field.isToMany
      ? "SELECT o.key, l.target FROM json_each(?1) AS o CROSS JOIN \(field.linkTable) AS l ON l.owner = o.value"
        + " ORDER BY o.key, l.position"
      : "SELECT o.key, t.\(field.column) FROM json_each(?1) AS o CROSS JOIN \(table.table) AS t ON t.id = o.value"
        + " WHERE t.\(field.column) IS NOT NULL"
    var targets = [[ObjectID]](repeating: [], count: owners.count)
    try connection.query(from) { statement in
      let numbers = owners.map { "\(Int64(bitPattern: $0.rawValue))" }
      try statement.bind("[\(numbers.joined(separator: ","))]", at: 1)
      while try statement.step() { targets[Int(statement.integer(0))].append(statement.id(1)) }
    }
    return targets
  }

  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout SQLiteReader, ObjectPage) throws -> Bool
  ) throws {
    guard let bound = binding.entities[entity] else { return }
    var scan = Scan(bound.table, keys)
    var objects: [Scan.Object] = []
    while let page = try scan.next(connection) { objects += page }
    if isDescending { objects.reverse() }
    for start in stride(from: 0, to: objects.count, by: pageSize) {
      let some = objects[start..<min(start + pageSize, objects.count)]
      guard try body(&self, ObjectPage(ids: some.map(\.id), keys: some.map(\.key))) else { return }
    }
  }

  public func count(of entity: Int) throws -> Int {
    guard let bound = binding.entities[entity] else { return 0 }
    return try connection.query("SELECT count(*) FROM \(bound.table.table)") { statement in
      try statement.step() ? Int(statement.integer(0)) : 0
    }
  }
}
