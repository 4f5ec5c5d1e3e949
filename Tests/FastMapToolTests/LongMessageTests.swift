import TestSupport
import Testing

/// Messages about long names, long values and many faults, as the tool prints them.
@Suite struct LongMessageTests {
  /// The complaints about an import with a mapping file.
  private func complaints(_ mappings: String, _ input: String = "[]") throws -> [String] {
    let workspace = try Workspace()
    try workspace.write(#"{"fastmap":1,"mappings":\#(mappings)}"#, to: "long.json")
    try workspace.write(input, to: "input.json")
    let run = try workspace.fastmap(
      "import", "--store", "s", "--mappings", "long.json", "--as", "A", "input.json")
    #expect(run.status != 0)
    return run.complaints
  }

  @Test func theFirstHundredFaultsOfAMappingFileAreShown() throws {
    let attributes = (0..<2000).map { #""a\#($0)":"int""# }.joined(separator: ",")
    let lines = try complaints(#"{"A":{"attributes":{\#(attributes)}}}"#)
    #expect((lines.count, lines.first?.hasPrefix("$.mappings.A.attributes.a0: ")) == (101, true))
    #expect(lines.last == "and 1900 more")
  }

  @Test func aDateFormatIsCut() throws {
    let format = "%Y" + String(repeating: "x", count: 200_000)
    let lines = try complaints(
      #"{"A":{"attributes":{"born":{"type":"date","format":"\#(format)"}}}}"#, #"{"born":"x"}"#)
    #expect(
      lines == [
        "input.json: $.born: expected a date (\(format.prefix(40))…), found the string \"x\" (line 1, column 9)"
      ])
  }

  @Test func namesAreCut() throws {
    let name = String(repeating: "n", count: 100_000)
    let mapping = #"{"A":{"entity":"\#(name)","primaryKey":"\#(name)","attributes":{"\#(name)":"integer"}}}"#
    for input in [#"[{"\#(name)":"x"}]"#, "[{}]", "[7]", #"[{"\#(name)":99999999999999999999}]"#] {
      let lines = try complaints(mapping, input)
      #expect(lines.count == 1)
      #expect(lines[0].utf8.count < 500, "\(lines[0].prefix(1000))")
    }
  }

  @Test func aMappingOfTooManyFieldsIsRefused() throws {
    let attributes = (0..<200_000).map { #""a\#($0)":"integer""# }.joined(separator: ",")
    let lines = try complaints(#"{"A":{"attributes":{\#(attributes)}}}"#)
    #expect(lines == ["$.mappings.A.attributes: expected at most 4096 attributes, found 200000 (long.json)"])
  }

  @Test func tooManyFieldsToSortByAreRefused() throws {
    let workspace = try Workspace(holding: "[]")
    for count in [65, 5000] {
      let fields = repeatElement("name", count: count).joined(separator: ",")
      let run = try workspace.fastmap(
        "query", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "--sort", fields)
      #expect(run.status == 2)
      #expect(run.complaints.first == "fastmap: --sort: expected at most 64 fields, found \(count)")
    }
    let fields = repeatElement("name", count: 64).joined(separator: ",")
    let run = try workspace.fastmap(
      "query", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person", "--sort", fields)
    #expect(run.status == 0)
  }

  @Test func manyKeysWithoutAnObjectAreCounted() throws {
    let workspace = try Workspace(holding: "[]")
    let keys = (1...150).map { "\($0)" }
    let run = try workspace.run(
      [FastMapTool.path, "delete", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person"]
        + keys)
    #expect((run.status, run.complaints.count, run.complaints.last) == (1, 101, "and 50 more"))
  }
}
