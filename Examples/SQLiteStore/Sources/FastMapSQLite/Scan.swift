internal import FastMapCore

/// Goes over the objects of one entity, a page at a time.
///
/// No statement is open while the caller looks at a page, so that it may read whatever it likes, go over the same
/// entity once more inside, and stop where it wants.
struct Scan {
  private static let pageSize = 256

  private let table: String
  private let upper: PrimaryKey?
  private let includesUpper: Bool
  /// Whether the objects without a key come as well.
  private let hasKeyless: Bool

  private var lower: PrimaryKey?
  /// Whether `lower` is the first of the page or the last of the one before.
  private var isAfterLower = false
  private var lastKeyless = ObjectID(rawValue: 0)
  private var phase = Phase.keyed

  private enum Phase {
    case keyed, keyless, done
  }

  typealias Object = (id: ObjectID, key: PrimaryKey?)

  init(_ entity: Layout.Entity, _ keys: KeyRange?) {
    table = entity.table
    lower = keys?.lower
    upper = keys?.upper
    includesUpper = keys?.includesUpper ?? true
    hasKeyless = keys == nil
  }

  /// The next objects; nil at the end.
  mutating func next(_ connection: Connection) throws -> [Object]? {
    if phase == .keyed {
      let page = try keyedPage(connection)
      if let last = page.last {
        lower = last.key
        isAfterLower = true
        return page
      }
      phase = hasKeyless ? .keyless : .done
    }
    if phase == .keyless {
      let page = try keylessPage(connection)
      if let last = page.last {
        lastKeyless = last.id
        return page
      }
      phase = .done
    }
    return nil
  }

  /// SQLite compares keys as `PrimaryKey` does: integers before texts, texts by their bytes. NULL is in no range.
  private func keyedPage(_ connection: Connection) throws -> [Object] {
    var conditions = ["key IS NOT NULL"]
    if lower != nil { conditions.append(isAfterLower ? "key > ?1" : "key >= ?1") }
    if upper != nil { conditions.append(includesUpper ? "key <= ?2" : "key < ?2") }
    let sql = """
      SELECT id, key FROM \(table) WHERE \(conditions.joined(separator: " AND "))
      ORDER BY key LIMIT \(Self.pageSize)
      """
    return try connection.query(sql) { statement in
      if let lower { try statement.bind(lower, at: 1) }
      if let upper { try statement.bind(upper, at: 2) }
      return try Self.objects(statement)
    }
  }

  /// Numbers ascend, so their order is the order in which objects were made.
  private func keylessPage(_ connection: Connection) throws -> [Object] {
    let sql = """
      SELECT id, key FROM \(table) WHERE key IS NULL AND id > ?1 ORDER BY id LIMIT \(Self.pageSize)
      """
    return try connection.query(sql) { statement in
      try statement.bind(lastKeyless, at: 1)
      return try Self.objects(statement)
    }
  }

  private static func objects(_ statement: Statement) throws -> [Object] {
    var objects: [Object] = []
    while try statement.step() { objects.append((statement.id(0), try statement.key(1))) }
    return objects
  }
}
