import FastMapSystem
import TestSupport
import Testing

/// `import --changes`.
@Suite struct ChangeLineTests {
  private static let lines = """
    {"change": "inserted", "entity": "Car", "key": "B"}
    {"change": "updated", "entity": "Person", "key": 1, "fields": {"name": ["Ada", null], "car": ["A", "B"], \
    "phones": [[], [{"number": "7"}]]}}
    {"change": "inserted", "entity": "Person", "key": 2}

    """
  private static let payload =
    #"[{"id": 2}, {"id": 1, "name": null, "car": {"plate": "B"}, "phones": [{"number": "7"}]}]"#

  private func workspace() throws -> Workspace {
    try Workspace(holding: #"{"id": 1, "name": "Ada", "car": {"plate": "A"}}"#)
  }

  @Test func standardOutputHasALineForEachChangedObjectAndStandardErrorTheReport() throws {
    let workspace = try workspace()
    let dry = try workspace.importing(Self.payload, as: "Person", "--changes", "--dry-run", "--quiet")
    #expect((dry.status, dry.output) == (0, Self.lines))
    #expect(dry.errors.contains("a dry run, nothing was changed"))
    let run = try workspace.importing(Self.payload, as: "Person", "--changes", "--quiet")
    #expect((run.status, run.output) == (0, Self.lines))
    #expect(run.errors.contains("inserted  updated"))
    let again = try workspace.importing(Self.payload, as: "Person", "--changes", "--quiet", "--json")
    #expect((again.status, again.output) == (0, ""))
    #expect(again.errors.hasPrefix(#"{"mapping": "Person", "dryRun": false, "#))
  }

  @Test func anImportThatFailsPrintsTheChangesOfItsCommits() throws {
    let text = #"[{"id": 5}, {"id": 6}, {"id": "x"}]"#
    let whole = try workspace().importing(text, as: "Person", "--changes", "--quiet")
    #expect((whole.status, whole.output) == (1, ""))
    let parts = try workspace().importing(text, as: "Person", "--changes", "--json", "--commit-every", "1")
    #expect(parts.status == 1)
    #expect(
      parts.output == "{\"change\": \"inserted\", \"entity\": \"Person\", \"key\": 5}\n"
        + "{\"change\": \"inserted\", \"entity\": \"Person\", \"key\": 6}\n")
    #expect(parts.errors.contains(#""inserted": 2"#))
  }

  @Test func linesThatCannotBeWrittenAreAStatusOfOne() throws {
    for (sink, options) in [(">&-", ""), ("> /dev/full", ""), ("> /dev/full", "--dry-run")] {
      let workspace = try workspace()
      try workspace.write(Self.payload, to: "people.json")
      let run = try workspace.shell(
        "fastmap import --store people.db --mappings mappings.json --as Person --quiet --changes \(options) people.json \(sink)"
      )
      #expect(run.status == 1)
      let told =
        options.isEmpty
        ? "; the import is stored, and lines of its changes are lost" : "; lines of its changes are lost"
      #expect(run.complaints.last?.hasSuffix(told) ?? false, "\(run.errors)")
      #expect(run.errors.contains("Person "), "the report")
      #expect(try workspace.exporting().lines.count == (options.isEmpty ? 2 : 1))
    }
  }

  @Test func aTemporaryFileThatCannotBeMadeEndsTheImport() throws {
    let workspace = try workspace()
    try workspace.write((0..<5000).map { #"{"id": \#($0), "name": "a"}"# + "\n" }.joined(), to: "many.ndjson")
    let call =
      "TMPDIR=/nonexistent; export TMPDIR; fastmap import --store people.db --mappings mappings.json --as Person --quiet many.ndjson"
    #expect(try workspace.shell(call + " --dry-run").status == 0)
    let run = try workspace.shell(call + " --changes")
    run.expect(
      1, complaints: ["/nonexistent: cannot keep data in a temporary file: No such file or directory"])
    #expect(run.output == "")
    #expect(try workspace.exporting().lines.count == 1)
  }
}
