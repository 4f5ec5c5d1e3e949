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
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("mail", .string)
    Attribute("age", .string)
    ToOne("car", car)
    ToMany("phones", phone)
  }
  private static let payload = """
    [{"id":1,"mail":"ada@example.org","age":"36","car":{"plate":"A"},"phones":[{"number":"1"},{"number":"2"}]},
     {"id":2,"age":null,"car":{"plate":"A"},"phones":[]},
     {"id":3,"mail":"eve@example.org","age":"7"}]
    """

  private func fill() throws { try LMDBStore(at: scratch.store).take(Self.payload, as: Self.person) }

  private func open(_ changes: [Migration]) throws -> LMDBStore {
    var configuration = LMDBStore.Configuration()
    configuration.migrations = changes
    return try LMDBStore(at: scratch.store, configuration: configuration)
  }

  private func refusal(_ changes: [Migration]) -> String? {
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

  private static let aged = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("age", .integer)
  }

  @Test func aTypeIsConvertedByWhatItsValuesSay() throws {
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
      expected: #"convert "car" of Person to a string: it is a to-one relationship to Car, not an attribute"#),
    Refused(
      testDescription: "a key of another kind", change: .convert("id", of: "Person", to: .number),
      expected:
        #"convert "id" of Person to a number: it is the primary key, which must be an integer or a string"#
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
  func whatCannotBeMadeUndoesWhatWasMade(_ test: Refused) throws {
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

  // MARK: Once

  @Test func aRepairedStoreHasHadItsChanges() throws {
    try fill()
    let changes: [Migration] = [.rename("mail", of: "Person", to: "email")]
    let email = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
    }
    do {
      let store = try open(changes)
      // The old name is another attribute's by now: made once more, the change would be refused.
      try store.take(#"{"id":1,"mail":"by post"}"#, as: Self.person)
    }
    let repaired = scratch.path + "/repaired.db"
    #expect(try LMDBStore.repair(from: scratch.store, to: repaired).isComplete)
    var configuration = LMDBStore.Configuration()
    configuration.migrations = changes
    let store = try LMDBStore(at: repaired, configuration: configuration)
    #expect(try store.export(email).first == #"{"id":1,"email":"ada@example.org"}"#)
    try store.expectSound()
  }

  @Test func aChangeIsMadeOnceToAStore() throws {
    try fill()
    let changes: [Migration] = [
      .rename("mail", of: "Person", to: "email"),
      .convert("age", of: "Person", to: .string) {
        if case .string(let text) = $0 { .string(text + "!") } else { nil }
      },
    ]
    let commits = try open(changes).commits
    for _ in 0..<2 { #expect(try open(changes).commits == commits) }

    // The old name is free, and is left alone once it is another attribute's.
    try open(changes).take(#"{"id":1,"mail":"by post"}"#, as: Self.person)
    let both = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("mail", .string)
      Attribute("email", .string)
      Attribute("age", .string)
    }
    #expect(
      try open(changes).export(both).first
        == #"{"id":1,"mail":"by post","email":"ada@example.org","age":"36!"}"#)

    // A history goes on: there, and back, and there again.
    let store = try open(
      changes + [
        .rename("email", of: "Person", to: "old email"), .rename("mail", of: "Person", to: "email"),
        .rename("email", of: "Person", to: "mail"), .rename("mail", of: "Person", to: "email"),
      ])
    #expect(try store.export(both).first == #"{"id":1,"email":"by post","age":"36!"}"#)
    try store.expectSound()
  }

  @Test func aNewStoreSkipsThePast() throws {
    let changes = [Migration.rename("mail", of: "Person", to: "email")]
    try open(changes).take(Self.payload, as: Self.person)
    #expect(try open(changes).export(Self.person).count == 3)
    #expect(try open(changes).export(Self.person).first?.contains("mail") == true)
    try open(changes).expectSound()
  }

  // MARK: Misspelt and undeclared

  @Test(arguments: [
    (Migration.rename("mial", of: "Person", to: "email"), #"Person has no "mial"; did you mean "mail"?"#),
    (.rename("mail", of: "Peson", to: "email"), #"the store has no "Peson"; did you mean "Person"?"#),
    (.rename(entity: "Persn", to: "Customer"), #"the store has no "Persn"; did you mean "Person"?"#),
    (.rename("phone", of: "Person", to: "numbers"), #"Person has no "phone"; did you mean "phones"?"#),
    (.convert("agee", of: "Person", to: .integer), #"Person has no "agee"; did you mean "age"?"#),
  ])
  func aMisspeltNameIsRefused(_ change: Migration, _ expected: String) throws {
    try fill()
    let before = try Files.bytes(of: scratch.dataFile)
    #expect(refusal([change]) == "\(scratch.store): cannot \(change): \(expected)")
    #expect(try Files.bytes(of: scratch.dataFile) == before)
  }

  @Test func whatIsYoungerThanTheChangesIsNotMisspelt() throws {
    try fill()
    _ = try open([
      .rename("mails", of: "People", to: "e-mail"), .convert("e-mail", of: "People", to: .string),
      .rename("e-mail", of: "People", to: "mail"), .rename(entity: "People", to: "Persona"),
      .rename(entity: "Persona", to: "Person"), .rename("ages", of: "Person", to: "age"),
      .convert("height", of: "Person", to: .number),
    ])
  }

  @Test func anUndeclaredRenameIsNoted() throws {
    try fill()
    let store = try LMDBStore(at: scratch.store)
    let renamed = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Attribute("height", .number)
      Attribute("age", .string)
    }
    let report = try store.take(#"{"id":1,"email":"x","height":1.5,"age":"2"}"#, as: renamed)
    #expect(
      report.layoutNotes == [
        #"Person has a new field "email", and the mapping no longer has "mail", which is still stored; "#
          + "if this is a rename, declare it before the first import with the new name"
      ])
    #expect("\(report)".hasSuffix(report.layoutNotes[0]))
    // It is new once; and what is only new, or only dropped, is not noted.
    #expect(try store.take(#"{"id":2,"email":"y"}"#, as: renamed).layoutNotes.isEmpty)
    #expect(
      try store.take(#"{"id":2}"#, as: Mapping("Person", primaryKey: "id") { Attribute("id", .integer) })
        .layoutNotes.isEmpty)
    let wider = Mapping("Car", primaryKey: "plate") {
      Attribute("plate", .string)
      Attribute("maker", .string)
    }
    #expect(try store.take(#"{"plate":"B","maker":"x"}"#, as: wider).layoutNotes.isEmpty)
    try store.expectSound()
  }

  @Test func aStoreForReadingIsNotChanged() throws {
    try fill()
    let change = Migration.rename("mail", of: "Person", to: "email")
    var configuration = LMDBStore.Configuration()
    configuration.isReadOnly = true
    configuration.migrations = [change]
    let error = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store, configuration: configuration) }
    #expect(
      error?.reason
        == .layoutChange(
          change: #"rename "mail" of Person to "email""#,
          detail: "the store is open for reading only; open it once for writing"))
    _ = try open([change])
    _ = try LMDBStore(at: scratch.store, configuration: configuration)
  }

  // MARK: Half-way

  @Test func aKilledChangeIsUndoneAndMadeLater() async throws {
    let people = (1...500).map { #"{"id":\#($0),"mail":"m","age":"\#($0)"}"# }
    try LMDBStore(at: scratch.store).take("[\(people.joined(separator: ","))]", as: Self.person)
    let path = scratch.store
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      var configuration = LMDBStore.Configuration()
      configuration.migrations = [
        .rename("mail", of: "Person", to: "email"),
        .convert("age", of: "Person", to: .integer) { value in
          if value == .string("400") { kill(getpid(), SIGKILL) }
          return .integer(0)
        },
      ]
      _ = try LMDBStore(at: path, configuration: configuration)
    }
    do {
      let store = try LMDBStore(at: path)
      #expect(try store.export(Self.person)[399].contains(#""mail":"m","age":"400""#))
      try store.expectSound()
    }
    let store = try open([
      .rename("mail", of: "Person", to: "email"), .convert("age", of: "Person", to: .integer),
    ])
    #expect(try store.export(Self.aged)[399] == #"{"id":400,"age":400}"#)
    try store.expectSound()
  }

  @Test func aChangeMakesRoomForItself() throws {
    let people = (1...400).map { #"{"id":\#($0),"age":"\#($0)"}"# }
    try LMDBStore(at: scratch.store).take("[\(people.joined(separator: ","))]", as: Self.person)
    var configuration = LMDBStore.Configuration()
    configuration.mapSize = 1 << 20
    let text = String(repeating: "x", count: 10_000)
    configuration.migrations = [.convert("age", of: "Person", to: .string) { _ in .string(text) }]
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    #expect(try store.statistics().mapSize > 4 << 20)
    #expect(try store.export(Self.person)[399].utf8.count > 10_000)
    try store.expectSound()
  }
}
