// The blocks stand here as the pages have them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import Testing

@Suite("MigratingFromFastEasyMapping.md and MigratingFromWAMapping.md, on disk")
struct MigratingTests {
  final class Person {
    var id = 0
    var name: String?
    var email: String?
    var phone: String?
    weak var boss: Person?
    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email)
      Attribute("phone", \.phone)
      ToOne("boss", \.boss, Person.mapping)
    }
  }

  final class Member {
    var id = 0
    var name: String?
    var email: String?
    var phone: String?
    weak var boss: Member?
    static let mapping: Mapping<Member> = Mapping(Member.self, "Member", primaryKey: "id", make: Member.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email)
      Attribute("phone", \.phone)
      ToOne("boss", \.boss, Member.mapping)
    }
  }

  private static let payload = #"{"id": 314, "name": "Ada", "email": "ada@example.org", "phone": "1", "boss": {"id": 7}}"#

  @Test func anEditOfAPersonIsSaved() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let json = Self.payload
        let disk = try LMDBStore(at: "Person.db")
        _ = try Mapper(disk).importJSON(json, as: Person.mapping)
        try disk.withContext(for: Person.mapping) { context in
          guard let ada = try context.object(Person.mapping, key: 314) else { return }
          ada.name = "Ada King"
          ada.email = nil                              // is cleared in the store too
          try context.save()
        }
        let stored = try disk.read { try $0.object(Person.mapping, key: 314) }
        #expect(stored?.name == "Ada King")
        #expect(stored?.email == nil)
        #expect(stored?.phone == "1")
        let record = try disk.read(Person.mapping.plan()) { try $0.record("Person", key: 314) }
        #expect(record?.target("boss") != nil)
      }
    }
  }

  @Test func aFileOfPersonObjectsIsBroughtOver() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(#"[{"id": 1}, {"id": 2}]"#, to: "people.json")
        let disk = try LMDBStore(at: "Person.db")
        let moved = try Mapper(disk).importJSON(.file("people.json"), as: Person.mapping)
        print(moved["Person"]?.inserted ?? 0)        // 2
        #expect(Printed.takeLines() == ["2"])
      }
    }
  }

  @Test func anEditOfAMemberIsSaved() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let json = Self.payload
        let disk = try LMDBStore(at: "Member.db")
        _ = try Mapper(disk).importJSON(json, as: Member.mapping)
        try disk.withContext(for: Member.mapping) { context in
          guard let ada = try context.object(Member.mapping, key: 314) else { return }
          ada.name = "Ada King"
          ada.email = nil                              // is cleared in the store too
          try context.save()
        }
        let stored = try disk.read { try $0.object(Member.mapping, key: 314) }
        #expect(stored?.name == "Ada King")
        #expect(stored?.email == nil)
        #expect(stored?.phone == "1")
        let record = try disk.read(Member.mapping.plan()) { try $0.record("Member", key: 314) }
        #expect(record?.target("boss") != nil)
      }
    }
  }

  @Test func aFileOfMemberObjectsIsBroughtOver() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(#"[{"id": 1}, {"id": 2}]"#, to: "members.json")
        let disk = try LMDBStore(at: "Member.db")
        let moved = try Mapper(disk).importJSON(.file("members.json"), as: Member.mapping)
        print(moved["Member"]?.inserted ?? 0)        // 2
        #expect(Printed.takeLines() == ["2"])
      }
    }
  }
}
