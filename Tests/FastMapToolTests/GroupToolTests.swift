import TestSupport
import Testing

/// `fastmap query --group`, `--sum` and the like, and `--sort count(…)`.
@Suite struct GroupToolTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {
        "Order": {"primaryKey": "id", "attributes": {
          "id": "integer", "status": "string", "total": "decimal", "words": ["string"], "extra": "json", "more": "rest"},
          "relationships": {"customer": {"mapping": "Customer"}, "tags": {"mapping": "Tag", "toMany": true}}},
        "Customer": {"primaryKey": ["a", "b"], "attributes": {"a": "string", "b": "integer", "city": "string"}},
        "Tag": {"primaryKey": "k", "attributes": {"k": "string"}}}}
      """#, to: "m.json")
    try workspace.write(
      #"""
      [{"id": 1, "status": "paid", "total": 1.10, "customer": {"a": "x", "b": 1, "city": "Bern"}, "tags": [{"k": "s"}]},
       {"id": 2, "status": "open", "total": 40, "customer": {"a": "x", "b": 2, "city": "Rome"},
        "tags": [{"k": "s"}, {"k": "t"}], "words": ["a", "b", "c"]},
       {"id": 3, "status": "paid", "total": 3, "customer": {"a": "x", "b": 1}}, {"id": 4, "words": ["a"]}]
      """#, to: "orders.json")
    let run = try workspace.fastmap("import", "s.db", "orders.json", "--mappings", "m.json", "--as", "Order")
    #expect(run.status == 0)
    return workspace
  }

  private func query(_ words: String) throws -> Program.Run {
    let call = [FastMapTool.path, "query", "s.db", "Order", "--mappings", "m.json"]
    return try workspace().run(call + words.split(separator: " ").map(String.init))
  }

  static let cases: [(String, String)] = [
    (
      "--group status --count --sum total",
      #"""
      {"status":null,"count":1,"sum(total)":null}
      {"status":"open","count":1,"sum(total)":40}
      {"status":"paid","count":2,"sum(total)":4.10}

      """#
    ),
    (
      "--group status,customer.city --sum total --sort -sum(total) --limit 2 --format csv",
      "status,customer.city,sum(total)\r\nopen,Rome,40\r\npaid,Bern,4.10\r\n"
    ),
    (
      "--group customer --count --format csv --sort -count,customer",
      "customer,count\r\n\"[\"\"x\"\",1]\",2\r\n,1\r\n\"[\"\"x\"\",2]\",1\r\n"
    ),
    (
      "--group status --format json",
      "[\n{\"status\":null},\n{\"status\":\"open\"},\n{\"status\":\"paid\"}\n]\n"
    ),
    (
      "--group count(tags) --min id --max id --format table",
      "count(tags)  min(id)  max(id)\n0            3        4\n1            1        1\n2            2        2\n"
    ),
    (
      "--count --avg total,id --min status",
      #"{"count":4,"avg(total)":14.7,"avg(id)":2.5,"min(status)":"open"}"# + "\n"
    ),
    ("@.id>4 --sum total", #"{"sum(total)":null}"# + "\n"), ("@.id>4 --group status --count", ""),
    ("--count", "4\n"),
    ("@.id<3 --count --sum id", #"{"count":2,"sum(id)":3}"# + "\n"),
    ("--sort -count(tags) --keys", "2\n1\n3\n4\n"), ("--sort -count(words),-id --keys", "2\n4\n3\n1\n"),
    ("--sort -count(@.tags[*]) --limit 1 --keys", "2\n"),
  ]

  @Test(arguments: cases)
  func groupsAreWrittenInEachForm(_ test: (String, String)) throws {
    let run = try query(test.0)
    #expect((run.status, run.errors) == (0, ""))
    #expect(run.output == test.1)
  }

  static let mistakes = [
    (
      "--group tags", "--group: @.tags: expected one value to group by, found the to-many relationship @.tags"
    ),
    (
      "--group words", "--group: @.words: expected an attribute to group by, found a list, which has no order"
    ),
    ("--group extra", "--group: @.extra: expected an attribute to group by, found JSON, which has no order"),
    ("--group more", "--group: @.more: expected an attribute to group by, found JSON, which has no order"),
    ("--sum status", "--sum: @.status: expected numbers for sum, found a string"),
    ("--group ,", #"--group: expected FIELD[,FIELD…], found ",""#),
    ("--group status --sort total", #"--sort: no column named "total"; there are "status""#),
    ("--group status --keys", "expected one of --keys or --group"),
    ("--group status --fields id", "expected one of --group or --fields"),
    ("--sum total --after 1", "expected one of --sum or --after"),
  ]

  @Test(arguments: mistakes)
  func aFieldThatDoesNotGroupIsAWrongCall(_ test: (String, String)) throws {
    let run = try query(test.0)
    #expect((run.status, run.complaints.first) == (2, "fastmap: " + test.1))
  }

  @Test func aSumThatIsTooLargeIsAnError() throws {
    let workspace = try Workspace(
      holding: #"[{"id":9223372036854775807},{"id":9223372036854775806},{"id":9223372036854775805}]"#)
    let run = try workspace.fastmap(
      "query", "people.db", "Person", "--sum", "id", "--mappings", "mappings.json")
    run.expect(1, complaints: ["sum(@.id): the exact value is too large for its type"])
  }
}
