import FastMapCore
import FastMapQueries
import TestSupport
import Testing

/// Groups and their numbers, on every store.
@Suite struct GroupTests {
  static let mappings = #"""
    {"fastmap": 1, "mappings": {
      "Order": {"primaryKey": "id", "attributes": {
        "id": "integer", "status": "string", "total": "number", "exact": "decimal", "units": "integer", "at": "date",
        "isPaid": "boolean", "words": ["string"], "extra": "json"},
        "relationships": {"customer": {"mapping": "Customer"}, "tags": {"mapping": "Tag", "toMany": true}}},
      "Customer": {"primaryKey": ["a", "b"], "attributes": {"a": "string", "b": "integer", "city": "string"}},
      "Tag": {"primaryKey": "k", "attributes": {"k": "string"}}}}
    """#

  static let orders = #"""
    [{"id": 1, "status": "paid", "total": 0.1, "exact": 1.10, "units": 1, "at": "2020-01-02T00:00:00Z", "isPaid": true,
      "customer": {"a": "x", "b": 1, "city": "Bern"}, "tags": [{"k": "s"}, {"k": "t"}]},
     {"id": 2, "status": "paid", "total": 0.2, "exact": 1.1, "units": 2, "at": "2020-01-01T00:00:00Z", "isPaid": true,
      "customer": {"a": "x", "b": 2, "city": "Rome"}, "tags": [{"k": "s"}]},
     {"id": 3, "status": "open", "total": 0.3, "exact": 10, "isPaid": false, "customer": {"a": "x", "b": 1}},
     {"id": 4, "total": -0.0, "units": 9223372036854775807}, {"id": 5, "status": "paid"}]
    """#

  private func world(_ kind: StoreKind, _ json: String = orders) throws -> World {
    let set = try MappingSet(file: Self.mappings)
    return try World(kind, try set.plan(for: "Order"), holding: json)
  }

  private func text(_ rows: [[Value]]) -> String {
    rows.map { $0.map { "\($0.messageText)" }.joined(separator: " ") }.joined(separator: "; ")
  }

  static let cases: [(fields: [String], columns: [Aggregate], expected: String)] = [
    (["status"], [.count], #"null 1; "open" 1; "paid" 3"#),
    (
      ["status", "customer.city"], [.count],
      #"null null 1; "open" "Bern" 1; "paid" null 1; "paid" "Bern" 1; "paid" "Rome" 1"#
    ),
    (
      ["status"], [.sum("units"), .average("units"), .min("units"), .max("units")],
      #"null 9223372036854775807 9.223372036854776e+18 9223372036854775807 9223372036854775807; "open" null null null null; "#
        + #""paid" 3 1.5 1 2"#
    ),
    // 0.1 + 0.2 + 0.3 of doubles is 0.6000000000000001 from left to right.
    ([], [.sum("total"), .average("total"), .count], "0.6 0.15 5"),
    ([], [.sum("exact"), .average("exact")], "12.20 4.066666666666666"),
    (["exact"], [.count, .sum("total")], "null 2 0; 1.1 2 0.30000000000000004; 10 1 0.3"),
    (["total"], [.count], "null 1; 0 1; 0.1 1; 0.2 1; 0.3 1"),
    (
      ["isPaid"], [.max("at"), .min("at")],
      #"null null null; false null null; true "2020-01-02T00:00:00Z" "2020-01-01T00:00:00Z""#
    ),
    (["units"], [], "null; 1; 2; 9223372036854775807"),
    ([], [.max("status"), .min("customer.city")], #""paid" "Bern""#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func groupsAreCountedAndSummed(
    _ kind: StoreKind, _ test: (fields: [String], columns: [Aggregate], expected: String)
  ) throws {
    let world = try world(kind)
    let rows = try world.store.read { try $0.groups(world.plan(), by: test.fields, test.columns) }
    #expect(text(rows) == test.expected)
  }

  @Test(arguments: StoreKind.allCases)
  func filtersKeysAndLimitsNarrowTheObjects(_ kind: StoreKind) throws {
    let world = try world(kind)
    let plan = world.plan()
    try world.store.read { snapshot in
      let open = plan.where { $0["total"] > 0.15 }
      try #expect(text(snapshot.groups(open, by: ["status"], [.count])) == #""open" 1; "paid" 1"#)
      try #expect(text(snapshot.groups(plan.keys(1...2), [.sum("units")])) == "3")
      let last = plan.sorted(by: "id", descending: true).limit(2)
      try #expect(text(snapshot.groups(last, by: ["status"], [.count])) == #"null 1; "paid" 1"#)
      // No objects are one group without fields, and none with fields.
      let none = plan.where { $0["id"] > 100 }
      try #expect(text(snapshot.groups(none, [.count, .sum("units")])) == "0 null")
      try #expect(snapshot.groups(none, by: ["status"], [.count]).isEmpty)
      try #expect(text(snapshot.groups(plan, [.count])) == "5")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aSumOfIntegersBeyond64BitsIsAnError(_ kind: StoreKind) throws {
    let world = try world(
      kind,
      #"[{"id": 1, "units": 9223372036854775807}, {"id": 2, "units": 9223372036854775807}, {"id": 3, "units": 2}]"#
    )
    try world.store.read { snapshot in
      // Two of them are an integer without a sign.
      try #expect(text(snapshot.groups(world.plan().keys(1...2), [.sum("units")])) == "18446744073709551614")
      let text = message { _ = try snapshot.groups(world.plan(), [.sum("units")]) }
      #expect(text == "sum(@.units): the exact value is too large for its type")
      try #expect(self.text(snapshot.groups(world.plan(), [.average("units")])) == "6148914691236516864")
    }
  }

  static let mistakes: [(fields: [String], columns: [Aggregate], expected: String)] = [
    (["tags"], [], "@.tags: expected one value to group by, found the to-many relationship @.tags"),
    (["words"], [], "@.words: expected an attribute to group by, found a list, which has no order"),
    (["extra"], [], "@.extra: expected an attribute to group by, found JSON, which has no order"),
    ([], [.sum("status")], "@.status: expected numbers for sum, found a string"),
    ([], [.average("at")], "@.at: expected numbers for avg, found a date"),
    ([], [.max("extra")], "@.extra: expected an attribute for max, found JSON, which has no order"),
    (["statu"], [], #"@.statu: Order has no field named "statu"; did you mean "status"?"#),
  ]

  @Test(arguments: mistakes)
  func fieldsThatDoNotGroupAreRefused(
    _ test: (fields: [String], columns: [Aggregate], expected: String)
  ) throws {
    let world = try world(.memory)
    let text = message {
      try world.store.read { _ = try $0.groups(world.plan(), by: test.fields, test.columns) }
    }
    #expect(text == test.expected)
  }

  @Test(arguments: StoreKind.allCases)
  func objectsAreSortedByTheLengthOfAList(_ kind: StoreKind) throws {
    let world = try world(kind)
    let query = world.plan().sorted(by: { $0["tags"].count }, descending: true)
    try world.store.read { snapshot in
      try #expect(snapshot.keys(query) == [1, 2, 3, 4, 5])
      try #expect(snapshot.keys(query.after(key: 2).limit(2)) == [3, 4])
    }
  }
}
