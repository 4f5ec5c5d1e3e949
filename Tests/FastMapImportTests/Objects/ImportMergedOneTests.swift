import FastMapCore
import TestSupport
import Testing

/// A merged to-one relationship to objects that may lack their key: the owned one goes when another takes its place.
@Suite struct ImportMergedOneTests {
  private static func team(_ choice: MissingPrimaryKey) -> Mapping<Record> {
    let developer = Mapping("Developer", primaryKey: "id", missingPrimaryKey: choice) {
      Attribute("id", .integer)
      Attribute("name", .string)
    }
    return Mapping("Team", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("lead", developer, policy: .merge)
    }
  }

  private static let steps: [(payload: String, report: String, dump: String)] = [
    (#"{"id":1,"lead":{"name":"L"}}"#, "Team +1, Developer +1", "Team 1 lead=#1\nDeveloper #1 name=\"L\""),
    // By position, as under any policy; null and a missing member are let be.
    (#"{"id":1,"lead":{"name":"M"}}"#, "Team =1, Developer ~1", "Team 1 lead=#1\nDeveloper #1 name=\"M\""),
    (#"{"id":1,"lead":null}"#, "Team =1", "Team 1 lead=#1\nDeveloper #1 name=\"M\""),
    (#"{"id":1}"#, "Team =1", "Team 1 lead=#1\nDeveloper #1 name=\"M\""),
    (#"{"id":1,"lead":{"id":5}}"#, "Team ~1, Developer +1 -1", "Team 1 lead=5\nDeveloper 5"),
    // One with a key is its own, and stays.
    (
      #"{"id":1,"lead":{"name":"L2"}}"#, "Team ~1, Developer +1",
      "Team 1 lead=#1\nDeveloper 5\nDeveloper #1 name=\"L2\""
    ),
    (#"{"id":1,"lead":{"id":5}}"#, "Team ~1, Developer =1 -1", "Team 1 lead=5\nDeveloper 5"),
    (
      #"[{"id":1,"lead":{"name":"L3"}},{"id":1,"lead":{"id":6}}]"#, "Team ~1, Developer +1",
      "Team 1 lead=6\nDeveloper 5\nDeveloper 6"
    ),
  ]

  @Test(arguments: StoreKind.allCases, [MissingPrimaryKey.owned, .insert])
  func theOwnedOneGoes(_ kind: StoreKind, _ choice: MissingPrimaryKey) throws {
    func check(_ store: some Store, _ world: World) throws {
      try #expect(store.delete(world.plan().query(of: "Team").keys([1])).total == 1)
    }
    let world = try World(kind, Self.team(choice))
    for step in Self.steps {
      try #expect(world.load(step.payload) == step.report, "\(step.payload)")
      try #expect(world.dump() == step.dump, "\(step.payload)")
    }
    try check(world.store, world)
    try #expect(world.dump() == "Developer 5\nDeveloper 6")
  }
}
