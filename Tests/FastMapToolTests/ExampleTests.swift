import TestSupport
import Testing

/// The calls in Examples/README.md.
@Suite struct ExampleTests {
  private static let catalogue: String = {
    let here = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/" + here + "/Examples/catalogue/"
  }()

  private func run(_ workspace: Workspace, _ command: String, as mapping: String, _ rest: String...) throws
    -> Program.Run
  {
    let call = [command, "--store", "shop", "--mappings", Self.catalogue + "mappings.json", "--as", mapping]
    return try workspace.run([FastMapTool.path] + call + rest)
  }

  /// The counts of a table, without the spaces.
  private func rows(_ run: Program.Run) -> [String] {
    run.output.split(separator: "\n").dropFirst().dropLast().map { line in
      line.split(separator: " ").prefix(6).joined(separator: " ")
    }
  }

  private static let later = [
    "Book 8 40 83 0 0", "Author 2 1 57 0 0", "Publisher 0 0 25 0 0", "Category 0 0 24 0 0",
    "Edition 26 0 207 11 0", "Review 7 1 182 9 0",
  ]

  @Test func theCatalogueGivesTheCountsOfItsReadMe() throws {
    let workspace = try Workspace()
    let first = Self.catalogue + "catalogue.json"
    let second = Self.catalogue + "catalogue-later.json"
    #expect(
      rows(try run(workspace, "import", as: "Book", first)) == [
        "Book 123 0 0 0 0", "Author 57 0 0 0 0", "Publisher 25 0 0 0 0", "Category 24 0 0 0 0",
        "Edition 224 0 0 0 0", "Review 200 0 0 0 0",
      ])
    #expect(rows(try run(workspace, "import", as: "Author", first)) == ["Author 3 57 0 0 0"])
    #expect(rows(try run(workspace, "import", as: "Publisher", first)) == ["Publisher 0 25 0 0 0"])
    #expect(rows(try run(workspace, "import", as: "Category", first)) == ["Category 6 24 0 0 0"])

    #expect(rows(try run(workspace, "import", as: "Book", "--dry-run", second)) == Self.later)
    #expect(rows(try run(workspace, "import", as: "Book", second)) == Self.later)
    #expect(
      rows(try run(workspace, "import", as: "Book", second)) == [
        "Book 0 0 131 0 0", "Author 0 0 60 0 0", "Publisher 0 0 25 0 0", "Category 0 0 24 0 0",
        "Edition 0 0 233 0 0", "Review 0 0 190 0 0",
      ])
    #expect(try workspace.fastmap("check", "--store", "shop").status == 0)
  }

  // FEM-196
  @Test func theCatalogueComesBackAsItWentIn() throws {
    let workspace = try Workspace()
    _ = try run(workspace, "import", as: "Book", Self.catalogue + "catalogue.json")
    let exported = try run(workspace, "export", as: "Book")
    #expect((exported.status, exported.output.split(separator: "\n").count) == (0, 123))
    try workspace.write(exported.output, to: "books.ndjson")

    let copy = ["--store", "copy", "--mappings", Self.catalogue + "mappings.json", "--as", "Book"]
    #expect(
      try workspace.run([FastMapTool.path, "import", "--root-path", ""] + copy + ["books.ndjson"]).status == 0
    )
    #expect(try workspace.run([FastMapTool.path, "export"] + copy).output == exported.output)
    let again = try workspace.run(
      [FastMapTool.path, "import", "--root-path", ""] + ["--store", "shop"] + copy.dropFirst(2) + [
        "books.ndjson"
      ])
    #expect(again.status == 0)
    #expect(rows(again).first == "Book 0 0 123 0 0")
  }
}
