import FastMapCore
import FastMapQueries
import Testing

/// Queries of main-actor classes.
struct MainActorQueryTests {
  // The properties of an observable class are computed, so their key paths have no names of their own.
  private let names: [AnyKeyPath: String] = [
    \Person.name: "name", \Person.isActive: "isActive", \Person.age: "age", \Person.manager: "manager",
    \Person.friends: "friends",
  ]

  @Test func aQueryIsWrittenOnTheMainActor() throws {
    let query = Person.mapping.where { $0.name == "Ada" && $0.isActive }
      .sorted(by: \.name, descending: true).sorted(by: \.manager.age)
      .where(Filter(Person.self) { $0.age >= 18 && $0.friends.contains { $0.isActive } }).limit(5)
    #expect(
      query.filter?.text { names[$0] }
        == "@.name == \"Ada\" && @.isActive == true && @.age >= 18 && @.friends[?@.isActive == true]")
    #expect(query.order.map { $0.path?.text { names[$0] } } == ["@.name", "@.manager.age"])
  }
}
