import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Stubs: objects of which nothing but the key was met.
@Suite struct StubTests {
  static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("isActive", .boolean).default(true)
    Attribute("notes", .json)
    ToOne("boss", reference)
    ToMany("friends", reference)
  }
  static let reference = Mapping("PersonKey", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }
  static let team = Mapping("Team", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("members", reference)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var stored = "[]"
    var json: String
    /// The number in the report.
    var count: Int
    /// The keys of all stubs of the store then.
    var stubs: [Int64]
    var testDescription: String { "\(json) over \(stored)" }
  }

  static let cases = [
    Case(json: #"{"id":1,"name":"Ada"}"#, count: 0, stubs: []),
    Case(json: #"{"id":1,"boss":2,"friends":[3,4]}"#, count: 3, stubs: [2, 3, 4]),
    // A representation with nothing but the key is a stub too. Any other member makes an object of it.
    Case(json: #"[{"id":1},{"id":2,"isActive":false},{"id":3,"notes":{}}]"#, count: 1, stubs: [1]),
    // The order in the payload does not matter.
    Case(
      json: #"[{"id":1,"boss":2},{"id":2,"name":"Bo"},{"id":3,"name":"Cy"},{"id":1,"friends":[3]}]"#,
      count: 0, stubs: []),
    Case(json: #"[{"id":2},{"id":1,"boss":2},{"id":2},{"id":2,"friends":[1]}]"#, count: 0, stubs: []),
    // Only stubs that the import has made are counted.
    Case(stored: #"{"id":1,"boss":2}"#, json: #"{"id":1,"friends":[2,3]}"#, count: 1, stubs: [2, 3]),
    Case(stored: #"{"id":1,"boss":2}"#, json: #"{"id":2,"name":"Bo"}"#, count: 0, stubs: []),
    // Null was met, but is no value.
    Case(json: #"{"id":1,"name":null}"#, count: 0, stubs: [1]),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 4))
  func aReportCountsTheStubsThatItsImportHasMade(_ kind: StoreKind, _ example: Case) throws {
    for batch in [nil, 1] as [Int?] {
      let world = try World(kind, Self.person, holding: example.stored)
      var options = ImportOptions(isDryRun: true, batchSize: batch)
      let dry = try world.report(example.json, options: options)
      options.isDryRun = false
      let report = try world.report(example.json, options: options)
      #expect((report["Person"]?.stubs ?? 0) == example.count, "\(batch ?? 0)")
      #expect(dry.entities == report.entities)
      let plan = try Self.person.plan()
      let keys = try world.store.read(plan) { try $0.keys(plan.stubs) }
      #expect(keys == example.stubs.map { PrimaryKey.integer($0) })
    }
  }

  /// An object without a key is met as a whole, even if it is empty.
  @Test(arguments: StoreKind.allCases, [false, true])
  func anObjectWithoutAKeyIsNoStub(_ kind: StoreKind, _ hasDelegate: Bool) throws {
    final class Silent: ImportDelegate {}
    let note = Mapping("Note") {
      Attribute("text", .string)
      ToOne("about", Self.reference)
    }
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("first", note)
      ToMany("notes", note)
    }
    var options = ImportOptions()
    if hasDelegate { options.delegate = Silent() }
    let owned = try World(kind, owner).report(
      #"[{"id":1,"first":{},"notes":[{},{"text":"a"}]},{"id":2}]"#, options: options)
    #expect(owned["Note"]?.inserted == 3 && owned["Note"]?.stubs == 0 && owned["Owner"]?.stubs == 1)
    let roots = try World(kind, note).report(#"[{},{"text":null},{"about":7}]"#, options: options)
    #expect(roots["Note"]?.inserted == 3 && roots["Note"]?.stubs == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func aDelegateDoesNotChangeTheCount(_ kind: StoreKind) throws {
    final class Silent: ImportDelegate {}
    for example in Self.cases {
      let world = try World(kind, Self.person, holding: example.stored)
      let report = try world.report(example.json, options: ImportOptions(delegate: Silent()))
      #expect((report["Person"]?.stubs ?? 0) == example.count, "\(example)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func stubsAreAQueryLikeOthers(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person)
    try world.load(#"[{"id":1,"name":"Ada","boss":5,"friends":[4,2]},{"id":3,"boss":4}]"#)
    let plan = try Self.person.plan()
    try world.store.read(plan) { snapshot in
      func keys(_ query: Query<Plan>) throws -> [PrimaryKey] { try snapshot.keys(query) }
      try #expect(keys(plan.stubs) == [2, 4, 5])
      try #expect(keys(plan.stubs.sorted(by: "id", descending: true).limit(2)) == [5, 4])
      try #expect(keys(plan.stubs.where { $0["id"] > 2 }) == [4, 5])
      try #expect(keys(plan.stubs.sorted(by: "name").after(key: 4)) == [5])
      try #expect(keys(plan.keys([1, 5]).stubs) == [5])
      try #expect(snapshot.count(plan.stubs) == 3)
    }
    #expect(try world.store.delete(plan.stubs.where { $0["id"] == 2 }).total == 1)
  }

  @Test func theReportKnowsTheFieldsOfMappingsThatItsPlanDoesNotReach() throws {
    let world = try World(.memory)
    let set = MappingSet([Self.team, Self.person, Self.reference])
    let (team, alone) = (try set.plan(for: "Team"), try Self.team.plan())
    let json = #"{"id":1,"members":[1,2]}"#
    try #expect(Mapper(world.store).importJSON(json, as: team)["Person"]?.stubs == 2)
    try #expect(Mapper(try StoreKind.memory.make()).importJSON(json, as: alone)["Person"]?.stubs == 0)
    #expect(throws: FilterError.self) {
      try world.store.read(alone) { try $0.count(alone.query(of: "Person").stubs) }
    }
  }

  @Test func theTextHasAColumnWhereThereAreStubs() throws {
    let world = try World(.memory, Self.person)
    let text = try world.report(#"{"id":1,"boss":2}"#).description
    #expect(text.contains("stubs"))
    #expect(try !world.report(#"{"id":1,"boss":2}"#).description.contains("stubs"))
  }

  final class Light {
    var id = 0
    var isOn = true
    var names: [String] = []
    static let mapping = Mapping(Light.self, "Light", primaryKey: "id", make: Light.init) {
      Attribute("id", \.id)
      Attribute("isOn", \.isOn)
      Attribute("names", \.names)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func defaultsOfAClassDoNotMakeAStubAnObject(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"[{"id":1},{"id":2,"isOn":false},{"id":3,"names":["a"]},{"id":4,"isOn":null}]"#
    try #expect(Mapper(store).importJSON(json, as: Light.mapping)["Light"]?.stubs == 2)
    try #expect(store.read { try $0.keys(Light.mapping.stubs) } == [1, 4])
    // A position belongs to the query with stubs.
    try store.read { snapshot in
      let page = try snapshot.page(Light.mapping.stubs.limit(1))
      try #expect(snapshot.keys(Light.mapping.stubs.after(page.position)) == [4])
      #expect(throws: FilterError.self) { try snapshot.keys(Light.mapping.query.after(page.position)) }
    }
  }
}
