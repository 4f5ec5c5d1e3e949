import FastMapSystem
import TestSupport
import Testing

/// Commands one after the other on one store, as a person types them.
@Suite struct FirstStoreTests {
  typealias Kind = KeptMappingTests.Kind
  typealias Place = KeptMappingTests.Place

  private static let orders =
    #"[{"id":"A 1","total":5,"lines":[{"sku":"a"},{"sku":"b"}]},{"id":"\"q\"","total":null,"lines":[]}]"#

  @Test(arguments: Kind.here)
  func aKeyThatQueryPrintsIsTakenBack(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.run("import", "-", "--as", "Order", input: Self.orders).status == 0)
      let keys = try place.run("query", "Order", "--keys").output
      #expect(keys == "\"\\\"q\\\"\"\n\"A 1\"\n")
      for key in keys.split(separator: "\n").map(String.init) {
        #expect(try place.run("get", "Order", key).status == 0)
        #expect(try place.run("set", "Order", key, "total=7").status == 0)
      }
      #expect(try place.run("get", "Order", "A 1").output.contains(#""total":7"#))
      #expect(
        try place.run("export", "Order", "--from", #""A 1""#, "--fields", "total").output == "{\"total\":7}\n"
      )
      #expect(try place.run("delete", "Order", #""A 1""#).status == 0)
      #expect(try place.run("query", "Order", "--count").output == "1\n")
    }
  }

  @Test(arguments: Kind.here)
  func jsonIsAnArrayOfTheLinesWithoutIt(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.run("import", "-", "--as", "Order", input: Self.orders).status == 0)
      for words in [
        ["query", "Order"], ["query", "Order", "@.total == 5"], ["export", "Order"],
        ["query", "Order", "--nulls"],
      ] {
        let (command, rest) = (words[0], Array(words.dropFirst()))
        let lines = try place.work.run(
          [FastMapTool.path, command, place.store] + rest + ["--format", "ndjson"])
        let array = try place.work.run(
          [FastMapTool.path, command, place.store] + rest + ["--format", "json"])
        let text = array.output.filter { $0 != "\n" }
        #expect(text == "[" + lines.output.split(separator: "\n").joined(separator: ",") + "]", "\(words)")
        #expect(text.contains(#""lines":[{"sku":"a"}"#), "\(words)")
      }
      for words in [
        ["query", "Order", "--limit", "0"], ["export", "Order", "--limit", "0"],
        ["export", "Order", "--from", "b", "--to", "a"],
      ] {
        let run = try place.work.run(
          [FastMapTool.path, words[0], place.store] + words.dropFirst() + ["--format", "json"])
        #expect(run.output == "[]\n", "\(words)")
      }
    }
  }

  @Test func theObjectsOfARootStayRootsUnderAnotherName() throws {
    let place = Place(work: try Workspace(), store: "s.db")
    #expect(
      try place.importing(
        #"{"id":1}"#, #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer"}}}"#, "--as", "Order"
      ).status == 0)
    for mapping in [#""Sale": {"entity": "Order""#, #""Receipt": {"was": "Order""#] {
      try place.work.write(
        #"{"fastmap": 1, "mappings": {\#(mapping), "primaryKey": "id", "attributes": {"id": "integer"}}}}"#,
        to: "new.json")
      #expect(try place.run("mappings", "new.json").status == 0)
      let name = String(mapping.dropFirst().prefix { $0 != "\"" })
      let run = try place.run("delete", name, "--orphans")
      #expect(
        (run.status, run.errors.contains("were imported at the root")) == (2, true), "\(name): \(run.errors)")
      #expect(try place.run("query", name, "--count").output == "1\n")
      #expect(try place.run("import", "-", input: #"{"id":1}"#).status == 0)
    }
  }

  @Test(arguments: Kind.here)
  func anotherPayloadIsInferredBesideTheKeptMappings(_ kind: Kind) throws {
    try kind.run { place in
      let orders =
        #"[{"id":1,"total":2,"customer":{"id":7,"name":"Ada"}},{"id":2,"total":3,"customer":{"id":8,"name":"Tom"}}]"#
      #expect(try place.run("import", "-", "--as", "Order", input: orders).status == 0)
      // Other customers, with keys of another type, and the same ones with a new member.
      let visits =
        #"[{"id":1,"page":"/a","customer":{"id":"x7","browser":"b"}},{"id":2,"page":"/b","customer":{"id":"x8","browser":"c"}}]"#
      let run = try place.run("import", "-", "--as", "Visit", input: visits)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try place.run("query", "Visit", "--fields", "id,customer.browser").output.contains(
          #""customer.browser":"b""#))
      #expect(try place.run("query", "Customer", "--keys").output == "7\n8\n")
    }
  }

  @Test func thePrintedCommandsForInputsOfSeveralKindsImportThem() throws {
    let place = Place(work: try Workspace(), store: "s.db")
    try place.work.write(
      #"{"data":[{"id":1,"total":5,"status":"a"},{"id":2,"total":6,"status":"b"}]}"#, to: "a.json")
    try place.work.write(
      #"{"data":[{"id":1,"name":"Ada","mail":"m"},{"id":2,"name":"Tom","mail":"n"}]}"#, to: "b.json")
    for path in [[], ["--root-path", "data"]] {
      let run = try place.work.run([FastMapTool.path, "import", place.store, "a.json", "b.json"] + path)
      #expect(run.status == 2 && run.errors.contains("found 2 kinds"), "\(run.errors)")
    }
    let run = try place.run("import", "a.json", "b.json")
    let commands = run.complaints.filter { $0.hasPrefix("fastmap import ") }
    #expect(commands.count == 2)
    for command in commands {
      let done = try place.work.shell(command)
      #expect(done.status == 0, "\(command): \(done.errors)")
    }
    #expect(try place.run("describe").output.contains("4 objects"))
  }

  @Test func aPipeIsNoInputOfTheFirstImportButMayBeStandardInput() throws {
    let place = Place(work: try Workspace(), store: "s.db")
    let run = try place.work.shell("mkfifo p; fastmap import s.db p")
    #expect((run.status, run.errors.contains("p: expected a file")) == (2, true), "\(run.errors)")
    #expect(try place.work.shell("echo '[{\"id\":1}]' | fastmap import s.db - --as Item").status == 0)
    #expect(try place.run("query", "Item", "--count").output == "1\n")
  }

  @Test func aSingleLineOfNDJSONIsNoDocument() throws {
    let place = Place(work: try Workspace(), store: "s.db")
    try place.work.write(
      #"{"id":1,"lines":[{"sku":"a","n":1},{"sku":"b","n":2}]}"# + "\n", to: "order.ndjson")
    #expect(try place.work.shell("gzip -c order.ndjson > order.ndjson.gz; cp order.ndjson order").status == 0)
    for words in [["order.ndjson.gz"], ["order", "--format", "ndjson"]] {
      let place = Place(work: place.work, store: words[0] + ".db")
      let run = try place.work.run([FastMapTool.path, "import", place.store] + words)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try place.run("query", "Order", "--format", "ndjson").output
          == "{\"id\":1,\"lines\":[{\"sku\":\"a\",\"n\":1},{\"sku\":\"b\",\"n\":2}]}\n")
    }
  }

  @Test(arguments: Kind.here)
  func aReplacementSaysHowManyOfHowManyItHasDeleted(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.run("import", "-", "--as", "Item", input: #"[{"id":1},{"id":2}]"#).status == 0)
      let one = try place.run("import", "-", "--replace-where", "@.id > 1", input: #"[{"id":3}]"#)
      #expect(one.errors.contains("1 of 1 object of Item that matched is deleted"))
    }
  }

  @Test func aStoreIsNoInputAndAnSQLiteNameIsNoOutput() throws {
    let place = Place(work: try Workspace(), store: "s.db")
    let run = try place.run("import", "postgres://user@host/database")
    #expect((run.status, run.errors.contains("is a store, expected a file")) == (2, true), "\(run.errors)")
    #expect(try place.run("import", "-", "--as", "Item", input: #"[{"id":1}]"#).status == 0)
    for command in ["backup", "repair"] {
      let run = try place.run(command, "copy.sqlite")
      #expect(
        (run.status, run.errors.contains("no store for SQLite databases yet")) == (2, true), "\(run.errors)")
    }
  }

  @Test func faultsOfInferredFieldsEndWithTheCommandsThatWiden() throws {
    let place = Place(work: try Workspace(), store: "s.db")
    #expect(
      try place.run("import", "-", "--as", "Order", input: #"[{"id":1,"code":2,"at":{"code":"x","n":1}}]"#)
        .status == 0)
    try place.work.write(#"[{"id":2,"code":1.5}]"#, to: "next.json")
    for words in [[], ["--on-error", "skip"]] {
      let run = try place.work.run([FastMapTool.path, "import", place.store, "next.json"] + words)
      #expect(run.status == 1 && run.errors.contains("fastmap infer --store s.db next.json"), "\(run.errors)")
    }
  }
}
