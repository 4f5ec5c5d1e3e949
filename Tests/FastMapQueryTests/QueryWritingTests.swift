import FastMapCore
import FastMapQueries
import Testing

struct QueryWritingTests {
  final class Person {
    var id = 0
    var name = ""
    var isActive = false
    var author: Person?

    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() })
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("isActive", \.isActive)
      ToOne("author", \.author, Person.mapping)
    }

    static let named = Filter(Person.self) { $0.name != "" }
  }

  let records = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  @Test func everyStepMakesAnotherQuery() {
    let all = Person.mapping.query
    let query = all.where { $0.isActive }.where(Person.named).sorted(by: \.name).limit(20).limit(30).after(
      key: 7)
    #expect((query.filter?.description, query.most) == ("@.isActive == true && @.name != \"\"", 20))
    #expect(query.start == .behind(7))
    #expect(all.filter == nil)
    #expect(all.most == nil)
    #expect(all.start == nil)
    #expect(all.order.isEmpty)
  }

  @Test func aQueryStartsWithAnyStep() {
    #expect(Person.mapping.where { $0.isActive }.filter?.description == "@.isActive == true")
    #expect(Person.mapping.where(Person.named).filter == Person.named)
    #expect(Person.mapping.limit(-5).most == 0)
    #expect(Person.mapping.after(key: "x").start == .behind("x"))
    #expect(order(Person.mapping.sorted(by: \.name)) == ["@.name"])
    #expect(records.where { $0["name"] == "Ada" }.filter?.description == "@.name == \"Ada\"")
    #expect(order(records.sorted(by: "name")) == ["@.name"])
  }

  @Test func aQueryOfAPlanNamesItsFields() throws {
    let query = try Person.mapping.plan().where { $0["name"] == "Ada" }.where { $0["author", "name"] == nil }
    #expect(query.filter?.description == "@.name == \"Ada\" && @.author.name == null")
    #expect(order(query.sorted(by: "author.name", descending: true)) == ["-@.author.name"])
    #expect(order(query.sorted(by: ["author", "full.name"])) == ["@.author[\"full.name\"]"])
  }

  @Test func eachOrderComesAfterTheOnesBefore() {
    let query = Person.mapping.sorted(by: \.author.author.name).sorted(by: \.isActive, descending: true)
      .sorted { $0.author }.sorted { $0.author.isActive }.sorted(by: "author.name", descending: true)
    #expect(
      order(query) == [
        "@.author.author.name", "-@.isActive", "@.author", "@.author.isActive", "-@.author.name",
      ])
  }

  private func order<Source>(_ query: Query<Source>) -> [String] {
    query.order.map { ($0.isDescending ? "-" : "") + ($0.path?.description ?? "") }
  }
}
