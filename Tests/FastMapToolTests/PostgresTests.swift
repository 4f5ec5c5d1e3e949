import FastMapSystem
import TestSupport
import Testing

@Suite struct PostgresToolTests {
  @Test("A directory whose name looks like an address is opened if it is there")
  func directory() throws {
    let work = try Workspace()
    let first = try work.run(
      [FastMapTool.path, "import", "--store", "a.db", "--mappings", "mappings.json", "--as", "Person"],
      input: #"[{"id":1,"name":"Ada"}]"#)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try work.run(["mv", "a.db", "host=a"]).status == 0)
    #expect(try work.run([FastMapTool.path, "check", "--store", "host=a"]).status == 0)
  }

  #if Postgres
    static let server: String? = getenv("FASTMAP_POSTGRES").map { String(cString: $0) }

    /// A directory, and the address of a store in a schema of its own.
    struct ServerPlace {
      let work: Workspace
      let base = server ?? ""
      let schema = "fastmap_tool_\(UInt64.random(in: 0 ... .max))"
      var store: String { base + (base.contains("?") ? "&" : "?") + "schema=\(schema)" }

      init() throws { work = try Workspace() }

      func drop() { _ = try? work.run(["psql", "-qc", "DROP SCHEMA IF EXISTS \(schema) CASCADE", base]) }
    }

    @Test(
      "The tool imports into a server, reads from it, counts and checks it",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func all() throws {
      let place = try ServerPlace()
      let (work, schema, store) = (place.work, place.schema, place.store)
      let shared = ["--store", store, "--mappings", "mappings.json", "--as", "Person"]
      func run(_ command: String, _ more: String..., input: String? = nil) throws -> Program.Run {
        try work.run(
          [FastMapTool.path, command]
            + (command == "stats" || command == "check" ? ["--store", store] : shared) + more, input: input)
      }
      defer { place.drop() }

      for command in ["export", "stats", "check"] {
        let none = try run(command)
        #expect(none.status == 1)
        #expect(none.errors.contains("there is no store in the schema"))
      }
      let people = #"[{"id":2,"name":"Bob"},{"id":1,"name":"Ada"}]"#
      let dry = try run("import", "--dry-run", "--json", input: people)
      #expect(dry.status == 0, "\(dry.errors)")
      #expect(dry.output.contains(#""inserted": 2"#))
      #expect(try run("stats").status == 1)
      let first = try run("import", "--json", input: people)
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output.contains(#""inserted": 2"#))
      #expect(try run("import", "--json", input: people).output.contains(#""unchanged": 2"#))
      #expect(try run("get", "1").output.contains("Ada"))
      #expect(try run("get", "7").status == 1)
      let lines = try run("export").lines
      #expect(lines.count == 2)
      #expect(lines.first?.contains("Ada") ?? false)
      #expect(try run("export", "--from", "2").lines.count == 1)
      #expect(try run("stats").output.contains("Person"))
      #expect(try run("stats", "--json").output.contains(#""keyed": 2"#))
      #expect(try run("check").output.hasPrefix("no problems: 2 objects, 2 keys"))
      try work.write(
        #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "attributes": {"id": "integer", "name": "integer"}}}}"#,
        to: "other.json")
      let other = try work.run(
        [FastMapTool.path, "import", "--store", store, "--mappings", "other.json", "--as", "Person"],
        input: "[]")
      #expect(other.status == 1)
      #expect(other.errors.hasPrefix("PostgreSQL at "))
      #expect(other.errors.contains(", schema \"\(schema)\": entity Person: "), "\(other.errors)")
      let backup = try work.run([FastMapTool.path, "backup", "--store", store, "copy"])
      #expect(backup.status == 2)
      #expect(backup.errors.contains("expected a directory; use pg_basebackup or pg_dump"))
    }

    @Test(
      "dump and load move a store from a file to a server and back",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func dump() throws {
      let place = try ServerPlace()
      let (work, store) = (place.work, place.store)
      defer { place.drop() }
      let none = try work.fastmap("dump", "--store", store)
      #expect(none.status == 1 && none.errors.contains("there is no store in the schema"), "\(none)")
      try work.importing(#"[{"id": 2, "name": "Bob"}, {"id": 1, "name": "Ada"}]"#, as: "Person", "--quiet")
      let there = try work.shell("fastmap dump --store people.db | fastmap load --store '\(store)' -")
      #expect(there.output.hasPrefix("2 objects, "), "\(there)")
      let again = try work.shell("fastmap dump --store people.db | fastmap load --store '\(store)' -")
      #expect(again.status == 1 && again.errors.contains("the store already has 2 objects"), "\(again)")
      let back = try work.shell("fastmap dump --store '\(store)' | fastmap load --store copy.db -")
      #expect(back.output == there.output, "\(back)")
      let first = try work.fastmap("dump", "--store", "people.db").output
      #expect(first.contains("Ada"))
      #expect(try work.fastmap("dump", "--store", store).output == first)
      #expect(try work.fastmap("dump", "--store", "copy.db").output == first)
    }

    @Test(
      "prepare prints the SQL of its tables, psql runs it, and nothing is missing then",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func prepare() throws {
      let place = try ServerPlace()
      let (work, base, store) = (place.work, place.base, place.store)
      let shared = ["--store", store, "--mappings", "own.json", "--as", "Person"]
      defer { place.drop() }
      let fields = [
        #""na$1'me": "string""#,
        #""na$1'me": "string", "born": {"type": "date", "default": "2020-01-01T00:00:00Z"}, "#
          + #""note": {"type": "string", "default": "it's \"$1\""}, "tags": ["string"]"#,
      ]
      for (step, fields) in fields.enumerated() {
        try work.write(
          #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "attributes": {"id": "integer", \#(fields)}}}}"#,
          to: "own.json")
        let script = try work.run([FastMapTool.path, "prepare", "--print"] + shared)
        #expect(script.status == 0, "\(script.errors)")
        #expect(script.output.hasPrefix("BEGIN;\n"))
        if step == 0 { #expect(try work.run([FastMapTool.path, "stats", "--store", store]).status == 1) }
        let ran = try work.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", base], input: script.output)
        #expect(ran.status == 0, "\(ran.errors)")
        #expect(try work.run([FastMapTool.path, "prepare", "--print"] + shared).output == "")
        let imported = try work.run(
          [FastMapTool.path, "import"] + shared, input: #"[{"id":\#(step),"na$1'me":"Ada"}]"#)
        #expect(imported.status == 0, "\(imported.errors)")
      }
      #expect(
        try work.run([FastMapTool.path, "export"] + shared).lines == [
          #"{"id":0,"na$1'me":"Ada","born":"2020-01-01T00:00:00Z","note":"it's \"$1\""}"#,
          #"{"id":1,"na$1'me":"Ada","born":"2020-01-01T00:00:00Z","note":"it's \"$1\""}"#,
        ])
      let check = try work.run([FastMapTool.path, "check", "--store", store])
      #expect(check.status == 0, "\(check.errors)")
      let directory = try work.run(
        [FastMapTool.path, "prepare", "--store", "a.db", "--mappings", "own.json", "--as", "Person"])
      #expect(directory.status == 2)
      #expect(directory.errors.contains("expected a PostgreSQL server, found a directory"))
    }

    @Test(
      "prepare without --as makes the tables of all mappings of the file",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func prepareAll() throws {
      let place = try ServerPlace()
      let (work, schema, store) = (place.work, place.schema, place.store)
      defer { place.drop() }
      let mapping = #"{"primaryKey": "id", "attributes": {"id": "integer"}}"#
      try work.write(#"{"fastmap": 1, "mappings": {"A": \#(mapping), "B": \#(mapping)}}"#, to: "two.json")
      let words = [FastMapTool.path, "prepare", "--store", store, "--mappings", "two.json"]
      let script = try work.run(words + ["--print"]).output
      for name in ["A", "B"] { #expect(script.contains("CREATE TABLE \"\(schema)\".\"\(name)\"")) }
      let run = try work.run(words)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try work.run(words + ["--print"]).output == "")
      #expect(try work.run(words + ["--as", "C"]).status == 2)
    }

    @Test("A wrong address is an error at once, also for commands that only read")
    func wrongAddress() throws {
      let start = ContinuousClock.now
      let run = try Workspace().run([FastMapTool.path, "stats", "--store", "postgres://127.0.0.1:1/none"])
      #expect(run.status == 1)
      #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(
      "A conflict ends with the status 3, after the attempts and times of the call",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func conflict() throws {
      let place = try ServerPlace()
      let (work, base, schema, store) = (place.work, place.base, place.schema, place.store)
      let words = [
        FastMapTool.path, "import", "--store", store, "--mappings", "mappings.json", "--as", "Person",
      ]
      defer { place.drop() }
      #expect(try work.run(words, input: #"[{"id":1,"name":"Ada"}]"#).status == 0)
      let lock = #"BEGIN; LOCK TABLE \#(schema)."Person"; SELECT pg_sleep(600)"#
      let holder = try Program.start(["/usr/bin/env", "psql", "-Xqc", lock, base])
      let question =
        "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '\(schema)' AND l.mode = 'AccessExclusiveLock'"
      while try work.run(["psql", "-XAtc", question, base]).output.hasPrefix("0") { usleep(20_000) }
      let run = try work.run(words + ["--lock-timeout", "1", "--attempts", "1"], input: #"[{"id":2}]"#)
      #expect(run.status == 3, "\(run.errors)")
      #expect(run.errors.contains("the write conflicts with another one: PostgreSQL at "), "\(run.errors)")
      let twice = ["--lock-timeout", "1", "--attempts", "2", "--retry-for", "60"]
      #expect(try work.run(words + twice, input: #"[{"id":2}]"#).errors.contains("in each of 2 attempts"))
      let end = question.replacing("count(*)", with: "pg_terminate_backend(l.pid)")
      _ = try work.run(["psql", "-XAtc", end, base])
      _ = Program.ending(of: holder, waits: true)
      let none = ["--store", "postgres://127.0.0.1:1/none", "--wait-for-server", "1"]
      let start = ContinuousClock.now
      #expect(try work.run([FastMapTool.path, "stats"] + none).status == 1)
      #expect(ContinuousClock.now - start > .milliseconds(700))
      #expect(try work.run([FastMapTool.path, "stats", "--store", store, "--lock-timeout", "0"]).status == 2)
    }

    @Test(
      "A URL with a wrong parameter is a usage error that names it",
      arguments: [
        ("schemas=cat", #"no parameter of the URL is named "schemas"; did you mean "schema"?"#),
        ("schema=a&schema=b", #"the parameter "schema" of the URL is given twice"#),
        ("sslmode=disable&sslmode=require", #"the parameter "sslmode" of the URL is given twice"#),
        ("schema=%ff%fe", #"expected a name after "schema=""#),
        ("schema=", #"expected a name after "schema=""#),
      ])
    func parameters(_ query: String, _ words: String) throws {
      let run = try Workspace().run([
        FastMapTool.path, "check", "--store", "postgres://me:tellnobody@127.0.0.1:1/none?\(query)",
      ])
      #expect(run.status == 2)
      #expect(run.errors.contains(words), "\(run.errors)")
      #expect(!run.errors.contains("tellnobody"))
    }

    @Test("A scheme may have capital letters")
    func capitals() throws {
      let run = try Workspace().run([
        FastMapTool.path, "check", "--store", "Postgres://me:tellnobody@127.0.0.1:1/none",
      ])
      #expect(run.status == 1)
      #expect(run.errors.contains("PostgreSQL at 127.0.0.1:1/none"))
      #expect(!run.errors.contains("tellnobody"))
    }

    @Test(
      "An import that waits for another session says so on standard error",
      .enabled(if: server != nil, "skipped: FASTMAP_POSTGRES names no server"))
    func waiting() throws {
      let place = try ServerPlace()
      let (work, base, schema, store) = (place.work, place.base, place.schema, place.store)
      let words = [
        FastMapTool.path, "import", "--store", store, "--mappings", "mappings.json", "--as", "Person",
        "--quiet",
      ]
      defer { place.drop() }
      #expect(try work.run(words, input: #"[{"id":1}]"#).status == 0)
      let lock = "SELECT pid FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' "
      let ofTable = #"AND relation = '\#(schema)."Person"'::regclass"#
      let holder = try Program.start([
        "/usr/bin/env", "psql", "-qc", #"BEGIN; LOCK TABLE \#(schema)."Person"; SELECT pg_sleep(600)"#,
        base,
      ])
      while try work.run(["psql", "-Atc", lock + ofTable, base]).output.isEmpty { usleep(10_000) }
      try work.write(#"[{"id":2}]"#, to: "two.json")
      let errors = work.path + "/errors"
      let waiting = try Program.start(words + ["two.json"], in: work.path, errors: errors)
      func said() throws -> String { String(decoding: try Files.bytes(of: errors), as: UTF8.self) }
      while try said().isEmpty, Program.ending(of: waiting, waits: false) == nil { usleep(10_000) }
      let line = try said()
      #expect(line.contains(": waiting for a lock that process "), "\(line)")
      #expect(line.contains("psql, active) holds"))
      _ = try work.run(["psql", "-Atc", "SELECT pg_terminate_backend(pid) FROM (\(lock + ofTable)) l", base])
      #expect(Program.ending(of: waiting, waits: true) == .exited(0))
      _ = Program.ending(of: holder, waits: true)
      #expect(try said() == line)
    }

    @Test("A password in the URL is in no message")
    func password() throws {
      let work = try Workspace()
      let run = try work.run([
        FastMapTool.path, "stats", "--store", "postgres://user:tellnobody@127.0.0.1:1/none",
      ])
      #expect(run.status == 1)
      #expect(!run.errors.contains("tellnobody"))
      #expect(run.errors.contains("127.0.0.1"))
      #expect(run.errors.contains("refused. Is the server running"), "\(run.errors)")
    }
  #else
    @Test("Without PostgreSQL, the URL of a server is a usage error that says how to build the tool")
    func unavailable() throws {
      let work = try Workspace()
      for command in ["import", "get", "export", "stats", "check"] {
        var words = [FastMapTool.path, command, "--store", "postgres://localhost/people"]
        if command != "stats" && command != "check" {
          words += ["--mappings", "mappings.json", "--as", "Person"]
        }
        if command == "get" { words.append("1") }
        let run = try work.run(words, input: "[]")
        #expect(run.status == 2)
        #expect(run.errors.contains("built without PostgreSQL; build it with swift build --traits Postgres"))
      }
    }
  #endif
}
