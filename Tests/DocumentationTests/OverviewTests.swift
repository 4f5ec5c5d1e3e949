// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import Testing

@Suite("FastMapCore.md")
struct OverviewTests {
  @Test func theOverviewRuns() throws {
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
    }

    let store = MemoryStore()
    let plan = try Plan(person)
    let report = try Mapper(store).importJSON(#"[{"id": 314, "name": "Ada"}]"#, as: plan)
    let ada = try store.read(plan) { try $0.record("Person", key: 314) }

    #expect(report["Person"]?.inserted == 1)
    #expect(ada?["name"] == .string("Ada"))
  }
}
