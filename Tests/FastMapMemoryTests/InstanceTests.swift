import FastMapCore
import FastMapMemory
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var age = 18
  var langs: [String] = []
  var boss: Person?
  var phones: [Phone] = []
  var friends: Set<Phone> = []

  static let mapping: Mapping<Person> = Mapping(
    Person.self, "Person", primaryKey: "id", make: { Person() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("age", \.age)
    Attribute("langs", \.langs)
    ToOne("boss", \.boss, mapping)
    ToMany("phones", \.phones, Phone.mapping, policy: .replace)
    ToMany("friends", \.friends, Phone.mapping, policy: .merge)
  }
}

private final class Phone: Hashable {
  var number = ""

  static let mapping = Mapping(Phone.self, "Phone", primaryKey: "number", make: Phone.init) {
    Attribute("number", \.number)
  }

  static func == (a: Phone, b: Phone) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Imports people and returns them.
private func load(
  _ store: MemoryStore, _ json: String, options: ImportOptions = ImportOptions()
) throws -> [Person] {
  try Mapper(store).objects(from: Array(json.utf8), as: Person.mapping, options: options)
}

/// A memory store keeps the caller's instances.
@Suite struct InstanceTests {
  // FEM-135, FEM-15, WAM-34, WAM-129
  @Test func anObjectMetAgainIsTheSameInstanceAndWhatAPayloadLacksStays() throws {
    let store = MemoryStore()
    let first = try load(store, #"[{"id": 1, "name": "Ada", "langs": ["fr", "en"]}, {"id": 2}]"#)
    let second = try load(store, #"[{"id": 2, "boss": {"id": 1, "age": 40}}, {"id": 3}]"#)
    #expect(first.map(\.id) == [1, 2])
    #expect(second[0] === first[1])
    #expect(second[0].boss === first[0])
    #expect(first[0].name == "Ada")
    #expect(first[0].age == 40)
    #expect(first[0].langs == ["fr", "en"])
    let read = try store.read { try $0.object(Person.mapping, key: 1) }
    #expect(read === first[0])
  }

  @Test(arguments: [#"["b", "a"]"#, "[]"])
  func theSecondImportOfOnePayloadChangesNothing(langs: String) throws {
    let store = MemoryStore()
    let json = #"{"id": 1, "age": 7, "langs": \#(langs), "phones": [{"number": "1"}, {"number": "2"}]}"#
    let plan = try Person.mapping.plan()
    _ = try Mapper(store).importJSON(Array(json.utf8), as: plan)
    let report = try Mapper(store).importJSON(Array(json.utf8), as: plan)
    #expect(report["Person"] == .init(unchanged: 1))
    #expect(report["Phone"] == .init(unchanged: 2))
  }

  @Test func whatTheCallerSetsByHandStaysWhereAPayloadDoesNotSpeakOfIt() throws {
    let store = MemoryStore()
    let ada = try #require(try load(store, #"{"id": 1, "name": "Ada", "age": 5}"#).first)
    ada.name = "Augusta"
    ada.age = 36
    let report = try Mapper(store).importJSON(Array(#"{"id": 1, "age": 36}"#.utf8), as: Person.mapping)
    #expect(report["Person"] == .init(unchanged: 1))
    #expect(ada.name == "Augusta")
    let plan = try Person.mapping.plan()
    let record = try store.read(plan) { try $0.record("Person", key: 1) }
    #expect(record?["name"] == .string("Augusta"))
  }

  @Test func whatTheCallerLinksByHandIsTheOldValueOfARelationship() throws {
    let store = MemoryStore()
    let ada = try #require(
      try load(store, #"{"id": 1, "friends": [{"number": "1"}], "phones": [{"number": "7"}]}"#).first)
    let mine = Phone()
    mine.number = "2"
    ada.friends.insert(mine)
    _ = try load(store, #"{"id": 1, "friends": [{"number": "3"}]}"#)
    #expect(Set(ada.friends.map(\.number)) == ["1", "2", "3"])
    #expect(try store.read { try $0.object(Phone.mapping, key: "2") } === mine)
    ada.phones = []
    let plan = try Person.mapping.plan()
    #expect(try store.read(plan) { try $0.record("Person", key: 1)?.targets("phones") } == [])
  }

  // FEM-108..110, WAM-71
  @Test func replaceLetsInstancesGoAndDeletesThemFromTheStore() throws {
    let store = MemoryStore()
    weak var gone: Phone?
    let ada = try #require(
      try load(store, #"{"id": 1, "phones": [{"number": "1"}, {"number": "2"}]}"#).first)
    gone = ada.phones.first
    let kept = ada.phones[1]
    _ = try load(store, #"{"id": 1, "phones": [{"number": "2"}, {"number": "3"}]}"#)
    #expect(ada.phones.map(\.number) == ["2", "3"])
    #expect(ada.phones[0] === kept)
    #expect(gone == nil)
    #expect(try store.read { try $0.object(Phone.mapping, key: "1") } == nil)
  }

  // BUG-50
  @Test func aFailedImportGivesInstancesTheirOldValuesBack() throws {
    let store = MemoryStore()
    let ada = try #require(
      try load(store, #"{"id": 1, "name": "Ada", "boss": {"id": 2}, "phones": [{"number": "1"}]}"#).first)
    let boss = ada.boss
    var options = ImportOptions()
    options.format = .ndjson
    #expect(throws: MappingError.self) {
      try load(
        store,
        (0..<200).map { _ in #"{"id": 1, "name": "Bob", "boss": {"id": 3}, "phones": []}"# }
          .joined(separator: "\n") + "\n" + #"{"id": true}"#, options: options)
    }
    #expect(ada.name == "Ada")
    #expect(ada.boss === boss)
    #expect(ada.phones.map(\.number) == ["1"])
    #expect(try store.read { try $0.object(Person.mapping, key: 3) } == nil)
    options.format = .json
    options.isDryRun = true
    let report = try Mapper(store).importJSON(
      Array(#"{"id": 1, "name": "Bob"}"#.utf8), as: Person.mapping, options: options)
    #expect(report["Person"] == .init(updated: 1))
    #expect(ada.name == "Ada")
  }

  @Test func anObjectWrittenToAndFroInOneImportIsUnchanged() throws {
    let store = MemoryStore()
    let ada = try #require(try load(store, #"{"id": 1, "name": "Ada"}"#).first)
    var options = ImportOptions()
    options.format = .ndjson
    let lines =
      [#"{"id": 1, "name": "Bob"}"#] + (0..<200).map { "{\"id\": \($0 + 2)}" } + [
        #"{"id": 1, "name": "Ada"}"#
      ]
    let report = try Mapper(store).importJSON(
      Array(lines.joined(separator: "\n").utf8), as: Person.mapping, options: options)
    #expect(report["Person"]?.unchanged == 1)
    #expect(report["Person"]?.updated == 0)
    #expect(ada.name == "Ada")
  }

  @Test func recordsBecomeInstancesWhenAMappingWithAClassComes() throws {
    let store = MemoryStore()
    let phone = Mapping("Phone", primaryKey: "number") { Attribute("number", .string) }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      Attribute("extra", .string)
      ToMany("phones", phone)
    }
    let json = #"{"id": 1, "name": "Ada", "extra": "x", "phones": ["1", {"number": "2"}]}"#
    _ = try Mapper(store).importJSON(Array(json.utf8), as: person)
    let ada = try #require(try load(store, #"{"id": 1, "age": 3}"#).first)
    #expect(ada.name == "Ada")
    #expect(ada.phones.map(\.number) == ["1", "2"])
    _ = try Mapper(store).importJSON(Array(#"{"id": 1, "name": "Bob", "phones": []}"#.utf8), as: person)
    #expect(ada.name == "Bob")
    #expect(ada.phones.isEmpty)
    #expect(try store.read(person.plan()) { try $0.record("Person", key: 1)?["extra"] } == .string("x"))
  }

  @Test func anotherClassForTheSameEntityIsRefused() throws {
    final class Human { var id = 0 }
    let human = Mapping(Human.self, "Human", entity: "Person", primaryKey: "id", make: { Human() }) {
      Attribute("id", \.id)
    }
    let store = MemoryStore()
    _ = try load(store, #"{"id": 1}"#)
    do {
      _ = try Mapper(store).importJSON(Array(#"{"id": 1}"#.utf8), as: human)
      Issue.record("it was taken")
    } catch {
      #expect(
        "\(error)"
          == "entity Person: its objects are instances of Person, the mapping says instances of Human")
    }
  }

  @Test func aStoreLetsGoOfItsInstancesWhenItGoes() throws {
    weak var ada: Person?
    do {
      let store = MemoryStore()
      ada = try load(store, #"{"id": 1, "phones": [{"number": "1"}]}"#).first
      #expect(ada != nil)
    }
    #expect(ada == nil)
  }
}
