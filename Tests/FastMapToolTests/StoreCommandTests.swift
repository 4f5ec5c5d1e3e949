import FastMapStoreTesting
import TestSupport
import Testing

/// `dump`, `load`, `backup`, `repair`, `compact`.
@Suite struct StoreCommandTests {
  /// A store with every type, links in both directions, owned objects and objects without an owner.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      #"""
      {"fastmap": 1, "mappings": {
        "All": {"primaryKey": "id", "attributes": {
            "id": "string", "yes": "boolean", "whole": "integer", "real": "number", "text": "string",
            "at": "date", "bytes": "data", "any": "json"},
          "relationships": {
            "next": {"mapping": "All"}, "friends": {"mapping": "All", "toMany": true},
            "parts": {"mapping": "Part", "toMany": true}, "one": {"mapping": "Part"},
            "notes": {"mapping": "Note", "toMany": true, "policy": "replace"}}},
        "Part": {"attributes": {"name": "string"}, "relationships": {"all": {"mapping": "All"}}},
        "Note": {"primaryKey": "number", "attributes": {"number": "integer", "text": "string"}}}}
      """#, to: "mappings.json")
    let import1 = try workspace.importing(
      #"""
      [{"id": "b", "yes": true, "whole": -9223372036854775808, "real": 0.1, "text": "a\u0000\"é😀\n",
        "at": "2026-11-22T07:54:21.000000001Z", "bytes": "AP8=", "any": {"x": [1, 1.50, 12345678901234567890123, null]},
        "next": {"id": "a", "friends": [{"id": "b"}, {"id": "c"}, {"id": "b"}]},
        "parts": [{"name": "p"}, {"name": "q", "all": {"id": "b"}}, {}], "one": {"name": "r"},
        "notes": [{"number": 7, "text": "x"}, {"number": -1}]},
       {"id": "", "real": -0.0, "text": "", "bytes": "", "any": "s", "yes": false, "at": "1969-12-31T23:59:59Z"},
       {"id": "d", "real": 1e300, "whole": 9223372036854775807}]
      """#, as: "All", "--quiet")
    #expect(import1.status == 0, "\(import1.errors)")
    try workspace.importing(#"[{"name": "nobody's"}]"#, as: "Part", "--quiet")
    // Numbers with gaps, and lists that were changed in the middle.
    try workspace.importing(
      #"[{"id": "b", "parts": [{"name": "p"}], "notes": [{"number": -1}]}]"#, as: "All", "--quiet")
    return workspace
  }

  private func dump(_ workspace: Workspace, _ store: String = "people.db") throws -> String {
    let run = try workspace.fastmap("dump", "--store", store)
    run.expect(0, complaints: [])
    return run.output
  }

  @Test func aDumpLoadsIntoTheSameStore() throws {
    let workspace = try workspace()
    let text = try dump(workspace)
    try workspace.write(text, to: "all.dump")
    let load = try workspace.fastmap("load", "--store", "copy.db", "all.dump")
    load.expect(0, complaints: [])
    #expect(load.output.hasSuffix(" links in lists\n"))
    #expect(try dump(workspace, "copy.db") == text)
    #expect(try workspace.fastmap("check", "--store", "copy.db").status == 0)
    for mapping in ["All", "Part", "Note"] {
      let calls = ["people.db", "copy.db"].map {
        [FastMapTool.path, "export", "--store", $0, "--mappings", "mappings.json", "--as", mapping]
      }
      #expect(try workspace.run(calls[0]).output == workspace.run(calls[1]).output)
    }
    let again = #"[{"id": "new", "parts": [{"name": "z"}]}]"#
    for store in ["people.db", "copy.db"] {
      let call = ["import", "--store", store, "--mappings", "mappings.json", "--as", "All", "--quiet"]
      #expect(try workspace.run([FastMapTool.path] + call, input: again).status == 0)
    }
    #expect(try dump(workspace) == dump(workspace, "copy.db"))
  }

  @Test func aDumpComesThroughAPipe() throws {
    let workspace = try workspace()
    let run = try workspace.shell("fastmap dump --store people.db | fastmap load --store copy.db -")
    #expect(run.status == 0)
    #expect(try dump(workspace, "copy.db") == dump(workspace))
    #expect(try workspace.shell("fastmap dump --store people.db | head -1").status == 0)
  }

  @Test func aDumpOfALongListIsManyLines() throws {
    let workspace = try Workspace()
    let phones = (0..<2501).map { #"{"number": "\#($0)"}"# }.joined(separator: ", ")
    try workspace.importing(#"[{"id": 1, "phones": [\#(phones)]}]"#, as: "Person", "--quiet")
    let text = try dump(workspace)
    #expect(text.split(separator: "\n").filter { $0.contains(#""list":"phones""#) }.count == 3)
    try workspace.write(text, to: "all.dump")
    #expect(try workspace.fastmap("load", "--store", "copy.db", "all.dump").status == 0)
    #expect(try dump(workspace, "copy.db") == text)
    #expect(try workspace.fastmap("check", "--store", "copy.db").status == 0)
  }

  @Test func aDumpOfAnEmptyStoreLoads() throws {
    let workspace = try Workspace(holding: "[]")
    let text = try dump(workspace)
    try workspace.write(text, to: "all.dump")
    #expect(try workspace.fastmap("load", "--store", "people.db", "all.dump").status == 0)
    #expect(try workspace.fastmap("load", "--store", "copy.db", "all.dump").status == 0)
    #expect(try dump(workspace, "copy.db") == text)
  }

  @Test func aStoreWithObjectsIsRefusedAndStaysAsItIs() throws {
    let workspace = try workspace()
    let text = try dump(workspace)
    try workspace.write(text, to: "all.dump")
    let run = try workspace.fastmap("load", "--store", "people.db", "all.dump")
    #expect((run.status, run.complaints.count) == (1, 1))
    #expect(run.errors.hasPrefix("all.dump: the store already has "))
    #expect(try dump(workspace) == text)
  }

  private struct Damage: Sendable {
    var old: String
    var new: String
    var message: String
  }

  private static let small = """
    {"fastmapDump":1,"entities":[{"name":"A","key":"id","objects":2,"fields":[{"name":"id","type":"integer"},{"name":"n","type":"string"},{"name":"to","toOne":"A"},{"name":"all","toMany":"A"}]}]}
    {"entity":"A","object":1,"values":{"id":5,"n":"x","to":2}}
    {"entity":"A","object":1,"list":"all","targets":[2,1,2]}
    {"entity":"A","object":2,"values":{"id":6}}
    {"end":true,"objects":2,"targets":3}

    """

  private static let damages = [
    Damage(
      old: #""fastmapDump":1"#, new: #""fastmapDump":2"#,
      message: "line 1, $.fastmapDump: this FastMap reads dumps of version 1, found version 2"),
    Damage(
      old: #"{"fastmapDump":1"#, new: #"{"fastmap":1"#,
      message: #"line 1: expected a dump, which begins with {"fastmapDump":1, …"#),
    Damage(
      old: #""key":"id""#, new: #""key":"to""#,
      message:
        #"line 1, $.entities[0].key: expected the name of an integer or a string, found the string "to""#),
    Damage(
      old: #""toOne":"A""#, new: #""toOne":"B""#,
      message: #"line 1, $.entities[0].fields[2].toOne: no entity named "B""#),
    Damage(
      old: #""type":"string""#, new: #""type":"text""#,
      message: #"line 1, $.entities[0].fields[1].type: expected a type, found the string "text""#),
    Damage(
      old: #""n":"x""#, new: #""n":7"#, message: "line 2, $.values.n: expected a string, found the number 7"),
    Damage(old: #""n":"x""#, new: #""m":"x""#, message: #"line 2, $.values: A has no field named "m""#),
    Damage(
      old: #""to":2"#, new: #""to":4"#,
      message: "line 2, $.values.to: object 4 of A is missing from the dump"),
    Damage(
      old: #""to":2"#, new: #""to":-1"#,
      message: "line 2, $.values.to: expected the number of an object, found the number -1"),
    Damage(
      old: #""object":2,"#, new: #""object":9,"#,
      message: "line 4, $.object: expected 2, the next object of its entity, found the number 9"),
    Damage(old: #""id":6"#, new: #""id":5"#, message: "line 4, $.values.id: the key 5 occurs twice"),
    Damage(
      old: #""id":6"#, new: #""id":4"#, message: "line 4, $.values.id: the keys of an entity must ascend"),
    Damage(
      old: #""values":{"id":6}"#, new: #""values":{}"#,
      message: "line 4, $.values.id: the object has no key in this field"),
    Damage(
      old: "[2,1,2]", new: "[2,1]", message: "line 5, $.targets: the dump has 2 targets, its last line says 3"
    ),
    Damage(old: "[2,1,2]", new: "[2,1,2", message: "line 3: column 55: expected a comma or ']'"),
    Damage(
      old: #""objects":2,"fields""#, new: #""objects":3,"fields""#,
      message: "line 5: the dump has 2 objects of A, its first line says 3"),
    Damage(
      old: "\n{\"end\":true,\"objects\":2,\"targets\":3}", new: "",
      message: "line 5: the dump is truncated: its last line is missing"),
    Damage(
      old: #""targets":3}"#, new: #""targets":3,"checksum":"00000000"}"#,
      message: "line 5, $.checksum: the checksum does not match the preceding lines"),
  ]

  @Test(arguments: damages.indices)
  private func aDamagedDumpNamesTheLineAndLeavesNothing(_ number: Int) throws {
    let damage = Self.damages[number]
    let workspace = try Workspace()
    let text = Self.small.replacing(damage.old, with: damage.new, maxReplacements: 1)
    #expect(text != Self.small)
    try workspace.write(text, to: "all.dump")
    let run = try workspace.fastmap("load", "--store", "copy.db", "all.dump")
    #expect(run.status == 1)
    #expect(run.complaints == ["all.dump: " + damage.message])
    #expect(workspace.names() == ["all.dump", "mappings.json"])
    // A store that is there, and empty, stays so.
    guard number % TestSize.count(small: 6, whole: 1) == 0 else { return }
    try workspace.importing("[]")
    let empty = try workspace.fastmap("dump", "people.db").output
    #expect(try workspace.fastmap("load", "--store", "people.db", "all.dump").status == 1)
    #expect(try workspace.fastmap("dump", "people.db").output == empty)
  }

  @Test func aDumpThatWasMadeByHandLoads() throws {
    let workspace = try Workspace()
    try workspace.write(Self.small, to: "all.dump")
    let run = try workspace.fastmap("load", "--store", "copy.db", "all.dump")
    #expect(run.output == "2 objects, 3 links in lists\n")
    #expect(try dump(workspace, "copy.db").hasPrefix(Self.small.split(separator: "{\"end\"")[0]))
    #expect(try workspace.fastmap("check", "--store", "copy.db").status == 0)
  }

  @Test func everyByteOfADumpIsGuarded() throws {
    let workspace = try workspace()
    let text = Array(try dump(workspace).utf8)
    // One in a hundred.
    for place in stride(from: 0, to: text.count - 40, by: TestSize.count(small: 397, whole: 97)) {
      var damaged = text
      damaged[place] = damaged[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
      try workspace.write(String(decoding: damaged, as: UTF8.self), to: "all.dump")
      let run = try workspace.fastmap("load", "--store", "copy.db", "all.dump")
      #expect(run.status == 1, "\(place)")
      #expect(workspace.names().contains("copy.db") == false)
    }
  }

  @Test func aBackupIsTheSameStoreAndReplacesNothing() throws {
    let workspace = try workspace()
    for options in [[], ["--compact"]] {
      let out = "out\(options.count).db"
      let run = try workspace.run([FastMapTool.path, "backup", "--store", "people.db", out] + options)
      #expect(run.status == 0)
      #expect(try dump(workspace, out) == dump(workspace))
      let again = try workspace.fastmap("backup", "--store", "people.db", out)
      #expect(again.status == 1)
      #expect(again.errors.hasPrefix("\(out): the path is already in use"))
    }
  }

  @Test func aRepairOfASoundStoreIsTheSameStore() throws {
    let workspace = try workspace()
    let run = try workspace.fastmap("repair", "--store", "people.db", "out.db")
    run.expect(0, complaints: [])
    #expect(run.output.split(separator: "\n").first == "      saved  lost")
    #expect(try dump(workspace, "out.db") == dump(workspace))
  }

  @Test func aRepairNamesItsLosses() throws {
    let workspace = try workspace()
    let size = try workspace.bytes(of: "people.db/data.mdb").count
    let rubbish = [UInt8](repeating: 0x55, count: 64)
    for offset in stride(from: 4096 * 3 + 2048, to: size, by: 4096) {
      try workspace.patch("people.db/data.mdb", at: offset + 1900, with: rubbish)
    }
    let run = try workspace.fastmap("repair", "--store", "people.db", "out.db")
    #expect(run.status == 1)
    #expect(!run.complaints.isEmpty)
    #expect(run.complaints.allSatisfy { $0.hasPrefix("people.db: ") })
    #expect(try workspace.fastmap("check", "--store", "out.db").status == 0)
  }

  @Test func aCompactionMakesTheFileShorterAndKeepsEverything() throws {
    let workspace = try Workspace()
    let count = TestSize.count(small: 3000, whole: 20_000)
    let many = (0..<count).map { #"{"id": \#($0), "name": "somebody with a name"}"# }.joined(separator: ",")
    try workspace.importing("[\(many)]", as: "Person", "--quiet")
    try workspace.write(
      Workspace.mappings.replacing(
        #""Phone": {"#,
        with:
          #""List": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"people": {"mapping": "Person", "toMany": true, "policy": "replace"}}}, "Phone": {"#
      ),
      to: "mappings.json")
    let keys = (0..<count).map { "\($0)" }.joined(separator: ",")
    try workspace.importing(#"[{"id": 1, "people": [\#(keys)]}]"#, as: "List", "--quiet")
    try workspace.importing(#"[{"id": 1, "people": [7]}]"#, as: "List", "--quiet")
    let before = try workspace.bytes(of: "people.db/data.mdb").count
    let text = try dump(workspace)
    let run = try workspace.fastmap("compact", "--store", "people.db")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("the file is ") && run.output.hasSuffix(" shorter\n"))
    let after = try workspace.bytes(of: "people.db/data.mdb").count
    #expect(after < before / 4)
    #expect(try dump(workspace) == text)
  }

  @Test(arguments: [
    "dump --store no.db", "backup --store no.db out.db", "repair --store no.db out.db",
    "compact --store no.db",
  ])
  func commandsThatNeedAStoreMakeNone(_ call: String) throws {
    let workspace = try Workspace()
    let run = try workspace.shell("fastmap \(call)")
    run.expect(1, complaints: ["no.db: there is no store here"])
    #expect(workspace.names() == ["mappings.json"])
  }

  @Test(arguments: [
    ("load --store a.db", "fastmap: expected FILE"), ("backup --store a.db", "fastmap: expected OUT"),
    ("dumb --store a.db", #"fastmap: no command named "dumb"; did you mean "dump"?"#),
    ("dump --store a.db x", #"fastmap: unexpected argument "x""#),
    ("compact", "fastmap: expected --store DIR"),
  ])
  func aMistakeInTheCallNamesTheRightForm(_ call: String, _ message: String) throws {
    let run = try Workspace().shell("fastmap \(call)")
    #expect((run.status, run.complaints.first) == (2, message))
  }
}
