import CSQLite
import Foundation

/// The families in SQLite: a table for each entity; children have their parent and position. Commits are durable: a
/// rollback journal and `synchronous = FULL`.
final class FamilyDatabase {
  let sqlite: SQLiteDatabase

  private static let columns = [
    "id", "boolean", "int16", "int32", "int64", "float", "double", "string", "date", "data", "decimal",
  ]

  /// - Parameter isIndexed: Whether children have an index by parent, which reading and replacing need and writing
  ///   pays for.
  init(at directory: String, isIndexed: Bool = false) throws {
    sqlite = try SQLiteDatabase(at: directory + "/families.sqlite")
    try sqlite.configure()
    let attributes = """
      id INTEGER PRIMARY KEY, boolean INTEGER, int16 INTEGER, int32 INTEGER, int64 INTEGER,
      float REAL, double REAL, string TEXT, date REAL, data BLOB, decimal TEXT
      """
    try sqlite.execute("CREATE TABLE IF NOT EXISTS parent (\(attributes))")
    try sqlite.execute(
      "CREATE TABLE IF NOT EXISTS child (\(attributes), parent INTEGER REFERENCES parent, position INTEGER)")
    if isIndexed { try sqlite.execute("CREATE INDEX IF NOT EXISTS child_parent ON child (parent, position)") }
  }

  /// The treatment of existing children.
  enum Old {
    /// They stay, and the new ones start at this position.
    case kept(firstPosition: Int)
    /// Children that are not in the payload are deleted.
    case deleted
  }

  /// Upserts in one transaction.
  func upsert(_ parents: [Parent], old: Old = .kept(firstPosition: 0)) throws {
    try sqlite.execute("BEGIN IMMEDIATE")
    let parentUpsert = try sqlite.prepare(Self.upsert("parent", Self.columns))
    let childUpsert = try sqlite.prepare(Self.upsert("child", Self.columns + ["parent", "position"]))
    let deletion = try sqlite.prepare(
      "DELETE FROM child WHERE parent = ? AND id NOT IN (SELECT value FROM json_each(?))")
    var first = 0
    if case .kept(let position) = old { first = position }
    for parent in parents {
      Self.bind(parent, to: parentUpsert)
      try parentUpsert.run()
      for (position, child) in parent.children.enumerated() {
        Self.bind(child, to: childUpsert)
        childUpsert.bind(Int64(parent.id), at: 12)
        childUpsert.bind(Int64(first + position), at: 13)
        try childUpsert.run()
      }
      guard case .deleted = old else { continue }
      deletion.bind(Int64(parent.id), at: 1)
      deletion.bind("[\(parent.children.map { String($0.id) }.joined(separator: ","))]", at: 2)
      try deletion.run()
    }
    try sqlite.execute("COMMIT")
  }

  private static func upsert(_ table: String, _ columns: [String]) -> String {
    let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO \(table) (\(columns.joined(separator: ", ")))
      VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      ON CONFLICT (id) DO UPDATE SET \(updates)
      """
  }

  private static func bind(_ relative: some Relative, to statement: SQLiteStatement) {
    statement.bind(Int64(relative.id), at: 1)
    statement.bind(Int64(relative.boolean ? 1 : 0), at: 2)
    statement.bind(Int64(relative.int16), at: 3)
    statement.bind(Int64(relative.int32), at: 4)
    statement.bind(relative.int64, at: 5)
    statement.bind(Double(relative.float), at: 6)
    statement.bind(relative.double, at: 7)
    statement.bind(relative.string, at: 8)
    statement.bind(relative.date.timeIntervalSince1970, at: 9)
    statement.bind(relative.data, at: 10)
    statement.bind(relative.decimal, at: 11)
  }
}
