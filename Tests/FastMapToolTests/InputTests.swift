import FastMapSystem
import TestSupport
import Testing

/// The inputs of `import`, `infer` and `load`: files, folders, gzip and standard input.
@Suite struct InputTests {
  private static let call = "fastmap import --store people.db --mappings mappings.json --as Person --quiet"

  /// A workspace with a folder of pages.
  private func makePages() throws -> Workspace {
    let workspace = try Workspace()
    workspace.makeDirectory("pages")
    try workspace.write(#"[{"id": 1}, {"id": 2}]"#, to: "pages/b.json")
    try workspace.write("{\"id\": 3}\n{\"id\": 1, \"name\": \"last\"}\n", to: "pages/c.jsonl")
    try workspace.write(#"{"id": 4}"#, to: "a.NDJSON")
    for name in [".hidden.json", "notes.txt", "b.json.bak"] { try workspace.write("no", to: "pages/" + name) }
    workspace.makeDirectory("pages/deeper.json")
    try workspace.write("no", to: "pages/deeper.json/x.json")
    try #expect(
      workspace.shell("ln -s ../a.NDJSON pages/B.ndjson && printf '{\"id\": 5}\\n' | gzip > pages/é.json.gz")
        .status == 0)
    return workspace
  }

  @Test func aFolderStandsForItsFiles() throws {
    let workspace = try makePages()
    let run = try workspace.shell("\(Self.call) --json pages")
    #expect((run.status, run.errors) == (0, ""))
    #expect(run.output.contains(#""Person": {"inserted": 5, "#) && run.output.contains(#""rootObjects": 6"#))
    try #expect(workspace.getting("1").output == "{\"id\":1,\"name\":\"last\"}\n")
    workspace.makeDirectory("more")
    try workspace.write(#"[{"id": 1, "name": "a"}]"#, to: "more/1.json")
    try workspace.write(#"[{"id": 2, "born": 7}]"#, to: "more/2.json")
    let inferred = try workspace.fastmap("infer", "--name", "Person", "more")
    #expect(inferred.output.contains("\"name\"") && inferred.output.contains("\"born\""))
  }

  @Test func filesAscendByTheBytesOfTheirNames() throws {
    let workspace = try Workspace()
    workspace.makeDirectory("p")
    let names = ["10.json", "9.json", "B.json", "a.json", "é.json"]
    for name in names.reversed() { try workspace.write(#"[{"id": "\#(name)"}]"#, to: "p/" + name) }
    let run = try workspace.shell("\(Self.call) --on-error skip p/")
    #expect(run.complaints.map { String($0.prefix { $0 != ":" }) } == names.map { "p/" + $0 })
  }

  @Test func allInputsAreOneTransactionAndOneReplacement() throws {
    let workspace = try makePages()
    try workspace.write(#"[{"id": 9}, {"id": false}]"#, to: "bad.json")
    let bad = try workspace.shell("\(Self.call) pages bad.json")
    bad.expect(1, complaints: ["bad.json: $[1].id: expected an integer, found false (line 1, column 20)"])
    #expect(!workspace.names().contains("people.db"))
    try #expect(workspace.shell("\(Self.call) pages").status == 0)
    let run = try workspace.shell(
      "echo '{\"id\": 2}' | \(Self.call) --replace-all --json a.NDJSON - pages/c.jsonl")
    #expect(run.output.contains(#""unchanged": 4, "deleted": 1"#), "\(run.output)\(run.errors)")
  }

  @Test(
    arguments: [
      ("people.db", "fastmap: people.db is a store, expected a file or a folder with files of JSON"),
      (
        "none",
        "fastmap: none: expected files that end in .json, .ndjson or .jsonl, or so with .gz, found none"
      ),
    ])
  func aStoreOrAFolderWithoutFilesIsNoInput(_ name: String, _ message: String) throws {
    let workspace = try Workspace(holding: "[]")
    workspace.makeDirectory("none")
    try workspace.write(#"{"id": 1}"#, to: "none/data.txt")
    for command in [Self.call, "fastmap infer"] {
      let run = try workspace.shell("\(command) \(name)")
      #expect((run.status, run.complaints.first) == (2, message))
    }
  }

  @Test func aMissingFileIsFoundBeforeAnythingIsStored() throws {
    let workspace = try makePages()
    let run = try workspace.shell("\(Self.call) --commit-every 1 pages missing.json")
    run.expect(1, complaints: ["missing.json: No such file or directory"])
    #expect(!workspace.names().contains("people.db"))
  }

  @Test func linesAreRecognisedOnStandardInputAndInAFile() throws {
    let workspace = try Workspace()
    try workspace.write("{\"id\": 1}\n{\"id\": 2}\n", to: "lines.json")
    for input in ["< lines.json", "lines.json"] {
      let run = try workspace.shell("\(Self.call) --json \(input)")
      #expect(run.output.contains(#""bytes": 20, "rootObjects": 2"#), "\(run.output)\(run.errors)")
    }
    let piped = try workspace.shell(
      "(printf '{'; sleep 0.2; printf '\"id\": 1}\\n'; sleep 0.2; echo '{\"id\": 3}') | \(Self.call) --json")
    #expect(piped.output.contains(#""rootObjects": 2"#), "\(piped.errors)")
    let forced = try workspace.shell("\(Self.call) --format json lines.json")
    #expect(forced.status == 1 && forced.errors.contains("lines.json: line 2, column 1: expected the end"))
  }

  @Test func aRootPathLeadsFromEachLineToItsObjects() throws {
    let workspace = try Workspace()
    try workspace.write(
      "{\"data\": [{\"id\": 1}, {\"id\": 2}]}\n{\"data\": [{\"id\": 3}]}\n{}\n", to: "pages.ndjson")
    for path in ["data", "data[]"] {
      let run = try workspace.shell("\(Self.call) --json --root-path '\(path)' pages.ndjson")
      #expect(run.status == 0 && run.output.contains(#""rootObjects": 3"#), "\(run.errors)")
    }
  }

  // MARK: gzip

  private static let data = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#

  @Test(arguments: [
    "data.json.gz", "- < data.json.gz", "- < <(cat data.json.gz)", "<(cat data.json.gz)", "other",
  ])
  func gzipIsReadFromFilesAndPipes(_ input: String) throws {
    let workspace = try Workspace()
    try workspace.write(Self.data, to: "data.json")
    let line = "gzip -k data.json; cp data.json.gz other; \(Self.call) --json \(input)"
    let run = try workspace.run([
      "/bin/bash", "-c", "fastmap() { \(inShell(FastMapTool.path)) \"$@\"; }; \(line)",
    ])
    #expect(run.output.contains(#""inserted": 2"#), "\(run.errors)")
    #expect(run.output.contains("\"bytes\": \(Self.data.utf8.count)"))
  }

  @Test(arguments: ["cut.gz", "crc.gz", "- < cut.gz"])
  func damagedDataIsASyntaxErrorAtItsPlace(_ input: String) throws {
    let workspace = try Workspace()
    try workspace.write(Self.data, to: "data.json")
    let make = "gzip -c data.json > all.gz; head -c 30 all.gz > cut.gz; head -c -6 all.gz > crc.gz"
    let name = input.hasPrefix("-") ? "standard input" : input
    for command in [Self.call, "fastmap infer"] {
      let run = try workspace.shell("\(make); \(command) \(input)")
      let complaint = try #require(run.complaints.first)
      #expect(run.status == 1)
      #expect(complaint.hasPrefix("\(name): line 1, column "), "\(complaint)")
      #expect(complaint.hasSuffix("expected more text, found gzip data that is damaged or cut off"))
    }
    #expect(!workspace.names().contains("people.db"))
  }

  @Test func withoutTheProgramTheMessageNamesIt() throws {
    let workspace = try Workspace()
    try workspace.write(Self.data, to: "data.json")
    for path in ["", ".", "bin:/nowhere"] {
      let run = try workspace.shell(
        "gzip -kf data.json; PATH='\(path)' \(Self.call) data.json.gz"
      )
      run.expect(
        1,
        complaints: [
          "data.json.gz: found gzip data, and no program gzip in an absolute entry of PATH to read it"
        ])
    }
  }

  @Test func aDumpIsLoadedFromGzip() throws {
    let workspace = try Workspace(holding: Self.data)
    let run = try workspace.shell(
      "fastmap dump people.db | gzip > dump.gz; fastmap load copy.db dump.gz; cat dump.gz | fastmap load piped.db -"
    )
    #expect(
      run.status == 0 && run.output == "2 objects, 0 links in lists\n2 objects, 0 links in lists\n",
      "\(run.errors)")
    let cut = try workspace.shell("head -c 60 dump.gz > cut.gz; fastmap load cut.db cut.gz")
    #expect(cut.status == 1 && cut.complaints.first?.hasPrefix("cut.gz: line ") == true, "\(cut.errors)")
  }

  /// The error ends the import long before the program has sent all; nothing may wait for the other.
  @Test func anImportThatEndsEarlyLeavesNoProcess() throws {
    let workspace = try Workspace()
    let line =
      "(echo '['; yes '{\"id\": true},' | head -c 20000000) | gzip -1 > big.json.gz; \(Self.call) big.json.gz; echo $?; ps -o args= --ppid $$"
    let run = try workspace.shell(line)
    #expect(run.complaints == ["big.json.gz: $[0].id: expected an integer, found true (line 2, column 8)"])
    #expect(run.output.hasPrefix("1\n") && !run.output.contains("gzip"), "\(run.output)")
  }

  @Test(arguments: [
    ("PK\u{3}\u{4}", "a zip archive; unpack it first (unzip -p)"),
    ("BZh9", "bzip2; decompress it first (bunzip2 -c)"),
  ])
  func otherCompressionsHaveAHint(_ text: String, _ hint: String) throws {
    let workspace = try Workspace()
    try workspace.write(text + "rest", to: "data")
    for command in [Self.call, "fastmap infer"] {
      try workspace.shell("\(command) data").expect(
        1, complaints: ["data: line 1, column 1: expected JSON in UTF-8, found data that looks like " + hint])
    }
  }
}
