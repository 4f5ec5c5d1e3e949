import TestSupport
import Testing

/// Objects that one line meets again.
@Suite struct RepeatTests {
  static func workspace(_ orders: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {
        "Order": {"primaryKey": "id", "attributes": {"id": "integer"},
          "relationships": {"by": {"mapping": "Customer"}, "items": {"mapping": "Item", "toMany": true}}},
        "Item": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"for": {"mapping": "Customer"}}},
        "Customer": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"},
          "relationships": {"town": {"mapping": "Town"}, "orders": {"mapping": "Order", "toMany": true},
            "home": {"mapping": "Home"}}},
        "Home": {"attributes": {"street": "string"}},
        "Town": {"primaryKey": "name", "attributes": {"name": "string", "size": "integer"}}}}
      """#, to: "m.json")
    try workspace.write(orders, to: "orders.json")
    let run = try workspace.fastmap("import", "s.db", "orders.json", "--mappings", "m.json", "--as", "Order")
    #expect(run.status == 0)
    return workspace
  }

  private static let orders = #"""
    [{"id": 1, "by": {"id": 7, "name": "Ada", "town": {"name": "Bern", "size": 3}, "orders": [{"id": 1}, {"id": 2}],
        "home": {"street": "a"}},
      "items": [{"id": 11, "for": {"id": 7}}, {"id": 12, "for": {"id": 8, "town": {"name": "Bern"}}}]}]
    """#

  private static let first =
    #"{"id":1,"by":{"id":7,"name":"Ada","town":{"name":"Bern","size":3},"orders":[{"id":1},{"id":2}],"home":{"street":"a"}},"#

  @Test(arguments: [["query"], ["get", "1"]])
  func anObjectIsWrittenAgainWithoutItsLists(_ words: [String]) throws {
    let workspace = try Self.workspace(Self.orders)
    let call =
      [FastMapTool.path, words[0], "s.db", "Order"] + words.dropFirst() + ["--mappings", "m.json"]
      + (words == ["query"] ? ["--limit", "1"] : [])
    let run = try workspace.run(call)
    #expect((run.status, run.errors) == (0, ""))
    #expect(
      run.output == Self.first
        + #""items":[{"id":11,"for":{"id":7,"name":"Ada","town":{"name":"Bern"}}},"#
        + #"{"id":12,"for":{"id":8,"town":{"name":"Bern","size":3}}}]}"# + "\n")
    let once = try workspace.run(call + ["--once"])
    #expect(
      once.output == Self.first
        + #""items":[{"id":11,"for":{"id":7}},{"id":12,"for":{"id":8,"town":{"name":"Bern"}}}]}"# + "\n")
    // Lists are left out, and not empty.
    let nulls = try workspace.run(call + ["--nulls"])
    #expect(nulls.output.contains(#""for":{"id":7,"name":"Ada","town":{"name":"Bern"}}"#))
    let export = try workspace.fastmap("export", "s.db", "Order", "--limit", "1", "--mappings", "m.json")
    #expect(export.output == once.output)
  }

  @Test func repeatsEndAtOneMebibyte() throws {
    let name = String(repeating: "n", count: 300_000)
    let items = (1...6).map { #"{"id": \#($0), "for": {"id": 7}}"# }.joined(separator: ", ")
    let workspace = try Self.workspace(
      #"[{"id": 1, "by": {"id": 7, "name": "\#(name)"}, "items": [\#(items)]}]"#)
    let run = try workspace.fastmap("query", "s.db", "Order", "--mappings", "m.json")
    #expect(run.status == 0)
    #expect(run.output.split(separator: name).count == 6)
    #expect(run.output.hasSuffix(#"{"id":5,"for":{"id":7}},{"id":6,"for":{"id":7}}]}"# + "\n"))
    #expect(
      run.errors
        == "a line repeats more than 1 MiB of objects; the others that it repeats are written as their keys (see --once)\n"
    )
  }
}
