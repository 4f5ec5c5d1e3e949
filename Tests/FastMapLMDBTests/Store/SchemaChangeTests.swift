import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Other names and types of stored fields, in a file. `ChangedTypeTests` and `EarlierNameTests` test every store.
@Suite struct SchemaChangeTests {
  let scratch = Scratch()

  private static let old = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("mail", .string)
    Attribute("age", .integer)
    Index("age", "-mail")
    Index("mail")
    Index("-age", isUnique: true)
  }
  private static let new = Mapping("Client", primaryKey: "id", was: "Person") {
    Attribute("id", .integer)
    Attribute("email", .string, was: "mail")
    Attribute("age", .decimal)
  }

  private func fill(_ count: Int, mail: String = "m") throws {
    let people = (0..<count).map { #"{"id":\#($0),"mail":"\#(mail)","age":\#($0)}"# }
    try LMDBStore(at: scratch.store).take("[\(people.joined(separator: ","))]", as: Self.old)
  }

  @Test func theIndexesOfConvertedValuesAreBuiltAgain() throws {
    try fill(3000)
    let store = try LMDBStore(at: scratch.store)
    try store.take("[]", as: Self.new)
    try store.expectSound()
    #expect(
      try store.statistics().entities[0].indexes.map(\.name) == ["age,-email", "email", "-age"])
    let query = try Plan(Self.new).where(Filter("@.age >= 2990.5"))
    #expect(try store.read(Self.new) { try $0.keys(query) }.count == 9)
    let refusal = message { try store.take(#"{"id":3000,"age":7.0}"#, as: Self.new) }
    #expect(refusal?.contains(#"unique in "-age", found one with the key 3000 that has 7.0"#) == true)
  }

  @Test func copiesHaveTheNamesAndTypesThatAreStoredNow() throws {
    try fill(2)
    do { try LMDBStore(at: scratch.store).take(#"{"id":2,"age":2.50}"#, as: Self.new) }
    let (file, loaded) = (scratch.path + "/all.dump", try LMDBStore(at: scratch.path + "/loaded.db"))
    do { try LMDBStore(at: scratch.store).dump(to: file) }
    try loaded.load(dump: file)
    #expect(try LMDBStore.repair(from: scratch.store, to: scratch.path + "/repaired.db").isComplete)
    for copy in [loaded, try LMDBStore(at: scratch.path + "/repaired.db")] {
      #expect(
        try copy.export(Self.new) == [
          #"{"id":0,"email":"m","age":0}"#, #"{"id":1,"email":"m","age":1}"#, #"{"id":2,"age":2.50}"#,
        ])
      try copy.expectSound()
    }
  }

  @Test(arguments: [0, 1])
  func aNameIsAsLongAsTheFileHasRoomFor(_ excess: Int) throws {
    let name = String(repeating: "n", count: 0xFFFF + excess)
    let mappings = [
      Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute(name, .string, was: "mail")
      },
      Mapping(name, primaryKey: "id", was: "Person") { Attribute("id", .integer) },
      Mapping("Other", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute(name, .string)
      },
      Mapping(name, primaryKey: "id") { Attribute("id", .integer) },
    ]
    for (number, mapping) in mappings.enumerated() {
      let scratch = Scratch()
      let store = try LMDBStore(at: scratch.store)
      if number < 2 { try store.take(#"{"id":1,"mail":"m"}"#, as: Self.old) }
      let before = try Files.bytes(of: scratch.dataFile)
      if excess == 0 {
        try store.take(#"{"id":1}"#, as: mapping)
        try store.expectSound()
      } else {
        #expect(
          message { try store.take(#"{"id":1}"#, as: mapping) }
            == "a name has at most 65535 bytes, this one has \(0xFFFF + excess)")
        #expect(try Files.bytes(of: scratch.dataFile) == before)
      }
    }
  }

  // MARK: Half-way

  @Test func aKilledChangeIsUndoneAndMadeLater() async throws {
    try fill(500)
    let path = scratch.store
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      try LMDBStore(at: path).write(Plan(Self.new).schema.changingStore) { writer in
        guard try writer.reader.count(of: 0) == 500 else { return .rollBack(()) }
        kill(getpid(), SIGKILL)
        return .commit(())
      }
    }
    let store = try LMDBStore(at: path)
    #expect(try store.export(Self.old)[399] == #"{"id":399,"mail":"m","age":399}"#)
    try store.expectSound()
    try store.take("[]", as: Self.new)
    #expect(try store.export(Self.new)[399] == #"{"id":399,"email":"m","age":399}"#)
    try store.expectSound()
  }

  @Test func aChangeMakesRoomForItself() throws {
    try fill(120, mail: String(repeating: "x", count: 10_000))
    let configuration = LMDBStore.Configuration.with { $0.mapSize = 1 << 20 }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    for index in ["age,-mail", "mail"] { try store.dropIndex(index, of: "Person") }
    let listed = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("mail", .list(.string))
    }
    try store.take("[]", as: listed)
    #expect(try store.export(listed)[119].hasPrefix(#"{"id":119,"mail":["xx"#))
    try store.expectSound()
  }

  // MARK: Undeclared renames

  @Test func anUndeclaredRenameIsNoted() throws {
    try fill(1)
    let store = try LMDBStore(at: scratch.store)
    let renamed = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Attribute("height", .number)
      Attribute("age", .integer)
    }
    let report = try store.take(#"{"id":1,"email":"x","height":1.5,"age":2}"#, as: renamed)
    #expect(
      report.notes == [
        #"Person has a new field "email", and the mapping no longer has "mail", which is still stored; "#
          + "if this is a rename, declare the old name with `was` before the first import with the new one"
      ])
    #expect("\(report)".hasSuffix(report.notes[0]))
    // A rename is noted once; an attribute that is only new, or only dropped, is not noted.
    #expect(try store.take(#"{"id":2,"email":"y"}"#, as: renamed).notes.isEmpty)
    #expect(
      try store.take(#"{"id":2}"#, as: Mapping("Person", primaryKey: "id") { Attribute("id", .integer) })
        .notes.isEmpty)
    let wider = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("mail", .string)
      Attribute("email", .string)
      Attribute("maker", .string)
    }
    #expect(try store.take(#"{"id":3,"maker":"x"}"#, as: wider).notes.isEmpty)
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
}
