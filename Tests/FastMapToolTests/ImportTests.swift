import TestSupport
import Testing

@Suite struct ImportTests {
  /// The report, with its time cut out.
  private func report(_ run: Program.Run) -> String {
    run.output.replacing(/"seconds": [0-9]+\.[0-9]+/, with: #""seconds": 0"#)
  }

  private static let unseenOfPeople =
    "no object of the payload has Person.price, Person.phones, Person.boss, Car.city or Car.drivers"

  @Test func theJSONReportHasTheShapeOfTheContract() throws {
    let workspace = try Workspace()
    let text = #"[{"id": 1, "name": "Ada", "car": {"plate": "A 1"}}, {"id": 2}]"#
    let run = try workspace.importing(text, as: "Person", "--json")
    run.expect(0, complaints: [Self.unseenOfPeople])
    #expect(
      report(run) == #"""
        {"mapping": "Person", "dryRun": false, "bytes": \#(text.utf8.count), "rootObjects": 2, "seconds": 0, \#
        "entities": {\#
        "Person": {"inserted": 2, "updated": 0, "unchanged": 0, "deleted": 0, "skipped": 0, "stubs": 1}, \#
        "Car": {"inserted": 1, "updated": 0, "unchanged": 0, "deleted": 0, "skipped": 0, "stubs": 1}}, \#
        "unseen": ["Person.price", "Person.phones", "Person.boss", "Car.city", "Car.drivers"], \#
        "unread": [], "contradictions": [], "errors": []}

        """#)
  }

  @Test func theReportForPeopleIsATable() throws {
    let workspace = try Workspace()
    let run = try workspace.importing(#"[{"id": 1, "car": {"plate": "A 1"}}, {"id": 2}]"#)
    run.expect(
      0, complaints: [Self.unseenOfPeople.replacing("Person.price", with: "Person.name, Person.price")])
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(3) == [
        "        inserted  updated  unchanged  deleted  skipped  stubs",
        "Person         2        0          0        0        0      1",
        "Car            1        0          0        0        0      1",
      ])
    #expect(lines.count == 4)
    #expect(lines[3].contains(/^2 root objects, 47 bytes, [0-9]+\.[0-9]{2} s$/))
  }

  @Test func theSamePayloadAgainIsUnchanged() throws {
    let workspace = try Workspace()
    let text = #"[{"id": 1, "name": "Ada", "phones": [{"number": "1"}, {"number": "2"}]}]"#
    try workspace.importing(text)
    let before = try workspace.bytes(of: "people.db/data.mdb")
    let run = try workspace.importing(text, as: "Person", "--json")
    #expect(run.output.contains(#""Person": {"inserted": 0, "updated": 0, "unchanged": 1"#))
    #expect(run.output.contains(#""Phone": {"inserted": 0, "updated": 0, "unchanged": 2"#))
    #expect(try workspace.bytes(of: "people.db/data.mdb") == before)
  }

  @Test(arguments: ["people.ndjson", "people.jsonl", "PEOPLE.NDJSON"])
  func theEndingOfAFileSaysThatItHasOneValueALine(_ name: String) throws {
    let workspace = try Workspace()
    try workspace.write("{\"id\": 1}\n\n{\"id\": 2}\n", to: name)
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", name)
    #expect(run.status == 0)
    #expect(try workspace.exporting().output == "{\"id\":1}\n{\"id\":2}\n")
  }

  @Test func aPayloadReplacesAllObjectsOrTheMatchesOfAFilter() throws {
    let workspace = try Workspace()
    try workspace.importing(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "a"}, {"id": 3, "name": "b"}]"#)
    let dry = try workspace.importing(
      #"[{"id": 1}]"#, as: "Person", "--replace-where", #"@.name == "a""#, "--dry-run", "--json")
    #expect(
      dry.output.contains(
        #""Person": {"inserted": 0, "updated": 0, "unchanged": 1, "deleted": 1, "skipped": 0}"#))
    #expect(try workspace.exporting().output.split(separator: "\n").count == 3)
    try workspace.importing(#"[{"id": 1}]"#, as: "Person", "--replace-where", #"@.name == "a""#)
    #expect(try workspace.exporting().output == "{\"id\":1,\"name\":\"a\"}\n{\"id\":3,\"name\":\"b\"}\n")
    try workspace.importing("[]", as: "Person", "--replace-all")
    #expect(try workspace.exporting().output == "")
  }

  @Test func replacingNeedsInputAndKeys() throws {
    let workspace = try Workspace(holding: #"[{"id": 1}, {"id": 2}]"#)
    let both = try workspace.importing("[]", as: "Person", "--replace-all", "--replace-where", "@.id == 1")
    #expect(both.status == 2)
    #expect(both.complaints.first == "fastmap: expected --replace-all or --replace-where, found both")
    let filter = try workspace.importing("[]", as: "Person", "--replace-where", "@.nothing == 1")
    #expect(filter.status == 2)
    let empty = try workspace.importing("", as: "Person", "--replace-all", "--format", "ndjson")
    #expect(empty.status == 1)
    #expect(try workspace.importing("", as: "Person", "--replace-all").status == 1)
    let faulty = try workspace.importing(
      #"[{"id": 1}, {"id": "x"}]"#, as: "Person", "--replace-all", "--on-error", "skip", "--json")
    #expect(faulty.status == 1)
    #expect(faulty.output.contains(#""notes": ["no missing objects were deleted"#))
    #expect(try workspace.exporting().output.split(separator: "\n").count == 2)
  }

  @Test func theFormatMayBeSaid() throws {
    let workspace = try Workspace()
    #expect(
      try workspace.importing("{\"id\": 1}\n{\"id\": 2}\n", as: "Person", "--format", "ndjson").status == 0)
    #expect(try workspace.exporting().output == "{\"id\":1}\n{\"id\":2}\n")
    #expect(
      try workspace.importing("{\"id\": 3}\n{\"id\": 4}\n", as: "Person", "--format", "json").status == 1)
    // Two lines say it, too.
    #expect(try workspace.importing("{\"id\": 3}\n{\"id\": 4}\n").status == 0)
  }

  @Test func aDashIsStandardInput() throws {
    let workspace = try Workspace()
    #expect(try workspace.importing(#"{"id": 1}"#, as: "Person", "-").status == 0)
    let piped = try workspace.shell(
      #"echo '{"id": 2}' | fastmap import --store people.db --mappings mappings.json --as Person"#)
    #expect(piped.status == 0)
    #expect(try workspace.exporting().output == "{\"id\":1}\n{\"id\":2}\n")
  }

  @Test func theRootPathIsTheMappingsUnlessAnotherIsSaid() throws {
    let workspace = try Workspace(holding: #"{"result": {"notes": [{"text": "a"}]}}"#, as: "Note")
    try workspace.importing(#"{"page": {"items": [{"text": "b"}]}}"#, as: "Note", "--root-path", "page.items")
    try workspace.importing(#"[{"text": "c"}]"#, as: "Note", "--root-path", "")
    #expect(try workspace.exporting("Note").output == #"{"text":"a"}\#n{"text":"b"}\#n{"text":"c"}\#n"#)
    let wrong = try workspace.importing(#"{"result": {}}"#, as: "Note")
    #expect(wrong.status == 1)
    #expect(
      wrong.errors.hasPrefix("$.result.notes: expected the objects to map at this root path, found nothing"))
  }

  @Test func aDryRunReportsTheSameAndChangesNothing() throws {
    let workspace = try Workspace(holding: #"[{"id": 1, "name": "Ada"}]"#)
    let before = try workspace.bytes(of: "people.db/data.mdb")
    let later = #"[{"id": 1, "name": "Bo"}, {"id": 2, "car": {"plate": "A 1"}}]"#
    let dry = try workspace.importing(later, as: "Person", "--dry-run", "--json")
    #expect(dry.status == 0)
    #expect(try workspace.bytes(of: "people.db/data.mdb") == before)
    #expect(try workspace.exporting().output == #"{"id":1,"name":"Ada"}\#n"#)

    let real = try workspace.importing(later, as: "Person", "--json")
    #expect(report(dry) == report(real).replacing(#""dryRun": false"#, with: #""dryRun": true"#))
    #expect(real.output.contains(#""Person": {"inserted": 1, "updated": 1"#))
  }

  @Test func aDryRunWithoutAStoreReportsAsForAnEmptyOneAndLeavesNothing() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id": 1}]"#, to: "people.json")
    workspace.makeDirectory("temporary")
    let run = try workspace.shell(
      "TMPDIR=$PWD/temporary fastmap import --store people.db --mappings mappings.json --as Person "
        + "--dry-run people.json")
    #expect(run.status == 0)
    #expect(run.errors.hasPrefix("no object of the payload has Person.name, "))
    #expect(run.output.contains("Person         1        0          0        0        0      1\n"))
    #expect(run.output.contains("; a dry run, nothing was changed\n"))
    #expect(workspace.names() == ["mappings.json", "people.json", "temporary"])
    #expect(workspace.names(in: "temporary") == [])
  }

  @Test func aDryRunWithoutTheDirectoryAboveFailsAsTheImport() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id": 1}]"#, to: "people.json")
    for options in [[], ["--dry-run"]] {
      let call = ["import", "--store", "no/people.db", "--mappings", "mappings.json", "--as", "Person"]
      let run = try workspace.run([FastMapTool.path] + call + options + ["people.json"])
      run.expect(1, complaints: ["no/people.db: the directory above does not exist; make it first"])
    }
  }

  @Test func committedObjectsStayWhenALaterOneIsFaulty() throws {
    let workspace = try Workspace()
    let text = #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": "x"}]"#
    let run = try workspace.importing(text, as: "Person", "--commit-every", "2")
    #expect(run.status == 1)
    #expect(try workspace.exporting().output == "{\"id\":1}\n{\"id\":2}\n")
  }

  @Test func aKeyPathThatReadsNothingIsNamedAndNotWhereItIsQuiet() throws {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {"Country": {"primaryKey": "code", "attributes": {
        "code": "string", "region": {"type": "string", "keyPath": "regoin"},
        "latitude": {"type": "number", "keyPath": "latlng[0]"}}}}}
      """#, to: "mappings.json")
    let text = #"[{"code": "fr", "region": "Europe", "latlng": [46, 2]}]"#
    let loud = try workspace.importing(text, as: "Country", "--json")
    loud.expect(
      0,
      complaints: ["no object of the payload has Country.region", "no field reads Country.region (1 object)"])
    #expect(loud.output.contains(#""unseen": ["Country.region"]"#))
    let quiet = try workspace.importing(text, as: "Country", "--json", "--quiet")
    #expect(quiet.errors == "")
    #expect(quiet.output.contains(#""unseen": ["Country.region"]"#))
  }

  @Test func aPageOfHTMLIsCalledOne() throws {
    let workspace = try Workspace()
    let run = try workspace.importing("<!DOCTYPE html><html></html>")
    run.expect(
      1,
      complaints: [
        #"standard input: line 1, column 1: expected a value, found "<"; this looks like HTML or XML"#
      ])
  }
}
