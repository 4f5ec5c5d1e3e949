import CSimdjson
import Foundation

/// The usual solution without FastMap: `JSONDecoder` into structs, then SQLite upserts with prepared statements in
/// one transaction.
struct FoundationSQLite: Subject {
  let json: Data
  let folder: Folder

  init(_ families: Families, _ folder: Folder) {
    json = Data(families.json)
    self.folder = folder
  }

  func prepare() throws -> () throws -> Int {
    let database = try FamilyDatabase(at: folder.newDirectory("sqlite"))
    return {
      let parents = try Parent.decode(json)
      try database.upsert(parents)
      return parents.count
    }
  }
}

/// C++ written by hand: simdjson's On Demand interface and SQLite's prepared upserts in one transaction
/// (`Sources/CSimdjson/sqlite_families.cpp`).
struct SimdjsonSQLite: Subject {
  let text: PaddedText
  let folder: Folder

  func prepare() throws -> () throws -> Int {
    let database = try FamilyDatabase(at: folder.newDirectory("simdjson-sqlite"))
    return { try text.upsert(into: database) }
  }
}

/// SQLite's own reader: two statements over `json_each`, in one transaction. It has no base64, so data is stored as
/// text.
struct SQLiteJSONEach: Subject {
  let families: Families
  let folder: Folder

  private static let members = [
    "boolean", "int16", "int32", "int64", "float", "double", "string", "date", "data", "decimal",
  ]

  func prepare() throws -> () throws -> Int {
    let database = try FamilyDatabase(at: folder.newDirectory("json-each"))
    let updates = Self.members.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return {
      try database.sqlite.execute("BEGIN IMMEDIATE")
      let parents = try database.sqlite.prepare(
        """
        INSERT INTO parent (id, \(Self.members.joined(separator: ", ")))
        SELECT p.value ->> 'id', \(Self.values(of: "p")) FROM json_each(?) p WHERE true
        ON CONFLICT (id) DO UPDATE SET \(updates)
        """)
      let children = try database.sqlite.prepare(
        """
        INSERT INTO child (id, \(Self.members.joined(separator: ", ")), parent, position)
        SELECT c.value ->> 'id', \(Self.values(of: "c")), p.value ->> 'id', c.key
        FROM json_each(?) p, json_each(p.value, '$.children') c WHERE true
        ON CONFLICT (id) DO UPDATE SET \(updates), parent = excluded.parent, position = excluded.position
        """)
      for statement in [parents, children] {
        try families.json.withUnsafeBytes { bytes in
          statement.bindBorrowed(bytes, at: 1)
          try statement.run()
          statement.clear()
        }
      }
      try database.sqlite.execute("COMMIT")
      return try database.sqlite.count(of: "parent")
    }
  }

  private static func values(of row: String) -> String {
    members.map { $0 == "date" ? "unixepoch(\(row).value ->> 'date')" : "\(row).value ->> '\($0)'" }
      .joined(separator: ", ")
  }
}

/// A text with the padding that simdjson requires.
struct PaddedText {
  private let bytes: [UInt8]
  private let count: Int

  init(_ text: [UInt8]) {
    count = text.count
    bytes = text + [UInt8](repeating: 0, count: simdjson_subjects_padding())
  }

  /// Whether simdjson was available for this build.
  static var isKnown: Bool { simdjson_subjects_version() != nil }

  /// The number of parents.
  func upsert(into database: FamilyDatabase, firstPosition: Int = 0) throws -> Int {
    try with { Int(simdjson_sqlite_families(database.sqlite.unsafeHandle, $0, count, Int64(firstPosition))) }
  }

  /// The elements at the root of simdjson's tree.
  func parse() throws -> Int { try with { Int(simdjson_parse($0, count)) } }

  private func with(_ body: (UnsafePointer<UInt8>) -> Int) throws -> Int {
    let result = bytes.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? -1 }
    try WrongOutcome.check(result >= 0, "success of simdjson and SQLite")
    return result
  }
}
