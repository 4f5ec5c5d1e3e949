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
    static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email)
    }
  }

  final class Member {
    var id = 0
    var name: String?
    var email: String?
    static let mapping = Mapping(Member.self, "Member", primaryKey: "id", make: Member.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("email", \.email)
    }
  }

  private static let payload = #"{"id": 314, "name": "Ada", "email": "ada@example.org"}"#

  @Test("an edit of a copy of a Person goes back through JSON")
  func editPerson() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let json = Self.payload
        let disk = try LMDBStore(at: "Person.db")
        _ = try Mapper(disk).importJSON(json, as: Person.mapping)
        let ada = try disk.read { try $0.object(Person.mapping, key: 314) }
        ada?.name = "Ada King"
        if let ada {
          var options = SerializerOptions()
          options.includesNulls = true               // what was set to nil is cleared in the store too
          let text = try Serializer(Person.mapping, options: options).json(of: ada)
          _ = try Mapper(disk).importJSON(text, as: Person.mapping)
        }
        let stored = try disk.read { try $0.object(Person.mapping, key: 314) }
        #expect(stored?.name == "Ada King")
        #expect(stored?.email == "ada@example.org")
      }
    }
  }

  @Test("a file of Person objects is brought over")
  func movePerson() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(#"[{"id": 1}, {"id": 2}]"#, to: "people.json")
        let disk = try LMDBStore(at: "Person.db")
        let moved = try Mapper(disk).importFile("people.json", as: Person.mapping)
        print(moved["Person"]?.inserted ?? 0)        // 2
        #expect(Printed.takeLines() == ["2"])
      }
    }
  }

  @Test("an edit of a copy of a Member goes back through JSON")
  func editMember() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let json = Self.payload
        let disk = try LMDBStore(at: "Member.db")
        _ = try Mapper(disk).importJSON(json, as: Member.mapping)
        let ada = try disk.read { try $0.object(Member.mapping, key: 314) }
        ada?.name = "Ada King"
        if let ada {
          var options = SerializerOptions()
          options.includesNulls = true               // what was set to nil is cleared in the store too
          let text = try Serializer(Member.mapping, options: options).json(of: ada)
          _ = try Mapper(disk).importJSON(text, as: Member.mapping)
        }
        let stored = try disk.read { try $0.object(Member.mapping, key: 314) }
        #expect(stored?.name == "Ada King")
        #expect(stored?.email == "ada@example.org")
      }
    }
  }

  @Test("a file of Member objects is brought over")
  func moveMember() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(#"[{"id": 1}, {"id": 2}]"#, to: "members.json")
        let disk = try LMDBStore(at: "Member.db")
        let moved = try Mapper(disk).importFile("members.json", as: Member.mapping)
        print(moved["Member"]?.inserted ?? 0)        // 2
        #expect(Printed.takeLines() == ["2"])
      }
    }
  }
}
