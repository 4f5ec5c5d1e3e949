import FastMapCore
import FastMapMemory
import Testing

@Suite struct MemoryStoreTests {
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("car", car)
    ToMany("phones", phone)
  }
  private static let car = Mapping("Car", primaryKey: "vin") { Attribute("vin", .string) }
  private static let phone = Mapping("Phone") { Attribute("number", .string) }

  private static func makeStore(_ json: String) throws -> (MemoryStore, Plan) {
    let plan = try Plan(person)
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(Array(json.utf8), as: plan)
    return (store, plan)
  }

  @Test func aWriteInsideAWriteOnTheSameThreadIsAnError() throws {
    let (store, plan) = try Self.makeStore(#"{"id":1}"#)
    try store.write(plan.schema) { _ in
      let error = #expect(throws: MemoryStoreError.self) {
        try store.write(plan.schema) { _ in .commit(()) }
      }
      #expect(
        error?.description
          == "a write cannot begin inside another write on the same thread, such as one that calls a delegate;"
          + " write when it has ended, or use the open writer")
      return .commit(())
    }
    try store.write(plan.schema) { _ in .commit(()) }
  }

  @Test func aReaderMayBeKept() throws {
    let (store, plan) = try Self.makeStore(#"{"id":1,"name":"a"}"#)
    var kept = try store.read(plan.schema) { $0 }
    _ = try Mapper(store).importJSON(Array(#"[{"id":1,"name":"b"},{"id":2}]"#.utf8), as: plan)
    let found = kept.find(1, of: 0)
    let record = try kept.record(try #require(found), of: 0, in: plan.schema)
    #expect(record?["name"] == .string("a"))
    #expect(kept.count(of: 0) == 1)
  }
}
