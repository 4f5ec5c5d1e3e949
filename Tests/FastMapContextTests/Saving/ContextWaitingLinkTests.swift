import FastMapCore
import TestSupport
import Testing

/// Links that wait for objects, in a context.
@Suite struct ContextWaitingLinkTests {
  final class Person {
    var id = 0
    var name: String?
    var boss: Person?
    var friends: [Person] = []

    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() })
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("boss", \.boss, Person.mapping, isWeak: true, waits: true)
      ToMany("friends", \.friends, Person.mapping, isWeak: true, waits: true)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aSavedObjectIsWaitedForAndAnEditRemovesWaitingLinks(_ kind: StoreKind) throws {
    let store = try kind.make()
    _ = try Mapper(store).importJSON(
      #"[{"id":1,"boss":9,"friends":[8,9,7]},{"id":7}]"#, as: Person.mapping)
    let context = try ObjectContext(store, for: Person.mapping)
    let one = try #require(try context.object(Person.mapping, key: 1, including: \.boss, \.friends))
    #expect(one.boss == nil)
    #expect(one.friends.map(\.id) == [7])
    one.name = "Ada"
    let nine = Person()
    nine.id = 9
    try context.insert(nine, as: Person.mapping)
    let report = try context.save()
    #expect(report["Person"] == .init(inserted: 1, updated: 1))
    try #expect(
      store.exported(Person.mapping)
        == #"[{"id":1,"name":"Ada","boss":{"id":9},"friends":[8,{"id":9},{"id":7}]},{"id":7},{"id":9}]"#)
    try context.refresh([one])
    #expect(one.boss === nine)
    #expect(one.friends.map(\.id) == [9, 7])
    one.friends = [nine]
    _ = try context.save()
    _ = try Mapper(store).importJSON(#"{"id":8}"#, as: Person.mapping)
    try #expect(
      store.exported(Person.mapping)
        == #"[{"id":1,"name":"Ada","boss":{"id":9},"friends":[{"id":9}]},{"id":7},{"id":8},{"id":9}]"#)
  }
}
