import TestSupport
import Testing

/// `--format` and `--fields` of `query` and `export`.
@Suite struct ColumnTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {
        "Order": {"primaryKey": "id", "attributes": {
          "id": "integer", "note": "string", "total": "number", "exact": "decimal", "at": "date", "extra": "json",
          "words": ["string"], "a.b": {"type": "boolean", "keyPath": "ab"}},
          "relationships": {"by": {"mapping": "Customer"}, "tags": {"mapping": "Tag", "toMany": true}}},
        "Customer": {"primaryKey": ["a", "b"], "attributes": {"a": "string", "b": "integer", "name": "string"},
          "relationships": {"boss": {"mapping": "Customer"}}},
        "Tag": {"primaryKey": "k", "attributes": {"k": "string"}}}}
      """#, to: "m.json")
    try workspace.write(
      #"""
      [{"id": 1, "note": "a, \"b\"\nc", "total": 1.5, "exact": 1.10, "at": "2020-01-02T03:04:05Z", "ab": true,
        "extra": {"size": {"w": 2.50}, "x": "y"}, "words": ["p", "q"], "tags": [{"k": "s"}, {"k": "t"}],
        "by": {"a": "x", "b": 1, "name": "Ada", "boss": {"a": "x", "b": 2, "name": "Bea"}}},
       {"id": 2, "note": "", "extra": "text", "by": {"a": "x", "b": 1}}, {"id": 3, "total": 3}]
      """#, to: "orders.json")
    let run = try workspace.fastmap("import", "s.db", "orders.json", "--mappings", "m.json", "--as", "Order")
    #expect(run.status == 0)
    return workspace
  }

  static let cases: [(String, String)] = [
    (
      "--format csv",
      "id,note,total,exact,at,extra,words,a.b,by\r\n"
        + #"1,"a, ""b""\#nc",1.5,1.10,2020-01-02T03:04:05Z,"{""size"":{""w"":2.50},""x"":""y""}","["#
        + #"""p"",""q""]",true,"[""x"",1]""# + "\r\n" + #"2,"",,,,text,,,"[""x"",1]""#
        + "\r\n3,,3,,,,,,\r\n"
    ),
    (
      "--format csv --fields id,by.name,by.boss.name,by.boss,count(tags),extra.size.w,a\\.b",
      "id,by.name,by.boss.name,by.boss,count(tags),extra.size.w,a\\.b\r\n"
        + "1,Ada,Bea,\"[\"\"x\"\",2]\",2,2.50,true\r\n2,Ada,Bea,\"[\"\"x\"\",2]\",0,,\r\n3,,,,0,,\r\n"
    ),
    (
      "--fields total,by.name",
      "{\"total\":1.5,\"by.name\":\"Ada\"}\n{\"total\":null,\"by.name\":\"Ada\"}\n{\"total\":3,\"by.name\":null}\n"
    ),
    ("--format json --fields id", "[\n{\"id\":1},\n{\"id\":2},\n{\"id\":3}\n]\n"),
    (
      "--format table --fields id,note,extra.x",
      "id  note       extra.x\n1   a, \"b\"\\nc  y\n2\n3\n"
    ),
  ]

  @Test(arguments: cases, ["query", "export"])
  func columnsAreWrittenInEachForm(_ test: (String, String), _ command: String) throws {
    let workspace = try workspace()
    let words = test.0.split(separator: " ").map(String.init)
    let run = try workspace.run([FastMapTool.path, command, "s.db", "Order", "--mappings", "m.json"] + words)
    #expect((run.status, run.errors) == (0, ""))
    #expect(run.output == test.1)
  }

  @Test func rangesFiltersAndLimitsHold() throws {
    let workspace = try workspace()
    func output(_ words: String...) throws -> String {
      try workspace.run([FastMapTool.path] + words + ["--mappings", "m.json", "--fields", "id"]).output
    }
    #expect(try output("export", "s.db", "Order", "--from", "2", "--format", "csv") == "id\r\n2\r\n3\r\n")
    #expect(try output("export", "s.db", "Order", "--limit", "0", "--format", "json") == "[]\n")
    #expect(
      try output("query", "s.db", "Order", "@.total > 1", "--sort", "-total")
        == "{\"id\":3}\n{\"id\":1}\n")
  }

  static let mistakes = [
    ("--fields idd", #"--fields: no field of Order named "idd"; did you mean "id"?"#),
    ("--fields tags", #"--fields: "tags": "tags" is a list; write count(tags)"#),
    ("--fields count(by)", #"--fields: "count(by)" counts no list"#),
    ("--fields id.x", #"--fields: "id.x": "id" has no fields"#),
    ("--format xml", #"--format: expected ndjson, json, csv or table, found "xml""#),
    ("--format csv --positions", "expected one of --positions or --format"),
  ]

  @Test(arguments: mistakes)
  func aWrongColumnIsNamed(_ test: (String, String)) throws {
    let words = test.0.split(separator: " ").map(String.init)
    let run = try workspace().run(
      [FastMapTool.path, "query", "s.db", "Order", "--mappings", "m.json"] + words)
    #expect((run.status, run.complaints.first) == (2, "fastmap: " + test.1))
  }
}
