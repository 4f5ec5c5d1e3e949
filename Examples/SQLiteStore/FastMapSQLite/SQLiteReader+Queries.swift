internal import FastMapSQL
public import FastMapStoreKit

/// Indexes, and filters that SQLite tests itself.
extension SQLiteReader {
  // MARK: Indexes

  public mutating func indexes(of entity: Int) throws -> [Schema.Index] {
    binding[entity]?.indexes.map(\.index) ?? []
  }

  /// The part of the index behind a position is cut into ranges (`SQLIndexScan`), and each range is one statement.
  public mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int,
    _ body: (inout SQLiteReader, ObjectPage) throws -> Bool
  ) throws {
    guard let bound = binding[entity] else { return }
    var scan = SQLIndexScan(index, range, isDescending: isDescending, after: position)
    while true {
      var page = ObjectPage()
      var last: SQLIndexScan.Position?
      while page.count < pageSize, let segment = scan.next() {
        let limit = pageSize - page.count
        last = try read(segment, of: index, bound, entity, isDescending, limit, into: &page)
      }
      guard page.count > 0, try body(&self, page), let last else { return }
      scan.restart(behind: last)
    }
  }

  /// - Returns: The position behind the last object, if that is the last one of a page.
  private func read(
    _ segment: SQLIndexScan.Segment, of index: Schema.Index, _ bound: SQLBinding.Entity, _ entity: Int,
    _ isDescending: Bool, _ limit: Int, into page: inout ObjectPage
  ) throws -> SQLIndexScan.Position? {
    var conditions = Conditions(binding, schema)
    guard let condition = conditions.text(of: segment, entity) else { return nil }
    let fields = index.parts.compactMap { bound.fields[$0.field] }
    let columns = (["fastmap_id", "fastmap_key"] + fields.map(\.identifier)).map { "t.\($0)" }
    let sql = """
      SELECT \(columns.joined(separator: ", ")) FROM \(bound.stored.identifier) AS t WHERE \(condition)
      ORDER BY \(bound.order(of: index.parts, isReversed: isDescending)) LIMIT \(limit)
      """
    return try connection.query(sql) { statement in
      try statement.bind(conditions.values)
      var last: SQLIndexScan.Position?
      var count = 0
      while try statement.step() {
        page.append(statement.id(0), try statement.key(1))
        count += 1
        if count == limit { last = try statement.position(fields) }
      }
      return last
    }
  }

  public mutating func count(
    in index: Schema.Index, of entity: Int, range: IndexRange, limit: Int
  ) throws -> Int {
    var conditions = Conditions(binding, schema)
    guard let bound = binding[entity],
      let condition = conditions.text(of: SQLIndexScan.Segment.whole(index, range), entity)
    else { return 0 }
    return try count(bound, condition, conditions.values, limit)
  }

  private func count(
    _ bound: SQLBinding.Entity, _ condition: String, _ values: [Conditions.Parameter], _ limit: Int
  ) throws -> Int {
    let sql = """
      SELECT count(*) FROM (
        SELECT 1 FROM \(bound.stored.identifier) AS t WHERE \(condition) LIMIT \(limit))
      """
    return try connection.query(sql) { statement in
      try statement.bind(values)
      return try statement.step() ? Int(statement.integer(0)) : 0
    }
  }

  // MARK: Filters

  /// All that `SQLConditionWriter` can write: comparisons with values, beginnings and parts of strings, and
  /// combinations of them.
  public mutating func canTest(_ condition: BoundFilter.Condition, of entity: Int) throws -> Bool {
    var conditions = Conditions(binding, schema)
    guard let text = conditions.text(of: condition, entity: entity, alias: "t", schema: schema),
      conditions.values.count <= 1_000
    else { return false }
    guard let bound = binding[entity], text.utf8.count > 256 else { return true }
    // With a bit more around it than any statement has.
    return try connection.accepts(
      """
      SELECT count(*) FROM (SELECT (t.fastmap_id) FROM \(bound.stored.identifier) AS t
      WHERE 1 AND 1 AND 1 AND 1 AND (((\(text)))))
      """)
  }

  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, isDescending: Bool,
    pageSize: Int,
    _ body: (inout SQLiteReader, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(of: entity, keys, condition, isDescending, pageSize, body)
  }

  public mutating func count(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, limit: Int
  ) throws -> Int {
    guard let bound = binding[entity] else { return 0 }
    var conditions = Conditions(binding, schema)
    let (lower, upper) = keys.map { SQLPages.bounds(of: $0) } ?? (nil, nil)
    var texts = keys == nil ? [] : [conditions.text(of: lower, upper)]
    if let text = conditions.text(of: condition, entity: entity, alias: "t", schema: schema) {
      texts.append("(\(text))")
    }
    return try count(bound, texts.joined(separator: " AND "), conditions.values, limit)
  }

  public mutating func objects(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition,
    sortedBy parts: [Schema.Index.Part],
    limit: Int
  ) throws -> ObjectPage? {
    var page = ObjectPage()
    guard let bound = binding[entity] else { return page }
    var conditions = Conditions(binding, schema)
    let (lower, upper) = keys.map { SQLPages.bounds(of: $0) } ?? (nil, nil)
    var texts = keys == nil ? [] : [conditions.text(of: lower, upper)]
    if let text = conditions.text(of: condition, entity: entity, alias: "t", schema: schema) {
      texts.append("(\(text))")
    }
    let sql = """
      SELECT t.fastmap_id, t.fastmap_key FROM \(bound.stored.identifier) AS t
      WHERE \(texts.joined(separator: " AND "))
      ORDER BY \(bound.order(of: parts, isReversed: false)) LIMIT \(limit)
      """
    try connection.query(sql) { statement in
      try statement.bind(conditions.values)
      while try statement.step() { page.append(statement.id(0), try statement.key(1)) }
    }
    return page
  }
}

extension Conditions {
  /// The condition of a segment of an index; nil if no object is in it.
  mutating func text(of segment: SQLIndexScan.Segment, _ entity: Int) -> String? {
    var texts: [String] = []
    for (field, test) in segment.tests {
      guard let text = text(of: test, field: field, entity: entity, alias: "t") else { return nil }
      texts.append(text)
    }
    switch segment.tie {
    case .all: break
    case .keyed(let key): texts.append("t.fastmap_key > \(parameter(.key(key)))")
    case .keyless(nil): texts.append("t.fastmap_key IS NULL")
    case .keyless(let (_, id)?):
      texts.append("t.fastmap_key IS NULL AND t.fastmap_id > \(parameter(.id(id)))")
    }
    return texts.isEmpty ? "1 = 1" : texts.joined(separator: " AND ")
  }

  /// SQLite compares keys as `PrimaryKey` does: integers before texts, texts by their bytes. NULL is in no range.
  mutating func text(of lower: SQLPages.Bound?, _ upper: SQLPages.Bound?) -> String {
    var texts = ["t.fastmap_key IS NOT NULL"]
    if let lower {
      texts.append("t.fastmap_key \(lower.isIncluded ? ">=" : ">") \(parameter(.key(lower.key)))")
    }
    if let upper {
      texts.append("t.fastmap_key \(upper.isIncluded ? "<=" : "<") \(parameter(.key(upper.key)))")
    }
    return texts.joined(separator: " AND ")
  }
}

extension Statement {
  /// The position behind the current row, whose columns are number, key and the fields of an index.
  func position(_ fields: [SQLCatalog.Field]) throws -> SQLIndexScan.Position {
    var contents: [IndexRange.Content] = []
    for (place, field) in fields.enumerated() {
      switch field.kind {
      case .attribute(let kind):
        guard let value = self.field(place + 2, kind) else {
          throw SQLiteStoreError.damaged("the field \(field.name) holds what is not of its kind")
        }
        contents.append(value.value.map { .value($0) } ?? .none)
      case .toOne, .toMany: contents.append(isNull(place + 2) ? .none : .object(id(place + 2)))
      }
    }
    let tie: SQLIndexScan.Tie = try key(1).map { .keyed(after: $0) } ?? .keyless(after: (0, id(0)))
    return SQLIndexScan.Position(contents: contents, tie: tie)
  }
}

extension SQLBinding.Entity {
  /// The order of an index. NULL comes first, so objects without a key are told to come last.
  fileprivate func order(of parts: [Schema.Index.Part], isReversed: Bool) -> String {
    var columns: [String] = []
    for part in parts {
      guard let field = fields[part.field] else { continue }
      let direction = part.isDescending != isReversed ? "DESC" : "ASC"
      columns += Conditions.sortColumns("t.\(field.identifier)", field.kind).map { "\($0) \(direction)" }
    }
    return (columns + ["(t.fastmap_key IS NULL)", "t.fastmap_key", "t.fastmap_id"]).joined(separator: ", ")
  }
}

extension SQLCatalog.Index {
  /// The order of equal objects: the keys, and behind them the objects without a key.
  static let ties = ["(fastmap_key IS NULL)", "fastmap_key", "fastmap_id"]

  /// The statement that makes it.
  func definition(in catalog: SQLCatalog) throws -> String {
    let entity = try catalog.entity(entity)
    let columns = parts.flatMap { part in
      entity.fields.filter { $0.number == part.field }.flatMap { field in
        Conditions.sortColumns(field.identifier, field.kind).map {
          "\($0) \(part.isDescending ? "DESC" : "ASC")"
        }
      }
    }
    return
      "CREATE INDEX IF NOT EXISTS \(sqlName) ON \(entity.identifier) (\((columns + Self.ties).joined(separator: ", ")))"
  }

  /// The name in the database. The tables of entities have no names like that.
  var sqlName: String { "fastmap_declared_\(number)" }
}
