import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Secondary indexes against a model: the records, sorted.
@Suite struct IndexTests {
  let scratch = Scratch()

  static let indexes = [
    Index("status"), Index("-status"), Index("status", "-number"), Index("-at", "flag"), Index("real"),
    Index("blob", "status"), Index("team"), Index("team", "-status"),
    Index("number", "status", "-real", "at"),
  ]

  static let team = Mapping("Team", primaryKey: "name") { Attribute("name", .string) }

  static func item(_ key: AttributeType, _ indexes: [Index]) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id", missingPrimaryKey: .insert) {
      Attribute("id", key)
      Attribute("status", .string)
      Attribute("number", .integer)
      Attribute("real", .number)
      Attribute("at", .date(.epoch))
      Attribute("flag", .boolean)
      Attribute("blob", .data)
      ToOne("team", team)
      for index in indexes { index }
    }
  }

  // MARK: Random objects

  private static let long = String(repeating: "long ", count: 70)

  private static func text(_ random: inout Random) -> String {
    switch random.next(8) {
    case 0: return ""
    case 1: return "\\u0000" + ["", "a", "\\u0000", "\\u0001"][random.next(4)]
    case 2: return long + ["", "a", "b", long, long + "x", "\\u0000"][random.next(6)]
    case 3: return String(repeating: ["x", "é", "\\u0000"][random.next(3)], count: 30 + random.next(40))
    default: return ["open", "closed", "a", "b", "Ä", "ab", "abc"][random.next(7)]
    }
  }

  private static func key(_ number: Int, _ type: AttributeType) -> String {
    guard type == .string else { return "\(number - 40)" }
    let pad = number % 3 == 0 ? String(repeating: "k", count: 140 + number % 5) : ""
    return "\"\(pad)\(number)\""
  }

  private static func object(_ key: String?, _ random: inout Random) -> String {
    var members = key.map { ["\"id\":\($0)"] } ?? []
    func add(_ name: String, _ value: @autoclosure () -> String) {
      switch random.next(6) {
      case 0: return
      case 1: members.append("\"\(name)\":null")
      default: members.append("\"\(name)\":\(value())")
      }
    }
    add("status", "\"\(text(&random))\"")
    let numbers = [
      "0", "1", "-1", "255", "256", "-256", "-257", "9223372036854775807", "-9223372036854775808",
    ]
    add("number", numbers[random.next(numbers.count)])
    add("real", ["0", "-0.0", "1.5", "-1.5", "1e300", "-1e300", "5e-324"][random.next(7)])
    add("at", ["0", "1.5", "1.25", "-1.5", "1700000000", "1700000000.000001"][random.next(6)])
    add("flag", random.next(2) == 0 ? "true" : "false")
    add("blob", ["\"\"", "\"AA==\"", "\"AAA=\"", "\"/w==\""][random.next(4)])
    add("team", "{\"name\":\"t\(random.next(5))\"}")
    return "{" + members.joined(separator: ",") + "}"
  }

  // MARK: The model

  /// What a part of an index sorts by; nil without a value.
  private enum Rank: Comparable {
    case integer(Int64)
    case real(Double)
    case bytes([UInt8])
    case date(Timestamp)

    static func < (a: Rank, b: Rank) -> Bool {
      switch (a, b) {
      case (.integer(let a), .integer(let b)): a < b
      case (.real(let a), .real(let b)): a < b
      case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
      case (.date(let a), .date(let b)): a < b
      default: false
      }
    }
  }

  private func rank(_ field: String, of record: Record) -> Rank? {
    if field == "team" { return record.target("team").map { .integer(Int64($0.rawValue)) } }
    return switch record[field] {
    case .integer(let value): .integer(value)
    case .boolean(let value): .integer(value ? 1 : 0)
    case .number(let value): .real(value)
    case .string(let text): .bytes(Array(text.utf8))
    case .data(let bytes): .bytes(bytes)
    case .date(let date): .date(date)
    default: nil
    }
  }

  private func precedes(_ a: Record, _ b: Record, by index: Index, isDescending: Bool) -> Bool {
    for field in index.fields {
      let (first, second) = (rank(field.name, of: a), rank(field.name, of: b))
      if first == second { continue }
      let isLess = first.map { first in second.map { first < $0 } ?? false } ?? true
      return isLess != (field.isDescending != isDescending)
    }
    switch (a.key, b.key) {
    case (let first?, let second?): return first < second
    case (nil, nil): return a.id < b.id
    case (let first, _): return first != nil
    }
  }

  private func content(_ field: String, of record: Record) -> IndexRange.Content {
    if field == "team" { return record.target("team").map { .object($0) } ?? .none }
    return record[field].map { .value($0) } ?? .none
  }

  /// A range that begins and ends at values that are stored.
  private func expectRange(
    _ reader: inout LMDBReader, _ index: Schema.Index, _ declared: Index, _ sorted: [Record],
    _ isDescending: Bool, _ random: inout Random, _ location: SourceLocation
  ) throws {
    guard let sample = sorted.randomElement(using: &random) else { return }
    let count = random.next(declared.fields.count)
    var range = IndexRange(equal: declared.fields[..<count].map { content($0.name, of: sample) })
    let field = declared.fields[count].name
    var expected = sorted.filter { record in
      declared.fields[..<count].allSatisfy { rank($0.name, of: record) == rank($0.name, of: sample) }
    }
    if field != "team" {
      func bound() -> (IndexRange.Bound, Rank)? {
        guard random.next(3) > 0, let record = sorted.randomElement(using: &random),
          let value = record[field], let rank = rank(field, of: record)
        else { return nil }
        return (IndexRange.Bound(value, isIncluded: random.next(2) == 0), rank)
      }
      if let (lower, least) = bound() {
        range.lower = lower
        expected.removeAll {
          rank(field, of: $0).map { lower.isIncluded ? $0 < least : $0 <= least } ?? true
        }
      }
      if let (upper, most) = bound() {
        range.upper = upper
        expected.removeAll { rank(field, of: $0).map { upper.isIncluded ? $0 > most : $0 >= most } ?? true }
      }
    }
    var found: [ObjectID] = []
    try reader.forEachPage(
      in: index, of: 0, range: range, isDescending: isDescending, after: nil, pageSize: 50
    ) {
      found += $1.ids
      return true
    }
    // Long strings that begin alike may be in it.
    let wanted = Set(expected.map(\.id))
    let extra = sorted.filter { !wanted.contains($0.id) && found.contains($0.id) }
    let isLong: (Record) -> Bool = { record in
      declared.fields.contains {
        if case .bytes(let bytes)? = rank($0.name, of: record) { bytes.count > 30 } else { false }
      }
    }
    #expect(extra.allSatisfy(isLong), "\(declared), \(range)", sourceLocation: location)
    #expect(
      found.filter(wanted.contains) == expected.map(\.id), "\(declared), \(range)", sourceLocation: location)
    let counted = try reader.count(in: index, of: 0, range: range, limit: .max)
    #expect(counted == found.count, "\(declared), \(range)", sourceLocation: location)
  }

  private func expectIndexes(
    _ store: LMDBStore, _ mapping: Mapping<Record>, _ random: inout Random,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try store.expectSound(location)
    let plan = try Plan(mapping)
    let records = try store.read(plan) { try $0.records("Item") }
    try store.read(plan.schema) { reader in
      for index in reader.indexes(of: 0) {
        let declared = Index(index.name.split(separator: ",").map { Index.Field(String($0)) })
        for isDescending in [false, true] {
          var found: [ObjectID] = []
          try reader.forEachPage(
            in: index, of: 0, range: IndexRange(), isDescending: isDescending, after: nil, pageSize: 50
          ) {
            found += $1.ids
            return true
          }
          let expected = records.sorted { precedes($0, $1, by: declared, isDescending: isDescending) }
          #expect(found == expected.map(\.id), "\(declared), \(isDescending)", sourceLocation: location)
          // Behind any object with a key, present or not.
          for _ in 0..<4 {
            guard let place = expected.indices.randomElement(using: &random), let key = expected[place].key
            else { continue }
            let position = IndexRange.Position(
              contents: declared.fields.map { content($0.name, of: expected[place]) }, key: key)
            var behind: [ObjectID] = []
            try reader.forEachPage(
              in: index, of: 0, range: IndexRange(), isDescending: isDescending, after: position, pageSize: 50
            ) {
              behind += $1.ids
              return behind.count < 100
            }
            #expect(
              behind.prefix(100) == expected[(place + 1)...].map(\.id).prefix(100),
              "\(declared), \(isDescending), \(position)", sourceLocation: location)
          }
          try expectRange(&reader, index, declared, expected, isDescending, &random, location)
        }
      }
    }
  }

  // MARK: Tests

  @Test func aDeletionFindsItsObjectsAlthoughItsMappingDeclaresANewIndex() throws {
    let store = try LMDBStore(at: scratch.store)
    let json = (0..<100).map { #"{"id":\#($0),"status":"s\#($0 % 50)"}"# }.joined(separator: ",")
    _ = try Mapper(store).importJSON("[\(json)]", as: Self.item(.integer, []))
    let declaring = try Plan(Self.item(.integer, [Index("status")]))
    try store.delete(Query(declaring).where(try Filter("@.status == 's7'")))
    #expect(try store.read(declaring) { try $0.count(declaring.all) } == 98)
    #expect(
      try store.read(declaring) { try $0.count(Query(declaring).where(try Filter("@.status == 's7'"))) } == 0)
    #expect(try store.check().isSound)
  }

  @Test(arguments: [AttributeType.integer, .string])
  func indexesKeepTheirOrderThroughAnyChanges(_ type: AttributeType) throws {
    var random = Random(for: "IndexTests")
    let mapping = Self.item(type, Self.indexes)
    let store = try LMDBStore(at: scratch.store)
    for round in 0..<24 {
      let count = [1, 30, 200][random.next(3)]
      let objects = (0..<count).map { _ in
        Self.object(random.next(10) == 0 ? nil : Self.key(random.next(150), type), &random)
      }
      try store.take("[" + objects.joined(separator: ",") + "]", as: mapping)
      if round % 3 == 2 {
        let all = try store.read(mapping) { try $0.records("Item").compactMap { $0.key } }
        _ = try store.delete("Item", keys: all.filter { _ in random.next(3) == 0 }, in: mapping)
        _ = try store.delete(Self.team, key: PrimaryKey("t\(random.next(5))"))
      }
      if round % 8 == 0 { try expectIndexes(store, mapping, &random) }
    }
    try expectIndexes(store, mapping, &random)
  }

  @Test func aDeclaredIndexIsBuiltByTheFirstWriteAndStays() throws {
    var random = Random(for: "IndexTests")
    let store = try LMDBStore(at: scratch.store)
    let plain = Self.item(.integer, [])
    let objects = (0..<400).map { Self.object(Self.key($0, .integer), &random) }
    try store.take("[" + objects.joined(separator: ",") + "]", as: plain)
    let declared = Self.item(.integer, Self.indexes)
    try store.read(try Plan(declared).schema) { #expect($0.indexes(of: 0).isEmpty) }
    try store.take("[" + Self.object("7", &random) + "]", as: declared)
    try store.read(try Plan(declared).schema) { #expect($0.indexes(of: 0).count == Self.indexes.count) }
    try expectIndexes(store, declared, &random)
    try store.take("[" + Self.object("7", &random) + "]", as: plain)
    try expectIndexes(store, declared, &random)
  }

  @Test func aDumpHasTheIndexesAndARepairBuildsThemAgain() throws {
    var random = Random(for: "IndexTests")
    let mapping = Self.item(.integer, Self.indexes + [Index("id", "flag", isUnique: true)])
    let (dump, repaired) = (scratch.path + "/dump", scratch.path + "/repaired")
    do {
      let store = try LMDBStore(at: scratch.store)
      let objects = (0..<100).map { Self.object(Self.key($0, .integer), &random) }
      try store.take("[" + objects.joined(separator: ",") + "]", as: mapping)
      try store.dump(to: dump)
    }
    let copy = try LMDBStore(at: scratch.path + "/copy")
    try copy.load(dump: dump)
    #expect(try LMDBStore.repair(from: scratch.store, to: repaired).isComplete)
    for (number, store) in [copy, try LMDBStore(at: repaired)].enumerated() {
      try expectIndexes(store, mapping, &random)
      try store.dump(to: scratch.path + "/dump\(number)")
      #expect(try Files.bytes(of: dump) == Files.bytes(of: scratch.path + "/dump\(number)"))
    }
  }

  @Test func aRepairLeavesOutIndexesThatNameNothing() throws {
    let mapping = Self.item(.integer, [Index("status")])
    do {
      let store = try LMDBStore(at: scratch.store)
      try store.take(#"[{"id":1,"status":"open"},{"id":2,"status":"closed"}]"#, as: mapping)
      let lost = IndexLayout(
        number: 7, entity: 0, parts: [.init(field: 40, isDescending: false)], isUnique: false)
      try put(lost.bytes, under: Array("index".utf8) + [0, 7], store)
      try put([1, 2, 3], under: Array("index".utf8) + [0, 8], store)
      #expect(throws: LMDBError.self) { try store.read(mapping) { try $0.records("Item").count } }
    }
    let repaired = scratch.path + "/repaired"
    let report = try LMDBStore.repair(from: scratch.store, to: repaired)
    #expect(
      report.problems.contains { $0.description.contains("index 7: its entity or a field of it is lost") })
    let copy = try LMDBStore(at: repaired)
    #expect(try copy.read(mapping) { try $0.records("Item").count } == 2)
    try copy.take(
      #"{"id":3,"status":"open"}"#, as: Self.item(.integer, [Index("status"), Index("number")]))
    #expect(try copy.check().isSound)
  }

  private func put(_ rest: [UInt8], under key: [UInt8], _ store: LMDBStore) throws {
    try store.environment.write { transaction in
      try key.withUnsafeBytes { key in
        let checksum = rest.withUnsafeBytes { Checksum.make(.meta, key, $0) }
        let value = withUnsafeBytes(of: checksum.littleEndian) { Array($0) } + rest
        try value.withUnsafeBytes { try transaction.put(store.tables.meta, key, $0) }
      }
    }
  }

  @Test(arguments: [
    (#"[{"fields":["number","-number"]}]"#, "$.entities[0].indexes[0].fields: a field occurs twice"),
    (
      #"[{"fields":["number"]},{"fields":["number"],"unique":true}]"#,
      "$.entities[0].indexes[1]: the same index occurs twice"
    ),
  ])
  func aDumpHasEachIndexOnce(_ indexes: String, _ message: String) throws {
    try expectFault(ofDumpWith: indexes, message)
  }

  @Test func aDumpWithTooManyIndexesIsRefused() throws {
    let fields = ["status", "number", "real", "at", "flag", "blob", "team", "id"]
    let indexes = (0..<70_000).map { number in
      // A permutation of the fields. In every second index the first one descends.
      var (rest, names, left) = (fields, [String](), number / 2)
      while !rest.isEmpty {
        let count = rest.count
        names.append(rest.remove(at: left % count))
        left /= count
      }
      if number % 2 == 1 { names[0] = "-" + names[0] }
      return #"{"fields":["# + names.map { #""\#($0)""# }.joined(separator: ",") + "]}"
    }
    try expectFault(
      ofDumpWith: "[" + indexes.joined(separator: ",") + "]",
      "$.entities[0].indexes[65535]: a store has at most 65535 indexes")
  }

  private func expectFault(ofDumpWith indexes: String, _ message: String) throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"[{"id":1,"number":1}]"#, as: Self.item(.integer, [Index("number")]))
    let dump = scratch.path + "/dump"
    try store.dump(to: dump)
    let text = String(decoding: try Files.bytes(of: dump), as: UTF8.self)
      .replacing(#"[{"fields":["number"]}]"#, with: indexes)
    try scratch.write(text, to: "changed")
    let error = try #require(throws: DumpError.self) {
      try LMDBStore(at: scratch.path + "/copy").load(dump: scratch.path + "/changed")
    }
    #expect("\(error)".contains(message), "\(error)")
  }
}
