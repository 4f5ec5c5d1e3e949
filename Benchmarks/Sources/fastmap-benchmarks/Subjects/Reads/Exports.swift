import FastMapCore
import FastMapLMDB
import Foundation

/// FastMap: all parents with their children from an LMDB store into JSON text, piece by piece.
struct FastMapExport: Subject {
  let stored: StoredFamilies

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    return {
      var text: [UInt8] = []
      let report = try store.read(stored.plan) { records in
        try Serializer(stored.plan).export(from: &records.reader) { text.append(contentsOf: $0) }
      }
      try WrongOutcome.check(text.count > stored.families.json.count / 2, "JSON text")
      return report.objects
    }
  }
}

/// SQLite's own writer: one statement with `json_object` and `json_group_array`. It has no base64, so data is written
/// as hexadecimal digits.
struct SQLiteExport: Subject {
  let stored: StoredFamilies

  private static func object(_ row: String, _ more: String = "") -> String {
    let members = [
      "id", "boolean", "int16", "int32", "int64", "float", "double", "string", "decimal",
    ].map { "'\($0)', \(row).\($0)" }.joined(separator: ", ")
    return """
      json_object(\(members), 'date', strftime('%Y-%m-%dT%H:%M:%SZ', \(row).date, 'unixepoch'),
        'data', hex(\(row).data)\(more))
      """
  }

  func prepare() throws -> () throws -> Int {
    let sqlite = try FamilyDatabase(at: stored.sqlite, isIndexed: true).sqlite
    let children =
      ", 'children', (SELECT json_group_array(\(Self.object("c"))) FROM child c WHERE c.parent = p.id)"
    let sql = "SELECT \(Self.object("p", children)) FROM parent p ORDER BY p.id"
    return {
      let select = try sqlite.prepare(sql)
      var text: [UInt8] = []
      var count = 0
      while select.step() {
        text.append(contentsOf: select.bytes(0))
        count += 1
      }
      try WrongOutcome.check(text.count > stored.families.json.count / 2, "JSON text")
      return count
    }
  }
}

/// Foundation's `JSONEncoder`, from structs that are in memory.
struct FoundationEncoder: Subject {
  let parents: [Parent]

  init(_ stored: StoredFamilies) throws { parents = try Parent.decode(Data(stored.families.json)) }

  func prepare() throws -> () throws -> Int {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return {
      let text = try encoder.encode(parents)
      try WrongOutcome.check(text.count > parents.count, "JSON text")
      return parents.count
    }
  }
}
