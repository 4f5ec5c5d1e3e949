// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

@Suite("ReadingObjects.md")
struct ReadingTests {
  final class Person {
    var id = 0
    var name: String?
    var boss: Person?

    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("boss", \.boss, Person.mapping)
    }
  }

  func countDirectly(in store: some Store) throws -> Int {
    try store.read(Person.mapping.plan().schema) { reader in try reader.count(of: 0) }
  }

  @Test func aStoreIsChosenAtRunTime() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let isTemporary = Person().name == nil
        let chosen: any Store = isTemporary ? MemoryStore() : try LMDBStore(at: "chosen.db")
        _ = try Mapper(chosen).importJSON(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, as: Person.mapping)
        let ids = try chosen.read { try $0.objects(Person.mapping).map(\.id) }
        try chosen.delete(Person.mapping.keys(2...))
        try Serializer(Person.mapping).exportFile("people.ndjson", from: chosen)
        #expect(ids == [1, 2, 3])
        try ReadingTests().checkRest(of: chosen)
      }
    }
  }

  func checkRest(of chosen: any Store) throws {
    let left = try countDirectly(in: chosen)
    #expect(left == 1)
  }

  @Test func aReadWithAwaitRunsOnAThreadOfItsOwn() async throws {
    let store = MemoryStore()
    let plan = try Person.mapping.plan()
    _ = try await Mapper(store).importJSON(#"[{"id": 2}, {"id": 1}]"#, as: plan)
    let found = try await store.read { try $0.records(plan.limit(20)) }
    let ada = try await store.read { try $0.object(Person.mapping, key: 1) }
    #expect(found.map(\.key) == [1, 2])
    #expect(ada?.id == 1)
  }

  @Test func instancesRecordsAndLentRowsAreReadFromDisk() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = try LMDBStore(at: "people.db")
        let json = #"[{"id": 314, "name": "Ada", "boss": {"id": 7, "name": "Charles", "boss": {"id": 1}}}]"#
        _ = try Mapper(store).importJSON(json, as: Person.mapping)

        let ada = try store.read { try $0.object(Person.mapping, key: 314) }
        let some = try store.read { try $0.objects(Person.mapping.keys([7, 99, 314])) }
        let last = try store.read { try $0.objects(Person.mapping.sorted(by: \.id, descending: true).limit(10)) }
        #expect(ada?.name == "Ada")
        #expect(ada?.boss == nil)
        #expect(some.map(\.id) == [7, 314])
        #expect(last.map(\.id) == [314, 7, 1])

        let hundred = try store.read { try $0.objects(Person.mapping.keys(300..<400)) }
        let first = try store.read { try $0.count(Person.mapping.keys(...7)) }
        let byID = try store.read { try $0.object(Person.mapping, key: hundred[0].id) }
        #expect(hundred.map(\.id) == [314])
        #expect(first == 2)
        #expect(byID?.name == "Ada")

        let withBoss = try store.read { try $0.object(Person.mapping, key: 314, including: \.boss) }
        let withBosses = try store.read { try $0.object(Person.mapping, key: 314, including: \.boss.boss) }
        #expect(withBoss?.boss?.name == "Charles")
        #expect(withBoss?.boss?.boss == nil)
        #expect(withBosses?.boss?.boss?.id == 1)

        let everything = try store.read { try $0.object(Person.mapping, key: 314, depth: .max) }
        #expect(everything?.boss?.boss?.id == 1)

        let count = try store.read { try $0.count(Person.mapping) }
        let isThere = try store.read { try $0.exists(Person.mapping.keys([99])) }
        #expect(count == 3)
        #expect(!isThere)

        let plan = try Person.mapping.plan()
        let names = try store.read(plan) { snapshot in
          try snapshot.records(plan.keys(1...400)).map { $0["name"] }
        }
        let boss = try store.read(plan) { snapshot in
          try snapshot.record("Person", key: 314).flatMap { try snapshot.record("boss", of: $0) }
        }
        #expect(names == [nil, .string("Charles"), .string("Ada")])
        #expect(boss?.key == 7)

        var total = 0
        try store.read(plan) { snapshot in
          try snapshot.forEachRow(plan) { row, key in
            total += try row["name"].bytes?.count ?? 0
            return true     // false ends the loop
          }
        }
        #expect(total == 10)
      }
    }
  }
}
