import TestSupport
import Testing

/// Names that would clear the screen, begin a line of their own or turn the text around.
@Suite struct HostileNameTests {
  private static let mappings = #"""
    {"fastmap": 1, "mappings": {"A": {
      "entity": "Evil\u001b[2J\nNext\u202e", "primaryKey": "id\u001b",
      "attributes": {"id\u001b": "string", "n\nm": "integer", "x\u009b": "integer"},
      "relationships": {"r\u001b]0;": {"mapping": "B\u0007"}}},
      "B\u0007": {"attributes": {"v": "string"}}}}
    """#

  private func check(_ run: Program.Run, sourceLocation: SourceLocation = #_sourceLocation) {
    for scalar in (run.output + run.errors).unicodeScalars where scalar != "\n" {
      let isUnfit = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x202E
      #expect(!isUnfit, "\(run.output)\(run.errors)", sourceLocation: sourceLocation)
    }
  }

  @Test func reachTheTerminalEscaped() throws {
    let workspace = try Workspace()
    try workspace.write(Self.mappings, to: "mappings.json")
    let text = #"[{"id\u001b": "k\u001b", "n\nm": 1, "r\u001b]0;": {"v": "x"}}]"#
    let imported = try workspace.importing(text, as: "A")
    #expect(imported.status == 0)
    check(imported)
    #expect(imported.output.contains(#"Evil\u001b[2J\nNext\u202e"#))
    #expect(imported.complaints == [#"no object of the payload has A.x\u009b"#])
    check(try workspace.importing(text, as: "A", "--json"))

    let statistics = try workspace.fastmap("stats", "--store", "people.db")
    check(statistics)
    #expect(statistics.output.split(separator: "\n").count == 4)
    check(try workspace.fastmap("check", "--store", "people.db"))
    let missing = try workspace.getting("z\u{1B}", as: "A")
    check(missing)
    #expect(missing.complaints.count == 1)
    check(try workspace.importing(#"[{"n\nm": 1}]"#, as: "A"))
    check(try workspace.importing(#"[{"id\u001b": "a", "n\nm": "x\u001b"}]"#, as: "A"))

    try workspace.write(
      Self.mappings.replacing(#""n\nm": "integer""#, with: #""n\nm": "string""#), to: "mappings.json")
    let mismatch = try workspace.importing(text, as: "A")
    check(mismatch)
    #expect((mismatch.status, mismatch.complaints.count) == (1, 1))
    check(try workspace.fastmap("stats\u{1B}[2J"))
    check(try workspace.fastmap("stats", "--store", "no\u{1B}[2J"))
    check(try workspace.fastmap("import", "--store", "s", "--mappings", "no\u{1B}[2J", "--as", "A"))
  }

  @Test func aMappingFileThatNeverEndsIsRefused() throws {
    let workspace = try Workspace()
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "/dev/zero", "--as", "Person")
    run.expect(1, complaints: ["/dev/zero: larger than 16.0 MB, the maximum"])
    let pipe = try workspace.shell(
      "cat mappings.json | fastmap import --store people.db --mappings /dev/stdin --as Person mappings.json")
    #expect(!pipe.errors.contains("/dev/stdin"))
    #expect(
      try workspace.shell(
        "truncate -s 20M large.json && fastmap export --store s --mappings large.json --as A"
      ).complaints == [
        "large.json: larger than 16.0 MB, the maximum"
      ])
  }

  #if os(Linux)
    /// Skipped where mounts are not allowed.
    @Test func aDryRunWorksOnAFileSystemThatIsMountedForReading() throws {
      let workspace = try Workspace()
      try workspace.write(#"[{"id": 1, "name": "Ada"}]"#, to: "people.json")
      try workspace.importing(#"[{"id": 1}]"#)
      let call = "import --store people.db --mappings mappings.json --as Person --quiet"
      let before = try workspace.bytes(of: "people.db/data.mdb")
      let elsewhere = try Workspace()
      elsewhere.makeDirectory("temporary")
      func mounted(_ line: String) throws -> Program.Run {
        try workspace.run([
          "/bin/sh", "-c",
          "unshare -m sh -c 'mount --bind $PWD $PWD && mount -o remount,ro,bind $PWD && cd $PWD && T=$0 && export TMPDIR=\(elsewhere.path)/temporary && \(line)' \(FastMapTool.path)",
        ])
      }
      guard try mounted("true").status == 0 else { return }
      for text in ["people.json", "- < people.json"] {
        let dry = try mounted("$T \(call) --dry-run \(text)")
        dry.expect(0, complaints: [])
        #expect(dry.output.contains("Person         0        1          0        0        0\n"))
      }
      let piped = try mounted("cat people.json | $T \(call) --dry-run")
      #expect(piped.output.contains("Person         0        1          0        0        0\n"))
      let real = try mounted("$T \(call) people.json")
      #expect(real.status == 1)
      #expect(real.errors.hasPrefix("people.db: read-only: "))
      let none = try mounted("$T \(call.replacing("people.db", with: "none.db")) --dry-run people.json")
      #expect(none.status == 0)
      #expect(try workspace.bytes(of: "people.db/data.mdb") == before)
      #expect(workspace.names() == ["mappings.json", "people.db", "people.json"])
      #expect(elsewhere.names(in: "temporary") == [])
    }
  #endif
}
