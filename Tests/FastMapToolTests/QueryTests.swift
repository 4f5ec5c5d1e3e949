import TestSupport
import Testing

/// `fastmap query` and `fastmap delete`.
@Suite struct ToolQueryTests {
  private static let people = #"""
    [{"id": 1, "name": "Ada", "price": 2, "car": {"plate": "A 1", "drivers": [1, 2]}, "phones": [{"number": "11"}]},
     {"id": 2, "name": "Bo", "price": 3, "boss": {"id": 1}}, {"id": 3, "boss": {"id": 2}},
     {"id": -4, "name": "Cy", "price": 2, "boss": {"id": 1}}]
    """#

  private func store() throws -> Workspace { try Workspace(holding: Self.people) }

  private func expect(
    _ run: Program.Run, _ status: Int32, _ output: String, _ errors: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(run.status == status, sourceLocation: sourceLocation)
    #expect(run.output == output, sourceLocation: sourceLocation)
    #expect(run.errors == errors, sourceLocation: sourceLocation)
  }

  private func call(
    _ command: String, _ workspace: Workspace, _ words: [String], as mapping: String = "Person"
  ) throws
    -> Program.Run
  {
    try workspace.run(
      [FastMapTool.path, command, "--store", "people.db", "--mappings", "mappings.json", "--as", mapping]
        + words)
  }

  @Test func aQueryPrintsTheObjectsThroughTheMapping() throws {
    let workspace = try store()
    let run = try call("query", workspace, ["@.boss.name == \"Ada\""])
    run.expect(0, complaints: [])
    #expect(
      run.output == #"""
        {"id":-4,"name":"Cy","price":2,"boss":{"id":1}}
        {"id":2,"name":"Bo","price":3,"boss":{"id":1}}

        """#)
    // Nothing found is no failure.
    let none = try call("query", workspace, ["@.name == 'Zoe'"])
    expect(none, 0, "", "")
  }

  static let keys: [(words: [String], output: String)] = [
    ([], "-4\n1\n2\n3\n"),
    (["@.name"], "-4\n1\n2\n"),
    (["!@.name"], "3\n"),
    (["@.boss == 1"], "-4\n2\n"),
    (["@.phones[?@.number == '11']"], "1\n"),
    (["--sort", "name"], "3\n1\n2\n-4\n"),
    (["--sort", "-name"], "-4\n2\n1\n3\n"),
    (["--sort", "price,-name"], "3\n-4\n1\n2\n"),
    (["--sort", "-price,name", "--limit", "2"], "2\n1\n"),
    (["--sort", "boss.name,-id"], "1\n2\n-4\n3\n"),
    (["--sort", "-id"], "3\n2\n1\n-4\n"),
    (["--after", "1"], "2\n3\n"),
    (["--after", "-4", "@.name"], "1\n2\n"),
    (["--sort", "name", "--after", "1"], "2\n-4\n"),
    (["--sort=-name", "--after", "3"], ""),
    (["--sort", "lower(name),-id"], "3\n1\n2\n-4\n"),
    (["--sort=-lower(boss.name),lower(name)"], "3\n2\n-4\n1\n"),
    (["lower(@.name) == 'ada'"], "1\n"),
    (["--limit", "0"], ""),
  ]

  @Test func keysComeInTheOrderAskedFor() throws {
    let workspace = try store()
    for (words, output) in Self.keys {
      let run = try call("query", workspace, ["--keys"] + words)
      expect(run, 0, output, "")
    }
    try #expect(call("query", workspace, ["--keys"], as: "Car").output == "\"A 1\"\n")
  }

  @Test func positionsLeadFromPageToPage() throws {
    let workspace = try store()
    let by = ["--positions", "--sort", "price,-name", "--limit", "2"]
    func page(_ words: [String]) throws -> (ids: [String], position: String?) {
      let run = try call("query", workspace, by + words)
      #expect(run.status == 0 && run.errors == "")
      var lines = run.output.split(separator: "\n").map(String.init)
      let last = try lines.last.map { try #require($0.wholeMatch(of: #/\{"position": "(\w[\w-]*)"\}/#)).1 }
      if last != nil { lines.removeLast() }
      return (
        lines.compactMap { $0.firstMatch(of: #/"id":(-?\d+)/#).map { String($0.1) } }, last.map(String.init)
      )
    }
    let first = try page([])
    #expect(first.ids == ["3", "-4"])
    let position = try #require(first.position)
    // Its object goes, another one comes before it.
    #expect(try call("delete", workspace, ["--", "-4"]).status == 0)
    #expect(try workspace.importing(#"{"id": 9, "price": 1}"#).status == 0)
    let second = try page(["--after", position])
    #expect(second.ids == ["1", "2"])
    let end = try page(["--after", try #require(second.position)])
    #expect(end.ids == [] && end.position == second.position)
    // Without a position, an empty page has none.
    try expect(call("query", workspace, ["--positions", "@.id > 100"]), 0, "", "")
    try expect(call("query", workspace, ["--positions", "--after", "9"]), 0, "", "")
    // A command without `--positions` takes one.
    let order = ["--sort", "price,-name", "--after", position]
    try expect(call("query", workspace, ["--keys"] + order), 0, "1\n2\n", "")
    try expect(call("query", workspace, ["--count"] + order), 0, "2\n", "")
  }

  @Test func aPositionOfAnotherQueryIsAMistake() throws {
    let workspace = try store()
    let run = try call("query", workspace, ["--positions", "--sort", "name", "--limit", "1", "@.id > 0"])
    let position = try #require(run.output.firstMatch(of: #/position": "([^"]*)"/#)).1
    for (words, mapping) in [
      (["--sort", "name"], "Person"), (["--sort=-name", "@.id > 0"], "Person"), (["@.id > 0"], "Person"),
      (["--sort", "lower(name)", "@.id > 0"], "Person"), (["--sort", "name", "@.id > 1"], "Person"),
      ([], "PersonRef"), ([], "Car"),
    ] {
      let run = try call("query", workspace, words + ["--after", String(position)], as: mapping)
      #expect(run.status == 2)
      #expect(
        run.errors.hasPrefix(
          "fastmap: --after: expected a position of this mapping, filter and order, found one of another query\n"
        ),
        "\(run.errors)")
    }
    // A text without the checksum is a key.
    let key = try call(
      "query", workspace, ["--sort", "name", "--after", position.dropLast() + "!", "@.id > 0"])
    #expect(key.status == 2 && key.errors.contains("--after: expected an integer, the primary key of Person"))
    for form in ["--count", "--keys", "--explain"] {
      let run = try call("query", workspace, [form, "--positions"])
      #expect(
        run.status == 2 && run.errors.contains("expected one of --positions or \(form)"), "\(run.errors)")
    }
    let phone = try call("query", workspace, ["--positions"], as: "Phone")
    #expect(phone.status == 2)
    #expect(phone.errors.contains(#"--positions: the mapping "Phone" has no primary key"#))
  }

  @Test func stubsAreFoundAndCounted() throws {
    let workspace = try store()
    let report = try workspace.importing(#"{"id": 7, "boss": {"id": 8}}"#, as: "Person", "--json")
    #expect(report.output.contains(#""skipped": 0, "stubs": 1}"#), "\(report)")
    try #expect(call("query", workspace, ["--stubs", "--keys"]).output == "8\n")
    try #expect(call("query", workspace, ["--stubs"]).output == "{\"id\":8}\n")
    try #expect(call("query", workspace, ["--stubs", "--count", "@.id < 8"]).output == "0\n")
    try #expect(
      call("query", workspace, ["--stubs", "--explain"]).output
        == "scan of Person: 6 objects looked at, 1 found\n")
    let phone = try call("query", workspace, ["--stubs"], as: "Phone")
    #expect(
      phone.status == 2 && phone.errors.contains("--stubs: stubs lack all fields but their key"), "\(phone)")
  }

  @Test func countAndExplainPrintOneLine() throws {
    let workspace = try store()
    try #expect(call("query", workspace, ["--count"]).output == "4\n")
    try #expect(call("query", workspace, ["--count", "@.price == 2"]).output == "2\n")
    try #expect(call("query", workspace, ["--count", "--limit", "3"]).output == "3\n")
    try #expect(
      call("query", workspace, ["--explain", "@.price == 2"]).output
        == "scan of Person: 4 objects looked at, 2 found\n")
    try #expect(
      call("query", workspace, ["--explain", "@.id >= 2", "--sort", "name"]).output
        == "Person, keys from 2: 2 objects looked at, 2 found, sorted\n")
  }

  @Test func depthNestsAsInAnExport() throws {
    let workspace = try store()
    try #expect(
      call("query", workspace, ["--depth", "0", "@.id == 2"]).output
        == #"{"id":2,"name":"Bo","price":3,"boss":{"id":1}}\#n"#)
    try #expect(
      call("query", workspace, ["--depth", "1", "@.id == 2"]).output
        == #"{"id":2,"name":"Bo","price":3,"boss":{"id":1,"name":"Ada","price":2,"#
        + #""car":{"plate":"A 1"},"phones":[{"number":"11"}]}}\#n"#)
  }

  @Test func afterAnObjectThatThereIsNotIsAFailure() throws {
    let run = try call("query", store(), ["--after", "99"])
    expect(run, 1, "", "no Person with the key 99\n")
  }

  @Test func aQueryMakesNoStore() throws {
    let workspace = try Workspace()
    #expect(try call("query", workspace, []).status == 1)
    #expect(try call("delete", workspace, ["1"]).status == 1)
    #expect(try call("delete", workspace, ["--where", "@.id == 1", "--dry-run"]).status == 1)
    #expect(workspace.names() == ["mappings.json"])
  }

  // MARK: Deleting

  @Test func deleteTakesKeys() throws {
    let workspace = try store()
    let run = try call("delete", workspace, ["2", "3"])
    expect(run, 0, "        deleted\nPerson        2\n2 objects deleted\n", "")
    try #expect(call("query", workspace, ["--keys"]).output == "-4\n1\n")
    // A key that begins with -.
    try #expect(call("delete", workspace, ["--", "-4"]).status == 0)
    try #expect(call("query", workspace, ["--keys"]).output == "1\n")
    try #expect(workspace.fastmap("check", "--store", "people.db").status == 0)
  }

  @Test func aKeyWithoutObjectDeletesNothing() throws {
    let workspace = try store()
    let run = try call("delete", workspace, ["1", "98", "2", "99"])
    expect(run, 1, "", "no Person with the key 98\nno Person with the key 99\n")
    try #expect(call("query", workspace, ["--count"]).output == "4\n")
  }

  @Test func deleteTakesAFilter() throws {
    let workspace = try store()
    let dry = try call("delete", workspace, ["--where", "@.price == 2", "--dry-run"])
    #expect(dry.status == 0)
    #expect(dry.output.hasSuffix("objects deleted; a dry run, nothing was changed\n"))
    try #expect(call("query", workspace, ["--count"]).output == "4\n")
    let run = try call("delete", workspace, ["--where", "@.price == 2"])
    #expect(run.status == 0)
    #expect(dry.output.hasPrefix(run.output.dropLast()))
    try #expect(call("query", workspace, ["--keys"]).output == "2\n3\n")
    // Links to deleted objects are gone.
    try #expect(call("query", workspace, ["--keys", "@.boss"]).output == "3\n")
    let nothing = try call("delete", workspace, ["--where", "@.price == 2"])
    expect(nothing, 0, "0 objects deleted\n", "")
  }

  @Test func deleteNeedsKeysOrAFilter() throws {
    let workspace = try store()
    for (words, message) in [
      ([], "expected KEY… or --where FILTER"),
      (["1", "--where", "@.id == 1"], "expected KEY… or --where, found both"),
      (["x"], "KEY: expected an integer, the primary key of Person, found \"x\""),
      (
        ["--where", "@.nme"],
        "--where: column 1: @.nme: Person has no field named \"nme\"; did you mean \"name\"?"
      ),
      (["-5"], "no option named \"-5\"; write -- before KEY if it begins with -"),
    ] {
      let run = try call("delete", workspace, words)
      #expect(run.status == 2)
      #expect(run.errors.hasPrefix("fastmap: \(message)\n"), "\(run.errors)")
    }
    try #expect(call("query", workspace, ["--count"]).output == "4\n")
  }
}
