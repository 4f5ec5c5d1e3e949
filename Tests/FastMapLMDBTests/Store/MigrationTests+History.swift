import FastMapCore
import FastMapLMDB
import FastMapSystem
import TestSupport
import Testing

/// The history of changes that a store keeps, and the fate of changes that could not be made.
extension MigrationTests {
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
    let configuration = LMDBStore.Configuration.with { $0.migrations = changes }
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
    let later: [(Migration, String)] = [
      (.rename("email", of: "Person", to: "old email"), #"{"id":1,"mail":"by post","age":"36!"}"#),
      (.rename("mail", of: "Person", to: "email"), #"{"id":1,"email":"by post","age":"36!"}"#),
      (.rename("email", of: "Person", to: "mail"), #"{"id":1,"mail":"by post","age":"36!"}"#),
      (.rename("mail", of: "Person", to: "email"), #"{"id":1,"email":"by post","age":"36!"}"#),
    ]
    for count in 1...later.count {
      let store = try open(changes + later.prefix(count).map(\.0))
      #expect(try store.export(both).first == later[count - 1].1, "after \(later[count - 1].0)")
      try store.expectSound()
    }
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
    (
      .rename("post", of: "Person", to: "email"),
      #"the store has Person, with neither "post" nor "email"; correct the name, or add "ifStored: true" if older "#
        + "stores never had it"
    ),
  ])
  func aMisspeltNameIsRefused(_ change: Migration, _ expected: String) throws {
    try fill()
    let before = try Files.bytes(of: scratch.dataFile)
    #expect(refusal([change]) == "\(scratch.store): cannot \(change): \(expected)")
    #expect(try Files.bytes(of: scratch.dataFile) == before)
  }

  /// Else imports store the new name, and the right rename finds it taken.
  @Test func aRefusedRenameLeavesRoomForTheRightOne() throws {
    try fill()
    let email = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
    }
    #expect(refusal([.rename("post", of: "Person", to: "email")]) != nil)
    let store = try open([.rename("mail", of: "Person", to: "email")])
    #expect(try store.export(email).first == #"{"id":1,"email":"ada@example.org"}"#)
  }

  @Test func aStoreThatNeverHadAFieldIsOpenedWhereTheRenameAllowsIt() throws {
    try fill()
    let before = try LMDBStore(at: scratch.store).export(Self.person)
    let changes: [Migration] = [
      .rename("post", of: "Person", to: "letter", ifStored: true),
      .rename("letter", of: "Person", to: "letters", ifStored: true),
    ]
    try #expect(open(changes).export(Self.person) == before)
    // A name on the way is enough.
    let later: [Migration] = [
      .rename("old", of: "Person", to: "mail"), .rename("mail", of: "Person", to: "email"),
    ]
    let store = try open(changes + later)
    #expect(try store.export(Self.person).first?.contains("mail") == false)
    try store.expectSound()
  }

  @Test func aNewerFieldIsNotATypo() throws {
    try fill()
    let before = try LMDBStore(at: scratch.store).export(Self.person)
    let changes: [Migration] = [
      .rename("mails", of: "People", to: "e-mail"), .convert("e-mail", of: "People", to: .string),
      .rename("e-mail", of: "People", to: "mail"), .rename(entity: "People", to: "Persona"),
      .rename(entity: "Persona", to: "Person"), .rename("ages", of: "Person", to: "age"),
      .convert("height", of: "Person", to: .number),
    ]
    for count in 1...changes.count {
      let store = try open(Array(changes.prefix(count)))
      #expect(try store.export(Self.person) == before, "after \(changes[count - 1])")
      try store.expectSound()
    }
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
      report.notes == [
        #"Person has a new field "email", and the mapping no longer has "mail", which is still stored; "#
          + "if this is a rename, declare it before the first import with the new name"
      ])
    #expect("\(report)".hasSuffix(report.notes[0]))
    // A rename is noted once; an attribute that is only new, or only dropped, is not noted.
    #expect(try store.take(#"{"id":2,"email":"y"}"#, as: renamed).notes.isEmpty)
    #expect(
      try store.take(#"{"id":2}"#, as: Mapping("Person", primaryKey: "id") { Attribute("id", .integer) })
        .notes.isEmpty)
    let wider = Mapping("Car", primaryKey: "plate") {
      Attribute("plate", .string)
      Attribute("maker", .string)
    }
    #expect(try store.take(#"{"plate":"B","maker":"x"}"#, as: wider).notes.isEmpty)
    try store.expectSound()
  }

  @Test func aFieldOfAnotherMappingOfTheFileIsNoOldName() throws {
    let mappings = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Package": {"entity": "Element", "primaryKey": "id", "attributes": {"id": "string", "version": "string"}},
          "Document": {"entity": "Element", "primaryKey": "id", "attributes": {"id": "string", "path": "string"}}}}
        """#)
    let store = try LMDBStore(at: scratch.store)
    for (name, json) in [("Package", #"{"id":"a","version":"1"}"#), ("Document", #"{"id":"b","path":"x"}"#)] {
      let report = try Mapper(store).importJSON(json, as: mappings.plan(for: name))
      #expect(report.notes.isEmpty, "\(name)")
    }
    // A mapping by itself says nothing of others.
    let renamed = Mapping("Element", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("route", .string)
    }
    #expect(try store.take(#"{"id":"c","route":"y"}"#, as: renamed).notes.count == 1)
  }

  @Test func aStoreForReadingIsNotChanged() throws {
    try fill()
    let change = Migration.rename("mail", of: "Person", to: "email")
    let configuration = LMDBStore.Configuration.with { ($0.isReadOnly, $0.migrations) = (true, [change]) }
    let error = thrown(LMDBError.self) { _ = try LMDBStore(at: scratch.store, configuration: configuration) }
    #expect(
      error?.reason
        == .migration(
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
    var configuration = LMDBStore.Configuration.with { $0.mapSize = 1 << 20 }
    let text = String(repeating: "x", count: 10_000)
    configuration.migrations = [.convert("age", of: "Person", to: .string) { _ in .string(text) }]
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    #expect(try store.file.mapSize > 4 << 20)
    #expect(try store.export(Self.person)[399].utf8.count > 10_000)
    try store.expectSound()
  }
}
