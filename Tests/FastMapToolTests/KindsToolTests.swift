import TestSupport
import Testing

/// Objects of several kinds, with the tool.
@Suite struct KindsToolTests {
  private static let mappings = #"""
    {"fastmap": 1, "mappings": {
      "Event": {
        "primaryKey": "id", "kinds": {"keyPath": "type", "values": {"PushEvent": "Push", "WatchEvent": "Watch"}}},
      "Push": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "size": "integer"}},
      "Watch": {
        "entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "action": "string"},
        "indexes": [["kind", "action"]]}}}
    """#

  private static let events = """
    {"id":1,"size":3,"type":"PushEvent"}
    {"id":2,"action":"started","type":"WatchEvent"}
    {"id":3,"size":4,"type":"PushEvent"}

    """

  private func run(_ workspace: Workspace, _ command: String, as mapping: String, _ words: String...) throws
    -> Program.Run
  {
    try workspace.run(
      [FastMapTool.path, command, "--store", "events.db", "--mappings", "kinds.json", "--as", mapping] + words
    )
  }

  @Test func oneKindIsGotQueriedCountedAndDeletedAlone() throws {
    let workspace = try Workspace()
    try workspace.write(Self.mappings, to: "kinds.json")
    try workspace.write(Self.events, to: "events.ndjson")
    try #expect(run(workspace, "import", as: "Event", "--quiet", "events.ndjson").status == 0)
    try #expect(run(workspace, "export", as: "Event").output == Self.events)
    try #expect(
      run(workspace, "export", as: "Push", "--from", "2").output == #"{"id":3,"size":4,"type":"PushEvent"}"#
        + "\n")
    try #expect(
      run(workspace, "get", as: "Push", "3").output == #"{"id":3,"size":4,"type":"PushEvent"}"# + "\n")
    try #expect(run(workspace, "get", as: "Push", "2").errors.contains("no Event with the key 2"))
    try #expect(run(workspace, "query", as: "Event", "--count", #"@.kind == "Push""#).output == "2\n")
    try #expect(run(workspace, "query", as: "Watch", "--keys", "--sort", "-action").output == "2\n")
    try #expect(run(workspace, "delete", as: "Watch", "1").status == 1)
    try #expect(run(workspace, "delete", as: "Push", "1").status == 0)
    try #expect(run(workspace, "query", as: "Event", "--keys").output == "2\n3\n")
    try #expect(workspace.fastmap("check", "--store", "events.db").status == 0)
  }

  @Test func faultsNameTheValueAndTheKinds() throws {
    let workspace = try Workspace()
    try workspace.write(Self.mappings, to: "kinds.json")
    try workspace.write(#"[{"id":1,"type":"ForkEvent"},{"id":2,"type":"WatchEvent"}]"#, to: "events.json")
    let run = try run(workspace, "import", as: "Event", "--quiet", "--on-error", "skip", "events.json")
    #expect(run.status == 1)
    #expect(
      run.errors.contains(
        #"$[0].type: expected one of "PushEvent" or "WatchEvent", found the string "ForkEvent""#))
    try #expect(self.run(workspace, "query", as: "Event", "--keys").output == "2\n")
  }
}
