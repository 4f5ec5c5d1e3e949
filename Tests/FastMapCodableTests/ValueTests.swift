import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Values in stores.
@Suite struct ValueTests {
  private func text(_ value: some Encodable) throws -> String {
    try FastMapEncoder().encode(value).withJSON { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: In and out

  @Test(arguments: StoreKind.allCases)
  func valuesComeBackAsTheyWere(_ kind: StoreKind) throws {
    let store = try kind.make()
    let customers = (1...60).map { Customer.sample($0) }
    let report = try store.upsert(customers, as: Customer.mapping)
    #expect(report["Customer"]?.inserted == 60)
    let found = try store.read { try $0.values(Customer.mapping) }
    // A friend is a reference: what the friend has itself comes with it.
    #expect(found.count == 60)
    for (found, customer) in zip(found, customers) {
      var expected = customer
      expected.friends = found.friends
      #expect(found == expected)
      #expect(found.friends?.map(\.id) == customer.friends?.map(\.id))
    }
    try #expect(store.upsert(customers, as: Customer.mapping).entities.allSatisfy { $0.counts.updated == 0 })
  }

  /// Whole: three thousand customers have more than ten thousand values of nested types.
  @Test(arguments: StoreKind.allCases)
  func manyValuesAreStoredAsTheirJSONIsImported(_ kind: StoreKind) throws {
    let hasOrder = kind == .memory || kind == .lmdb
    let count = hasOrder ? TestSize.count(small: 900, whole: 3000) : 300
    let customers = (1...count).map { Customer.sample($0) }
    let (upserted, imported) = (try World(kind, Customer.mapping), try World(kind, Customer.mapping))
    try upserted.store.upsert(customers, as: Customer.mapping)
    try imported.load(try text(customers))
    func dump(_ world: World) throws -> String {
      if !hasOrder { return try world.dump() }
      var text = ""
      try world.store.dump { text += String(decoding: $0, as: UTF8.self) }
      return text
    }
    let isEqual = try dump(upserted) == dump(imported)
    #expect(isEqual)
  }

  @Test(arguments: StoreKind.allCases)
  func aValueClearsTheFieldsThatItHasNoValueFor(_ kind: StoreKind) throws {
    let store = try kind.make()
    var customer = Customer.sample(7)
    try store.upsert([customer], as: Customer.mapping)
    customer.email = nil
    customer.address = nil
    customer.orders = []
    try store.upsert([customer], as: Customer.mapping)
    try #expect(store.read { try $0.value(Customer.mapping, key: 7) } == customer)
    try #expect(store.read { try $0.value(Customer.mapping, key: 8) } == nil)
  }

  /// A class that is `Codable`, and has a mapping of properties, too.
  private final class Tag: Codable {
    var id = 0
    var label: String?
    static let mapping = Mapping(Tag.self, "Tag", primaryKey: "id", make: { Tag() }) {
      Attribute("id", \.id)
      Attribute("text", \.label, at: "label")
    }
    static let coded = Mapping(Tag.self, key: \.id, named: "Coded")
  }

  @Test(arguments: StoreKind.allCases)
  func aCodableClassIsStoredByItsPropertiesOrByItsCodingAlsoInATransaction(_ kind: StoreKind) throws {
    let store = try kind.make()
    let tag = Tag()
    (tag.id, tag.label) = (1, "a")
    try store.write { transaction in
      try transaction.upsert([tag], as: Tag.mapping)
      try transaction.upsert([tag], as: Tag.coded)
      try transaction.upsert([Customer.sample(7)], as: Customer.mapping)
      try #expect(transaction.read { try $0.records(Tag.coded) }.map { $0["label"] } == [.string("a")])
      try #expect(transaction.read { try $0.value(Customer.mapping, key: 7) } != nil)
    }
    try #expect(store.read { try $0.records(Tag.mapping).map { $0["text"] } } == [.string("a")])
    try #expect(store.read { try $0.value(Customer.mapping, key: 7) } != nil)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { transaction in
        try transaction.upsert([Customer.sample(8)], as: Customer.mapping)
        throw Stop()
      }
    }
    try #expect(store.read { try $0.value(Customer.mapping, key: 8) } == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func importedJSONIsReadAsValues(_ kind: StoreKind) throws {
    let json = #"""
      [{"id": "a", "total": 5, "isPaid": true, "items": [{"name": "x", "count": 3}], "state": 2, "event": {"lost": {}}},
       {"id": "b", "total": 0.1, "isPaid": false, "items": [], "state": 1, "event": null, "unknown": [1]}]
      """#
    let store = try kind.make()
    let mapping = Mapping(Order.self)
    _ = try Mapper(store).importJSON(json, as: mapping)
    let orders = try store.read { try $0.values(mapping) }
    #expect(
      orders == [
        Order(
          id: "a", total: 5, isPaid: true, items: [.init(name: "x", count: 3)], state: .sent, event: .lost),
        Order(id: "b", total: 0.1, isPaid: false, items: [], state: .open, event: nil),
      ])
    try #expect(mapping.values(from: json) == orders)
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultIsFoundByTheImport(_ kind: StoreKind) throws {
    let world = try World(kind, Mapping(Order.self))
    #expect(
      world.failure(of: #"{"id": "a", "total": 5, "isPaid": true, "items": [], "state": 9}"#)
        == "$.state: expected a value of State, found the number 9 (line 1, column 63)")
    #expect(
      world.failure(of: #"{"id": "a", "items": [{"name": "x", "count": 300}]}"#)
        == "$.items[0].count: expected an integer from -128 to 127, found the number 300 (line 1, column 46)")
  }

  // MARK: Queries

  @Test(arguments: StoreKind.allCases)
  func keyPathsNameTheFieldsOfFiltersAndSorts(_ kind: StoreKind) throws {
    let store = try kind.make()
    try store.upsert((1...40).map { Customer.sample($0) }, as: Customer.mapping)
    func ids(_ query: some QueryConvertible<Mapping<Customer>>) throws -> [Int] {
      try store.read { try $0.values(query).map(\.id) }
    }
    let mapping = Customer.mapping
    try #expect(ids(mapping.where { $0.email == "c7@example.org" }) == [7])
    try #expect(ids(mapping.where { $0.level == .gold && $0.id > 30 }) == [35, 40])
    try #expect(ids(mapping.where { $0.address.city == "City 1" && $0.id < 20 }) == [1, 8])
    try #expect(ids(mapping.where { $0.address.position.x < 0 && $0.id < 10 }) == [2, 4, 8])
    try #expect(ids(mapping.where { $0.orders.contains { $0.isPaid && $0.total > 4.8 } }) == [38, 39])
    try #expect(ids(mapping.where { $0.tags.contains("c") && $0.orders.count == 3 }.limit(3)) == [3, 7, 11])
    try #expect(
      ids(mapping.where { $0.email != nil }.sorted(by: \.name, descending: true).limit(2)) == [9, 7])
    try #expect(
      ids(mapping.sorted(by: \.address.city).sorted(by: \.id, descending: true).limit(2)) == [39, 36])
    let error = #expect(throws: FilterError.self) { try ids(mapping.where { $0.initial == "C" }) }
    #expect(error?.description.contains("no mapping of Customer has the property") ?? false)
  }

  @Test(arguments: StoreKind.allCases)
  func aQueryIsReadInPagesAndWithoutHoldingAll(_ kind: StoreKind) throws {
    let store = try kind.make()
    try store.upsert((1...25).map { Customer.sample($0) }, as: Customer.mapping)
    let query = Customer.mapping.sorted(by: \.name).limit(10)
    var (ids, position): ([Int], Position?) = ([], nil)
    repeat {
      let page = try store.read { try $0.valuePage(query.after(position)) }
      position = page.elements.isEmpty ? nil : page.position
      ids += page.elements.map(\.id)
    } while position != nil
    #expect(ids.count == 25 && Set(ids).count == 25)
    var some: [Int] = []
    try store.read { snapshot in
      try snapshot.forEachValue(Customer.mapping) { customer in
        some.append(customer.id)
        return some.count < 3
      }
    }
    #expect(some == [1, 2, 3])
  }

  // MARK: Types that refer to themselves

  @Test(arguments: StoreKind.allCases)
  func aTypeMayReferToItself(_ kind: StoreKind) throws {
    let store = try kind.make()
    try store.upsert(
      [Node(id: 1, parent: Node(id: 9), children: [Node(id: 2, children: [Node(id: 3)]), Node(id: 4)])],
      as: Node.mapping)
    let node = try #require(try store.read { try $0.value(Node.mapping, key: 1) })
    #expect(node.parent?.id == 9)
    #expect(node.children.map(\.id) == [2, 4])
    #expect(node.children.first?.children.map(\.id) == [3])
  }

  @Test(arguments: StoreKind.allCases)
  func aCodableClassHasValuesAndNoInstances(_ kind: StoreKind) throws {
    let store = try kind.make()
    try store.upsert([Node(id: 1)], as: Node.mapping)
    let text =
      #"$.mappings.Node: the mapping "Node" of a Codable type has values; read them with values(_:) or values(from:)"#
    #expect(message { _ = try store.read { try $0.objects(Node.mapping) } } == text)
    #expect(message { _ = try store.read { try $0.object(Node.mapping, key: 1) } } == text)
    #expect(message { _ = try Node.mapping.objects(from: "[]") } == text)
    try #expect(store.read { try $0.records(Node.mapping).count } == 1)
    try #expect(store.delete(Node.mapping).total == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func aCircleOfObjectsIsNoValue(_ kind: StoreKind) throws {
    let store = try kind.make()
    _ = try Mapper(store).importJSON(
      #"[{"id": 1, "parent": {"id": 2, "parent": 1, "children": []}, "children": []}]"#, as: Node.mapping)
    let error = #expect(throws: DecodingError.self) { try store.read { try $0.values(Node.mapping) } }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains(
        "refers to itself through other objects, and a value has no circles"))
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectWithoutAValueThatItsTypeNeedsSaysWhich(_ kind: StoreKind) throws {
    let store = try kind.make()
    _ = try Mapper(store).importJSON(#"[{"id": 1, "children": [7]}]"#, as: Node.mapping)
    _ = try Mapper(store).importJSON(#"[{"id": "b", "items": [{"name": "x"}]}]"#, as: Mapping(Order.self))
    // A stub has empty lists, and a node needs nothing else.
    try #expect(store.read { try $0.values(Node.mapping).map(\.id) } == [1, 7])
    guard
      case .keyNotFound(let key, let context)? = #expect(
        throws: DecodingError.self, performing: { try store.read { try $0.values(Mapping(Order.self)) } })
    else {
      Issue.record("expected a missing key")
      return
    }
    #expect(key.stringValue == "total")
    #expect(context.debugDescription == #"Order "b" has no value for "total""#)
  }

  // MARK: Builders

  @Test(arguments: StoreKind.allCases)
  func aBuilderGivesAFieldAnotherPlaceInPayloads(_ kind: StoreKind) throws {
    struct Person: Codable, Identifiable, Equatable {
      var id: Int
      var email: String?
      var role: String
    }
    let mapping = Mapping(Person.self, rootPath: "data") {
      Attribute("email", .string, at: "contact.email")
      Attribute("role", .string).default("guest")
    }
    let store = try kind.make()
    _ = try Mapper(store).importJSON(#"{"data": [{"id": 1, "contact": {"email": "a@b"}}]}"#, as: mapping)
    try #expect(store.read { try $0.values(mapping) } == [Person(id: 1, email: "a@b", role: "guest")])
    let changed = Person(id: 1, email: "c@d", role: "owner")
    try store.upsert([changed], as: mapping)
    try #expect(store.read { try $0.values(mapping) } == [changed])
    #expect(throws: MappingDefinitionError.self) { try mapping.values(from: "{}") }
  }

  @Test func aRootPathIsFollowedWithoutAStore() throws {
    struct Point: Codable, Equatable { var x: Int }
    func values(_ path: JSONKeyPath, _ json: String) throws -> [Point] {
      try Mapping(Point.self, key: nil, named: "Point", rootPath: path).values(from: json)
    }
    try #expect(
      values("data.points", #"{"data": {"points": [{"x": 1}, {"x": 2}]}}"#) == [Point(x: 1), Point(x: 2)])
    try #expect(
      values("pages[].one", #"{"pages": [{"one": {"x": 1}}, {"one": [{"x": 2}]}]}"#) == [
        Point(x: 1), Point(x: 2),
      ])
    #expect(throws: DecodingError.self) { try values("data", "{}") }
  }
}

extension Customer {
  fileprivate var initial: String { String(name.prefix(1)) }
}
