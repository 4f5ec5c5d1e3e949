import TestSupport
import Testing

/// Links that wait for objects, from mapping file to dump.
@Suite struct ToolWaitingLinkTests {
  private static let mappings = #"""
    {"fastmap": 1, "mappings": {
      "Person": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"}, "relationships": {
        "boss": {"mapping": "Key", "weak": true, "waits": true},
        "friends": {"mapping": "Key", "toMany": true, "weak": true, "waits": true}}},
      "Key": {"entity": "Person", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}}}}
    """#

  @Test func aLinkWaitsInTheStoreAndInItsDump() throws {
    let workspace = try Workspace()
    try workspace.write(Self.mappings, to: "mappings.json")
    let first = try workspace.importing(#"{"id": 1, "boss": 9, "friends": [8, 9, 7]}"#)
    #expect(first.status == 0, "\(first)")
    try #expect(workspace.importing(#"{"id": 9}"#).status == 0)
    let stats = try workspace.fastmap("stats", "--store", "people.db")
    #expect(!stats.output.contains("waiting") && stats.output.contains("Person"), "\(stats)")
    try #expect(workspace.fastmap("check", "--store", "people.db").status == 0)
    let dump = try workspace.fastmap("dump", "--store", "people.db")
    let load = try workspace.fastmap("load", "--store", "copy.db", "-", input: dump.output)
    #expect(load.status == 0, "\(load)")
    let export = try workspace.fastmap(
      "export", "--store", "copy.db", "--mappings", "mappings.json", "--as", "Person")
    #expect(export.output == "{\"id\":1,\"boss\":9,\"friends\":[8,9,7]}\n{\"id\":9}\n", "\(export)")
    let last = try workspace.fastmap(
      "import", "--store", "copy.db", "--mappings", "mappings.json", "--as", "Person", "--json",
      input: #"[{"id": 7}, {"id": 8}]"#)
    #expect(last.output.contains(#""Person": {"inserted": 2, "updated": 1"#), "\(last)")
    try #expect(workspace.fastmap("check", "--store", "copy.db").status == 0)
  }
}
