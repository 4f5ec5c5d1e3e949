// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import Testing

@Suite("FastMapLMDB.md", .printing)
struct LMDBTests {
  @Test func aStoreItsConfigurationAndItsCopiesWork() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let person = Mapping("Person", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
        }

        let plan = try Plan(person)
        let store = try LMDBStore(at: "people.db")
        let people = #"[{"id": 314, "name": "Ada"}, {"id": 315, "name": "Bob"}]"#
        let report = try Mapper(store).importJSON(people, as: plan)
        let ada = try store.read(plan) { try $0.record("Person", key: 314) }
        try store.delete(plan.query(of: "Person").keys([315]))

        #expect(report["Person"]?.inserted == 2)
        #expect(ada?["name"] == .string("Ada"))
        try #expect(store.read(plan) { try $0.count(of: "Person") } == 1)

        var configuration = LMDBStore.Configuration()
        configuration.sharesCommits = true                      // each write keeps a result or an error of its own
        configuration.durability = .lastTransactionMayBeLost    // one sync in place of two
        let events = try LMDBStore(at: "events.db", configuration: configuration)

        #expect(try Mapper(events).importJSON(people, as: plan)["Person"]?.inserted == 2)

        try store.backup(to: "backup.db")
        let bytes = try LMDBStore.compact(at: "backup.db")      // that its file became shorter

        #expect(bytes >= 0)

        let checked = try store.check()
        print(checked.isSound)                                  // true
        let repaired = try LMDBStore.repair(from: "backup.db", to: "repaired.db")
        print(repaired.isComplete)                              // true

        try store.dump(to: "people.dump")
        let loaded = try LMDBStore(at: "copy.db").load(dump: "people.dump")
        print(loaded.objectCount)                               // 1

        #expect(Printed.takeLines() == ["true", "true", "1"])
        #expect(repaired.entities.map(\.savedCount) == [1])
      }
    }
  }
}
