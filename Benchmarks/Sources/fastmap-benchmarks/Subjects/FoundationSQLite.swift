import CSQLite
import Foundation

/// What is written today without FastMap: `JSONDecoder` into structs, then SQLite upserts with prepared
/// statements in one transaction.
///
/// The commit is on the disk: a rollback journal and `synchronous = FULL`. There is no index on the child's
/// parent, which reading the relationship would want and writing would have to pay for.
struct FoundationSQLite: Subject {
  let json: Data
  let folder: Folder

  init(_ families: Families, _ folder: Folder) {
    json = Data(families.json)
    self.folder = folder
  }

  private static let columns = [
    "id", "boolean", "int16", "int32", "int64", "float", "double", "string", "date", "data", "decimal",
  ]

  func prepare() throws -> () throws -> Int {
    let database = try SQLiteDatabase(at: folder.newDirectory("sqlite") + "/families.sqlite")
    try database.execute("PRAGMA journal_mode = DELETE")
    try database.execute("PRAGMA synchronous = FULL")
    let attributes = """
      id INTEGER PRIMARY KEY, boolean INTEGER, int16 INTEGER, int32 INTEGER, int64 INTEGER,
      float REAL, double REAL, string TEXT, date REAL, data BLOB, decimal TEXT
      """
    try database.execute("CREATE TABLE parent (\(attributes))")
    try database.execute(
      "CREATE TABLE child (\(attributes), parent INTEGER REFERENCES parent, position INTEGER)")
    return {
      let parents = try Parent.decode(json)
      try database.execute("BEGIN IMMEDIATE")
      let parentUpsert = try database.prepare(Self.upsert("parent", Self.columns))
      let childUpsert = try database.prepare(Self.upsert("child", Self.columns + ["parent", "position"]))
      for parent in parents {
        Self.bind(parent, to: parentUpsert)
        try parentUpsert.run()
        for (position, child) in parent.children.enumerated() {
          Self.bind(child, to: childUpsert)
          childUpsert.bind(Int64(parent.id), at: 12)
          childUpsert.bind(Int64(position), at: 13)
          try childUpsert.run()
        }
      }
      try database.execute("COMMIT")
      return parents.count
    }
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
