import FastMapCore
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var status = Status.other
  var phones: [Phone] = []
  var friends: OrderedObjectSet<Person> = []
  weak var boss: Person?

  enum Status: Int, AttributeValueWithFallback {
    case active = 1
    case other = 0
    static let fallback = Status.other
  }

  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("status", \.status)
    ToMany("phones", \.phones, Phone.mapping, policy: .merge)
    ToMany("friends", \.friends, Person.mapping)
    ToOne("boss", \.boss, Person.mapping)
  }
}

private final class Phone {
  var number = ""
  static let mapping = Mapping(Phone.self, "Phone", make: Phone.init) { Attribute("number", \.number) }
}

/// Instances of mapped classes: one for each object, read back by key, and as long as somebody has them.
@Suite struct ObjectTests {
  private static func objects(_ kind: StoreKind, _ json: String) throws -> [Person] {
    let store = try kind.make()
    return try Mapper(store).roundTrip(Array(json.utf8), as: Person.mapping, depth: .max)
  }

  // FEM-85 FEM-144 FEM-145
  @Test(arguments: StoreKind.allCases)
  func oneObjectIsOneInstanceAndCirclesClose(_ kind: StoreKind) throws {
    let people = try Self.objects(
      kind, #"[{"id": 1, "friends": [{"id": 2, "boss": {"id": 1}}, 3]}, {"id": 2}, {"id": 1, "name": "x"}]"#)
    #expect(people.map(\.id) == [1, 2, 3])
    #expect(people[0].friends[0] === people[1])
    #expect(people[1].boss === people[0])
    #expect((people[0].friends.map(\.id), people[0].name) == ([2, 3], "x"))
  }

  @Test func unknownRawValuesFallBack() throws {
    let people = try Self.objects(.memory, #"[{"id":1,"status":1},{"id":2,"status":42}]"#)
    #expect(people.map(\.status) == [.active, .other])
  }

  @Test(arguments: StoreKind.allCases)
  func objectsAreReadBackByKeyAndRange(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"[{"id":3,"name":"c","friends":[1]},{"id":1,"name":"a","friends":[3]},{"id":2,"name":"b"}]"#
    _ = try Mapper(store).importJSON(Array(json.utf8), as: Plan(Person.mapping))
    try store.read { reader in
      let found = try reader.object(Person.mapping, key: 1, depth: .max)
      let one = try #require(found)
      let all = try reader.objects(Person.mapping, depth: .max)
      #expect(all.map(\.name) == ["a", "b", "c"])
      #expect(all[0] === one)
      #expect(one.friends[0] === all[2])
      let some = try reader.objects(Person.mapping.keys(2..<4), depth: .max)
      #expect(some.map(\.id) == [2, 3])
      let none = try reader.object(Person.mapping, key: 9, depth: .max)
      #expect(none == nil)
    }
    let alone = try store.read { try $0.object(Person.mapping, key: 1, depth: 0) }
    #expect(alone?.friends.isEmpty == true)
  }

  // A copy that one call has filled as far as it was asked is filled further where another way or call asks for more
  @Test func aCopyIsFilledAsDeepAsTheDeepestWayToItAsks() throws {
    let store = try StoreKind.lmdb.make()
    let json = """
      [{"id":1,"boss":2,"friends":[2,3]},{"id":2,"friends":[5],"phones":[{"number":"2"}]},
       {"id":3,"friends":[4]},{"id":4,"friends":[5]},{"id":5,"phones":[{"number":"5"}]}]
      """
    _ = try Mapper(store).importJSON(Array(json.utf8), as: Plan(Person.mapping))
    try store.read { reader in
      let people = try reader.objects(Person.mapping, depth: 1)
      #expect(people.map(\.phones.count) == [0, 1, 0, 0, 1])
      #expect(people[0].boss === people[1])
    }
    try store.read { reader in
      let shallow = try reader.object(Person.mapping, key: 1, depth: 0)
      let one = try #require(shallow)
      #expect(one.boss == nil)
      let deep = try reader.object(Person.mapping, key: 1, depth: .max)
      #expect(deep === one)
      #expect(one.boss?.phones.map(\.number) == ["2"])
    }
    try store.read { reader in
      let one = try reader.object(Person.mapping, key: 1, depth: 3)
      let five = try #require(one?.friends[0].friends.first)
      #expect(five.phones.count == 1, "it is two levels away by one way and three by the other")
      #expect(one?.friends[1].friends[0].friends[0] === five)
    }
  }

  @Test func instancesGoWhenTheyAreLetGo() throws {
    weak var ada: Person?
    try {
      let people = try Self.objects(.memory, #"{"id": 1, "phones": [{"number": "1"}]}"#)
      ada = people.first
      #expect(ada != nil)
    }()
    #expect(ada == nil)
  }

}
