internal import FastMapSQL
public import FastMapStoreKit

/// A snapshot of a SQLite store.
///
///     let count = try store.read(plan.schema) { try $0.count(of: 0) }
///
/// A call about many objects takes few statements: one for each relationship in `targets`, one for each 256 keys in
/// `find`, and one otherwise. SQLite takes no arrays as parameters, but JSON: `json_each(?1)` is a table of the numbers
/// in `?1` and their places.
///
/// - Note: It is valid until the call that lends it returns.
public struct SQLiteReader: StoreReader {
  let connection: Connection
  let catalog: SQLCatalog
  private(set) var binding: SQLBinding
  private(set) var schema: Schema

  /// Reads from the connection's transaction.
  init(_ connection: Connection, _ catalog: SQLCatalog, _ schema: Schema) throws {
    self.connection = connection
    self.catalog = catalog
    self.schema = schema
    binding = try catalog.bind(schema)
  }

  public mutating func use(_ schema: Schema) throws {
    binding = try catalog.bind(schema)
    self.schema = schema
  }

  // MARK: Objects

  public func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    var ids = [ObjectID?](repeating: nil, count: keys.count)
    guard let bound = binding[entity] else { return ids }
    try connection.find(keys.count, in: bound.stored) { statement, index, parameter in
      try statement.bind(keys[index], at: parameter)
    } found: {
      ids[$0] = $1
    }
    return ids
  }

  /// The row stays in SQLite: a column that `body` does not ask for is not decoded.
  public func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    guard let bound = binding[entity], let first = ids.first else { return }
    var defaults = RowBuffer()
    defaults.reset(count: bound.fields.count)
    for (field, value) in schema.entities[entity].defaults(where: { bound.fields[$0] == nil }) {
      defaults.set(value, at: field)
    }
    let columns = bound.columnNames.map { ", t." + SQLText.identifier($0) }.joined()
    let sql =
      ids.count == 1
      ? "SELECT 0\(columns) FROM \(bound.stored.identifier) AS t WHERE t.fastmap_id = ?1"
      : "SELECT wanted.key\(columns) FROM json_each(?1) AS wanted"
        + " CROSS JOIN \(bound.stored.identifier) AS t ON t.fastmap_id = wanted.value"
    try connection.lend(sql) { statement in
      if ids.count == 1 { try statement.bind(first, at: 1) } else { try statement.bind(ids, at: 1) }
      while try statement.step() {
        let index = Int(statement.integer(0))
        try statement.lendRow(bound, defaults.row) { try body(index, $0) }
      }
    }
  }

  public func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try fields.map { field in
      guard let bound = binding[entity], let field = bound.fields[field] else {
        return owners.map { _ in [] }
      }
      return try targets(of: owners, field, in: bound.stored)
    }
  }

  /// Every relationship has an index by target.
  public func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    var owners = [[ObjectID]](repeating: [], count: targets.count)
    guard let bound = binding[entity], let field = bound.fields[field] else { return owners }
    let table = bound.stored.identifier
    let owner =
      field.isToMany
      ? "\(field.identifier) AS l ON l.target = wanted.value CROSS JOIN \(table) AS t ON t.fastmap_id = l.owner"
      : "\(table) AS t ON t.\(field.identifier) = wanted.value"
    let sql = """
      SELECT wanted.key, t.fastmap_id FROM json_each(?1) AS wanted CROSS JOIN \(owner)
      ORDER BY wanted.key, t.fastmap_key IS NULL, t.fastmap_key, t.fastmap_id
      """
    try connection.query(sql) { statement in
      try statement.bind(targets, at: 1)
      while try statement.step() {
        let (place, id) = (Int(statement.integer(0)), statement.id(1))
        // A list may have an object twice.
        if owners[place].last != id { owners[place].append(id) }
      }
    }
    return owners
  }

  func targets(
    of owners: [ObjectID], _ field: SQLCatalog.Field, in entity: SQLCatalog.Entity
  ) throws -> [[ObjectID]] {
    try links(of: owners, field, in: entity).map { $0.map(\.target) }
  }

  func links(
    of owners: [ObjectID], _ field: SQLCatalog.Field, in entity: SQLCatalog.Entity
  ) throws -> [[SQLLink]] {
    let sql =
      field.isToMany
      ? "SELECT wanted.key, l.position, l.target FROM json_each(?1) AS wanted"
        + " CROSS JOIN \(field.identifier) AS l ON l.owner = wanted.value ORDER BY wanted.key, l.position"
      : "SELECT wanted.key, 0, t.\(field.identifier) FROM json_each(?1) AS wanted"
        + " CROSS JOIN \(entity.identifier) AS t ON t.fastmap_id = wanted.value WHERE t.\(field.identifier) IS NOT NULL"
    var links = [[SQLLink]](repeating: [], count: owners.count)
    try connection.query(sql) { statement in
      try statement.bind(owners, at: 1)
      while try statement.step() {
        let link = SQLLink(position: statement.integer(1), target: statement.id(2))
        links[Int(statement.integer(0))].append(link)
      }
    }
    return links
  }

  // MARK: All objects

  /// No statement is open while `body` looks at a page, so it may read whatever it likes.
  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout SQLiteReader, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(of: entity, keys, nil, isDescending, pageSize, body)
  }

  mutating func forEachPage(
    of entity: Int, _ keys: KeyRange?, _ filter: BoundFilter.Condition?, _ isDescending: Bool,
    _ pageSize: Int,
    _ body: (inout SQLiteReader, ObjectPage) throws -> Bool
  ) throws {
    guard let bound = binding[entity] else { return }
    var pages = SQLPages(keys: keys, isDescending: isDescending, size: pageSize)
    while let question = pages.question {
      let page = try page(question, of: bound.stored, entity, filter)
      pages.received(page)
      guard try page.count == 0 || body(&self, page) else { return }
    }
  }

  private func page(
    _ question: SQLPages.Question, of table: SQLCatalog.Entity, _ entity: Int,
    _ filter: BoundFilter.Condition?
  ) throws -> ObjectPage {
    var conditions = Conditions(binding, schema)
    var condition: String
    let order: String
    switch question {
    case .keyed(let lower, let upper, let isDescending, let limit):
      condition = conditions.text(of: lower, upper)
      order = "t.fastmap_key \(isDescending ? "DESC" : "ASC") LIMIT \(limit)"
    case .keyless(let after, let isDescending, let limit):
      condition = "t.fastmap_key IS NULL"
      if let after {
        condition += " AND t.fastmap_id \(isDescending ? "<" : ">") \(conditions.parameter(.id(after)))"
      }
      order = "t.fastmap_id \(isDescending ? "DESC" : "ASC") LIMIT \(limit)"
    }
    if let filter {
      guard let text = conditions.text(of: filter, entity: entity, alias: "t", schema: schema) else {
        preconditionFailure("`canTest` said that this filter can be written")
      }
      condition += " AND (\(text))"
    }
    let sql = """
      SELECT t.fastmap_id, t.fastmap_key FROM \(table.identifier) AS t WHERE \(condition) ORDER BY \(order)
      """
    var page = ObjectPage()
    try connection.query(sql) { statement in
      try statement.bind(conditions.values)
      while try statement.step() { page.append(statement.id(0), try statement.key(1)) }
    }
    return page
  }

  public func count(of entity: Int) throws -> Int {
    guard let bound = binding[entity] else { return 0 }
    return try connection.query("SELECT count(*) FROM \(bound.stored.identifier)") { statement in
      try statement.step() ? Int(statement.integer(0)) : 0
    }
  }

  public func count(of entity: Int, keys: KeyRange) throws -> Int {
    guard let bound = binding[entity] else { return 0 }
    let (lower, upper) = SQLPages.bounds(of: keys)
    var conditions = Conditions(binding, schema)
    let condition = conditions.text(of: lower, upper)
    let sql = "SELECT count(*) FROM \(bound.stored.identifier) AS t WHERE \(condition)"
    return try connection.query(sql) { statement in
      try statement.bind(conditions.values)
      return try statement.step() ? Int(statement.integer(0)) : 0
    }
  }
}

extension Connection {
  /// Finds objects by their keys, 256 with each statement. Sorted keys go through the index from left to right.
  ///
  /// - Parameters:
  ///   - count: The number of keys.
  ///   - bind: Receives a statement, the index of a key, and the number of its parameter.
  ///   - found: Receives the index of a key, and its object.
  func find(
    _ count: Int, in entity: SQLCatalog.Entity, bind: (Statement, Int, Int) throws -> Void,
    found: (Int, ObjectID) -> Void
  ) throws {
    for start in stride(from: 0, to: count, by: 256) {
      let end = min(start + 256, count)
      // A parameter that is not bound is NULL, which equals no key.
      let rows = end - start == 1 ? 1 : 256
      let sql = """
        WITH wanted(place, key) AS (VALUES \((1...rows).map { "(\($0), ?\($0))" }.joined(separator: ", ")))
        SELECT wanted.place, t.fastmap_id FROM wanted
        CROSS JOIN \(entity.identifier) AS t ON t.fastmap_key = wanted.key
        """
      try query(sql) { statement in
        for index in start..<end { try bind(statement, index, index - start + 1) }
        while try statement.step() { found(start + Int(statement.integer(0)) - 1, statement.id(1)) }
      }
    }
  }
}

extension Statement {
  /// Lends the columns behind the first as a row. Decoding a field cannot throw, so damage is thrown afterwards.
  ///
  /// - Parameter defaults: The values of fields without a column.
  fileprivate func lendRow(_ bound: SQLBinding.Entity, _ defaults: Row, to body: (Row) throws -> Void) throws
  {
    var damaged: Int?
    try Row.lend(count: bound.fields.count) { number in
      guard let (place, kind) = bound.column(of: number) else { return defaults[number] }
      if let field = field(place + 1, kind) { return field }
      damaged = number
      return .missing
    } to: {
      try body($0)
    }
    if let damaged { throw SQLiteStoreError.damaged(bound, field: damaged) }
  }

  private func field(_ column: Int, _ kind: SQLCatalog.Kind) -> Field? {
    switch kind {
    case .attribute(let kind): field(column, kind)
    case .toOne, .toMany: isNull(column) ? .missing : .target(id(column))
    }
  }
}

extension SQLiteStoreError {
  fileprivate static func damaged(_ bound: SQLBinding.Entity, field: Int) -> SQLiteStoreError {
    .damaged(
      "the field \(bound.fields[field]?.name ?? "") of \(bound.stored.name) holds what is not of its kind")
  }
}
