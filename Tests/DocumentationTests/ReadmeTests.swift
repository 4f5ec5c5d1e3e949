// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import Testing

final class Person { var id = 0; var name: String?; var email: String?; var friends: [Person] = [] }

extension Person {
  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("email", \.email, at: "user_email")
    ToMany("friends", \.friends, Person.mapping, policy: .merge)
  }
}

@Suite("README.md")
struct ReadmeTests {
  @Test func theLinesOfTheReadmeRun() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        try write(
          #"[{"id": 314, "name": "Lucas", "user_email": "l@example.org", "friends": [{"id": 7}]}]"#,
          to: "people.json")
        let store = try LMDBStore(at: "friends.db")
        let report = try Mapper(store).importJSON(.file("people.json"), as: Person.mapping)  // no Swift object per record
        let lucas = try store.read { try $0.object(Person.mapping, key: 314, including: \.friends) }

        #expect(report["Person"] == .init(inserted: 2, stubs: 1))
        #expect(lucas?.email == "l@example.org")
        #expect(lucas?.friends.map(\.id) == [7])
      }
    }
  }
}
