import FastMapCore
import TestSupport
import Testing

/// Mappings that a context was not made for, and instances whose class belongs to another entity. Their fields would be
/// lost without a word.
@Suite struct ContextClassTests {
  final class Author {
    var id = 0
    var name: String?
    var born: Int?

    static let mapping = Mapping(Author.self, "Author", primaryKey: "id", make: { Author() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
    static let names = Mapping(
      Author.self, "Names", entity: "Author", primaryKey: "id", make: { Author() }
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
    static let full = Mapping(Author.self, "Full", entity: "Author", primaryKey: "id", make: { Author() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("born", \.born)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aMappingWithFieldsThatTheContextDoesNotKnowIsRefused(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id":8,"name":"J","born":1900}"#, as: Author.full)
    let context = try ObjectContext(store, for: Author.mapping)
    let expected = ContextError.unknownMapping("Full", entity: "Author", field: "born")
    let json = #"{"id":10,"born":4}"#
    #expect(throws: expected) { try context.object(Author.full, key: 8) }
    #expect(throws: expected) { try context.objects(Author.full.keys([8])) }
    #expect(throws: expected) { try context.objects(Author.full.where(Filter("@.born > 1"))) }
    #expect(throws: expected) { try context.insert(Author(), as: Author.full) }
    #expect(throws: expected) { _ = try context.objects(from: json, as: Author.full) }
    #expect(throws: expected) { try context.fill(Author(), from: json, as: Author.full) }
    #expect(
      "\(expected)"
        == "expected a mapping that the context was made for, found Full, which has Author.born; "
        + "make the context for it, too")
    #expect(try context.object(Author.names, key: 8)?.name == "J")
    #expect(try store.read { try $0.object(Author.full, key: 10) } == nil)
    // An import shows the fields that the context knows, and stores the rest.
    _ = try context.importJSON(json, as: Author.full)
    #expect(try store.read { try $0.object(Author.full, key: 10)?.born } == 4)
    let both = try ObjectContext(store, for: Author.mapping, Author.full)
    let author = try #require(try both.object(Author.full, key: 10))
    author.born = 5
    try both.save()
    #expect(try store.read { try $0.object(Author.full, key: 10)?.born } == 5)
  }

  class Animal {
    var id = 0
    var name = ""
    static let mapping: Mapping<Animal> = Mapping(
      Animal.self, "Animal", primaryKey: "id", make: { Animal() }
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  final class Dog: Animal {
    var bark = ""
    static let dogs: Mapping<Dog> = Mapping(Dog.self, "Dog", primaryKey: "id", make: { Dog() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("bark", \.bark)
    }
  }

  final class Cat: Animal {}

  final class Owner {
    var id = 0
    var pets: [Animal] = []
    static let mapping: Mapping<Owner> = Mapping(Owner.self, "Owner", primaryKey: "id", make: { Owner() }) {
      Attribute("id", \.id)
      ToMany("pets", \.pets, Animal.mapping)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aNewInstanceOfTheClassOfAnotherEntityIsRefused(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id":1}"#, as: Owner.mapping)
    let context = try ObjectContext(store, for: Owner.mapping, Dog.dogs)
    let owner = try #require(try context.object(Owner.mapping, key: 1, including: \.pets))
    let dog = Dog()
    (dog.id, dog.bark) = (5, "wuff")
    owner.pets = [dog]
    let expected = "expected an object of Animal, found Dog 5"
    #expect(message { try context.save() } == "Owner 1.pets[0]: \(expected)")
    #expect(message { try context.insert(dog, as: Animal.mapping) } == expected)
    #expect(message { try context.fill(dog, from: #"{"id":5}"#, as: Animal.mapping) } == expected)
    owner.pets = []
    try context.insert(dog, as: Dog.dogs)
    try context.save()
    #expect(try store.read { try $0.object(Dog.dogs, key: 5)?.bark } == "wuff")
  }

  @Test(arguments: StoreKind.allCases)
  func anInstanceOfASubclassWithoutAMappingIsRefused(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Owner.mapping)
    defer { context.end() }
    let (owner, cat) = (Owner(), Cat())
    (owner.id, owner.pets, cat.id) = (1, [cat], 6)
    try context.insert(owner, as: Owner.mapping)
    let expected =
      "expected an instance of Animal, found one of Cat, whose own fields would be lost; "
      + "map Cat, or give the mapping of Animal takesSubclasses"
    #expect(message { try context.save() } == "Owner 1.pets[0]: \(expected)")
    #expect(message { try context.insert(cat, as: Animal.mapping) } == expected)
    #expect(message { try context.fill(cat, from: #"{"id":6}"#, as: Animal.mapping) } == expected)
    #expect(try store.read { try $0.count(Owner.mapping) + $0.count(Animal.mapping) } == 0)
  }

  /// Its instances are of a class that `make` chooses.
  private static let tame = Mapping(
    Animal.self, "Animal", primaryKey: "id", takesSubclasses: true, make: { Cat() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
  private static let chosen = Mapping(Animal.self, "Animal", primaryKey: "id", make: { Cat() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }

  @Test(arguments: StoreKind.allCases)
  func aMappingMayTakeSubclasses(_ kind: StoreKind) throws {
    let store = try kind.make()
    for (id, mapping, animal) in [(1, Self.tame, Dog()), (2, Self.tame, Cat()), (3, Self.chosen, Cat())] {
      let context = try ObjectContext(store, for: mapping)
      defer { context.end() }
      animal.id = id
      try context.insert(animal, as: mapping)
      try context.save()
    }
    #expect(try store.read { try $0.objects(Self.chosen).map { "\(type(of: $0)) \($0.id)" } }.count == 3)
  }

  private static let guests = Mapping(Author.self, "Guest", primaryKey: "id", make: { Author() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }

  @Test(arguments: StoreKind.allCases)
  func anInstanceIsNotFilledAsAnObjectOfAnotherEntity(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id":1,"name":"J"}"#, as: Author.mapping)
    let context = try ObjectContext(store, for: Author.mapping, Self.guests)
    let author = try #require(try context.object(Author.mapping, key: 1))
    let draft = Author()
    try context.insert(draft, as: Author.mapping)
    let json = #"{"id":1,"name":"K"}"#
    #expect(throws: ContextError.otherEntity(place: nil, expected: "Guest", found: "Author", key: 1)) {
      try context.fill(author, from: json, as: Self.guests)
    }
    #expect(throws: ContextError.otherEntity(place: nil, expected: "Guest", found: "Author", key: 0)) {
      try context.fill(draft, from: json, as: Self.guests)
    }
    #expect(try store.read { try $0.count(Self.guests) } == 0)
    #expect([author.name, draft.name] == ["J", nil])
  }

  final class Person {
    var id = 0
    var boss: Person?
    var friends: [Person] = []
    static let mapping: Mapping<Person> = Mapping(
      Person.self, "Person", primaryKey: "id", make: { Person() }
    ) {
      Attribute("id", \.id)
      ToOne("boss", \.boss, Person.mapping)
      ToMany("friends", \.friends, Person.mapping)
    }
    static let record: Mapping<Record> = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("boss", record)
      ToMany("friends", record)
    }
  }

  private static let people = #"[{"id":1,"boss":{"id":2}},{"id":4,"friends":[{"id":5}]}]"#

  @Test(arguments: StoreKind.allCases)
  func aPathGoesThroughEditedRelationships(_ kind: StoreKind) throws {
    let store = try kind.make(Self.people, as: Person.mapping)
    let context = try ObjectContext(store, for: Person.mapping)
    let one = try #require(try context.object(Person.mapping, key: 1, including: \.boss))
    let four = try #require(try context.object(Person.mapping, key: 4))
    one.boss = four
    #expect(try !context.isLoaded(\.boss.friends, of: one))
    #expect(try context.load(\.boss.friends, of: [one]).isEmpty)
    #expect(try context.isLoaded(\.boss.friends, of: one))
    #expect(one.boss?.friends.map(\.id) == [5])
    four.friends.append(one)
    try context.save()
    #expect(
      try store.read { try $0.object(Person.mapping, key: 4, including: \.friends)?.friends.map(\.id) } == [
        5, 1,
      ])
  }

  @Test(arguments: StoreKind.allCases)
  func aPathOfRecordsGoesThroughEditedRelationships(_ kind: StoreKind) throws {
    let store = try kind.make(Self.people, as: Person.record)
    let context = try ObjectContext(store, for: Person.record)
    let one = try #require(try context.record("Person", key: 1, including: ["boss"]))
    let four = try #require(try context.record("Person", key: 4))
    try one.set("boss", to: four)
    #expect(try !context.isLoaded("boss.friends", of: one))
    #expect(try context.load(["boss.friends"], of: [one]).isEmpty)
    #expect(try four.targets("friends").map { $0["id"] } == [5])
  }
}
