import FastMapCore
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var friends: [Person] = []

  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute(\.id)
    Attribute(\.name)
    ToMany(\.friends, Person.mapping)
  }
}

/// An actor keeps the instances of a read, so they must come from nowhere else.
private actor Directory {
  private var people: [Person] = []

  func load(_ store: any Store) async throws {
    people = try await store.read { try $0.objects(Person.mapping, including: \.friends) }
  }

  var names: [String?] { people.map(\.name) }
}

@Suite struct AwaitingReadTests {
  private static let json = #"[{"id": 1, "name": "Ada", "friends": [2]}, {"id": 2, "name": "Grace"}]"#

  @Test(arguments: StoreKind.allCases)
  func anAwaitingReadReturnsInstancesOfAnyClass(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Person.mapping)
    let ada = try await store.read { try $0.object(Person.mapping, key: 1, including: \.friends) }
    #expect(ada?.friends.map(\.name) == ["Grace"])
    let plan = try Person.mapping.plan()
    let same = try await store.read(plan) { try ($0.record("Person", key: 1), $0.objects(Person.mapping)) }
    #expect(same.0?["name"] == "Ada" && same.1.map(\.id) == [1, 2])
    let directory = Directory()
    try await directory.load(store)
    #expect(await directory.names == ["Ada", "Grace"])
  }

  @Test(arguments: StoreKind.allCases)
  func aReadWithoutAwaitIsForFunctionsThatAreNotAsync(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Person.mapping)
    func names() throws -> [String?] { try store.read { try $0.objects(Person.mapping).map(\.name) } }
    #expect(try names() == ["Ada", "Grace"])
  }

  @Test func anErrorOfAnAwaitingReadIsItsOwn() async throws {
    let store = try StoreKind.memory.make()
    await #expect(throws: UnknownNameError.self) {
      try await store.read(Person.mapping) { try $0.records("Car") }
    }
  }
}
