import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Texts in lower case, in filters and orders.
@Suite struct LowerTests {
  private final class Person {
    var id = 0
    var name: String?
    var boss: Person?
    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init)
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("boss", \.boss, mapping)
      Index("name")
    }
  }

  private static let records: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("note", .json)
    ToOne("boss", records)
    Index("name")
  }

  private func world(_ kind: StoreKind, _ mapping: some PlanSource = Person.mapping) throws -> World {
    let world = try World(kind, mapping)
    try world.load(
      #"""
      [{"id":1,"name":"ADA","note":{"a":"X","list":["AB","C"]}},{"id":2,"name":"ada","boss":{"id":1}},
       {"id":3,"name":"Éva","note":"TEXT"},{"id":4,"name":"ΟΔΟΣ"},{"id":5,"name":"İstanbul","note":7},{"id":6},
       {"id":7,"name":"ΣΑΣ ΣΑ"},{"id":8,"name":"bo","boss":{"id":3}}]
      """#)
    return world
  }

  private static let filters: [(filter: String, keys: [Int])] = [
    ("lower(@.name) == 'ada'", [1, 2]), ("lower(@.name) != 'ada'", [3, 4, 5, 6, 7, 8]),
    ("'ada' == lower(@.name)", [1, 2]), ("lower(@.name) == 'ADA'", []),
    ("lower(@.name) == 'éva'", [3]), ("lower(@.name) == 'οδος'", [4]), ("lower(@.name) == 'οδοσ'", []),
    ("lower(@.name) == 'σας σα'", [7]), (#"lower(@.name) == "i\u0307stanbul""#, [5]),
    ("lower(@.name) == null", [6]), ("lower(@.name) <= null", [6]), ("lower(@.name) < 'b'", [1, 2]),
    ("lower(@.name) == @.name", [2, 6, 8]), ("lower(@.name) == lower(@.boss.name)", [2, 6]),
    ("match(lower(@.name), 'a.a')", [1, 2]), ("search(lower(@.name), 'd')", [1, 2]),
    ("lower(@.boss.name) == 'éva'", [8]), ("lower(@.note) == 'text'", [3]), ("lower(@.note.a) == 'x'", [1]),
    ("lower(@.note.list[0]) == 'ab'", [1]), ("@.note.list[?lower(@) == 'c']", [1]),
    ("length(lower(@.name)) == 9", [5]), ("!(lower(@.name) > 'a')", [6]),
  ]

  @Test(arguments: StoreKind.allCases)
  func filtersCompareTextsInLowerCase(_ kind: StoreKind) throws {
    let world = try world(kind, Self.records)
    for (text, keys) in Self.filters {
      let filter = try Filter(text)
      #expect(try Filter(filter.description) == filter)
      let found = try world.store.read { try $0.keys(Self.records.where(filter)) }
      #expect(found == keys.map { .integer(Int64($0)) }, "\(text)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func queriesSortByTextsInLowerCase(_ kind: StoreKind) throws {
    let world = try world(kind)
    func ids(_ query: Query<Mapping<Person>>) throws -> [Int] {
      try world.store.read { try $0.objects(query).map(\.id) }
    }
    try #expect(ids(Person.mapping.sorted(by: \.name.lowercased)) == [6, 1, 2, 8, 5, 3, 4, 7])
    try #expect(
      ids(Person.mapping.sorted(by: \.name.lowercased, descending: true).limit(3)) == [7, 4, 3])
    try #expect(
      ids(Person.mapping.sorted(by: \.boss.name.lowercased).sorted(by: \.id, descending: true))
        == [7, 6, 5, 4, 3, 1, 2, 8])
    let plan = world.plan()
    let named = try world.store.read { try $0.keys(plan.query.sorted { $0["name"].lowercased }.limit(2)) }
    #expect(named == [6, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func filtersAreWrittenInSwift(_ kind: StoreKind) throws {
    let world = try world(kind)
    func ids(_ query: Query<Mapping<Person>>) throws -> [Int] {
      try world.store.read { try $0.objects(query).map(\.id) }
    }
    try #expect(ids(Person.mapping.where { $0.name.lowercased == "ada" }) == [1, 2])
    try #expect(ids(Person.mapping.where { $0.name.lowercased != "ada" && $0.id < 5 }) == [3, 4])
    try #expect(ids(Person.mapping.where { $0.name.lowercased == nil }) == [6])
    try #expect(ids(Person.mapping.where { $0.name.lowercased < "b" }) == [1, 2])
    try #expect(ids(Person.mapping.where { $0.name.lowercased >= "c" && $0.name.lowercased <= "j" }) == [5])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.hasPrefix("ad") }) == [1, 2])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.contains("v") }) == [3])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.matches("a.*") }) == [1, 2])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.search("d") }) == [1, 2])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.isIn(["bo", "éva"]) }) == [3, 8])
    try #expect(ids(Person.mapping.where { $0.name.lowercased == $0.boss.name.lowercased }) == [2, 6])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.lowercased == "ada" }) == [1, 2])
    try #expect(ids(Person.mapping.where { $0.name.lowercased.length > $0.id && $0.id > 3 }) == [5])
    let plan = world.plan()
    try #expect(
      world.store.read { try $0.keys(plan.where { $0["name"].lowercased == "ada" }) } == [1, 2])
  }

  @Test(arguments: StoreKind.allCases)
  func noIndexServesIt(_ kind: StoreKind) throws {
    let world = try world(kind)
    for query in [
      try Person.mapping.where(Filter("lower(@.name) == 'ada'")),
      Person.mapping.sorted(by: \.name.lowercased).limit(1),
    ] {
      let explanation = try world.store.read { snapshot in
        try ForcedIndex.choosing(0) { try snapshot.explain(query) }
      }
      #expect(explanation.access == .scan && explanation.lookedAt == 8)
      #expect(explanation.conditions.testedByStore == 0 && !explanation.isSortedByStore)
    }
  }

  @Test func lowerOfAnotherTypeIsAFault() throws {
    let plan = try Person.mapping.plan()
    for (text, message) in [
      ("lower(@.id) == 'a'", "column 7: lower(@.id): expected a string, found an integer"),
      ("lower(@.boss) == 'a'", "column 7: lower(@.boss): expected a string, found an object"),
      (
        "lower(@.name) == 1",
        "column 1: lower(@.name) == 1: expected values of one kind, found a string and an integer"
      ),
      ("lower('A') == 'a'", "column 7: lower takes a path"),
      ("lower(@.name)", "column 1: the value of a function is no condition: compare it"),
      ("lower(@.name, 1) == 'a'", #"column 13: lower takes one argument: expected ")", found ",""#),
    ] {
      do {
        _ = try Filter(text).bound(to: plan)
        Issue.record("\(text) is bound")
      } catch {
        #expect("\(error)" == message)
      }
    }
    #expect(
      message { try plan.query.sorted { $0["id"].lowercased }.check(of: plan) }
        == "lower(@.id): expected a string, found an integer")
    #expect(
      message { try Person.mapping.sorted(by: \.name.length).check(of: plan) }
        == #"length(@.(\Person.name)): expected an attribute to sort by, found a length"#)
  }

  /// A long text is linear, with sigmas and marks in any number.
  @Test func longTextsTakeLinearTime() throws {
    let world = try World(.memory, Person.mapping)
    let name = String(repeating: "Α" + String(repeating: "\u{301}", count: 30) + "Σ", count: 3000)
    try world.load("{\"id\":1,\"name\":\"\(name)\"}")
    let count = try world.store.read {
      try $0.count(Person.mapping.where { $0.name.lowercased.hasPrefix("α") })
    }
    #expect(count == 1)
  }
}
