import TestSupport
import Testing

/// Fields that are new to a store and read members that its objects keep in a rest, in the tool.
@Suite struct NewFieldToolTests {
  private static func file(_ attributes: String) -> String {
    #"{"A": {"primaryKey": "id", "attributes": {"id": "integer", \#(attributes)"rest": "rest"}}}"#
  }

  /// A store whose objects keep `n` in their rests, and a file `new.json` that makes it a field.
  private func fill(_ place: KeptMappingTests.Place) throws {
    let first = try place.importing(
      #"[{"id":1,"n":5,"x":1},{"id":2,"n":"x"},{"id":3,"n":7}]"#, Self.file(""), "--as", "A")
    #expect(first.status == 0, "\(first.errors)")
    try place.work.write(
      #"{"fastmap": 1, "mappings": \#(Self.file(#""n": "integer", "#))}"#, to: "new.json")
  }

  private static let left =
    "A.n cannot take the members that 1 object kept before; these stay, and their export needs the older mapping"

  @Test(arguments: KeptMappingTests.Kind.here)
  func readingCommandsReadANewFieldFromTheRest(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      try fill(place)
      func read(_ command: String, _ words: String...) throws -> String {
        try place.work.run(
          [FastMapTool.path, command, place.store, "A"] + words + ["--mappings", "new.json"]
        ).output
      }
      for isDeclared in [false, true] {
        if isDeclared { #expect(try place.run("mappings", "new.json").status == 0) }
        #expect(try read("get", "1") == "{\"x\":1,\"id\":1,\"n\":5}\n")
        #expect(try read("query", "@.n > 5") == "{\"id\":3,\"n\":7}\n")
        #expect(try read("query", "--sort", "-n", "--limit", "1", "--keys") == "3\n")
        #expect(
          try read("query", "--group", "n", "--count", "--format", "csv") == "n,count\r\n,1\r\n5,1\r\n7,1\r\n"
        )
        #expect(try read("query", "--fields", "id,n", "--format", "csv") == "id,n\r\n1,5\r\n2,\r\n3,7\r\n")
        let export = try place.run("export", "A", "--mappings", "new.json")
        #expect(export.output == "{\"x\":1,\"id\":1,\"n\":5}\n{\"n\":\"x\",\"id\":2}\n{\"id\":3,\"n\":7}\n")
        #expect(export.errors.contains(Self.left))
      }
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func aFileInPlaceOfTheKeptOneMovesValuesIntoItsNewFields(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      try fill(place)
      let run = try place.run("mappings", "new.json")
      #expect(run.status == 0 && run.output == "")
      #expect(
        run.errors.contains("A.n has 2 values that no field read before") && run.errors.contains(Self.left))
      #expect(try place.run("query", "A", "@.n == 7", "--keys").output == "3\n")
      #expect(try place.run("check").status == 0)
      // The second time, there is nothing to move.
      #expect(try place.run("mappings", "new.json").errors == "")
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func anImportMovesValuesUnlessItIsADryRun(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      try fill(place)
      func run(_ words: String...) throws -> Program.Run {
        try place.work.run(
          [FastMapTool.path, "import", place.store, "-", "--mappings", "new.json", "--as", "A"] + words,
          input: #"[{"id":3,"n":7}]"#)
      }
      let dry = try run("--dry-run")
      #expect(dry.status == (kind == .server ? 1 : 0), "\(dry.errors)")
      #expect(try place.run("get", "A", "3").output == "{\"n\":7,\"id\":3}\n")
      let report = try run("--json")
      #expect(report.status == 0 && report.output.contains(Self.left), "\(report.output) \(report.errors)")
      #expect(try place.run("query", "A", "@.n == 5", "--keys").output == "1\n")
      // A dump carries the fields that are left.
      #expect(try place.run("dump").lines.first?.contains(#"\"left\""#) == true)
    }
  }
}
