import FastMapCore
import FastMapStoreTesting
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

  /// Filters, and how their objects are found. PostgreSQL tests these filters itself.
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
    let records = try world.store.read(world.plan()) { try $0.records(world.plan().query) }
    #expect(records.count == 2000)
    try world.store.read(world.plan()) { snapshot in
      for (filter, explanation) in Self.cases {
        let query = try world.plan().where(Filter(filter))
        #expect(try snapshot.explain(query).description == explanation, "\(filter)")
        let keys = try snapshot.keys(query)
        #expect(keys == keys.sorted(), "\(filter)")
        try #expect(snapshot.count(query) == keys.count, "\(filter)")
        try #expect(snapshot.keys(query.limit(5)) == Array(keys.prefix(5)), "\(filter)")
      }
    }
  }

  /// A scan would have to sort its objects. So the size of the range makes no difference.
  @Test(arguments: StoreKind.allCases)
  func aRangeInTheOrderOfItsIndexIsNotSorted(_ kind: StoreKind) throws {
    guard kind == .lmdb || kind == .memory else { return }
    let world = try world(kind)
    let real = "real"
    try world.store.read(world.plan()) { snapshot in
      for (end, count) in [(2, 20), (50, 500), (150, 1500), (200, 2000)] {
        let range = try world.plan().where(Filter("@.real < \(end)"))
        let found = "\(count) objects looked at, \(count) found"
        try #expect(
          snapshot.explain(range.sorted(by: real, descending: false)).description
            == #"Item, index "real": \#(found)"#)
        // Objects found out of order have to be sorted, either way.
        let number = "number"
        let isScan = try snapshot.explain(range.sorted(by: number, descending: false)).access == .scan
        #expect(isScan == (count > 20))
        try #expect(snapshot.keys(range.sorted(by: real, descending: true)).count == count)
      }
    }
  }

  // MARK: Values that no integer is equal to

  private static func isIn(_ name: [String], _ values: [FilterLiteral]) -> Filter {
    Filter(.isOne(.path(FilterPath(name.map { FilterStep(.name($0)) })), of: values))
  }

  private static let noIntegers: [FilterLiteral] = [
    .number(1.5), .number(1e30), .number(-1e30), .number(-0x1p63 - 2048), .number(.infinity),
  ]

  /// Lists of values of a field, and how their objects are found. PostgreSQL itself tests the lists of indexed fields.
  static let lists: [(field: [String], values: [FilterLiteral], more: [FilterLiteral], explanation: String)] =
    [
      (
        ["number"], [.integer(3), .number(4)], noIntegers,
        #"Item, index "number", 2 ranges: 40 objects looked at, 40 found, sorted"#
      ),
      (["number"], [.integer(3)], noIntegers, #"Item, index "number": 20 objects looked at, 20 found"#),
      (
        ["number"], [], noIntegers, "Item, nothing, as the filter is never true: 0 objects looked at, 0 found"
      ),
      (
        ["number"], [.null, .integer(3)], noIntegers,
        #"Item, index "number", 2 ranges: 20 objects looked at, 20 found, sorted"#
      ),
      (
        ["id"], [.integer(3), .number(4), .integer(-1)], noIntegers + [.unsigned(.max)],
        "Item, the keys -1, 3, 4: 2 objects looked at, 2 found"
      ),
      (
        ["id"], [], [.unsigned(1 << 63)],
        "Item, nothing, as the filter is never true: 0 objects looked at, 0 found"
      ),
      (
        ["group", "id"], [.integer(3), .integer(4), .integer(-1)], noIntegers + [.unsigned(.max)],
        #"Item, index "group", 2 ranges: 40 objects looked at, 40 found, sorted"#
      ),
      (
        ["group", "id"], [], noIntegers + [.unsigned(.max)],
        "Item, nothing, as the filter is never true: 0 objects looked at, 0 found"
      ),
    ]

  private static let group = Mapping("Group", primaryKey: "id") { Attribute("id", .integer) }

  private static let member = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("number", .integer)
    ToOne("group", group)
    Index("number")
    Index("group")
  }

  /// Objects whose groups are stored in the reverse order of their keys.
  private func members(_ kind: StoreKind) throws -> World {
    let world = try World(kind, Self.member)
    let items = (0..<2000).map { number in
      let group = number % 101 == 100 ? "null" : #"{"id":\#(99 - number % 100)}"#
      return #"{"id":\#(number),"number":\#(number % 100),"group":\#(group)}"#
    }
    try world.load("[\(items.joined(separator: ","))]")
    return world
  }

  /// Nothing is equal to them, so the others are found as without them, in a list and in a chain of `==`.
  @Test(arguments: StoreKind.allCases)
  func aValueThatNoIntegerIsEqualToTakesNoIndexFromTheOthers(_ kind: StoreKind) throws {
    let world = try members(kind)
    let keepsIndexes = kind == .memory || kind == .lmdb
    try world.store.read(world.plan()) { snapshot in
      for (field, values, more, explanation) in TestSize.cases(Self.lists, small: keepsIndexes ? 8 : 2) {
        let all = more.prefix(2) + values + more.dropFirst(2)
        let chain = Filter.any(all.map { Self.isIn(field, [$0]) })
        let without = world.plan().where(Self.isIn(field, values))
        for filter in [Self.isIn(field, Array(all)), chain, try Filter(chain.description)] {
          let query = world.plan().where(filter)
          let found = try snapshot.explain(query).description
          // A large integer beside the key of a related object drops out where an index is chosen.
          if keepsIndexes || field.count == 1 {
            try #expect(found == snapshot.explain(without).description, "\(filter)")
          }
          if keepsIndexes || field == ["id"] { #expect(found == explanation, "\(filter)") }
          try #expect(snapshot.keys(query) == snapshot.keys(without), "\(filter)")
        }
      }
    }
  }

  /// Its entries are in the order of the targets' numbers, and not of their keys.
  @Test(arguments: StoreKind.allCases)
  func aRelationshipInAnIndexFindsAndDoesNotSort(_ kind: StoreKind) throws {
    let world = try members(kind)
    let all = world.plan().query
    let keys = "group.id"
    let lists: [(values: [FilterLiteral], groups: [Int], ranges: String)] = [
      ([.integer(7)], [7], ""), ([.integer(7), .integer(-1), .integer(3)], [7, 3], ", 2 ranges"),
    ]
    try world.store.read(world.plan()) { snapshot in
      for (values, groups, ranges) in lists {
        let query = all.where(Self.isIn(["group"], values))
        let found = try snapshot.keys(query)
        let expected = (0..<2000).filter { $0 % 101 != 100 && groups.contains(99 - $0 % 100) }
        #expect(found == expected.map { PrimaryKey($0) })
        if kind == .memory || kind == .lmdb {
          let (count, sorted) = (expected.count, ranges.isEmpty ? "" : ", sorted")
          try #expect(
            snapshot.explain(query).description
              == #"Item, index "group"\#(ranges): \#(count) objects looked at, \#(count) found\#(sorted)"#)
        }
      }
      let sorted = all.sorted(by: keys, descending: false).limit(40)
      let path = try snapshot.explain(sorted)
      #expect(path.access == .scan)
      #expect(path.isSorted || path.isSortedByStore)
      let groups = (0..<2000).map { (group: $0 % 101 == 100 ? -1 : 99 - $0 % 100, id: $0) }
      try #expect(snapshot.keys(sorted) == groups.sorted { $0 < $1 }.prefix(40).map { PrimaryKey($0.id) })
    }
  }
}
