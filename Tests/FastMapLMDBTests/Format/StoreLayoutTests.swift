import FastMapCore
import FastMapLMDB
import TestSupport
import Testing

/// Stored objects after changes of their mappings, beside the contract of stores.
@Suite struct StoreLayoutTests {
  let scratch = Scratch()

  private static func person(_ fields: MappingField...) -> Mapping<Record> {
    Mapping("Person", primaryKey: "id") {
      return [MappingField(.attribute(AttributeDefinition("id", .integer)))] + fields
    }
  }

  private static let car = Mapping("Car", primaryKey: "plate") { Attribute("plate", .string) }
  private static let van = Mapping("Van", primaryKey: "plate") { Attribute("plate", .string) }
  private static let name = MappingField(.attribute(AttributeDefinition("name", .string)))
  private static let age = MappingField(.attribute(AttributeDefinition("age", .integer)))

  @Test(arguments: [false, true])
  func numbersTakenWhileGoingOverObjectsStayTaken(_ isReversed: Bool) throws {
    let store = try LMDBStore(at: scratch.store)
    let schema = try Plan(Self.car).schema
    try store.take(#"[{"plate": "A"}, {"plate": "B"}]"#, as: Self.car)
    let taken = try store.write(schema) { writer in
      var taken: [ObjectID] = []
      var reader = writer.reader
      try reader.forEachObject(of: 0, keys: nil, isDescending: isReversed) { _, _, _ in
        taken.append(try writer.reserve(of: 0))
        return true
      }
      taken.append(try writer.reserve(of: 0))
      return .commit(taken)
    }
    #expect(taken.count == 3 && Set(taken).count == 3)
    try store.expectSound()
  }

  @Test func anAddedAttributeAloneWritesNothing() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"{"id": 1, "name": "Ada"}"#, as: Self.person(Self.name))
    let before = try Files.bytes(of: scratch.dataFile)
    let report = try store.take(#"{"id": 1, "name": "Ada"}"#, as: Self.person(Self.name, Self.age))
    #expect(report["Person"] == .init(unchanged: 1))
    #expect(try Files.bytes(of: scratch.dataFile) == before)
  }

  // MARK: Other types

  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let old: Mapping<Record>
    let new: Mapping<Record>
    /// The JSON of the attribute.
    var value = "null"
    let expected: String
  }

  private static let valueAsText = person(MappingField(.attribute(AttributeDefinition("value", .string))))
  private static let toCar = person(ToOne("value", car).field)

  @Test(arguments: [
    Change(
      testDescription: "an attribute of another type",
      old: person(MappingField(.attribute(AttributeDefinition("value", .integer)))), new: valueAsText,
      value: "7",
      expected: #"entity Person: "value" is stored as an integer, the mapping says a string"#),
    Change(
      testDescription: "a date for data",
      old: person(MappingField(.attribute(AttributeDefinition("value", .data)))),
      new: person(MappingField(.attribute(AttributeDefinition("value", .date(.epoch))))),
      value: #""AQI=""#,
      expected: #"entity Person: "value" is stored as base64 data, the mapping says a date"#),
    Change(
      testDescription: "a relationship for an attribute", old: valueAsText, new: toCar,
      expected:
        #"entity Person: "value" is stored as a string, the mapping says a to-one relationship to Car"#),
    Change(
      testDescription: "many for one", old: toCar, new: person(ToMany("value", car).field),
      expected: #"entity Person: "value" is stored as a to-one relationship to Car, "#
        + "the mapping says a to-many relationship to Car"),
    Change(
      testDescription: "another entity", old: toCar, new: person(ToOne("value", van).field),
      expected: #"entity Person: "value" is stored as a to-one relationship to Car, "#
        + "the mapping says a to-one relationship to Van"),
    Change(
      testDescription: "another key", old: valueAsText,
      new: Mapping("Person", primaryKey: "key") { Attribute("key", .string) },
      expected: "entity Person: the primary key is stored as an integer, the mapping says a string"),
  ])
  func anotherTypeIsRefused(_ change: Change) throws {
    let store = try LMDBStore(
      at: scratch.store, holding: #"{"id": 1, "value": \#(change.value)}"#, as: change.old)
    let (before, objects) = (try Files.bytes(of: scratch.dataFile), try store.export(change.old))
    let inWrite = thrown(SchemaMismatchError.self) {
      try store.take(#"{"id": 2, "key": "a"}"#, as: change.new)
    }
    let misfits = change.value == "null" ? "" : "; 1 object has a value that does not fit: 1"
    #expect(inWrite?.description == change.expected + misfits)
    let inRead = thrown(SchemaMismatchError.self) { _ = try store.export(change.new) }
    #expect(inRead?.description == change.expected)
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    #expect(try store.export(change.old) == objects)
  }

  @Test func anotherDateFormatIsNotAnotherType() throws {
    let store = try LMDBStore(at: scratch.store)
    let epoch = Self.person(MappingField(.attribute(AttributeDefinition("born", .date(.epoch)))))
    let day = AttributeType.date(.pattern("%Y-%m-%d"))
    let pattern = Self.person(MappingField(.attribute(AttributeDefinition("born", day))))
    try store.take(#"{"id": 1, "born": 86400}"#, as: epoch)
    #expect(try store.export(pattern) == [#"{"id":1,"born":"1970-01-02"}"#])
  }
}
