import FastMapCore
import FastMapQueries
import TestSupport
import Testing

/// Relationships of each shape, on every store. The expected owners are written by hand.
@Suite struct RelationshipParityTests {
  /// A payload, the counts of its import, and the owners after it.
  struct Step: Sendable {
    let json: String
    let counts: String
    let owners: [String]
  }

  private static let steps: [Step] = [
    Step(
      json: """
        [{"id":1,"name":"a","boss":{"id":2,"name":"b"},"friends":[3,2],"pals":[2],"home":{"kind":"h","size":1},
          "parts":[{"kind":"x","size":1},{"size":2},{"kind":"x","size":1}]},{"id":3,"boss":3,"parts":[{"kind":"y","size":1}]}]
        """, counts: "Owner +3, Part +5",
      owners: [
        "1 a boss=2 friends=[3, 2] pals=[2] home=h/1 parts=[x/1 -/2 x/1]",
        "2 b boss=- friends=[] pals=[] home=- parts=[]", "3 - boss=3 friends=[] pals=[] home=- parts=[y/1]",
      ]),
    Step(
      json: """
        {"id":1,"friends":[2,3],"pals":[3,2],"home":{"size":4},"parts":[{"size":2},{"kind":"z","size":1},{"kind":"x","size":1}]}
        """, counts: "Owner ~1 =2, Part +1 ~1 =2 -1",
      owners: [
        "1 a boss=2 friends=[2, 3] pals=[2, 3] home=h/4 parts=[-/2 z/1 x/1]",
        "2 b boss=- friends=[] pals=[] home=- parts=[]", "3 - boss=3 friends=[] pals=[] home=- parts=[y/1]",
      ]),
    Step(
      json:
        #"[{"id":1,"boss":null,"friends":[1],"pals":[],"parts":[]},{"id":3,"boss":1,"parts":[{"kind":null,"size":1}]}]"#,
      counts: "Owner ~2, Part +1 -4",
      owners: [
        "1 a boss=- friends=[1] pals=[2, 3] home=h/4 parts=[]",
        "2 b boss=- friends=[] pals=[] home=- parts=[]",
        "3 - boss=1 friends=[] pals=[] home=- parts=[-/1]",
      ]),
  ]

  @Test(arguments: StoreKind.allCases)
  func importsStoreTheRelationshipsOfThePayload(_ kind: StoreKind) throws {
    let store = try kind.make()
    for step in Self.steps {
      #expect(try summary(Mapper(store).importJSON(step.json, as: Owner.mapping)) == step.counts)
      #expect(try store.owners() == step.owners)
      #expect(try Mapper(store).importJSON(step.json, as: Owner.mapping).isUnchanged)
      #expect(try store.owners() == step.owners)
    }
  }

  /// Contexts show each step, whether they read, import or refresh.
  @Test(arguments: StoreKind.allCases)
  func contextsShowTheRelationshipsOfThePayload(_ kind: StoreKind) throws {
    let store = try kind.make()
    let (mine, other) = (
      try ObjectContext(store, for: Owner.mapping), try ObjectContext(store, for: Owner.mapping)
    )
    defer {
      mine.end()
      other.end()
    }
    for step in Self.steps {
      #expect(try summary(mine.importJSON(step.json, as: Owner.mapping)) == step.counts)
      try other.refreshAll()
      for context in [mine, other] {
        #expect(try context.owners().map(\.text) == step.owners)
        #expect(try !context.hasChanges())
      }
      #expect(try store.owners() == step.owners)
    }
  }

  @Test func instancesWithoutAStoreHaveTheRelationshipsOfThePayload() throws {
    let made = try Owner.mapping.objects(from: Self.steps[0].json)
    #expect(made.map(\.text) == [Self.steps[0].owners[0], Self.steps[0].owners[2]])
    #expect(made[0].boss?.text == Self.steps[0].owners[1] && made[0].friends[0] === made[1])
    try Owner.mapping.fill(made[0], from: Self.steps[1].json)
    #expect(made[0].text == Self.steps[1].owners[0])
    made[1].boss = nil
    made[0].friends = []
  }

  @Test(arguments: StoreKind.allCases)
  func filtersFindOwnersByTheirTargets(_ kind: StoreKind) throws {
    let store = try kind.make(Self.steps[0].json, as: Owner.mapping)
    try store.read(Owner.mapping) { snapshot in
      func expect(_ keys: [PrimaryKey], _ filter: (FilterObject<Owner>) -> some FilterConvertible) throws {
        let query = Owner.mapping.where(filter)
        #expect(try snapshot.keys(query) == keys, "\(Filter(Owner.self, filter))")
      }
      try expect([1]) { $0.boss == 2 }
      try expect([2]) { $0.boss == nil }
      try expect([1, 3]) { $0.boss != nil }
      try expect([1]) { $0.boss.name == "b" }
      try expect([1]) { $0.friends.contains { $0.id == 3 } }
      try expect([1]) { $0.friends.count == 2 }
      try expect([2, 3]) { $0.friends.isEmpty }
      try expect([1]) { $0.friends.first.id == 3 }
      try expect([1]) { $0.home.size == 1 }
      try expect([2, 3]) { $0.home == nil }
      try expect([1, 3]) { $0.parts.contains { $0.size == 1 } }
      try expect([1]) { $0.parts.contains { $0.kind == nil } }
      try expect([1]) { $0.parts.count { $0.kind == "x" } == 2 }
      try expect([3]) { $0.parts.last.kind == "y" }
      try expect([1]) { $0.parts[1].size == 2 }
    }
    #expect(try store.delete(Owner.mapping.where { $0.parts.contains { $0.kind == "y" } }).total == 2)
    #expect(
      try store.owners() == [
        "1 a boss=2 friends=[2] pals=[2] home=h/1 parts=[x/1 -/2 x/1]",
        "2 b boss=- friends=[] pals=[] home=- parts=[]",
      ])
  }

  @Test(arguments: StoreKind.allCases)
  func savesStoreTheRelationshipsOfInstances(_ kind: StoreKind) throws {
    let store = try kind.make(Self.steps[0].json, as: Owner.mapping)
    let context = try ObjectContext(store, for: Owner.mapping)
    defer { context.end() }
    let owners = try context.owners()
    let (one, two, three) = (owners[0], owners[1], owners[2])
    func save(_ counts: String, _ location: SourceLocation = #_sourceLocation) throws {
      #expect(try summary(context.save()) == counts, sourceLocation: location)
      #expect(try store.owners() == context.owners().map(\.text), sourceLocation: location)
      #expect(try !context.hasChanges(), sourceLocation: location)
    }
    one.boss = three
    one.friends.swapAt(0, 1)
    one.parts[1].size = 5
    try save("Owner ~1, Part ~1")
    #expect(one.text == "1 a boss=3 friends=[2, 3] pals=[2] home=h/1 parts=[x/1 -/5 x/1]")

    // A list moves and loses an element, and a new owner comes with it.
    let part = Part()
    (part.kind, part.size) = ("n", 9)
    one.parts = [part, one.parts[1], one.parts[0]]
    let four = Owner()
    four.id = 4
    two.friends = [four, one]
    two.home = Part()
    try save("Owner +1 ~2, Part +2 -1")
    #expect(one.text == "1 a boss=3 friends=[2, 3] pals=[2] home=h/1 parts=[n/9 -/5 x/1]")

    // An edit goes to the element that still equals the one read.
    part.size = 10
    let moved = #"{"id":1,"parts":[{"kind":"x","size":1},{"kind":"m","size":1},{"kind":"n","size":9}]}"#
    _ = try Mapper(store).importJSON(moved, as: Owner.mapping)
    try context.save()
    #expect(try store.owners()[0] == "1 a boss=3 friends=[2, 3] pals=[2] home=h/1 parts=[x/1 m/1 n/10]")

    // An edit of an element that is gone is a conflict.
    let last = try context.owners()[0].parts[2]
    last.size = 11
    _ = try Mapper(store).importJSON(#"{"id":1,"parts":[{"size":1}]}"#, as: Owner.mapping)
    #expect(message { try context.save() } != nil)
    #expect(try store.owners()[0] == "1 a boss=3 friends=[2, 3] pals=[2] home=h/1 parts=[-/1]")
    try context.rollBack()
    try context.refreshAll()
    #expect(try store.owners() == context.owners().map(\.text))

    try context.delete(three)
    try context.save()
    #expect(
      try store.owners() == [
        "1 a boss=- friends=[2] pals=[2] home=h/1 parts=[-/1]",
        "2 b boss=- friends=[4, 1] pals=[] home=-/0 parts=[]",
        "4 - boss=- friends=[] pals=[] home=- parts=[]",
      ])
    #expect(try store.owners() == context.owners().map(\.text))
  }
}
