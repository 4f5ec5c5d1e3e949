// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapFoundation
import FastMapMemory
import Foundation
import Testing

@Suite("MigratingFromFastEasyMapping.md")
struct FastEasyMappingTests {
  final class Car {
    var id = 0
    static let mapping = Mapping(Car.self, "Car", primaryKey: "id", make: Car.init) { Attribute("id", \.id) }
  }

  final class Phone {
    var number = ""
    static let mapping = Mapping(Phone.self, "Phone", primaryKey: "number", make: Phone.init) {
      Attribute("number", \.number)
    }
  }

  final class Person {
    var personID = 0
    var name: String?
    var born: Date?
    var site: URL?
    var car: Car?
    var phones: [Phone] = []

    static let mapping = Mapping(
      Person.self, "Person", rootPath: "people", primaryKey: "personID", make: Person.init
    ) {
      Attribute("personID", \.personID, at: "id")
      Attribute("name", \.name)
      Attribute("born", \.born, as: .date(.pattern("%Y-%m-%d")))
      Attribute("site", \.site)
      ToOne("car", \.car, Car.mapping)
      ToMany("phones", \.phones, Phone.mapping)
    }
  }

  @Test func aMappingIsWrittenAsThePageSays() throws {
    let bytes = Array(
      #"""
      {"people": [{"id": 1, "name": "Ada", "born": "1970-01-02", "site": "https://example.org", "car": {"id": 3},
        "phones": [{"number": "12"}]}]}
      """#.utf8)
    let people = try Person.mapping.objects(from: bytes)

    #expect(people.first?.born == Date(timeIntervalSince1970: 86_400))
    #expect(people.first?.site == URL(string: "https://example.org"))
    #expect(people.first?.car?.id == 3)
    #expect(people.first?.phones.map(\.number) == ["12"])
    // A string that is no date is an error.
    #expect(throws: MappingError.self) {
      try Person.mapping.objects(from: #"{"people": {"id": 1, "born": "soon"}}"#)
    }
  }

  final class Tag {
    var name = ""
    static let mapping = Mapping(Tag.self, "Tag", make: Tag.init) { Attribute("name", \.name) }
  }

  @Test func memoryHasIdentityButForMappingsWithoutAKey() throws {
    let tags = Array(#"[{"name": "a"}, {"name": "a"}]"#.utf8)
    let copies = try Tag.mapping.objects(from: tags)

    #expect(copies.count == 2)
    #expect(copies[0] !== copies[1])
  }

  static let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }

  private func targets(
    of policy: RelationshipPolicy, _ payloads: String..., mapping: Mapping<Record> = tag
  ) throws -> [PrimaryKey?] {
    let owner = Mapping("Owner", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("tags", mapping, policy: policy)
    }
    let store = MemoryStore()
    let plan = try Plan(owner)
    for payload in payloads { _ = try Mapper(store).importJSON(payload, as: plan) }
    return try store.read(plan) { reader in
      try reader.record("Owner", key: 1).map { try reader.records("tags", of: $0).map(\.key) } ?? []
    }
  }

  @Test func aMergedCollectionHasTheOrderOfThePageAndNullKeepsIt() throws {
    let newFirst = RelationshipPolicy.custom("newFirst") { change in
      if change.new.isEmpty { return change.old }
      return change.new + change.old.filter { !change.new.contains($0) }
    }

    let (first, second) = (#"{"id": 1, "tags": [1, 2]}"#, #"{"id": 1, "tags": [2, 3]}"#)
    try #expect(targets(of: newFirst, first, second) == [2, 3, 1])
    try #expect(targets(of: .merge, first, second) == [1, 2, 3])
    for policy in [newFirst, .merge] {
      try #expect(targets(of: policy, first, #"{"id": 1, "tags": null}"#) == [1, 2])
    }
    try #expect(targets(of: .assign, first, #"{"id": 1, "tags": null}"#) == [])
  }

  @Test func replaceDeletesAsOnThePage() throws {
    let book = Mapping("Book", primaryKey: "id") { Attribute("id", .integer) }
    let shelf = Mapping("Shelf", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("books", book, policy: .replace(deletesShared: true))
    }

    let mapper = Mapper(MemoryStore())
    _ = try mapper.importJSON(#"[{"id": 1, "books": [1, 2]}, {"id": 2, "books": [1, 2]}]"#, as: shelf)
    let report = try mapper.importJSON(
      #"[{"id": 1, "books": []}, {"id": 3, "books": [2]}]"#, as: shelf)
    #expect(report["Book"]?.deleted == 1)
  }

  final class Member {
    var year = 7
    var account: String?
  }

  @Test func transformsOfValuesAndNullFollowThePage() throws {
    let lenientYear = Transform<Int>(reading: { value in
      guard let year = value.string.flatMap({ Int($0.prefix(4)) }) else { return .null }
      return .value(year)
    })

    let account = Transform<String>(
      readsNull: true, reading: { value in .value(value.string ?? "none") })

    let mapping = Mapping(Member.self, "Member", make: Member.init) {
      Attribute("year", \.year, transform: lenientYear)
      Attribute("account", \.account, at: "acc", transform: account)
    }
    func load(_ json: String) throws -> Member? {
      try mapping.object(from: json)
    }
    try #expect(load(#"{"year": "1965-08-01", "acc": null}"#)?.year == 1965)
    try #expect(load(#"{"year": "1965-08-01", "acc": null}"#)?.account == "none")
    try #expect(load(#"{"year": "soon"}"#)?.year == 7)
    try #expect(load(#"{"year": "soon"}"#)?.account == nil)
  }

  @Test func relationshipsAreReadByKey() throws {
    let category = Mapping("CategoryKey", entity: "Category", primaryKey: "categoryID") {
      Attribute("categoryID", .integer, at: .wholeValue)     // {"category": 4}
    }

    let site = Mapping("Site", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("category", category)
    }
    let store = MemoryStore()
    let report = try Mapper(store).importJSON(
      #"[{"id": 1, "category": 4}, {"id": 2, "category": null}]"#, as: site)
    #expect(report["Category"] == .init(inserted: 1))
    let serializer = try Serializer(site)
    var text = ""
    _ = try store.read(serializer.plan.schema) { reader in
      try serializer.export(from: &reader) { text += String(decoding: $0, as: UTF8.self) }
    }
    #expect(text == #"[{"id":1,"category":4},{"id":2}]"#)
  }
}
