import FastMapCore
import TestSupport
import Testing

private final class Address { var city = "" }

private final class Person {
  var id = 0
  var name: String?
  var mail: String?
  var boss: Person?
  var friends: [Person] = []
  var address = Address()
  var upper: String? {
    get { name }
    set { name = newValue }
  }

  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute(\.id)
    Attribute(\.name)
    Attribute("email", \.mail, at: "user_email")
    ToOne(\.boss, Person.mapping, at: "boss_id")
    ToMany(\.friends, Person.mapping, policy: .merge)
  }
}

private final class Box<Value: AttributeValue & Sendable> {
  var id = 0
  var held: Value?
}

@Suite struct PropertyNameTests {
  @Test func aFieldHasTheNameOfItsProperty() throws {
    let root = try Person.mapping.plan().root
    #expect(root.attributes.map(\.name) == ["id", "name", "email"])
    #expect(root.relationships.map(\.name) == ["boss", "friends"])
  }

  @Test(arguments: StoreKind.allCases)
  func aFieldWithTheNameOfItsPropertyIsReadAndStored(_ kind: StoreKind) throws {
    let json = #"[{"id": 1, "name": "Ada", "user_email": "a@b", "boss_id": 2, "friends": [2]}, {"id": 2}]"#
    let store = try kind.make(json, as: Person.mapping)
    let ada = try store.read { try $0.object(Person.mapping, key: 1, including: \.boss, \.friends) }
    #expect(ada?.name == "Ada" && ada?.mail == "a@b" && ada?.boss?.id == 2 && ada?.friends.map(\.id) == [2])
  }

  @Test func aGenericClassHasNamesToo() throws {
    let mapping = Mapping(Box<String>.self, "Box", primaryKey: "id", make: Box<String>.init) {
      Attribute(\.id)
      Attribute(\.held)
    }
    #expect(try mapping.plan().root.attributes.map(\.name) == ["id", "held"])
  }

  @Test func aPathOfSeveralPropertiesHasNoName() {
    let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute(\.id)
      Attribute(\.address.city)
    }
    #expect(
      message { _ = try mapping.plan() }
        == #"$.mappings.Person.attributes[""]: an attribute needs a name; write one before \Person.address.city, which has none of its own"#
    )
  }

  @Test func aComputedPropertyHasNoName() {
    let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute(\.id)
      Attribute(\.upper)
    }
    let error = message { _ = try mapping.plan() }
    #expect(error?.contains("an attribute needs a name; write one before \\Person.<computed") == true)
    let named = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute(\.id)
      Attribute("upper", \.upper)
    }
    #expect(throws: Never.self) { try named.plan() }
  }
}
