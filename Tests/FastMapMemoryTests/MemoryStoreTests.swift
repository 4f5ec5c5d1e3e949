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

  @Test func aReadInsideAWriteSeesTheCommittedState() throws {
    let (store, plan) = try Self.makeStore(#"{"id":1}"#)
    try store.write(plan.schema) { writer in
      let found = writer.reader.find(1, of: 0)
      let id = try #require(found)
      let isDeleted = try writer.delete(id, of: 0)
      #expect(isDeleted)
      #expect(try store.read(plan.schema) { $0.find(1, of: 0) } == id)
      return .commit(())
    }
    #expect(try store.read(plan.schema) { $0.find(1, of: 0) } == nil)
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

  @Test func numbersAreUniqueInTheWholeStore() throws {
    let (store, plan) = try Self.makeStore(#"[{"id":1,"car":"a","phones":[{},{}]},{"id":2,"car":"b"}]"#)
    let ids = try store.read(plan) { reader in
      try ["Person", "Car", "Phone"].flatMap { try reader.records($0).map(\.id) }
    }
    #expect(ids.count == 6)
    #expect(Set(ids).count == 6)
  }

  struct Mismatch: Sendable {
    let mapping: Mapping<Record>
    let expected: String
  }

  @Test(arguments: [
    Mismatch(
      mapping: Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("name", .integer)
      }, expected: #"entity Person: "name" is stored as a string, the mapping says an integer"#),
    Mismatch(
      mapping: Mapping("Person", primaryKey: "key") { Attribute("key", .string) },
      expected: "entity Person: the primary key is stored as an integer, the mapping says a string"),
    Mismatch(
      mapping: Mapping("Person") { Attribute("name", .string) },
      expected:
        "entity Person: its objects are stored with an integer as the primary key, the mapping says without a primary key"
    ),
    Mismatch(
      mapping: Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("car", car)
      },
      expected:
        #"entity Person: "car" is stored as a to-one relationship to Car, the mapping says a to-many relationship to Car"#
    ),
    Mismatch(
      mapping: Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("phones", car)
      },
      expected:
        #"entity Person: "phones" is stored as a to-many relationship to Phone without a key, the mapping says a to-many relationship to Car"#
    ),
    Mismatch(
      mapping: Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("phones", .json)
      },
      expected:
        #"entity Person: "phones" is stored as a to-many relationship to Phone without a key, the mapping says a JSON value"#
    ),
  ])
  func anotherTypeIsAnErrorThatNamesBoth(_ test: Mismatch) throws {
    let (store, _) = try Self.makeStore(#"{"id":1,"name":"a","car":"b","phones":[{}]}"#)
    let plan = try Plan(test.mapping)
    let error = #expect(throws: SchemaMismatchError.self) { try store.read(plan.schema) { _ in } }
    #expect(error?.description == test.expected)
    #expect(throws: SchemaMismatchError.self) { try store.write(plan.schema) { _ in .commit(()) } }
  }

  @Test func namesAreComparedByTheirBytes() throws {
    func mapping(_ name: String) -> Mapping<Record> {
      Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute(name, .integer)
      }
    }
    let store = MemoryStore()
    for (name, value) in [("\u{E9}", 1), ("e\u{301}", 2)] {
      let json = #"{"id":1,"\#(name)":\#(value)}"#
      _ = try Mapper(store).importJSON(Array(json.utf8), as: Plan(mapping(name)))
    }
    for (name, value) in [("\u{E9}", 1), ("e\u{301}", 2)] as [(String, Int64)] {
      let record = try store.read(Plan(mapping(name))) { try $0.record("Item", key: 1) }
      #expect(record?[name] == .integer(value))
    }
  }

  @Test func manyObjectsAreFoundUpdatedAndDeleted() throws {
    let count = 20_000
    let json = "[" + (0..<count).map { #"{"id":\#($0),"name":"\#($0)"}"# }.joined(separator: ",") + "]"
    let (store, plan) = try Self.makeStore(json)
    try store.write(plan.schema) { writer in
      for key in stride(from: 0, to: count, by: 2) {
        let found = writer.reader.find(.integer(Int64(key)), of: 0)
        let id = try #require(found)
        let isDeleted = try writer.delete(id, of: 0)
        #expect(isDeleted)
      }
      return .commit(())
    }
    try store.read(plan) { reader in
      let left = try reader.count(of: "Person")
      #expect(left == count / 2)
      let records = try reader.records(plan.query(of: "Person").keys(100..<200))
      let expected = (50..<100).map { PrimaryKey.integer(Int64($0 * 2 + 1)) }
      #expect(records.map(\.key) == expected)
    }
  }
}
