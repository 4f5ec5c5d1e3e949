import FastMapCore
import FastMapQueries
import TestSupport
import Testing

private final class Issue {
  var repository = 0
  var number = 0
  var title: String?
  var blocks: Issue?

  static let mapping: Mapping<Issue> = Mapping(
    Issue.self, "Issue", primaryKey: ["repository", "number"], make: Issue.init
  ) {
    Attribute(\.repository)
    Attribute(\.number)
    Attribute(\.title)
    ToOne(\.blocks, Issue.mapping)
  }
}

private final class Person {
  var id = 0
  var boss: Person?

  static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute(\.id)
    ToOne(\.boss, Person.mapping)
  }
}

@Suite struct QueryFormTests {
  private static let issues = #"""
    [{"repository": 1, "number": 7, "title": "a", "blocks": {"repository": 1, "number": 8}},
     {"repository": 1, "number": 8, "title": "b"}]
    """#

  @Test(arguments: StoreKind.allCases)
  func anArrayIsAKeyOfSeveralParts(_ kind: StoreKind) throws {
    let store = try kind.make(Self.issues, as: Issue.mapping)
    let number = 7
    try store.read { snapshot in
      try #expect(snapshot.object(Issue.mapping, key: [1, 7])?.title == "a")
      try #expect(snapshot.object(Issue.mapping, key: [1, number])?.title == "a")
      try #expect(snapshot.record(Issue.mapping, key: [1, 8])?["title"] == "b")
      try #expect(snapshot.objects(Issue.mapping.keys([[1, 8], [1, 9]])).map(\.title) == ["b"])
      try #expect(snapshot.objects(Issue.mapping.after(key: [1, 7])).map(\.title) == ["b"])
    }
    #expect(try store.delete(Issue.mapping, key: [1, 7]).total == 1)
    let context = try ObjectContext(store, for: Issue.mapping)
    defer { context.end() }
    #expect(try context.object(Issue.mapping, key: [1, 8])?.title == "b")
  }

  @Test(arguments: StoreKind.allCases)
  func anOptionalIsTheKeyOfARelationship(_ kind: StoreKind) throws {
    let store = try kind.make(#"[{"id": 1}, {"id": 2, "boss": 1}]"#, as: Person.mapping)
    let (one, none): (Int?, Int?) = (1, nil)
    try store.read { snapshot in
      try #expect(snapshot.objects(Person.mapping.where { $0.boss == one }).map(\.id) == [2])
      try #expect(snapshot.objects(Person.mapping.where { $0.boss == none }).map(\.id) == [1])
      try #expect(snapshot.objects(Person.mapping.where { $0.boss != one }).map(\.id) == [1])
      try #expect(snapshot.objects(Person.mapping.where { $0.boss != none }).map(\.id) == [2])
      try #expect(snapshot.objects(Person.mapping.where { $0.boss == nil }).map(\.id) == [1])
      try #expect(snapshot.objects(Person.mapping.where { $0.boss == 1 }).map(\.id) == [2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aRecordIsReadWithTheArgumentsOfAnObject(_ kind: StoreKind) throws {
    let store = try kind.make(#"[{"id": 1}, {"id": 2, "boss": 1}]"#, as: Person.mapping)
    try store.read { snapshot in
      try #expect(snapshot.object(Person.mapping, key: 2)?.id == 2)
      try #expect(snapshot.record(Person.mapping, key: 2)?["id"] == 2)
      try #expect(snapshot.record(Person.mapping.plan(), key: 3) == nil)
    }
  }

  @Test func aLimitComesLast() throws {
    let store = try StoreKind.memory.make(#"[{"id": 1}, {"id": 2}]"#, as: Person.mapping)
    let limited = Person.mapping.limit(1)
    let queries: [(String, Query<Mapping<Person>>)] = [
      ("where", limited.where { $0.boss == 1 }), ("keys", limited.keys([1])),
      ("sorted", limited.sorted(by: "id").keys([1])), ("stubs", limited.stubs),
    ]
    for (call, query) in queries {
      #expect(
        message { _ = try store.read { try $0.objects(query) } }
          == "expected limit after \(call), as it counts the objects that are found; found it before")
    }
    #expect(try store.read { try $0.objects(limited.after(key: 1)).map(\.id) } == [2])
  }
}
