import FastMapCore
import FastMapMemory
import Testing

@Suite struct RecordTests {
  private static let note = Mapping("Note") { Attribute("text", .string) }
  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("rank", .integer)
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("one", item)
    ToMany("many", item)
    ToMany("notes", note)
  }

  private static func makeStore() throws -> (MemoryStore, Plan) {
    let plan = try Plan(item)
    let store = MemoryStore()
    let json = #"""
      [{"id":5,"rank":7,"name":"five","one":7,"many":[7,5],"notes":[{"text":"a"},{"text":"b"}]},
       {"id":7,"rank":5}, {"name":"none"}, {"id":-1}, {"id":9}]
      """#
    _ = try Mapper(store).importJSON(Array(json.utf8), as: plan)
    return (store, plan)
  }

  @Test func aRecordHasValuesAndTargets() throws {
    let (store, plan) = try Self.makeStore()
    let five = try #require(try store.read(plan) { try $0.record("Item", key: 5) })
    #expect((five.entity, five.key) == ("Item", 5))
    #expect(five["name"] == .string("five"))
    #expect(five["missing"] == nil)
    #expect(five.values.map(\.name) == ["rank", "id", "name"])
    #expect((five.target("one"), five.targets("many").last) == (five.targets("many").first, five.id))
    #expect(five.targets("name").isEmpty)

    let seven = try #require(try store.read(plan) { try $0.record("Item", key: 7) })
    #expect(seven.values.map(\.name) == ["rank", "id"])
    #expect(seven["name"] == nil)
    #expect(seven.target("one") == nil)
    #expect(seven.id == five.target("one"))
    #expect(try store.read(plan) { try $0.record("Item", key: 6) } == nil)
  }

  @Test func theKeyOfARecordIsFoundOut() throws {
    let (store, plan) = try Self.makeStore()
    // `rank` of each holds the key of the other.
    let keys = try store.read(plan) { reader in
      try reader.records("Item").map { try reader.record($0.id, of: "Item")?.key }
    }
    #expect(keys == [-1, 5, 7, 9, nil])
  }
}
