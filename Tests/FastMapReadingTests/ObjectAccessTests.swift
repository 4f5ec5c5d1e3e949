import FastMapCore
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var friends: [Person] = []
  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToMany("friends", \.friends, mapping)
  }
}

/// Finding, counting and deleting instances of mapped classes, in stores that keep them and stores that do not.
@Suite struct ObjectAccessTests {
  private static let json = Array(
    #"[{"id":1,"name":"a","friends":[2,3]},{"id":2,"name":"b"},{"id":3,"name":"c"},{"id":5,"friends":[2]}]"#
      .utf8)

  @Test(arguments: StoreKind.allCases)
  func instancesAreFoundCountedAndDeleted(_ kind: StoreKind) throws { try use(kind.make()) }

  private func use(_ store: some Store) throws {
    _ = try Mapper(store).importJSON(Self.json, as: Person.mapping)
    try store.read { reader in
      let last = try reader.objects(Person.mapping.sorted(by: \.id, descending: true).limit(2), depth: .max)
      #expect(last.map(\.id) == [5, 3])
      let below = try reader.objects(
        Person.mapping.keys(...3).sorted(by: \.id, descending: true).limit(1), depth: .max)
      #expect(below.map(\.name) == ["c"])
      let none = try reader.objects(Person.mapping.limit(0), depth: .max)
      #expect(none.isEmpty)
      let found = try reader.objects(Person.mapping.keys([5, 4, 1, 5]), depth: .max)
      #expect((found.map(\.id), found[0].friends.map(\.id)) == ([1, 5], [2, 3]))
      let areThere = [
        try reader.exists(Person.mapping.keys([3])), try reader.exists(Person.mapping.keys([4])),
      ]
      #expect(areThere == [true, false])
      let counts = [
        try reader.count(Person.mapping), try reader.count(Person.mapping.keys(2...4)),
      ]
      #expect(counts == [4, 2])
    }
    let report = try store.delete(Person.mapping, key: 2)
    #expect(report == DeletionReport(entities: [.init(entity: "Person", counts: .init(deleted: 1))]))
    let friends = try store.read { reader in
      try [1, 5].map { try reader.object(Person.mapping, key: $0, depth: .max)?.friends.map(\.id) }
    }
    #expect(friends == [[3], []])
    let some = try store.delete(Person.mapping.keys([2, 3]))
    #expect(some["Person"] == 1)
    let above = try store.delete(Person.mapping.keys(2...))
    #expect(above.total == 1)
    let rest = try [store.delete(Person.mapping), store.delete(Person.mapping)]
    #expect(rest.map(\.total) == [1, 0])
  }
}
