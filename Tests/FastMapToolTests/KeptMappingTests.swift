import FastMapSystem
import TestSupport
import Testing

/// The mapping file that a store keeps, in a directory and on a server.
@Suite struct KeptMappingTests {
  /// A store of one kind, and the tool that runs on it.
  struct Place {
    let work: Workspace
    let store: String

    @discardableResult
    func run(_ command: String, _ words: String..., input: String? = nil) throws -> Program.Run {
      try work.run([FastMapTool.path, command, store] + words, input: input)
    }

    /// Imports a payload with a mapping file of these mappings.
    @discardableResult
    func importing(_ json: String, _ mappings: String, _ words: String...) throws -> Program.Run {
      try work.write(#"{"fastmap": 1, "mappings": \#(mappings)}"#, to: "file.json")
      return try work.run(
        [FastMapTool.path, "import", store, "-", "--mappings", "file.json"] + words, input: json)
    }

    var kept: String { get throws { try run("mappings").output } }
  }

  enum Kind: CaseIterable {
    case directory, server

    static var here: [Kind] {
      #if Postgres
        PostgresToolTests.server == nil ? [.directory] : allCases
      #else
        [.directory]
      #endif
    }

    func run(_ body: (Place) throws -> Void) throws {
      if self == .directory { return try body(Place(work: try Workspace(), store: "s.db")) }
      #if Postgres
        let place = try PostgresToolTests.ServerPlace()
        defer { place.drop() }
        try body(Place(work: place.work, store: place.store))
      #endif
    }
  }

  private static let order =
    #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer", "total": "integer"}}}"#
  private static let brief =
    #"{"Brief": {"entity": "Order", "primaryKey": "id", "attributes": {"id": "integer"}}}"#

  @Test(arguments: Kind.here)
  func aStoreKeepsTheFileByteForByteAndItsCommandsUseIt(_ kind: Kind) throws {
    try kind.run { place in
      let file = "{\"fastmap\": 1,\n\n  \"mappings\": " + Self.order + "}\n\n"
      try place.work.write(file, to: "first.json")
      let first = try place.work.run(
        [FastMapTool.path, "import", place.store, "-", "--mappings", "first.json", "--as", "Order"],
        input: #"[{"id": 1, "total": 3}, {"id": 2, "total": 4}]"#)
      #expect(first.status == 0, "\(first.errors)")
      #expect(try place.kept == file)
      #expect(try place.run("query", "Order", "@.total == 4").output == "{\"id\":2,\"total\":4}\n")
      #expect(try place.run("get", "Order", "1").output == "{\"id\":1,\"total\":3}\n")
      #expect(try place.run("set", "Order", "1", "total=5").status == 0)
      #expect(try place.run("export", "Order").lines.first == #"{"id":1,"total":5}"#)
      #expect(try place.run("delete", "Order", "2").status == 0)
      let again = try place.run("import", "-", input: #"[{"id": 1, "total": 6}]"#)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try place.run("describe", "--json").output.contains("Order"))
      #expect(try place.kept == file)
      // A given file is used and not kept.
      try place.work.write(#"{"fastmap": 1, "mappings": \#(Self.brief)}"#, to: "brief.json")
      #expect(
        try place.run("export", "Brief", "--mappings", "brief.json").output == "{\"id\":1}\n")
      #expect(try place.kept == file)
      #expect(try place.run("export", "Brief").status == 2)
    }
  }

  @Test(arguments: Kind.here)
  func nothingIsKeptWithoutACommit(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.importing("[]", Self.order, "--as", "Order").status == 0)
      let kept = try place.kept
      #expect(try place.importing(#"[{"id": 1}]"#, Self.brief, "--as", "Brief", "--dry-run").status == 0)
      #expect(try place.importing(#"[{"id": "x"}]"#, Self.brief, "--as", "Brief").status == 1)
      #expect(try place.kept == kept)
      #expect(try place.importing(#"[{"id": 1}]"#, Self.brief, "--as", "Brief").status == 0)
      #expect(try place.kept != kept)
    }
  }

  @Test(arguments: Kind.here)
  func aLaterFileAddsItsMappingsAndReplacesMappingsOfTheSameName(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.importing(#"[{"id": 1}]"#, Self.order, "--as", "Order").status == 0)
      let both =
        #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer"}}, "#
        + #""User": {"primaryKey": "id", "attributes": {"id": "string"}}}"#
      let later = try place.importing(#"[{"id": "a"}]"#, both, "--as", "User")
      #expect(later.status == 0, "\(later.errors)")
      // A file with all the names takes the place of the kept one as it is.
      #expect(try place.kept == #"{"fastmap": 1, "mappings": \#(both)}"#)
      #expect(try place.importing(#"[{"id": 2}]"#, Self.brief, "--as", "Brief").status == 0)
      let kept = try place.kept
      for name in ["Order", "User", "Brief"] { #expect(kept.contains("\"\(name)\": {")) }
      #expect(try place.run("export", "Order").lines.count == 2)
      let many = try place.run("import", "-", input: "[]")
      #expect(many.status == 2)
      #expect(many.errors.contains(#"was imported with the mappings "Order", "User" and "Brief""#))
    }
  }

  @Test(arguments: Kind.here)
  func filesThatAreNotValidTogetherLeaveTheKeptOne(_ kind: Kind) throws {
    try kind.run { place in
      let owner =
        #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer"}, "#
        + #""relationships": {"user": {"mapping": "User", "weak": true}}}, "#
        + #""User": {"primaryKey": "id", "attributes": {"id": "integer"}}}"#
      #expect(try place.importing(#"[{"id": 1}]"#, owner, "--as", "Order").status == 0)
      let kept = try place.kept
      // A weak relationship needs a key.
      let other = #"{"User": {"entity": "Guest", "attributes": {"name": "string"}}}"#
      let result = try place.importing(#"[{"name": "a"}]"#, other, "--as", "User")
      #expect(result.status == 0)
      #expect(result.errors.contains("the mapping file is not kept"), "\(result.errors)")
      #expect(result.errors.contains("fastmap mappings"))
      #expect(try place.kept == kept)
    }
  }

  @Test(arguments: Kind.here)
  func mappingsPutsAnotherFileInThePlaceOfTheKeptOne(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, Self.order, "--as", "Order").status == 0)
      let file = #"{"fastmap": 1, "mappings": \#(Self.brief)}"#
      try place.work.write(file, to: "brief.json")
      let result = try place.run("mappings", "brief.json")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try place.kept == file)
      #expect(try place.run("export", "Brief").output == "{\"id\":1}\n")
      #expect(try place.run("export", "Order").status == 2)
      try place.work.write(
        #"{"fastmap": 1, "mappings": {"Order": {"primaryKey": "id", "attributes": {"id": "string"}}}}"#,
        to: "wrong.json")
      #expect(try place.run("mappings", "wrong.json").status == 1)
      #expect(try place.kept == file)
    }
  }

  @Test(arguments: Kind.here)
  func copiesOfAStoreKeepTheFile(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, Self.order, "--as", "Order").status == 0)
      let kept = try place.kept
      var copies = ["loaded.db"]
      try place.work.write(place.run("dump").output, to: "dump")
      #expect(try place.work.fastmap("load", "loaded.db", "dump").status == 0)
      if kind == .directory {
        for command in ["backup", "repair"] {
          #expect(try place.run(command, command + ".db").status == 0)
          copies.append(command + ".db")
        }
        #expect(try place.run("compact").status == 0)
        copies.append(place.store)
      } else {
        // Into a server, too.
        try kind.run { other in
          let loaded = try other.run("load", place.work.path + "/dump")
          #expect(loaded.status == 0, "\(loaded.errors)")
          #expect(try other.kept == kept)
        }
      }
      for copy in copies {
        #expect(try place.work.fastmap("mappings", copy).output == kept)
        #expect(try place.work.fastmap("check", copy).status == 0)
        // The names of root mappings come with it.
        #expect(try place.work.fastmap("import", copy, "-", input: #"[{"id": 2}]"#).status == 0)
      }
    }
  }

  // MARK: Inference

  @Test(arguments: Kind.here)
  func anImportIntoANewStoreInfersTheMapping(_ kind: Kind) throws {
    try kind.run { place in
      let first = try place.run(
        "import", "-", input: #"[{"id": 1, "total": 3.5, "tags": ["a"]}, {"id": 2, "total": 4}]"#)
      #expect(first.status == 0, "\(first.errors)")
      let question = try #require(first.errors.split(separator: "\n").last)
      #expect(question.hasPrefix("ask: fastmap query "))
      #expect(try place.kept.contains("\"inferred\": true"))
      let name = String(question.split(separator: " ").last ?? "")
      #expect(try place.run("query", name, "--count").output == "2\n")
      let again = try place.run("import", "-", input: #"[{"id": 2, "total": 9, "tags": [], "new": 1}]"#)
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.errors.isEmpty)
      #expect(try place.run("get", name, "2").output.contains("\"new\":1"))
    }
  }

  @Test(arguments: Kind.here)
  func aDryRunInfersAndKeepsNothing(_ kind: Kind) throws {
    try kind.run { place in
      try place.work.write(#"[{"id": 1}]"#, to: "orders.json")
      let dry = try place.run("import", "orders.json", "--dry-run")
      #expect(dry.status == 0 && !dry.errors.contains("kept") && !dry.errors.contains("ask: "))
      #expect(try place.run("mappings").status != 0)
      #expect(try place.run("import", "orders.json").status == 0)
      #expect(try place.run("query", "Order").output == "{\"id\":1}\n")
      #expect(try place.work.fastmap("import", "other.db", "orders.json", "--as", "Sale").status == 0)
      #expect(try place.work.fastmap("query", "other.db", "Sale", "--count").output == "1\n")
    }
  }

  @Test(arguments: Kind.here)
  func aNameThatTheKeptFileLacksIsInferredBesideIt(_ kind: Kind) throws {
    try kind.run { place in
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, Self.order, "--as", "Order").status == 0)
      let near = try place.run("import", "-", "--as", "Ordre", input: "[]")
      #expect(near.status == 2)
      #expect(near.errors.contains(#"did you mean "Order"?"#))
      let run = try place.run(
        "import", "-", "--as", "Invoice", input: #"[{"id": "a", "order": {"id": 1, "total": 3}}]"#)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("Invoice is added to the kept mappings"))
      #expect(try place.run("query", "Invoice", "--count").output == "1\n")
      #expect(try place.run("query", "Order", "@.total == 3", "--count").output == "1\n")
      #expect(try place.kept.contains("\"Order\": {"))
    }
  }

  @Test func otherRootsOfAnInputAreNamed() throws {
    let work = try Workspace()
    try work.write(
      #"{"users": [{"id": 1, "name": "a"}], "orders": [{"id": 7, "user_id": 1}, {"id": 8, "user_id": 1}]}"#,
      to: "two.json")
    let first = try work.fastmap("import", "s.db", "two.json")
    #expect(first.status == 0)
    let line = try #require(first.errors.split(separator: "\n").first { $0.hasPrefix("not imported yet: ") })
    #expect(try work.shell(String(line.dropFirst("not imported yet: ".count))).status == 0)
    #expect(try work.fastmap("query", "s.db", "User", "--count").output == "1\n")
    #expect(try work.fastmap("query", "s.db", "Order", "--count").output == "2\n")
  }

  @Test func aStoreWithObjectsThatKeepsNoFileNeedsOne() throws {
    let work = try Workspace()
    // The store of a library that gives no file.
    let golden = Files.root + "/Tests/FastMapLMDBTests/Golden/data.mdb"
    #expect(try work.run(["/bin/sh", "-c", "mkdir s.db && cp \(inShell(golden)) s.db/data.mdb"]).status == 0)
    let stored = try work.fastmap("dump", "s.db").output
    for words in [["import", "s.db", "-"], ["query", "s.db", "Person"], ["mappings", "s.db"]] {
      let run = try work.run([FastMapTool.path] + words, input: "[]")
      #expect(run.status == 2)
      #expect(run.errors.hasPrefix("fastmap: s.db keeps no mapping file; give one with --mappings FILE\n"))
    }
    #expect(try work.fastmap("dump", "s.db").output == stored)
  }
}
