import FastMapStoreTesting
import TestSupport
import Testing

/// Indexes and the tool: `stats`, `drop-index`, and messages of imports about unique indexes.
@Suite struct IndexToolTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      """
      {"fastmap": 1, "mappings": {
        "Person": {
          "primaryKey": "id",
          "attributes": {"id": "integer", "email": "string", "born": "integer"},
          "indexes": [["-born", "email"], {"fields": ["email"], "unique": true}]
        },
        "Plain": {"entity": "Person", "primaryKey": "id", "attributes": {"id": "integer", "email": "string"}}
      }}
      """, to: "mappings.json")
    return workspace
  }

  private static let people = #"[{"id":1,"email":"a","born":1815},{"id":2,"email":"b"},{"id":3}]"#

  @Test func statsListTheIndexes() throws {
    let workspace = try workspace()
    try workspace.importing(Self.people)
    let stats = try workspace.fastmap("stats", "--store", "people.db")
    #expect(stats.output.contains(#/Person -born,email +3/#))
    #expect(stats.output.contains(#/Person email +3 +unique/#))
    let json = try workspace.fastmap("stats", "--store", "people.db", "--json").output
    #expect(
      json.contains(
        #""indexes": {"-born,email": {"entries": 3, "unique": false}, "email": {"entries": 3, "unique": true}}"#
      ))
  }

  @Test func anIndexIsDroppedByItsName() throws {
    let workspace = try workspace()
    try workspace.importing(Self.people)
    let drop = try workspace.fastmap(
      "drop-index", "--store", "people.db", "--entity", "Person", "--", "-born,email")
    #expect(drop.errors == "")
    #expect(drop.output == #"dropped the index "-born,email" of Person"# + "\n")
    #expect(try !workspace.fastmap("stats", "--store", "people.db").output.contains("born"))
    #expect(
      try workspace.fastmap("drop-index", "--store", "people.db", "--entity", "Person", "email").status == 0)
    #expect(try workspace.importing(#"{"id":4,"email":"a"}"#, as: "Plain", "--quiet").status == 0)
    #expect(try workspace.fastmap("check", "--store", "people.db").status == 0)
    // The next import that declares it finds the two.
    let again = try workspace.importing(#"{"id":5}"#, as: "Person", "--quiet")
    #expect(again.status == 1)
    #expect(
      again.errors == #"Person: "email" is unique, and the objects with the keys 1 and 4 both have "a""#
        + "\n")
  }

  @Test(arguments: [
    ("--entity Person emial", 1, #"people.db: Person has no index named "emial"; did you mean "email"?"#),
    ("--entity Persn email", 1, #"people.db: no entity named "Persn"; did you mean "Person"?"#),
    ("email", 2, "fastmap: expected --entity NAME"), ("--entity Person", 2, "fastmap: expected INDEX"),
    (
      "--entity Person -- -born", 1,
      #"people.db: Person has no index named "-born"; there are "-born,email" and "email""#
    ),
  ])
  func aMistakeNamesTheRightForm(_ call: String, _ status: Int32, _ message: String) throws {
    let workspace = try workspace()
    try workspace.importing(Self.people)
    let run = try workspace.shell("fastmap drop-index --store people.db \(call)")
    #expect((run.status, run.complaints.first) == (status, message))
  }

  @Test func noStoreIsMade() throws {
    let workspace = try workspace()
    let run = try workspace.fastmap("drop-index", "--store", "no.db", "--entity", "Person", "email")
    run.expect(1, complaints: ["no.db: there is no store here"])
    #expect(workspace.names() == ["mappings.json"])
  }

  private static let conflict = #"[{"id":4,"email":"x"},{"id":5,"email":"x"},{"id":2,"email":"a"}]"#

  @Test func anAbortNamesBothKeysAndThePath() throws {
    let workspace = try workspace()
    try workspace.importing(Self.people)
    let run = try workspace.importing(
      #"[{"id":4,"email":"x"},{"id":5,"email":"x"}]"#, as: "Person", "--quiet")
    #expect(run.status == 1)
    #expect(
      run.errors
        == #"$[1]: expected an object of Person that is unique in "email", found one with the key 5 that has "x", "#
        + "as the one with the key 4 (line 1, column 23)\n")
    #expect(try workspace.exporting().output.split(separator: "\n").count == 3)
  }

  @Test func skipLeavesOutTheObjectMetLast() throws {
    let workspace = try workspace()
    try workspace.importing(Self.people)
    for options in [["--dry-run"], []] {
      let call = [
        FastMapTool.path, "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person",
        "--json", "--quiet", "--on-error", "skip",
      ]
      let run = try workspace.run(call + options, input: Self.conflict)
      #expect(run.status == 1)
      #expect(run.complaints.map { $0.prefix(4) } == ["$[1]", "$[2]"])
      #expect(
        run.output.contains(
          #""Person": {"inserted": 1, "updated": 0, "unchanged": 0, "deleted": 0, "skipped": 2}"#))
      #expect(
        run.output.contains(
          #"{"path": "$[1]", "line": 1, "column": 23, "message": "expected an object of Person"#))
    }
    #expect(
      try workspace.exporting().output.split(separator: "\n").map(String.init) == [
        #"{"id":1,"email":"a","born":1815}"#, #"{"id":2,"email":"b"}"#, #"{"id":3}"#,
        #"{"id":4,"email":"x"}"#,
      ])
  }

  /// The last object has the value of the first one. Each skipped object takes back the value of the one before it.
  @Test func aChainOfConflictsIsSkippedToItsEnd() throws {
    let workspace = try workspace()
    let length = TestSize.count(small: 20, whole: 80, long: 200)
    let stored = (0...length).map { #"{"id":\#($0),"email":"e\#($0)"}"# }
    let given =
      [#"{"id":0,"email":"e\#(length + 1)"}"#] + (1...length).map { #"{"id":\#($0),"email":"e\#($0 + 1)"}"# }
    let others = (1...2000).map { #"{"id":\#(length + $0)9}"# }
    try workspace.importing("[\(stored.joined(separator: ","))]")
    let run = try workspace.importing(
      "[\((given + others).joined(separator: ","))]", as: "Person", "--quiet", "--on-error", "skip")
    #expect(run.status == 1)
    #expect(run.complaints.count == length, "\(run.complaints.prefix(3))")
    let lines = try workspace.exporting().output.split(separator: "\n")
    #expect(lines.count == length + 1 + others.count)
    #expect(lines.prefix(2) == [#"{"id":0,"email":"e\#(length + 1)"}"#, #"{"id":1,"email":"e1"}"#])
  }

  /// The import fails because of stored objects. No object of the payload was skipped.
  @Test func aNewUniqueIndexOverDuplicatesIsOneError() throws {
    let workspace = try workspace()
    try workspace.importing(#"[{"id":1,"email":"x"},{"id":2,"email":"x"}]"#, as: "Plain")
    let run = try workspace.importing(
      #"[{"id":1,"email":"x"}]"#, as: "Person", "--quiet", "--on-error", "skip")
    #expect(run.status == 1)
    #expect(
      run.errors
        == #"Person: "email" is unique, and the objects with the keys 1 and 2 both have "x""# + "\n")
  }
}
