import TestSupport
import Testing

/// `fastmap describe`
@Suite struct DescribeTests {
  private static let people = #"""
    [{"id": 1, "name": "Ada", "car": {"plate": "a", "drivers": [1]}, "phones": [{"number": "5"}], "boss": {"id": 2}}]
    """#

  private func stored() throws -> Workspace { try Workspace(holding: Self.people) }

  @Test func aStoreIsDescribedWithTheFileThatItKeeps() throws {
    let run = try stored().fastmap("describe", "--store", "people.db")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("people.db  4 entities, 4 objects, "))
    #expect(
      run.output.contains(#/\nPerson +2 +2 +[\d.]+ kB +[\d.]+ kB +[\d.]+ kB +0 bytes +[\d.]+ kB +█+\n/#))
    #expect(
      run.output.contains(
        """

        Person  key id
          mappings Person and PersonRef
          id      integer   key
          name    string
          price   number
          car     → Car
          phones  → Phone   any number, owned
          boss    → Person

        """))
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test func aMappingFileIsDescribedWithItsMappings() throws {
    let workspace = try Workspace()
    let run = try workspace.fastmap("describe", "--mappings", "mappings.json")
    #expect(run.lines.first == "mappings.json  4 entities")
    #expect(run.output.contains("\nPerson  key id\n  mappings Person and PersonRef\n"))
    #expect(!run.output.contains("objects"))
  }

  @Test func jsonHasTheNumbersOfAStore() throws {
    let output = try stored().fastmap("describe", "--store", "people.db", "--json").output
    #expect(
      output.hasPrefix(
        #"{"title": "people.db", "entities": [{"name": "Person", "key": ["id"], "mappings": ["Person", "PersonRef"], "objects": 2, "keyed": 2, "#
      ))
    #expect(output.contains(#"{"name": "phones", "entity": "Phone", "toMany": true, "owned": true}"#))
  }

  @Test func mermaidHasEntitiesAndRelationships() throws {
    let workspace = try Workspace()
    let lines = try workspace.fastmap("describe", "--mappings", "mappings.json", "--mermaid").lines
    #expect(lines.first == "erDiagram")
    #expect(lines.contains(#"  e0["Person"] {"#))
    #expect(lines.contains("    integer id PK"))
    #expect(lines.contains(#"  e0 }o--o| e1 : "car""#))
    #expect(lines.contains(#"  e0 |o--o{ e2 : "phones""#))
  }

  // MARK: The page

  private func page(_ workspace: Workspace, _ arguments: String...) throws -> String {
    let run = try workspace.run([FastMapTool.path, "describe"] + arguments + ["--html", "page.html"])
    run.expect(0, complaints: [])
    #expect(run.output == "")
    return String(decoding: try workspace.bytes(of: "page.html"), as: UTF8.self)
  }

  @Test func aPageHasAPictureSizesAndSamples() throws {
    let workspace = try stored()
    try workspace.write("old", to: "page.html")
    let page = try page(workspace, "--store", "people.db")
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(page.hasSuffix("</html>\n"))
    #expect(page.contains("<svg "))
    #expect(page.contains(">phones ∗</text>"))
    #expect(page.contains(#"<span style="width:100.0%">"#))
    #expect(page.contains("<pre>{\n  &quot;id&quot;: 1,\n  &quot;name&quot;: &quot;Ada&quot;"))
    #expect(page.contains("<summary>2 of 2 objects</summary>"))
    #expect(page.contains("<th>of 2 objects</tr>"))
    #expect(
      page.contains(
        "<td><code>id</code><div class=\"note\">key</div><td>integer<td class=\"values\">2 · 1 … 2</tr>"))
    #expect(page.contains("<td><code>name</code><td>string<td class=\"values\">1 · Ada</tr>"))
    #expect(page.contains("prefers-color-scheme: dark"))
    // The same store gives the same page.
    #expect(try self.page(workspace, "--store", "people.db") == page)
  }

  /// A picture has one line from an entity to another, with the names of all relationships between them.
  @Test func relationshipsBetweenTheSameEntitiesShareALine() throws {
    let workspace = try Workspace()
    try workspace.write(
      """
      {"fastmap": 1, "mappings": {
        "Book": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {
          "author": {"mapping": "Person"}, "editors": {"mapping": "Person", "toMany": true}, "next": {"mapping": "Book"},
          "similar": {"mapping": "Book", "toMany": true}, "shelf": {"mapping": "Shelf"}}},
        "Person": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"favourite": {"mapping": "Book"}}},
        "Shelf": {"primaryKey": "id", "attributes": {"id": "integer"}}
      }}
      """, to: "mappings.json")
    let page = try page(workspace, "--mappings", "mappings.json")
    #expect(page.split(separator: "<path class=\"line", omittingEmptySubsequences: false).count - 1 == 4)
    for name in ["author", "editors ∗", "next", "similar ∗", "shelf", "favourite"] {
      #expect(page.split(separator: ">\(name)<", omittingEmptySubsequences: false).count >= 2, "\(name)")
    }
  }

  @Test func aPageSaysKeyPathsPoliciesAndIndexes() throws {
    let workspace = try Workspace()
    try workspace.write(
      """
      {"fastmap": 1, "mappings": {
        "Person": {"primaryKey": "id", "indexes": [["createdAt"]],
          "attributes": {"id": "integer", "createdAt": {"type": "date", "keyPath": "meta.created_at"}, "nickNames": ["string"]},
          "relationships": {"friends": {"mapping": "Person", "toMany": true, "policy": "merge"}}}
      }}
      """, to: "mappings.json")
    try workspace.importing(
      #"[{"id": 7, "meta": {"created_at": "2026-01-01T00:00:00Z"}, "nickNames": ["a", "b"]}, {"id": 8, "friends": [{"id": 7}]}]"#,
      as: "Person")
    let page = try page(workspace, "--store", "people.db", "--mappings", "mappings.json")
    for part in [
      "<code>created<wbr>At</code><div class=\"note\">at meta.<wbr>created_<wbr>at</div><td>date<td class=\"values\">1 · 2026-01-01T00:00:00Z<",
      "<code>nick<wbr>Names</code>", "<td class=\"values\">1 · 2 elements<",
      "<div class=\"note\">any number, merge</div>",
      "<h3>Indexes</h3>", "<td class=\"note\">2 entries</tr>",
    ] { #expect(page.contains(part), "\(part)") }
  }

  @Test func aPageHasNothingFromElsewhere() throws {
    let page = try page(stored(), "--store", "people.db", "--mappings", "mappings.json")
    for word in ["<script", "<link", "<img", "@import", "url(h", " src=", "https:"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.split(separator: "http:").count == 2, "the name of SVG alone")
  }

  @Test func hostileNamesAndValuesAreEscaped() throws {
    let workspace = try Workspace()
    try workspace.write(
      ##"""
      {"fastmap": 1, "mappings": {
        "<script>alert(1)</script>": {
          "primaryKey": "id",
          "attributes": {"id": "string", "\"><img src=x onerror=alert(1)>": "string", "\u202ea\u0007": "json"},
          "relationships": {"</svg><b>": {"mapping": "</style>&"}},
          "indexes": [["\"><img src=x onerror=alert(1)>"]]
        },
        "</style>&": {"primaryKey": "id", "attributes": {"id": "integer"}}
      }}
      """##, to: "mappings.json")
    let json = #"""
      {"id": "</pre></details><script>1</script>", "\"><img src=x onerror=alert(1)>": "<b>", "\u202ea\u0007": "\u202e</pre>",
       "</svg><b>": {"id": 1}}
      """#
    #expect(try workspace.importing(json, as: "<script>alert(1)</script>").status == 0)
    let page = try page(workspace, "--store", "people.db", "--mappings", "mappings.json")
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    for word in ["<script", "<img", "<b>", "\u{202E}", "\u{7}", "</style>&"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect((page.split(separator: "</svg>").count, page.split(separator: "</style>").count) == (2, 2))
    let mermaid = try workspace.fastmap("describe", "--mappings", "mappings.json", "--mermaid").output
    #expect(!mermaid.contains("<"))
  }

  @Test func keysOfSeveralPartsAreShownByTheirParts() throws {
    let workspace = try Workspace()
    try workspace.write(
      """
      {"fastmap": 1, "mappings": {
        "Order": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"lines": {"mapping": "Line", "toMany": true}}},
        "Line": {"primaryKey": "n", "keyScope": "parent", "attributes": {"n": "integer"}},
        "Stock": {"primaryKey": ["order", "n"], "attributes": {"n": "integer"}, "relationships": {"order": {"mapping": "Order"}}}
      }}
      """, to: "mappings.json")
    try workspace.importing(#"{"order": {"id": 1, "lines": [{"n": 1}]}, "n": 2}"#, as: "Stock")
    let text = try workspace.fastmap("describe", "--store", "people.db").output
    #expect(text.contains("\nStock  key order and n\n"))
    #expect(text.contains("\nLine  key n, unique within its owner\n"))
    #expect(!text.contains("+"))
    let page = try page(workspace, "--store", "people.db")
    #expect(
      page.contains(
        "<pre>{\n  &quot;n&quot;: 2,\n  &quot;order&quot;: {\n    &quot;id&quot;: 1\n  }\n}</pre>"))
  }

  @Test func aMappingWithKindsBelongsToTheEntityOfItsKinds() throws {
    let workspace = try Workspace()
    try workspace.write(
      """
      {"fastmap": 1, "mappings": {
        "AnyEvent": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"p": "Push"}}},
        "Push": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer"}}
      }}
      """, to: "mappings.json")
    let lines = try workspace.fastmap("describe", "--mappings", "mappings.json").lines
    #expect(lines.prefix(3) == ["mappings.json  1 entity", "Event  key id", "  mappings AnyEvent and Push"])
  }

  @Test func aLargeFileHasAPageWithoutAPicture() throws {
    let workspace = try Workspace()
    let mappings = (0..<1000).map { number in
      #""E\#(number)": {"relationships": {"r": {"mapping": "E\#(number * 7 % 1000)"}}}"#
    }
    try workspace.write(
      #"{"fastmap": 1, "mappings": {\#(mappings.joined(separator: ", "))}}"#, to: "mappings.json")
    let page = try page(workspace, "--mappings", "mappings.json")
    #expect(page.contains("too many entities"))
    #expect(!page.contains("<svg"))
    #expect(page.contains(#"id="e999""#))
  }

  // MARK: Calls

  @Test(
    arguments: [
      ([], "expected --store DIR or --mappings FILE"),
      (
        ["--mappings", "mappings.json", "--json", "--mermaid"],
        "expected one of --json and --mermaid, found both"
      ),
      (
        ["--mappings", "mappings.json", "--json", "--html", "x"],
        "expected one of --json and --html, found both"
      ),
      (["--mappings", "mappings.json", "--html", ""], "--html needs a value: --html OUT"),
    ] as [([String], String)])
  func wrongCallsAreUsageErrors(arguments: [String], message: String) throws {
    let run = try Workspace().run([FastMapTool.path, "describe"] + arguments)
    #expect(run.status == 2)
    #expect(run.complaints.first == "fastmap: " + message)
  }

  @Test func aMissingStoreIsNotMade() throws {
    let workspace = try Workspace()
    #expect(try workspace.fastmap("describe", "--store", "none").errors == "none: there is no store here\n")
    #expect(!workspace.names().contains("none"))
  }
}
