import FastMapCore
import TestSupport
import Testing

/// Equalities with several values, which are several ranges of an index.
@Suite struct QueryRangeTests {
  private static let team = Mapping("Team", primaryKey: "id") { Attribute("id", .string) }

  private static let item = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("status", .string)
    Attribute("number", .integer)
    Attribute("real", .number)
    ToOne("team", team)
    Index("status", "number")
    Index("real")
    Index("team")
  }

  private func world(_ kind: StoreKind) throws -> World {
    let world = try World(kind, Self.item)
    let items = (0..<2000).map { number in
      let status = number % 50 == 0 ? "null" : #""s\#(number % 50)""#
      return
        #"{"id":\#(number),"status":\#(status),"number":\#(number % 7),"real":\#(number % 200),"team":"t\#(number % 100)"}"#
    }
    try world.load("[\(items.joined(separator: ","))]")
    return world
  }

  /// What a filter finds, and how. PostgreSQL tests these filters itself.
  static let cases: [(filter: String, explanation: String)] = [
    (
      "@.status == 's1' || @.status == 's2' || @.status == 's1'",
      #"Item, index "status,number", 2 ranges: 80 objects looked at, 80 found, sorted"#
    ),
    (
      "(@.status == 's1' || @.status == null) && (@.number == 1 || @.number == 2)",
      #"Item, index "status,number", 4 ranges: 24 objects looked at, 24 found, sorted"#
    ),
    (
      "(@.status == 's3' || @.status == 's4') && @.number >= 5",
      #"Item, index "status,number", 2 ranges: 24 objects looked at, 24 found, sorted"#
    ),
    (
      "@.real == 1 || @.real == 2.0 || @.real == 1.0",
      #"Item, index "real", 2 ranges: 20 objects looked at, 20 found, sorted"#
    ),
    ("@.real == 0 || @.real == -0", #"Item, index "real": 10 objects looked at, 10 found"#),
    (
      "@.team == 't1' || @.team == 't2' || @.team == 't999'",
      #"Item, index "team", 2 ranges: 40 objects looked at, 40 found, sorted"#
    ),
    (
      "@.team == 't999' || @.team == 't998'",
      "Item, nothing, as the filter is never true: 0 objects looked at, 0 found"
    ),
    ("@.real == 1 || @.status == 's1'", "scan of Item: 2000 objects looked at, 40 found"),
  ]

  @Test(arguments: StoreKind.allCases)
  func severalValuesAreSeveralRanges(_ kind: StoreKind) throws {
    guard kind == .lmdb || kind == .memory else { return }
    let world = try world(kind)
    let records = try world.store.read(world.plan()) { try $0.records(Query(world.plan())) }
    #expect(records.count == 2000)
    try world.store.read(world.plan()) { snapshot in
      for (filter, explanation) in Self.cases {
        let query = try Query(world.plan()).where(Filter(filter))
        #expect(try snapshot.explain(query).description == explanation, "\(filter)")
        let keys = try snapshot.keys(query)
        #expect(keys == keys.sorted(), "\(filter)")
        try #expect(snapshot.count(query) == keys.count, "\(filter)")
        try #expect(snapshot.keys(query.limit(5)) == Array(keys.prefix(5)), "\(filter)")
      }
    }
  }
}
