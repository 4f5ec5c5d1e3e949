import FastMapCore
import FastMapLMDB
import FastMapSystem
import TestSupport
import Testing

/// Renames and conversions that are declared where a store is opened.
@Suite struct MigrationTests {
  let scratch = Scratch()

  private static let car = Mapping("Car", primaryKey: "plate") { Attribute("plate", .string) }
  private static let phone = Mapping("Phone") { Attribute("number", .string) }
  static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("mail", .string)
    Attribute("age", .string)
    ToOne("car", car)
    ToMany("phones", phone)
  }
  static let payload = """
    [{"id":1,"mail":"ada@example.org","age":"36","car":{"plate":"A"},"phones":[{"number":"1"},{"number":"2"}]},
     {"id":2,"age":null,"car":{"plate":"A"},"phones":[]},
     {"id":3,"mail":"eve@example.org","age":"7"}]
    """

  func fill() throws { try LMDBStore(at: scratch.store).take(Self.payload, as: Self.person) }

  func open(_ changes: [Migration]) throws -> LMDBStore {
    let configuration = LMDBStore.Configuration.with { $0.migrations = changes }
    return try LMDBStore(at: scratch.store, configuration: configuration)
  }

  func refusal(_ changes: [Migration]) -> String? {
    thrown(LMDBError.self) { _ = try open(changes) }?.description
  }

  // MARK: Renames

  @Test func aRenamedAttributeKeepsItsValues() throws {
    try fill()
    let renamed = Mapping("Person", primaryKey: "key") {
      Attribute("key", .integer)
      Attribute("email", .string)
    }
    let store = try open([.rename("mail", of: "Person", to: "email"), .rename("id", of: "Person", to: "key")])
    #expect(
      try store.export(renamed) == [
        #"{"key":1,"email":"ada@example.org"}"#, #"{"key":2}"#, #"{"key":3,"email":"eve@example.org"}"#,
      ])
    let report = try store.take(#"{"key":1,"email":"ada@example.org"}"#, as: renamed)
    #expect(report["Person"] == .init(unchanged: 1))
    try store.expectSound()
  }

  @Test func aRenamedRelationshipKeepsItsTargets() throws {
    try fill()
    let renamed = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("vehicle", Self.car)
      ToMany("numbers", Self.phone)
    }
    let store = try open([
      .rename("car", of: "Person", to: "vehicle"), .rename("phones", of: "Person", to: "numbers"),
    ])
    let found = try store.export(renamed)
    #expect(
      found == [
        #"{"id":1,"vehicle":{"plate":"A"},"numbers":[{"number":"1"},{"number":"2"}]}"#,
        #"{"id":2,"vehicle":{"plate":"A"}}"#, #"{"id":3}"#,
      ])
    try store.expectSound()
  }

  @Test func aRenamedEntityKeepsItsObjectsAndTheWayToThem() throws {
    try fill()
    let vehicle = Mapping("Vehicle", primaryKey: "plate") { Attribute("plate", .string) }
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("car", vehicle)
    }
    let store = try open([.rename(entity: "Car", to: "Vehicle"), .rename(entity: "Person", to: "Owner")])
    let before = try store.id(1, owner)
    #expect(try store.export(owner).first == #"{"id":1,"car":{"plate":"A"}}"#)
    #expect(try store.take(#"{"id":1,"car":{"plate":"A"}}"#, as: owner)["Owner"] == .init(unchanged: 1))
    #expect(try store.id(1, owner) == before)
    #expect(try store.statistics().entities.map(\.name) == ["Owner", "Vehicle", "Phone"])
    try store.expectSound()
  }

  @Test func namesThatLookAlikeAreTold() throws {
    let decomposed = "e\u{301}", composed = "\u{e9}"
    let mapping = { (name: String) in
      Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute(name, .string)
      }
    }
    try LMDBStore(at: scratch.store).take(#"{"id":1,"\#(decomposed)":"x"}"#, as: mapping(decomposed))
    let store = try open([.rename(decomposed, of: "Person", to: composed)])
    #expect(try store.export(mapping(composed)) == [#"{"id":1,"\#(composed)":"x"}"#])
  }

  @Test func aNameThatIsTakenIsRefused() throws {
    try fill()
    try LMDBStore(at: scratch.store).take(
      #"{"id":1,"email":"new@example.org"}"#,
      as: Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("email", .string)
      })
    let path = scratch.store
    #expect(
      refusal([.rename("mail", of: "Person", to: "email")])
        == #"\#(path): cannot rename "mail" of Person to "email": the store has a string of that name, "#
        + "perhaps one that mappings no longer use; rename it first")
    #expect(
      refusal([.rename(entity: "Person", to: "Car")])
        == #"\#(path): cannot rename entity "Person" to "Car": the store has an entity of that name, "#
        + "with 1 objects; rename it first")
    let store = try open([
      .rename("email", of: "Person", to: "newest email"), .rename("mail", of: "Person", to: "email"),
    ])
    try store.expectSound()
  }

  // MARK: Conversions

  static let aged = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("age", .integer)
  }

  @Test func aTypeIsConvertedByTheMeaningOfItsValues() throws {
    try fill()
    let store = try open([.convert("age", of: "Person", to: .integer)])
    #expect(try store.export(Self.aged) == [#"{"id":1,"age":36}"#, #"{"id":2}"#, #"{"id":3,"age":7}"#])
    try store.expectSound()
  }

  @Test func aTypeIsConvertedByAFunction() throws {
    try fill()
    let store = try open([
      .convert("age", of: "Person", to: .integer) { value in
        guard case .string(let text) = value, text != "7" else { return nil }
        return .integer(Int64(text.utf8.count))
      },
      .convert("mail", of: "Person", to: .string) { value in
        guard case .string(let text) = value else { return nil }
        return .string(text.uppercased())
      },
    ])
    let both = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("mail", .string)
      Attribute("age", .integer)
    }
    #expect(
      try store.export(both) == [
        #"{"id":1,"mail":"ADA@EXAMPLE.ORG","age":2}"#, #"{"id":2}"#, #"{"id":3,"mail":"EVE@EXAMPLE.ORG"}"#,
      ])
    try store.expectSound()
  }

  @Test func aPrimaryKeyIsConvertedWithItsIndex() throws {
    try fill()
    let store = try open([.convert("id", of: "Person", to: .string)])
    let keyed = Mapping("Person", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("mail", .string)
    }
    #expect(try store.id("3", keyed) != nil)
    #expect(
      try store.take(#"{"id":"1","mail":"ada@example.org"}"#, as: keyed)["Person"] == .init(unchanged: 1))
    try store.expectSound()

    // Keys that change places meet no old ones.
    let next: [Value: Value] = [
      .string("1"): .string("2"), .string("2"): .string("3"), .string("3"): .string("1"),
    ]
    let moved = try open([
      .convert("id", of: "Person", to: .string),
      .convert("id", of: "Person", to: .string) { next[$0] ?? $0 },
    ])
    #expect(
      try moved.export(keyed) == [
        #"{"id":"1","mail":"eve@example.org"}"#, #"{"id":"2","mail":"ada@example.org"}"#, #"{"id":"3"}"#,
      ])
    try moved.expectSound()
  }

  struct Refused: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: Migration
    let expected: String
  }

  @Test(arguments: [
    Refused(
      testDescription: "a value that says nothing of the kind",
      change: .convert("mail", of: "Person", to: .integer),
      expected: #"convert "mail" of Person to an integer: the object with the key 1: "#
        + #"expected an integer, found the string "ada@example.org""#),
    Refused(
      testDescription: "a function that gives another type",
      change: .convert("age", of: "Person", to: .integer) { $0 },
      expected: #"convert "age" of Person to an integer: the object with the key 1: "#
        + "expected an integer, the conversion returned a string"),
    Refused(
      testDescription: "a function that throws",
      change: .convert("age", of: "Person", to: .integer) { _ in throw TransformError("too old") },
      expected: #"convert "age" of Person to an integer: the object with the key 1: too old"#),
    Refused(
      testDescription: "a relationship", change: .convert("car", of: "Person", to: .string),
      expected:
        #"convert "car" of Person to a string: expected an attribute, found a to-one relationship to Car"#),
    Refused(
      testDescription: "a key of another kind", change: .convert("id", of: "Person", to: .number),
      expected:
        #"convert "id" of Person to a number: a primary key must be an integer or a string"#
    ),
    Refused(
      testDescription: "a key that goes", change: .convert("id", of: "Person", to: .integer) { _ in nil },
      expected:
        #"convert "id" of Person to an integer: the object with the key 1: the primary key would be null"#),
    Refused(
      testDescription: "keys that become the same",
      change: .convert("id", of: "Person", to: .integer) { _ in .integer(5) },
      expected: #"convert "id" of Person to an integer: two objects would have the key 5"#),
    Refused(
      testDescription: "a key that is too long",
      change: .convert("id", of: "Person", to: .string) { _ in .string(String(repeating: "x", count: 509)) },
      expected: #"convert "id" of Person to a string: the object with the key 1: "#
        + "expected a key of at most 508 bytes, found one of 509 bytes"),
    Refused(
      testDescription: "no name", change: .rename("mail", of: "Person", to: ""),
      expected: #"rename "mail" of Person to "": a name has 1 to 65535 bytes, this one has 0"#),
  ])
  func aFailedMigrationIsUndone(_ test: Refused) throws {
    try fill()
    let before = try Files.bytes(of: scratch.dataFile)
    #expect(
      refusal([
        .rename("phones", of: "Person", to: "numbers"), .convert("number", of: "Phone", to: .json),
        test.change,
      ])
        == "\(scratch.store): cannot \(test.expected)")
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    #expect(try LMDBStore(at: scratch.store).export(Self.person).count == 3)
  }
}
