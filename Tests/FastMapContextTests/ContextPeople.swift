import FastMapCore

/// People who know, own and report to each other, for tests of contexts.
enum People {
  final class Person {
    var id = 0
    var name: String?
    var friends: [Person] = []
    var kids: [Person] = []
    var cards: [Card] = []
    var boss: Person?
    var staff: [Person] = []

    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() })
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("friends", \.friends, Person.mapping)
      ToMany("kids", \.kids, Person.mapping, policy: .replace)
      ToMany("cards", \.cards, Card.mapping)
      ToOne("boss", \.boss, Person.mapping)
      ToMany("staff", \.staff, inverseOf: \.boss, of: Person.mapping)
    }

    static func new(_ id: Int, _ name: String? = nil) -> Person {
      let person = Person()
      (person.id, person.name) = (id, name)
      return person
    }
  }

  /// It has no key, so it belongs to its person.
  final class Card {
    var text: String?

    static let mapping = Mapping(Card.self, "Card", make: { Card() }) { Attribute("text", \.text) }
  }
}

extension Store {
  /// The keys of all people.
  func people() throws -> [Int] { try read { try $0.objects(People.Person.mapping).map(\.id) } }

  func importPeople(_ json: String) throws {
    _ = try Mapper(self).importJSON(json, as: People.Person.mapping)
  }
}
