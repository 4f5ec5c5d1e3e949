import Foundation
import TestSupport
import Testing

@Suite struct DataFaultTests {
  /// 500 objects of six lines each. One has a wrong value.
  private static func payload(priceOf417: String) -> String {
    let objects = (0..<500).map { id in
      let price = id == 417 ? priceOf417 : "9.5"
      return "\(id == 0 ? "[" : ",")  {\"price\": \(price),\n\"id\": \(id),\n\"name\": \"n\"\n\n\n}\n"
    }
    return objects.joined() + "]\n"
  }

  private static let message =
    #"$[417].price: expected a number, found the string "n/a" (line 2503, column 14)"#

  @Test func aWrongValueInTheMiddleIsNamedAndTheStoreStaysAsItWas() throws {
    let workspace = try Workspace(holding: #"[{"id": 7, "name": "before", "price": 1.5}]"#)
    let before = try workspace.bytes(of: "people.db/data.mdb")

    let run = try workspace.importing(Self.payload(priceOf417: #""n/a""#), as: "Person")
    #expect((run.status, run.output, run.complaints) == (1, "", [Self.message]))
    #expect(try workspace.bytes(of: "people.db/data.mdb") == before)
    #expect(try workspace.exporting().output == #"{"id":7,"name":"before","price":1.5}\#n"#)
  }

  /// In a loop over pages, an error says which page it is about.
  @Test(arguments: ["page-7.json", "page-7.ndjson"], [[], ["--on-error=skip"]])
  func anErrorOfAFileBeginsWithItsName(_ file: String, _ options: [String]) throws {
    let workspace = try Workspace()
    try workspace.write(#"{"id": 1, "price": "n/a"}"#, to: file)
    let call =
      ["import", "--store=people.db", "--mappings=mappings.json", "--as=Person", "--quiet"] + options
    let message = #"expected a number, found the string "n/a""#
    let run = try workspace.run([FastMapTool.path] + call + [file])
    #expect(run.status == 1)
    #expect(
      run.complaints
        == ["\(file): $[0].price: \(message) (line 1, column 20)"].map {
          file.hasSuffix(".json") ? $0.replacing("$[0]", with: "$") : $0
        })
    let json = try workspace.run([FastMapTool.path] + call + ["--json", file])
    #expect(json.output.contains(#""errors": [{"file": "\#(file)", "path": "$"#), "\(json.output)")
    let piped = try workspace.shell("fastmap \(call.joined(separator: " ")) --json < \(file)")
    #expect(piped.complaints.first?.hasPrefix("$") ?? false, "\(piped.errors)")
    #expect(piped.output.contains(#""errors": [{"path": "$"#), "\(piped.output)")
  }

  @Test func aSyntaxErrorOfAFileHasItsNameInTheReport() throws {
    let workspace = try Workspace()
    try workspace.write(#"{"id": oops}"#, to: "bad.json")
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "--json", "bad.json")
    #expect(run.output.contains(#""errors": [{"file": "bad.json", "path": "$", "line": 1"#), "\(run.output)")
  }

  @Test func singleQuotesAreAnsweredWithDoubleOnes() throws {
    let run = try Workspace().importing("{'id': 1}")
    #expect(
      run.complaints == [
        #"standard input: line 1, column 2: expected a name in quotes or '}', found "'"; JSON has double quotes"#
      ])
  }

  @Test func withSkipThatObjectAloneIsLeftOutListedAndCounted() throws {
    let workspace = try Workspace()
    let run = try workspace.importing(
      Self.payload(priceOf417: #""n/a""#), as: "Person", "--json", "--quiet", "--on-error", "skip")
    run.expect(1, complaints: [Self.message])
    #expect(
      run.output.contains(
        #""Person": {"inserted": 499, "updated": 0, "unchanged": 0, "deleted": 0, "skipped": 1}"#))
    #expect(
      run.output.hasSuffix(
        #""errors": [{"path": "$[417].price", "line": 2503, "column": 14, "#
          + #""message": "expected a number, found the string \"n/a\""}]}\#n"#))
    #expect(run.output.contains(#""rootObjects": 500"#))
    #expect(try (workspace.getting("417").status, workspace.getting("418").status) == (1, 0))
    #expect(try workspace.exporting().output.split(separator: "\n").count == 499)
  }

  @Test func withSkipThereIsAnErrorForEachFaultyObject() throws {
    let workspace = try Workspace()
    let run = try workspace.importing(
      #"[{"id": 1}, {"id": "two"}, {"name": "three"}, {"id": 4, "name": 4}]"#, as: "Person",
      "--on-error=skip",
      "--quiet")
    run.expect(
      1,
      complaints: [
        #"$[1].id: expected an integer, found the string "two" (line 1, column 20)"#,
        "$[2].id: expected an integer, the primary key of Person, found nothing (line 1, column 28)",
        "$[3].name: expected a string, found the number 4 (line 1, column 65)",
      ])
    #expect(run.output.contains("Person         1        0          0        0        3      1\n"))
    #expect(run.output.contains("; 3 errors\n"))
  }

  @Test func withSkipEveryErrorIsListedAndTheReportHasTheFirstThousand() throws {
    let run = try Workspace().importing(
      "[\((0..<2500).map { "{\"id\": \"\($0)\"}" }.joined(separator: ","))]", as: "Person", "--json",
      "--on-error", "skip")
    #expect((run.status, run.complaints.count) == (1, 2500))
    #expect(
      run.complaints.last?.hasPrefix(#"$[2499].id: expected an integer, found the string "2499" ("#) ?? false)
    #expect(run.output.components(separatedBy: "\"path\":").count == 1001)
    #expect(run.output.hasSuffix("], \"moreErrors\": 1500}\n"))
  }

  @Test func withSkipAndNoFaultTheExitStatusIsZero() throws {
    let run = try Workspace().importing(#"[{"id": 1}]"#, as: "Person", "--on-error", "skip", "--quiet")
    run.expect(0, complaints: [])
  }

  @Test func aLongStringInAMessageIsCut() throws {
    let long = String(repeating: "x", count: 500)
    let run = try Workspace().importing(#"[{"id": "\#(long)"}]"#)
    let cut = String(repeating: "x", count: 40) + "…"
    #expect(
      run.complaints == [#"$[0].id: expected an integer, found the string "\#(cut)" (line 1, column 9)"#])
  }

  @Test func brokenJSONSaysWhereAndMakesNoStore() throws {
    let workspace = try Workspace()
    try workspace.write("[\n  {\"id\": 1},\n  {\"id\": }\n]\n", to: "broken.json")
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "broken.json")
    #expect((run.status, run.output, run.complaints.count) == (1, "", 1))
    #expect(run.errors.hasPrefix("broken.json: line 3, column "))
    #expect(workspace.names() == ["broken.json", "mappings.json"])
  }

  @Test func brokenJSONFromStandardInputChangesNoStore() throws {
    let workspace = try Workspace(holding: #"[{"id": 1}]"#)
    let before = try workspace.bytes(of: "people.db/data.mdb")
    let run = try workspace.importing(#"[{"id": 2}"#)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("standard input: line 1, column "))
    #expect(try workspace.bytes(of: "people.db/data.mdb") == before)
  }

  @Test func aBrokenLineSaysWhichAndMakesNoStore() throws {
    let workspace = try Workspace()
    let run = try workspace.importing("{\"id\": 1}\n{\"id\": oops}\n", as: "Person", "--format", "ndjson")
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("standard input: line 2, column "))
    #expect(workspace.names() == ["mappings.json"])
  }

  @Test func aFaultInAFirstImportLeavesNoStore() throws {
    let workspace = try Workspace()
    let text = #"[{"id": 1}, {"id": 2}, {"id": "x"}]"#
    #expect(try workspace.importing(text).status == 1)
    #expect(workspace.names() == ["mappings.json"])
    #expect(try workspace.importing(text, as: "Person", "--commit-every", "100").status == 1)
    #expect(workspace.names() == ["mappings.json"])
  }

  @Test func anEmptyDirectoryThatWasThereStaysThere() throws {
    let workspace = try Workspace()
    workspace.makeDirectory("people.db")
    #expect(try workspace.importing("[").status == 1)
    #expect(workspace.names() == ["mappings.json", "people.db"])
    #expect(workspace.names(in: "people.db") == [])
  }

  @Test func anEmptyFileIsNoJSON() throws {
    let workspace = try Workspace()
    try workspace.write("", to: "empty.json")
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "empty.json")
    run.expect(
      1,
      complaints: [
        "empty.json: line 1, column 1: expected a value, found the end of the input"
      ])
    #expect(workspace.names() == ["empty.json", "mappings.json"])
  }

  @Test func aMissingInputIsNamed() throws {
    let workspace = try Workspace()
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "people.json")
    run.expect(1, complaints: ["people.json: No such file or directory"])
    #expect(workspace.names() == ["mappings.json"])
  }
}
