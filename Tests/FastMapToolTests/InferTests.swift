import TestSupport
import Testing

/// `fastmap infer`, and the way from a payload to a query.
@Suite struct InferTests {
  private static let posts = """
    {"posts": [
      {"id": 1, "title": "One", "author": {"id": 7, "name": "Ada"}, "created_at": "2020-01-01T00:00:00Z"},
      {"id": 2, "title": "Two", "author": {"id": 8, "name": "Bob"}, "created_at": "2020-01-02T00:00:00Z"}
    ], "next": "p2"}
    """

  @Test func aPayloadIsImportedAndExportedThroughItsMapping() throws {
    let workspace = try Workspace()
    try workspace.write(Self.posts, to: "posts.json")
    let run = try workspace.shell("fastmap infer posts.json > inferred.json")
    #expect(run.status == 0)
    #expect(run.errors.contains("Author.id: the key of 2 of 2 objects in 1 place; unique"))
    let options = "--store posts.db --mappings inferred.json --as Post"
    try #expect(workspace.shell("fastmap import \(options) --quiet posts.json").status == 0)
    let export = try workspace.shell("fastmap export \(options)")
    #expect(
      export.output.hasPrefix(
        #"{"id":1,"title":"One","created_at":"2020-01-01T00:00:00Z","author":{"id":7,"name":"Ada"}}"#))
    try #expect(
      workspace.shell("fastmap query \(options) --count '@.author.name == \"Ada\"'").output == "1\n")
  }

  @Test func theNameComesFromTheRootAndFilesMayComeFromAPipe() throws {
    let workspace = try Workspace()
    let run = try workspace.fastmap(
      "infer", "--quiet", "--name", "Tweet", "-", input: #"[{"id":1},{"id":2}]"#)
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.output.contains(#""Tweet": {"#))
  }

  @Test func overridesAreAppliedAndChecked() throws {
    let workspace = try Workspace()
    try workspace.write(Self.posts, to: "posts.json")
    try workspace.write(#"{"mappings": {"Post": {"attributes": {"title": null}}}}"#, to: "changes.json")
    let run = try workspace.fastmap(
      "infer", "--quiet", "--check", "--overrides", "changes.json", "posts.json")
    #expect((run.status, run.errors) == (1, "$.posts[].title: 2 values that no field reads\n"))
    try workspace.write(#"{"mappings": {"Post": {"attributes": {"title": "strng"}}}}"#, to: "changes.json")
    let wrong = try workspace.fastmap("infer", "--quiet", "--overrides", "changes.json", "posts.json")
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains(#"no type named "strng"; did you mean "string"? (with changes.json)"#))
  }

  @Test func misspeltOverridesAreShown() throws {
    let workspace = try Workspace()
    try workspace.write(Self.posts, to: "posts.json")
    func errors(_ overrides: String) throws -> [String] {
      try workspace.write(overrides, to: "changes.json")
      let run = try workspace.fastmap("infer", "--overrides", "changes.json", "posts.json")
      return run.complaints.filter { $0.contains("overrides") || $0.contains("changes.json") }
    }
    try #expect(
      errors(#"{"mappings": {"Post": {"attributes": {"titel": "string"}}}}"#) == [
        #"overrides: $.mappings.Post.attributes.titel: neither inferred nor in the payload; did you mean "title"?"#
      ])
    for (overrides, message) in [
      (#"{"mapings": {}}"#, #"did you mean "mappings"?"#),
      (#"{"mappings": {"Post": {"atributes": {}}}}"#, #"did you mean "attributes"?"#),
      (
        #"{"mappings": {"Post": {"attributes": {"title": {"type": "string", "keypath": "x"}}}}}"#,
        #"did you mean "keyPath"?"#
      ),
    ] {
      let found = try errors(overrides)
      #expect(
        found.count == 1 && found[0].contains(message) && found[0].hasSuffix("(with changes.json)"),
        "\(found)")
    }
  }

  @Test func numbersWithDigitsAreDecimals() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id":1,"price":19.90,"tax":1E400},{"id":2,"price":5}]"#, to: "items.json")
    let run = try workspace.shell("fastmap infer --check items.json > inferred.json")
    #expect(run.status == 0)
    #expect(run.errors.contains("Item.price: a decimal: a double would change the digits of 1 of 2 numbers"))
    let options = "--store items.db --mappings inferred.json --as Item"
    try #expect(workspace.shell("fastmap import \(options) --quiet items.json").status == 0)
    try #expect(
      workspace.shell("fastmap export \(options)").output == """
        {"id":1,"price":19.90,"tax":1E400}
        {"id":2,"price":5}

        """)
    let swift = try workspace.shell("fastmap swift --mappings inferred.json")
    #expect(swift.lines.contains("  var price: DecimalNumber?"))
  }

  @Test(arguments: [
    ("infer", "expected FILE", 2), ("infer missing.json", "missing.json: ", 1),
    (
      "infer empty", "empty: expected files that end in .json, .ndjson or .jsonl, or so with .gz, found none",
      2
    ),
    ("infer rows.csv", "rows.csv: line 1, column 1: expected a value; this looks like CSV", 1),
    ("infer broken.json", "broken.json: line 1, column 2: expected a name in quotes or '}'", 1),
  ])
  func faultsNameTheFile(_ call: String, _ message: String, _ status: Int) throws {
    let workspace = try Workspace()
    try workspace.write("{a", to: "broken.json")
    workspace.makeDirectory("empty")
    try workspace.write("id,total\n1,2\n", to: "rows.csv")
    let run = try workspace.shell("fastmap \(call)")
    #expect(Int(run.status) == status)
    #expect(run.errors.contains(message), "\(run.errors)")
  }
}
