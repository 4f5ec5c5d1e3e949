import TestSupport
import Testing

/// `import --json` prints its report whether the import is done or aborted.
@Suite struct AbortedImportTests {
  /// The report, with its time cut out.
  private func report(_ run: Program.Run) -> String {
    run.output.replacing(/"seconds": [0-9]+\.[0-9]+/, with: #""seconds": 0"#)
  }

  private static let bad =
    "{\"id\": 1}\n{\"id\": 2, \"car\": {\"plate\": \"A\"}}\n{\"id\": 3}\n{\"id\": \"x\"}\n"

  @Test func theReportHasTheErrorAndTheCommittedObjects() throws {
    let workspace = try Workspace()
    let run = try workspace.importing(
      Self.bad, as: "Person", "--json", "--format", "ndjson", "--commit-every", "2")
    run.expect(1, complaints: [#"$[3].id: expected an integer, found the string "x" (line 4, column 8)"#])
    #expect(
      report(run) == #"""
        {"mapping": "Person", "dryRun": false, "bytes": \#(Self.bad.utf8.count), "rootObjects": 2, "seconds": 0, \#
        "entities": {\#
        "Person": {"inserted": 2, "updated": 0, "unchanged": 0, "deleted": 0, "skipped": 0, "stubs": 1}, \#
        "Car": {"inserted": 1, "updated": 0, "unchanged": 0, "deleted": 0, "skipped": 0, "stubs": 1}}, \#
        "unseen": [], "unread": [], "contradictions": [], "errors": [\#
        {"path": "$[3].id", "line": 4, "column": 8, "message": "expected an integer, found the string \"x\""}]}

        """#)
    #expect(try workspace.exporting().output.split(separator: "\n").count == 2)
  }

  @Test func withoutACommitNothingIsCounted() throws {
    for options in [[], ["--dry-run"]] {
      let workspace = try Workspace()
      let run = try workspace.run(
        [
          FastMapTool.path, "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person",
          "--json",
        ] + options, input: #"[{"id": 1}, {"id": 2, "price": "n/a"}]"#)
      #expect(run.status == 1)
      #expect(
        report(run) == #"""
          {"mapping": "Person", "dryRun": \#(options != []), "bytes": 38, "rootObjects": 0, "seconds": 0, \#
          "entities": {}, "unseen": [], "unread": [], "contradictions": [], "errors": [\#
          {"path": "$[1].price", "line": 1, "column": 32, "message": "expected a number, found the string \"n/a\""}]}

          """#)
      #expect(!workspace.names().contains("people.db"))
    }
  }

  /// A pipe, whose text is read as it arrives.
  @Test func aStreamHasTheSameReport() throws {
    let workspace = try Workspace()
    try workspace.write(Self.bad, to: "bad.ndjson")
    let run = try workspace.shell(
      "cat bad.ndjson | fastmap import --store people.db --mappings mappings.json --as Person --json --format ndjson "
        + "--commit-every 2")
    #expect(run.status == 1)
    #expect(run.output.contains(#""rootObjects": 2, "#))
    #expect(run.output.contains(#""Person": {"inserted": 2, "#))
    #expect(run.output.contains(#""errors": [{"path": "$[3].id", "line": 4, "column": 8, "#))
  }

  @Test func theErrorsThatWereSkippedComeBeforeTheOneThatEndedIt() throws {
    let objects = (0..<200).map { $0 == 1 ? #"{"id": "x"}"# : #"{"id": \#($0)}"# }.joined(separator: ",\n")
    let run = try Workspace().importing(
      "[\(objects),\noops]", as: "Person", "--json", "--on-error", "skip", "--commit-every", "10")
    #expect(run.status == 1)
    #expect(run.output.contains(#""rootObjects": 2"#))
    #expect(run.output.contains(#""deleted": 0, "skipped": 1, "stubs": "#))
    #expect(
      run.output.hasSuffix(
        #""errors": [{"path": "$[1].id", "line": 2, "column": 8, "message": "expected an integer, found the string "#
          + #"\"x\""}, {"path": "$", "line": 201, "column": 1, "message": "expected a value, found \"o\""}]}\#n"#
      ))
  }

  @Test(arguments: [
    ("{\"id\": 1}\n{\"id\": oops}\n", "--format=ndjson", #"{"path": "$[1]", "line": 2, "column": 8, "#),
    (#"{"id": oops}"#, "--format=json", #"{"path": "$", "line": 1, "column": 8, "#),
    (#"{"a": 1}"#, "--root-path=b", #"{"path": "$.b", "line": 1, "column": 1, "#),
  ])
  func textThatIsNoJSONHasAPlace(_ text: String, _ option: String, _ error: String) throws {
    let run = try Workspace().importing(text, as: "Person", "--json", option)
    #expect(run.status == 1)
    #expect(run.output.contains(#""rootObjects": 0, "#))
    #expect(run.output.contains(#""errors": ["# + error), "\(run.output)")
  }

  @Test func anErrorOfTheStoreOrTheInputIsInTheReport() throws {
    let workspace = try Workspace()
    try workspace.write("no store", to: "people.db")
    let run = try workspace.importing(#"{"id": 1}"#, as: "Person", "--json")
    #expect((run.status, run.complaints.count) == (1, 1))
    #expect(
      run.output.contains(
        #""entities": {}, "unseen": [], "unread": [], "contradictions": [], "errors": [{"message": "#))
    let missing = try workspace.importing("", as: "Person", "--json", "nothing.json")
    #expect(missing.status == 1)
    #expect(missing.output.contains(#""errors": [{"message": "nothing.json: No such file or directory"}]}"#))
  }

  @Test func aCallThatIsAtFaultHasNoReport() throws {
    let run = try Workspace().importing("{}", as: "Nobody", "--json")
    #expect((run.status, run.output) == (2, ""))
  }
}
