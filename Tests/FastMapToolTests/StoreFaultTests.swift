import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@Suite struct StoreFaultTests {
  @Test(arguments: ["import", "import --dry-run"])
  func aDirectoryOfOtherThingsIsNoStore(_ command: String) throws {
    let workspace = try Workspace()
    workspace.makeDirectory("people.db")
    try workspace.write("my diary", to: "people.db/diary.txt")
    try workspace.write("[]", to: "people.json")
    let run = try workspace.shell(
      "fastmap \(command) --store people.db --mappings mappings.json --as Person people.json")
    run.expect(
      1, complaints: ["people.db: not a FastMap store: the directory has 1 other entry, but no data.mdb"]
    )
    #expect(workspace.names(in: "people.db") == ["diary.txt"])
  }

  static let calls = [
    "import --store people.db --mappings mappings.json --as Person people.json",
    "import --dry-run --store people.db --mappings mappings.json --as Person people.json",
    "get --store people.db --mappings mappings.json --as Person 1",
    "export --store people.db --mappings mappings.json --as Person", "stats --store people.db",
    "check --store people.db",
  ]

  @Test(arguments: calls)
  func aLinkToNothingIsNamed(_ call: String) throws {
    let workspace = try Workspace()
    try workspace.write("[]", to: "people.json")
    let run = try workspace.shell("ln -s nowhere people.db; fastmap \(call)")
    run.expect(
      1,
      complaints: [
        "people.db: not a FastMap store: a symbolic link to a missing directory"
      ])
    #expect(!workspace.names().contains("nowhere"))
  }

  @Test(arguments: calls)
  func aFileOfSomethingElseIsNoStoreAndStaysAsItIs(_ call: String) throws {
    let workspace = try Workspace()
    try workspace.write("[]", to: "people.json")
    try workspace.write("12345", to: "people.db")
    let file = try workspace.shell("fastmap \(call)")
    #expect((file.status, file.output, file.complaints.count) == (1, "", 1))
    #expect(file.errors.hasPrefix("people.db: not a FastMap store: "))
    #expect(try workspace.bytes(of: "people.db") == Array("12345".utf8))

    _ = try workspace.shell("rm people.db")
    workspace.makeDirectory("people.db")
    try workspace.write("hello", to: "people.db/data.mdb")
    let directory = try workspace.shell("fastmap \(call)")
    #expect((directory.status, directory.output, directory.complaints.count) == (1, "", 1))
    #expect(directory.errors.hasPrefix("people.db: not a FastMap store: "))
    #expect(try workspace.bytes(of: "people.db/data.mdb") == Array("hello".utf8))
  }

  @Test(arguments: calls.suffix(4))
  func commandsThatReadMakeNoStore(_ call: String) throws {
    let workspace = try Workspace()
    let run = try workspace.shell("fastmap \(call)")
    #expect((run.status, run.output, run.complaints) == (1, "", ["people.db: there is no store here"]))
    #expect(workspace.names() == ["mappings.json"])
  }

  /// Root may do anything, so root becomes nobody for it.
  static let dropPrivileges = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : ""

  static let canDropPrivileges: Bool = {
    guard getuid() == 0 else { return true }
    let call = "\(dropPrivileges) \(inShell(FastMapTool.path)) --version"
    return (try? Workspace().run(["/bin/sh", "-c", "chmod 755 ..; \(call)"]).status) == 0
  }()

  @Test(.enabled(if: canDropPrivileges))
  func withoutPermissionNothingIsChanged() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id": 1}]"#, to: "people.json")
    try workspace.importing(#"[{"id": 7}]"#)
    let before = try workspace.bytes(of: "people.db/data.mdb")
    let call =
      "\(Self.dropPrivileges)\(inShell(FastMapTool.path)) import --mappings mappings.json --as Person people.json"
    _ = try workspace.shell("chmod 755 .. . && chmod 644 *.json && chmod 555 . && chmod 0 people.db")
    defer { _ = try? workspace.shell("chmod 755 . people.db") }

    let old = try workspace.run(["/bin/sh", "-c", call + " --store people.db"])
    #expect((old.status, old.complaints.count) == (1, 1))
    #expect(old.errors.contains(#/^people\.db[^ ]*: no permission/#))

    let new = try workspace.run(["/bin/sh", "-c", call + " --store new.db"])
    #expect((new.status, new.complaints.count) == (1, 1))
    #expect(new.errors.hasPrefix("new.db: no permission"))
    #expect(workspace.names() == ["mappings.json", "people.db", "people.json"])

    _ = try workspace.shell("chmod 755 . people.db; chmod 0 people.json")
    let input = try workspace.run(["/bin/sh", "-c", call + " --store people.db"])
    input.expect(1, complaints: ["people.json: Permission denied"])
    #expect(try workspace.bytes(of: "people.db/data.mdb") == before)
  }

  @Test func withoutRoomOnTheDiskTheStoreStaysAsItWas() throws {
    let workspace = try Workspace()
    let people = (1...20_000).map {
      #"{"id": \#($0), "name": "somebody with a rather long name, number \#($0)"}"#
    }
    try workspace.write("[" + people.joined(separator: ",") + "]", to: "people.json")
    try workspace.importing(#"[{"id": 7, "name": "before"}]"#)

    // In blocks of 512 or of 1024 bytes, depending on the shell: too few for the payload, enough for all else.
    let run = try workspace.shell(
      "ulimit -f 600; fastmap import --store people.db --mappings mappings.json --as Person people.json")
    #expect((run.status, run.output, run.complaints.count) == (1, "", 1))
    #expect(run.errors.hasPrefix("people.db: no room left"))
    #expect(try workspace.exporting().output == #"{"id":7,"name":"before"}\#n"#)
    #expect(try workspace.fastmap("check", "--store", "people.db").status == 0)

    let new = try workspace.shell(
      "ulimit -f 600; fastmap import --store new.db --mappings mappings.json --as Person people.json")
    #expect(new.status == 1)
    #expect(new.errors.hasPrefix("new.db: no room left"))
    #expect(workspace.names() == ["mappings.json", "people.db", "people.json"])
  }

  /// Trees have a range of addresses that leaves room for maps, stacks and malloc, whatever there is.
  @Test(arguments: TestSize.cases([256, 280, 300, 340, 1_060, 1_100, 4_120, 4_160], small: 4))
  func addressesThatAreFewSuffice(_ megabytes: Int) throws {
    let workspace = try Workspace()
    let count = TestSize.count(small: 4000, whole: 20_000)
    let people = (1...count).map { #"{"id": \#($0), "name": "person \#($0)"}"# }
    try workspace.write("[" + people.joined(separator: ",") + "]", to: "people.json")
    let limit = "ulimit -v \(megabytes * 1_024); "
    let run = try workspace.shell(
      limit + "fastmap import --store people.db --mappings mappings.json --as Person people.json")
    #expect(run.status == 0, "\(run.errors)")
    let export = try workspace.shell(
      limit + "fastmap export --store people.db --mappings mappings.json --as Person | wc -l")
    #expect(export.output.contains("\(count)"), "\(export.errors)")
  }

  @Test func withoutRoomForTheOutputTheExitStatusIsOne() throws {
    guard access("/dev/full", W_OK) == 0 else { return }
    let workspace = try Workspace(holding: #"[{"id": 7}]"#)
    let run = try workspace.shell(
      "fastmap export --store people.db --mappings mappings.json --as Person > /dev/full")
    run.expect(1, complaints: ["standard output: No space left on device"])
  }

  @Test(arguments: ["import", "export"])
  func aTypeThatHasChangedIsNamed(_ command: String) throws {
    let workspace = try Workspace(holding: #"[{"id": 7, "name": "Ada"}]"#)
    try workspace.write(
      #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "#
        + #""attributes": {"id": "integer", "name": "date"}}}}"#, to: "later.json")
    let run = try workspace.run(
      [FastMapTool.path, command, "--store", "people.db", "--mappings", "later.json", "--as", "Person"],
      input: "[]")
    #expect((run.status, run.output) == (1, ""))
    let misfits = command == "import" ? "; 1 object has a value that does not fit: 7" : ""
    #expect(
      run.complaints == [
        #"people.db: entity Person: "name" is stored as a string, the mapping says a date"# + misfits
      ])
  }

  @Test func aKeyThatIsTooLongIsNotThere() throws {
    let workspace = try Workspace(holding: #"[{"id": 7, "car": {"plate": "A 1"}}]"#)
    let long = String(repeating: "k", count: 3000)
    let run = try workspace.getting(long, as: "Car")
    run.expect(1, complaints: ["no Car with the key \"\(long.prefix(40))…\""])
  }

  @Test func aDamagedRecordIsFoundByTheCheck() throws {
    let workspace = try Workspace(holding: #"[{"id": 7, "name": "Wilhelmina Featherstonehaugh"}]"#)
    #expect(try workspace.fastmap("check", "--store", "people.db").status == 0)

    let bytes = try workspace.bytes(of: "people.db/data.mdb")
    let name = Array("Featherstonehaugh".utf8)
    for offset in bytes.indices where bytes[offset...].starts(with: name) {
      try workspace.patch("people.db/data.mdb", at: offset, with: Array("f".utf8))
    }
    let run = try workspace.fastmap("check", "--store", "people.db")
    #expect((run.status, run.output) == (1, ""))
    #expect(!run.complaints.isEmpty)
    #expect(run.complaints.allSatisfy { $0.hasPrefix("people.db: ") })
    #expect(try workspace.getting("7").status == 1)
  }
}
