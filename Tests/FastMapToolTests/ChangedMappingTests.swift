import TestSupport
import Testing

/// Mapping files with other types and names than the store has, in a directory and on a server.
@Suite struct ChangedMappingTests {
  private static func order(_ total: String, _ more: String = "") -> String {
    #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer", \#(total)}}\#(more)}"#
  }

  private static let brief =
    #", "Brief": {"entity": "Order", "primaryKey": "id", "newerBy": "total", "#
    + #""attributes": {"id": "integer", "total": "integer"}, "indexes": [["-total"]]}"#

  @Test(arguments: KeptMappingTests.Kind.here)
  func keptMappingsOfTheEntityChangeWithTheType(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      let old = Self.order(#""total": "integer""#, Self.brief)
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, old, "--as", "Order").status == 0)
      let wide = try place.importing(
        #"[{"id": 2, "total": 2.50}]"#, Self.order(#""total": "decimal""#), "--as", "Order")
      #expect(wide.status == 0, "\(wide.errors)")
      #expect(wide.errors.contains(#"Order: "total" was an integer, and is now a decimal"#))
      #expect(
        try place.run("export", "Brief").output == "{\"id\":1,\"total\":2}\n{\"id\":2,\"total\":2.50}\n")
      #expect(try place.run("query", "Order", "@.total > 2").output == "{\"id\":2,\"total\":2.50}\n")
      #expect(try place.run("check").status == 0)
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func keptMappingsOfTheEntityTakeTheNewNames(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      let old = Self.order(#""total": "integer""#, Self.brief)
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, old, "--as", "Order").status == 0)
      let new =
        #"{"Order": {"entity": "Sale", "was": "Order", "primaryKey": "no", "attributes": {"#
        + #""no": {"type": "integer", "was": "id"}, "sum": {"type": "integer", "was": "total"}}}}"#
      let renamed = try place.importing(#"[{"no": 2, "sum": 3}]"#, new, "--as", "Order")
      #expect(renamed.status == 0, "\(renamed.errors)")
      #expect(!renamed.errors.contains("not kept"), "\(renamed.errors)")
      // The other mapping reads the same members of a payload, and writes them.
      #expect(try place.run("export", "Brief").output == "{\"id\":1,\"total\":2}\n{\"id\":2,\"total\":3}\n")
      let late = try place.run("import", "-", "--as", "Brief", input: #"[{"id": 2, "total": 1}]"#)
      #expect(late.status == 0, "\(late.errors)")
      #expect(try place.run("export", "Order").output == "{\"no\":1,\"sum\":2}\n{\"no\":2,\"sum\":3}\n")
      #expect(try place.run("check").status == 0)
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func aTypeThatDoesNotFitIsStatus1AndChangesNothing(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      let old = Self.order(#""total": "string""#)
      let objects = (1...5).map { #"{"id": \#($0), "total": "a"}"# }.joined(separator: ",")
      #expect(try place.importing("[\(objects)]", old, "--as", "Order").status == 0)
      let kept = try place.kept
      let run = try place.importing("[]", Self.order(#""total": "integer""#), "--as", "Order")
      #expect(run.status == 1)
      #expect(run.errors.contains("5 objects have values that do not fit: 1, 2, 3, …"), "\(run.errors)")
      #expect(try place.run("mappings", "file.json").status == 1)
      #expect(try place.kept == kept)
      #expect(try place.run("query", "Order", "--count").output == "5\n")
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func mappingsMakesTheChanges(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      let old = Self.order(#""total": "integer""#)
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, old, "--as", "Order").status == 0)
      let file =
        #"{"fastmap": 1, "mappings": \#(Self.order(#""sum": {"type": ["integer"], "was": "total"}"#))}"#
      try place.work.write(file, to: "new.json")
      let read = try place.run("export", "Order", "--mappings", "new.json")
      #expect(read.status == 1)
      #expect(read.errors.contains("the first import with this mapping renames it"), "\(read.errors)")
      let run = try place.run("mappings", "new.json")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains(#"Order: "total" is now "sum""#))
      #expect(try place.kept == file)
      #expect(try place.run("export", "Order").output == "{\"id\":1,\"sum\":[2]}\n")
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func aDryRunChangesNoTypes(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      let old = Self.order(#""total": "integer""#)
      #expect(try place.importing(#"[{"id": 1, "total": 2}]"#, old, "--as", "Order").status == 0)
      let wide = Self.order(#""total": "number""#)
      let dry = try place.importing(#"[{"id": 1, "total": 2.5}]"#, wide, "--as", "Order", "--dry-run")
      let note = #"Order: "total" was an integer, and is now a number"#
      #expect(dry.errors.contains(note), "\(dry.errors)")
      #expect(dry.status == (kind == .server ? 1 : 0))
      if kind == .server { #expect(dry.errors.contains("prepare would: ")) }
      #expect(try place.run("export", "Order").output == "{\"id\":1,\"total\":2}\n")
      if kind == .server {
        let prepared = try place.run("prepare", "--mappings", "file.json")
        #expect(prepared.status == 0 && prepared.errors.contains(note), "\(prepared.errors)")
        #expect(try place.run("export", "Order").output == "{\"id\":1,\"total\":2}\n")
      }
    }
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func anErrorOfAnInferredFieldEndsWithTheCommandsThatWidenIt(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      try place.work.write(#"[{"id": 1, "total": 2}, {"id": 2, "total": 3}]"#, to: "orders.json")
      #expect(try place.run("import", "orders.json").status == 0)
      try place.work.write(#"[{"id": 3, "total": 2.5}]"#, to: "later.json")
      let run = try place.run("import", "later.json")
      #expect(run.status == 1)
      let lines = run.errors.split(separator: "\n").map(String.init)
      #expect(lines.first?.contains("$[0].total: expected an integer") ?? false, "\(run.errors)")
      let commands = lines.filter { $0.hasPrefix("  fastmap ") }.map { String($0.dropFirst(2)) }
      try #require(commands.count == 2, "\(run.errors)")
      #expect(lines.last == "  " + commands[1])
      // The commands do what they say.
      #expect(try place.work.shell(commands[0]).errors.contains("Order.total: integer becomes number"))
      let widened = try place.work.shell(commands[1])
      #expect(widened.status == 0, "\(widened.errors)")
      #expect(try place.run("import", "later.json").status == 0)
      #expect(try place.run("get", "Order", "3").output == "{\"id\":3,\"total\":2.5}\n")
      // A key keeps its type, and a written file says nothing.
      #expect(try place.run("import", "-", input: #"[{"id": "x"}]"#).errors.split(separator: "\n").count == 1)
    }
  }
}
