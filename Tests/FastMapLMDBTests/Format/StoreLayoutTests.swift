import FastMapCore
import FastMapLMDB
import TestSupport
import Testing

/// Stored objects after changes of their mappings, and their numbers after deletions.
@Suite struct StoreLayoutTests {
  let scratch = Scratch()

  private static func person(_ fields: MappingField...) -> Mapping<Record> {
    Mapping("Person", primaryKey: "id") {
      return [MappingField(.attribute(AttributeDefinition("id", .integer)))] + fields
    }
  }

  private static let car = Mapping("Car", primaryKey: "plate") { Attribute("plate", .string) }
  private static let van = Mapping("Van", primaryKey: "plate") { Attribute("plate", .string) }
  private static let phone = Mapping("Phone") { Attribute("number", .string) }
  private static let name = MappingField(.attribute(AttributeDefinition("name", .string)))
  private static let age = MappingField(.attribute(AttributeDefinition("age", .integer)))
  private static let email = MappingField(.attribute(AttributeDefinition("email", .string)))

  // MARK: Attributes come and go

  @Test func aDroppedAttributeKeepsItsValues() throws {
    let json = #"{"id": 1, "name": "Ada", "age": 36, "email": "ada@example.org"}"#
    try LMDBStore(at: scratch.store).take(json, as: Self.person(Self.name, Self.age))
    try LMDBStore(at: scratch.store).take(
      #"[{"id": 1, "name": "Countess"}, {"id": 2, "name": "Bob"}]"#, as: Self.person(Self.name))
    try LMDBStore(at: scratch.store).take(json, as: Self.person(Self.email))

    let store = try LMDBStore(at: scratch.store)
    #expect(
      try store.export(Self.person(Self.email, Self.age, Self.name)) == [
        #"{"id":1,"email":"ada@example.org","age":36,"name":"Countess"}"#, #"{"id":2,"name":"Bob"}"#,
      ])
    try store.expectSound()
  }

  @Test func anAttributeThatTheStoreHasNeverMetHasNoValues() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"{"id": 1, "name": "Ada"}"#, as: Self.person(Self.name))
    #expect(try store.export(Self.person(Self.age)) == [#"{"id":1}"#])
    #expect(try store.count(Self.car) == 0)
    #expect(try store.export(Self.car) == [])
  }

  // MARK: Within a write

  /// The first number that an entity gives in a store of its own.
  private func firstNumber(of mapping: Mapping<Record>) throws -> ObjectID {
    let scratch = Scratch()
    return try LMDBStore(at: scratch.store).write(Plan(mapping).schema) { .commit(try $0.reserve(of: 0)) }
  }

  @Test func aWriterGoesOnWithASchemaThatTheStoreHasNotMet() throws {
    let store = try LMDBStore(at: scratch.store)
    let (people, cars) = try (Plan(Self.person(Self.name)).schema, Plan(Self.car).schema)
    let numbers = try store.write(people) { writer in
      try writer.use(cars)
      let first = try writer.reserve(of: 0)
      try writer.use(people)
      return .commit([first, try writer.reserve(of: 0)])
    }
    try #expect(numbers[1] == firstNumber(of: Self.person(Self.name)))
    #expect(numbers[0] != numbers[1])
    #expect(try store.statistics().entities.map(\.name).sorted() == ["Car", "Person"])
    let next = try store.write(cars) { .commit(try $0.reserve(of: 0)) }
    #expect(next > numbers[0])
    try store.expectSound()
  }

  @Test(arguments: [false, true])
  func numbersTakenWhileGoingOverObjectsStayTaken(_ isReversed: Bool) throws {
    let store = try LMDBStore(at: scratch.store)
    let schema = try Plan(Self.car).schema
    try store.take(#"[{"plate": "A"}, {"plate": "B"}]"#, as: Self.car)
    let taken = try store.write(schema) { writer in
      var taken: [ObjectID] = []
      let take = { (writer: inout LMDBWriter, _: ObjectID, _: PrimaryKey?) throws -> Bool in
        taken.append(try writer.reserve(of: 0))
        return true
      }
      if isReversed {
        try writer.forEachReversed(of: 0, keys: nil, take)
      } else {
        try writer.forEach(of: 0, keys: nil, take)
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

  // MARK: Relationships come and go

  @Test func aDroppedRelationshipKeepsItsTargets() throws {
    let whole = Self.person(
      Self.name, ToOne("car", Self.car).field,
      ToMany("cars", Self.car, policy: .replace).field,
      ToMany("phones", Self.phone).field)
    let json =
      #"{"id":1,"name":"Ada","car":{"plate":"A"},"cars":[{"plate":"A"},{"plate":"B"}],"#
      + #""phones":[{"number":"1"}]}"#
    try LMDBStore(at: scratch.store).take(json, as: whole)

    let store = try LMDBStore(at: scratch.store)
    let without = Self.person(Self.name, ToMany("cars", Self.car, policy: .replace).field)
    let report = try store.take(#"[{"id":1,"name":"Countess","cars":[{"plate":"B"}]},{"id":2}]"#, as: without)
    // The dropped relationship still refers to the released car.
    #expect(report["Car"] == .init(unchanged: 1))
    #expect(try store.export(without).first == #"{"id":1,"name":"Countess","cars":[{"plate":"B"}]}"#)
    try store.expectSound()
    let commits = try store.commits
    #expect(
      try store.export(whole).first
        == #"{"id":1,"name":"Countess","car":{"plate":"A"},"cars":[{"plate":"B"}],"phones":[{"number":"1"}]}"#
    )
    #expect(try store.commits == commits)
  }

  @Test func anAddedRelationshipLeavesTheObjectsAlone() throws {
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]"#, as: Self.person(Self.name))
    let friend = Mapping("Friend", entity: "Person", primaryKey: "id") {
      Attribute("id", .integer, at: .wholeValue)
    }
    let more = Self.person(Self.name, ToMany("friends", friend).field, ToOne("car", Self.car).field)
    #expect(try store.export(more) == [#"{"id":1,"name":"Ada"}"#, #"{"id":2,"name":"Bob"}"#])
    let report = try store.take(#"[{"id":1,"friends":[2]},{"id":2,"car":{"plate":"A"}}]"#, as: more)
    #expect(report["Person"] == .init(updated: 2))
    #expect(
      try store.export(more) == [
        #"{"id":1,"name":"Ada","friends":[2]}"#, #"{"id":2,"name":"Bob","car":{"plate":"A"}}"#,
      ])
    #expect(
      try store.export(Self.person(Self.name)) == [#"{"id":1,"name":"Ada"}"#, #"{"id":2,"name":"Bob"}"#])
    try store.expectSound()
  }

  // MARK: Other types

  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let old: Mapping<Record>
    let new: Mapping<Record>
    let expected: String
  }

  private static let valueAsText = person(MappingField(.attribute(AttributeDefinition("value", .string))))
  private static let toCar = person(ToOne("value", car).field)

  @Test(arguments: [
    Change(
      testDescription: "an attribute of another type",
      old: person(MappingField(.attribute(AttributeDefinition("value", .integer)))), new: valueAsText,
      expected: #"entity Person: "value" is stored as an integer, the mapping says a string"#),
    Change(
      testDescription: "a date for data",
      old: person(MappingField(.attribute(AttributeDefinition("value", .data)))),
      new: person(MappingField(.attribute(AttributeDefinition("value", .date(.epoch))))),
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
    let store = try LMDBStore(at: scratch.store)
    try store.take(#"{"id": 1}"#, as: change.old)
    let before = try Files.bytes(of: scratch.dataFile)
    let inWrite = thrown(SchemaMismatchError.self) {
      try store.take(#"{"id": 2, "key": "a"}"#, as: change.new)
    }
    #expect(inWrite?.description == change.expected)
    let inRead = thrown(SchemaMismatchError.self) { _ = try store.export(change.new) }
    #expect(inRead == inWrite)
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    #expect(try store.export(change.old) == [#"{"id":1}"#])
  }

  @Test func anotherDateFormatIsNotAnotherType() throws {
    let store = try LMDBStore(at: scratch.store)
    let epoch = Self.person(MappingField(.attribute(AttributeDefinition("born", .date(.epoch)))))
    let day = AttributeType.date(.pattern("%Y-%m-%d"))
    let pattern = Self.person(MappingField(.attribute(AttributeDefinition("born", day))))
    try store.take(#"{"id": 1, "born": 86400}"#, as: epoch)
    #expect(try store.export(pattern) == [#"{"id":1,"born":"1970-01-02"}"#])
  }

  // MARK: Numbers

  @Test func aNumberIsNeverGivenAgain() throws {
    let owner = Self.person(ToMany("cars", Self.car, policy: .replace).field)
    var met: Set<ObjectID> = []
    for round in 0..<5 {
      // Each time the store is opened anew, and the objects with the highest numbers are gone.
      let store = try LMDBStore(at: scratch.store)
      let plates = (0..<10).map { #"{"plate": "\#(round)-\#($0)"}"# }.joined(separator: ",")
      let report = try store.take(#"{"id": 1, "cars": [\#(plates)]}"#, as: owner)
      #expect(report["Car"] == .init(inserted: 10, deleted: round == 0 ? 0 : 10))
      let ids = try (0..<10).map { try #require(try store.id(.string("\(round)-\($0)"), Self.car)) }
      #expect(met.isDisjoint(with: ids))
      #expect(met.allSatisfy { old in ids.allSatisfy { $0 > old } })
      met.formUnion(ids)
      #expect(try store.take(#"{"id": 1, "cars": []}"#, as: owner)["Car"]?.deleted == 10)
      #expect(try store.count(Self.car) == 0)
      #expect(try store.id(.string("\(round)-0"), Self.car) == nil)
      try store.expectSound()
      try store.take(#"{"id": 1, "cars": [\#(plates)]}"#, as: owner)
      for plate in 0..<10 {
        let id = try #require(try store.id(.string("\(round)-\(plate)"), Self.car))
        #expect(met.insert(id).inserted)
      }
    }
  }

  @Test func aNumberOutlivesUpdates() throws {
    let store = try LMDBStore(at: scratch.store)
    let mapping = Self.person(Self.name)
    try store.take(#"[{"id": 1, "name": "Ada"}, {"id": 2}]"#, as: mapping)
    let id = try store.id(1, mapping)
    try store.take(#"{"id": 1, "name": "\#(String(repeating: "x", count: 10_000))"}"#, as: mapping)
    #expect(try store.id(1, mapping) == id)
    try store.expectSound()
  }
}
