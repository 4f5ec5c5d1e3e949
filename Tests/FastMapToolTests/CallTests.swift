import TestSupport
import Testing

/// A wrong call, and the first line of the tool's message.
struct CallCase: CustomTestStringConvertible, Sendable {
  let arguments: [String]
  let message: String

  /// - Parameter call: The arguments, with spaces between them.
  init(_ call: String, _ message: String) {
    arguments = call.split(separator: " ").map(String.init)
    self.message = message
  }

  var testDescription: String { arguments.joined(separator: " ") }
}

@Suite struct CallTests {
  static let people = "--store people.db --mappings mappings.json --as Person"

  static let mistakes = [
    CallCase("", "expected a command"),
    CallCase("imprt", #"no command named "imprt"; did you mean "import"?"#),
    CallCase(
      "frobnicate",
      #"no command named "frobnicate"; there are infer, import, get, export, query, set, delete, mappings, stats, check, dump, load, backup, repair, compact, prepare, swift, describe, completion, man, drop-index, help and version"#
    ),
    CallCase("--verison", #"no option named "--verison"; did you mean "--version"?"#),
    CallCase("--version now", #"unexpected argument "now""#),
    CallCase("vershun", #"no command named "vershun"; did you mean "version"?"#),
    CallCase("version now", #"unexpected argument "now""#),
    CallCase("import people.db --mappings mappings.json --as Person", "expected INPUT; - is standard input"),
    CallCase("get people.db", "expected --as MAPPING and KEY"),
    CallCase(
      "check people.sqlite3",
      #"no store for SQLite databases yet, for which names like "people.sqlite3" are kept"#),
    CallCase("set \(people) 7", "expected FIELD=VALUE…"),
    CallCase("set \(people) 7 name", #"expected FIELD=VALUE, found "name""#),
    CallCase("set \(people) 7 id=8", "id: the key of an object cannot change"),
    CallCase("set \(people) 7 nme=x", #"no field of Person named "nme"; did you mean "name"?"#),
    CallCase("set \(people) 7 name=x name=y", "name: expected one value, found two"),
    CallCase("set \(people) 7 boss=x", #"boss: expected JSON, found "x"; a text is written '"…"'"#),
    CallCase("help exprot", #"no command named "exprot"; did you mean "export"?"#),
    CallCase("help import get", #"unexpected argument "get""#),
    CallCase("import", "expected --store DIR"),
    CallCase("import --stroe people.db", #"no option named "--stroe"; did you mean "--store"?"#),
    CallCase("import --stroe=people.db", #"no option named "--stroe"; did you mean "--store"?"#),
    CallCase("import --verbose", #"no option named "--verbose""#),
    CallCase("import -v", #"no option named "-v"; write -- before INPUT if it begins with -"#),
    CallCase("import --store", "--store needs a value: --store DIR"),
    CallCase("import --store --json", "--store needs a value: --store DIR"),
    CallCase("import --store=", "--store needs a value: --store DIR"),
    CallCase(
      "check --store mysql://u:hunter2@h/x",
      #"--store: expected a directory or postgres://user@host:port/database?schema=name, found a URL with the scheme "mysql""#
    ),
    CallCase(
      "check --store hunter2://h/x",
      "--store: expected a directory or postgres://user@host:port/database?schema=name, found a URL"),
    CallCase(
      "check --store host=127.0.0.1",
      "--store: expected a directory; write the address of a server as postgres://user@host:port/database?schema=name"
    ),
    CallCase(
      "check --store postgresql:fastmap",
      "--store: expected a directory; write the address of a server as postgres://user@host:port/database?schema=name"
    ),
    CallCase("import --json=yes", "--json takes no value"),
    CallCase("import --json --json", "--json is given twice"),
    CallCase("import --store a --store=b", "--store is given twice"),
    CallCase("import \(people) - -", "-, standard input, is given twice"),
    CallCase("import \(people) --format xml", #"--format: expected json or ndjson, found "xml""#),
    CallCase(
      "import \(people) --format jsn",
      #"--format: expected json or ndjson, found "jsn"; did you mean "json"?"#),
    CallCase(
      "import \(people) --on-error=skipp",
      #"--on-error: expected abort or skip, found "skipp"; did you mean "skip"?"#),
    CallCase(
      "import \(people) --commit-every 0", #"--commit-every: expected a whole number from 1 on, found "0""#),
    CallCase(
      "import \(people) --commit-every many",
      #"--commit-every: expected a whole number from 1 on, found "many""#),
    CallCase(
      "import --store people.db --mappings mappings.json --as Persn",
      #"--as: no mapping named "Persn"; did you mean "Person"?"#),
    CallCase(
      "import \(people) --root-path a[x]",
      #"--root-path: expected [], or an index between brackets, found "[x]"; a bracket of a name is written \["#
    ),
    CallCase("get \(people)", "expected KEY"),
    CallCase("swift people.json", #"unexpected argument "people.json"; write --mappings people.json"#),
    CallCase("get \(people) 1 2", #"unexpected argument "2""#),
    CallCase("get \(people) -5", #"no option named "-5"; write -- before KEY if it begins with -"#),
    CallCase("get \(people) seven", #"KEY: expected an integer, the primary key of Person, found "seven""#),
    CallCase(
      "get \(people) 9223372036854775808",
      #"KEY: expected an integer, the primary key of Person, found "9223372036854775808""#),
    CallCase(
      "get --store people.db --mappings mappings.json --as Note 1",
      #"KEY: the mapping "Note" has no primary key"#),
    CallCase("get \(people) --limit 3 1", #"no option named "--limit""#),
    CallCase("export \(people) --limit -1", #"--limit: expected a whole number from 0 on, found "-1""#),
    CallCase("export \(people) --depth deep", #"--depth: expected a whole number from 0 on, found "deep""#),
    CallCase(
      "export \(people) --from a", #"--from: expected an integer, the primary key of Person, found "a""#),
    CallCase(
      "export --store people.db --mappings mappings.json --as Note --to 3",
      #"--to: the mapping "Note" has no primary key"#),
    CallCase("export \(people) people.ndjson", #"unexpected argument "people.ndjson""#),
    CallCase("stats", "expected --store DIR"),
    CallCase("check --store people.db --json", #"no option named "--json""#),
  ]

  @Test(arguments: mistakes)
  func aMistakeInACallIsNamedWithTheRightUsage(_ test: CallCase) throws {
    let workspace = try Workspace()
    let run = try workspace.run([FastMapTool.path] + test.arguments)
    #expect((run.status, run.output) == (2, ""))
    #expect(run.complaints.count >= 3)
    #expect(run.complaints.first == "fastmap: " + test.message)
    #expect(run.complaints.dropLast().last?.hasPrefix("usage: fastmap ") == true)
    #expect(workspace.names() == ["mappings.json"])
  }

  /// In place of such a name another one would be opened.
  @Test func aWordThatIsNotUTF8IsRefused() throws {
    let workspace = try Workspace()
    let run = try workspace.shell(#"fastmap stats --store "$(printf 's\377')""#)
    #expect(run.status == 2)
    #expect(run.complaints.first == "fastmap: expected words in UTF-8, found \"s\u{FFFD}\"")
  }

  @Test func aMissingMappingIsAnsweredWithTheNames() throws {
    let workspace = try Workspace(holding: "[]")
    for words in [["query", "people.db"], ["query", "none.db", "--mappings", "mappings.json"]] {
      let run = try workspace.run([FastMapTool.path] + words)
      #expect(run.status == 2)
      #expect(run.errors.contains(#"has the mappings "Person", "PersonRef", "Car", "Phone" and "Note""#))
    }
  }

  @Test(arguments: ["--version", "-v", "version"])
  func theVersionIsPrinted(_ word: String) throws {
    let run = try Workspace().fastmap(word)
    #expect((run.status, run.output, run.errors) == (0, "fastmap 0.1.0\n", ""))
  }

  @Test(arguments: ["help", "--help", "-h"])
  func theHelpListsTheCommands(_ word: String) throws {
    let run = try Workspace().fastmap(word)
    run.expect(0, complaints: [])
    for command in ["import", "get", "export", "stats", "check"] {
      #expect(run.output.contains("\n  \(command)"))
    }
  }

  @Test(arguments: ["import", "get", "export", "stats", "check"])
  func everyCommandHasAPageWithItsUsageAndExamples(_ command: String) throws {
    let workspace = try Workspace()
    let run = try workspace.fastmap("help", command)
    run.expect(0, complaints: [])
    #expect(run.output.contains("usage: fastmap \(command) STORE"))
    #expect(run.output.contains("Examples:\n  "))
    #expect(try workspace.fastmap(command, "--help").output == run.output)
    #expect(try workspace.fastmap(command, "--store", "x", "-h").output == run.output)
  }

  @Test func optionsMayStandAnywhereAndTakeTheirValueBothWays() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id": 1}]"#, to: "people.json")
    let run = try workspace.fastmap(
      "import", "people.json", "--as=Person", "--store=people.db", "--json", "--quiet", "--mappings",
      "mappings.json")
    run.expect(0, complaints: [])
  }

  @Test func aDoubleDashEndsTheOptions() throws {
    let workspace = try Workspace(holding: #"[{"id": -5, "name": "Below"}]"#)
    let run = try workspace.fastmap(
      "get", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "--", "-5")
    #expect(run.status == 0)
    #expect(run.output.contains("Below"))
    try workspace.write(#"[{"id": 6}]"#, to: "--odd.json")
    let odd = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "--", "--odd.json")
    #expect(odd.status == 0)
  }

  @Test func aBoundMayBeNegative() throws {
    let workspace = try Workspace(holding: #"[{"id": -5}, {"id": -4}, {"id": 0}]"#)
    #expect(try workspace.exporting("Person", "--from", "-4").output == "{\"id\":-4}\n{\"id\":0}\n")
  }
}
