internal import FastMapCore

/// Objects with values that are hard to sort, at random, and the order that an index should have.
enum IndexedItems {
  static let indexes = [
    Index("status"), Index("-status"), Index("status", "-number"), Index("-at", "flag"), Index("real"),
    Index("blob", "status"), Index("team"), Index("team", "-status"), Index("-real", "-number"),
    Index("number", "status", "-real", "at"),
  ]

  static let team = Mapping("Team", primaryKey: "name") {
    Attribute("name", .string)
    Attribute("size", .integer)
  }

  static func mapping(_ key: AttributeType, _ indexes: [Index]) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id", missingPrimaryKey: .insert) {
      Attribute("id", key)
      Attribute("status", .string)
      Attribute("number", .integer)
      Attribute("real", .number)
      Attribute("at", .date(.epoch))
      Attribute("flag", .boolean)
      Attribute("blob", .data)
      Attribute("extra", .json)
      ToOne("team", team)
      for index in indexes { index }
    }
  }

  // MARK: JSON

  private static let long = String(repeating: "long ", count: 70)

  static let statuses = [
    "", "\\u0000", "\\u0000a", "\\u0000\\u0000", "\\u0000\\u0001", "\\u0001", "\\u0002", "a\\u0000", "open",
    "closed", "a", "b",
    "A", "Ä", "ä", "ab", "abc", "a%", "a_", "é", "e", "z", "😀",
  ]
  static let longStatuses = [
    long, long + "a", long + "b", long + long, long + long + "x", long + "\\u0000",
    String(repeating: "é", count: 60), String(repeating: "\\u0000", count: 50),
    String(repeating: "x", count: 3000),
  ]
  static let numbers = [
    "0", "1", "-1", "255", "256", "-256", "-257", "9223372036854775806", "9223372036854775807",
    "-9223372036854775808", "9007199254740993",
  ]
  static let reals = [
    "0", "-0.0", "1", "1.5", "-1.5", "1e300", "-1e300", "5e-324", "9007199254740992", "9223372036854775807",
  ]
  static let dates = [
    "0", "1.5", "1.25", "-1.5", "-1.25", "1700000000", "1700000000.000001", "1700000000.0000005",
    "253402300799", "-62135596800",
  ]
  static let blobs = [
    "\"\"", "\"AA==\"", "\"AAA=\"", "\"/w==\"", "\"\(String(repeating: "AAAA", count: 80))\"",
  ]

  static func key(_ number: Int, _ type: AttributeType) -> String {
    guard type == .string else { return "\(number - 40)" }
    let pad = number % 16 == 0 ? String(repeating: "k", count: 140 + number % 5) : ""
    return "\"\(pad)\(number)\""
  }

  static func object(_ key: String?, _ random: inout SplitMix, longOnes: Bool) -> String {
    var members = key.map { ["\"id\":\($0)"] } ?? []
    func add(_ name: String, _ values: [String], _ quote: String = "") {
      switch random.next(6) {
      case 0: return
      case 1: members.append("\"\(name)\":null")
      default: members.append("\"\(name)\":\(quote)\(values[random.next(values.count)])\(quote)")
      }
    }
    add("status", longOnes && random.next(4) == 0 ? longStatuses : statuses, "\"")
    add("number", numbers)
    add("real", reals)
    add("at", dates)
    add("flag", ["true", "false"])
    add("blob", longOnes ? blobs : Array(blobs.dropLast()))
    add("extra", ["{\"a\":1}", "[1,null]", "\"x\"", "7", "false", "1e300", "\"\\u0000\""])
    add("team", (0..<5).map { "{\"name\":\"t\($0)\",\"size\":\($0 == 3 ? "null" : "\($0)")}" })
    return "{" + members.joined(separator: ",") + "}"
  }

  // MARK: Order

  /// The value that a field of an index sorts by; nil without a value.
  enum Rank: Comparable {
    case integer(Int64), unsigned(UInt64), real(Double), bytes([UInt8]), date(Timestamp), object(UInt64)

    static func < (a: Rank, b: Rank) -> Bool {
      switch (a, b) {
      case (.integer(let a), .integer(let b)): a < b
      case (.unsigned(let a), .unsigned(let b)): a < b
      case (.integer, .unsigned): true
      case (.real(let a), .real(let b)): a < b
      case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
      case (.date(let a), .date(let b)): a < b
      case (.object(let a), .object(let b)): a < b
      default: false
      }
    }
  }

  static func rank(_ field: String, of record: Record) -> Rank? {
    if field == "team" { return record.target("team").map { .object($0.rawValue) } }
    return switch record[field] {
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .boolean(let value): .integer(value ? 1 : 0)
    case .number(let value): .real(value)
    case .string(let text): .bytes(Array(text.utf8))
    case .data(let bytes): .bytes(bytes)
    case .date(let date): .date(date)
    default: nil
    }
  }

  static func content(_ field: String, of record: Record) -> IndexRange.Content {
    if field == "team" { return record.target("team").map { .object($0) } ?? .none }
    return record[field].map { .value($0) } ?? .none
  }

  static func isLong(_ record: Record, _ index: Index) -> Bool {
    index.fields.contains {
      if case .bytes(let bytes)? = rank($0.name, of: record) { bytes.count > 16 } else { false }
    }
  }

  /// - Parameter places: The places of objects without a key, in the order of creation.
  static func precedes(
    _ a: Record, _ b: Record, by index: Index, isDescending: Bool, _ places: [ObjectID: Int]
  ) -> Bool {
    for field in index.fields {
      let (first, second) = (rank(field.name, of: a), rank(field.name, of: b))
      if first == second { continue }
      let isLess = first.map { first in second.map { first < $0 } ?? false } ?? true
      return isLess != (field.isDescending != isDescending)
    }
    switch (a.key, b.key) {
    case (let first?, let second?): return first < second
    case (nil, nil): return places[a.id] ?? 0 < places[b.id] ?? 0
    case (let first, _): return first != nil
    }
  }
}
