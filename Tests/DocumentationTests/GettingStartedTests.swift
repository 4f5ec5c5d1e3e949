// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

@Suite("GettingStarted.md")
struct GettingStartedTests {
  final class Person {
    var id = 0
    var name: String?
    var email: String?
    var boss: Person?

    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email, at: "user_email")
      ToOne("boss", \.boss, Person.mapping)
    }
  }

  @Test func thePageRunsFromTheFirstImportToTheJSON() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(#"[{"id": 314, "name": "Ada"}, {"id": 7}]"#, to: "people.json")

        let team = try Person.mapping.objects(from: #"[{"id": 1, "boss": 2}, {"id": 2, "name": "Grace"}]"#)
        try Person.mapping.fill(team[0], from: #"{"user_email": "eve@example.org"}"#)
        print(team[0].boss === team[1], team[0].email ?? "")     // true eve@example.org

        #expect(Printed.takeLines() == ["true eve@example.org"])
        let json = #"""
          [{"id": 314, "name": "Ada", "user_email": "ada@example.org", "boss": {"id": 7, "name": "Charles"}}]
          """#

        let store = MemoryStore()
        let mapper = Mapper(store)
        let report = try mapper.importJSON(json, as: Person.mapping)
        print(report["Person"]?.inserted ?? 0)     // 2

        #expect(Printed.takeLines() == ["2"])
        let update = try mapper.importJSON(#"{"id": 314, "name": null}"#, as: Person.mapping)
        print(update["Person"]?.updated ?? 0)      // 1

        #expect(Printed.takeLines() == ["1"])
        let people = try store.read { try $0.objects(Person.mapping, including: \.boss) }
        print(people.map(\.id))                    // [7, 314]
        print(people[1].boss?.name ?? "")          // Charles

        #expect(Printed.takeLines() == ["[7, 314]", "Charles"])
        let context = try ObjectContext(store, for: Person.mapping)
        let charles = try context.object(Person.mapping, key: 7)
        _ = try context.importJSON(#"{"id": 7, "user_email": "charles@example.org"}"#, as: Person.mapping)
        print(charles?.email ?? "")                // charles@example.org

        charles?.name = "Charles Babbage"
        try context.save()
        context.end()

        #expect(Printed.takeLines() == ["charles@example.org"])
        #expect(try store.read { try $0.object(Person.mapping, key: 7)?.name } == "Charles Babbage")
        let plan = try Person.mapping.plan()
        let last = try store.read { try $0.records(plan.sorted(by: "id", descending: true).limit(10)) }
        let some = try store.read { try $0.records(plan.keys([314, 42])) }
        print(last.compactMap(\.key))              // [314, 7]

        #expect(some.compactMap(\.key) == [314])
        #expect(Printed.takeLines() == ["[314, 7]"])
        let gone = try store.delete(Person.mapping.keys(300...399))
        print(gone.total)                          // 1

        #expect(Printed.takeLines() == ["1"])
        let disk = try LMDBStore(at: "people.db")
        let imported = try Mapper(disk).importJSON(.file("people.json"), as: Person.mapping)
        let ada = try disk.read { try $0.object(Person.mapping, key: 314) }

        #expect(imported["Person"]?.inserted == 2)
        #expect(ada?.name == "Ada")
        let serializer = try Serializer(Person.mapping)
        print(try serializer.json(of: people[1]))
        // {"id":314,"user_email":"ada@example.org","boss":{"id":7,"name":"Charles"}}
        try serializer.exportFile("export.ndjson", from: disk)

        #expect(
          Printed.takeLines() == [
            #"{"id":314,"user_email":"ada@example.org","boss":{"id":7,"name":"Charles"}}"#
          ])
        try #expect(contents(of: "export.ndjson") == "{\"id\":7}\n{\"id\":314,\"name\":\"Ada\"}\n")
      }
    }
  }
}
