import TestSupport
import Testing

/// The store and the mapping as the first arguments.
@Suite struct WordTests {
  private static let file = ["--mappings", "mappings.json"]

  @Test func theFirstArgumentsNameTheStoreAndTheMapping() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]"#, to: "people.json")
    func run(_ words: String...) throws -> Program.Run {
      try workspace.run([FastMapTool.path] + words + Self.file)
    }
    #expect(try run("import", "people.db", "people.json", "--as", "Person").status == 0)
    #expect(try run("get", "people.db", "Person", "1").output == "{\"id\":1,\"name\":\"Ada\"}\n")
    #expect(try run("query", "people.db", "Person", "@.name == 'Bob'", "--count").output == "1\n")
    #expect(try run("export", "people.db", "Person").output.split(separator: "\n").count == 2)
    #expect(try run("export", "--as", "Person", "people.db").output.split(separator: "\n").count == 2)
    #expect(try run("delete", "people.db", "Person", "1").status == 0)
    for command in ["stats", "check", "dump", "describe", "compact"] {
      #expect(try workspace.fastmap(command, "people.db").status == 0)
    }
    #expect(try workspace.fastmap("backup", "people.db", "copy.db").status == 0)
    #expect(try workspace.fastmap("repair", "copy.db", "repaired.db").status == 0)
    try workspace.write(workspace.fastmap("dump", "people.db").output, to: "dump")
    #expect(try workspace.fastmap("load", "loaded.db", "dump").status == 0)
  }

  @Test func aPathWithoutAStoreIsAWrongCall() throws {
    let workspace = try Workspace()
    for command in ["stats", "check", "dump"] {
      #expect(try workspace.fastmap(command, "mappings.json").status == 2)
      #expect(try workspace.fastmap(command, ".").status == 2)
    }
    #expect(try workspace.fastmap("stats", "missing.db").status == 1)
  }

  // MARK: set

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {
        "Order": {"rootPath": "data.orders", "primaryKey": "id", "newerBy": "v", "attributes": {
          "id": "integer", "v": "integer", "note": "string", "total": "number", "city": {"type": "string", "keyPath": "to.city"},
          "zip": {"type": "string", "keyPath": "to.zip"}, "all": {"type": ["string"], "keyPath": "all[].n"}},
          "relationships": {"by": {"mapping": "Customer"}}},
        "Customer": {"primaryKey": ["a", "b"], "attributes": {"a": "string", "b": "integer", "n": "string"}},
        "Box": {"primaryKey": "name", "keyedBy": "name", "attributes": {"name": "string", "size": "integer"}}}}
      """#, to: "m.json")
    try workspace.write(
      #"{"data": {"orders": [{"id": 3, "v": 2, "note": "a", "total": 1, "to": {"city": "Bern", "zip": "1"}}]}}"#,
      to: "orders.json")
    try workspace.write(#"[{"a": "x", "b": 1, "n": "Ada"}]"#, to: "customers.json")
    try workspace.write(#"{"b": {"size": 1}}"#, to: "boxes.json")
    for (mapping, file) in [("Order", "orders"), ("Customer", "customers"), ("Box", "boxes")] {
      let words = ["import", "s.db", file + ".json", "--mappings", "m.json", "--as", mapping]
      #expect(try workspace.run([FastMapTool.path] + words).status == 0)
    }
    return workspace
  }

  static let changes = [
    (
      ["Order", "3", "total=31.5", "note=null"],
      #"{"id":3,"v":2,"total":31.5,"to":{"city":"Bern","zip":"1"}}"#
    ),
    (["Order", "3", "city=Zug"], #"{"id":3,"v":2,"note":"a","total":1,"to":{"city":"Zug","zip":"1"}}"#),
    (
      ["Order", "3", #"note="null""#],
      #"{"id":3,"v":2,"note":"null","total":1,"to":{"city":"Bern","zip":"1"}}"#
    ),
    (["Order", "3", #"note="a"#], #"{"id":3,"v":2,"note":"\"a","total":1,"to":{"city":"Bern","zip":"1"}}"#),
    (
      ["Order", "3", #"by={"a":"x","b":1}"#, "note=12"],
      #"{"id":3,"v":2,"note":"12","total":1,"to":{"city":"Bern","zip":"1"},"by":{"a":"x","b":1,"n":"Ada"}}"#
    ),
    (["Customer", #"["x",1]"#, "n="], #"{"a":"x","b":1,"n":""}"#),
    (["Box", "b", "size=2"], #"{"name":"b","size":2}"#),
  ]

  @Test(arguments: changes)
  func setChangesTheGivenFieldsOnly(_ words: [String], _ right: String) throws {
    let workspace = try workspace()
    let run = try workspace.run([FastMapTool.path, "set", "s.db"] + words + ["--mappings", "m.json"])
    #expect((run.status, run.errors) == (0, ""))
    let found = try workspace.run(
      [FastMapTool.path, "get", "s.db"] + words.prefix(2) + ["--mappings", "m.json"])
    #expect(found.output == right + "\n")
  }

  static let refusals = [
    (["4", "note=a"], 1, #"no Order with the key 4"#), (["3", "total=x"], 2, "expected JSON"),
    (["3", #"total="x""#], 1, "expected a number"), (["3", #"all=["a"]"#], 2, "all[].n"),
    (["3", "v=1"], 1, #"nothing was changed: the stored object is newer by "v""#),
  ]

  @Test(arguments: refusals)
  func setRefusesValuesThatItCannotWrite(_ words: [String], _ status: Int, _ text: String) throws {
    let workspace = try workspace()
    let run = try workspace.run(
      [FastMapTool.path, "set", "s.db", "Order"] + words + ["--mappings", "m.json"])
    #expect(run.status == Int32(status))
    #expect(run.errors.contains(text), "\(run.errors)")
    #expect(try workspace.fastmap("check", "s.db").output.hasPrefix("no problems: 3 objects"))
  }

  @Test func nullsAreWrittenForFieldsWithoutAValue() throws {
    let workspace = try Workspace(holding: #"[{"id": 1}]"#)
    for command in [["get", "people.db", "Person", "1"], ["query", "people.db", "Person"]] {
      let run = try workspace.run([FastMapTool.path] + command + Self.file + ["--nulls"])
      #expect(run.output.hasPrefix(#"{"id":1,"name":null"#))
    }
  }
}
