import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@Suite struct ReadTests {
  private static let people = #"""
    [
      {"id": 3, "name": "Cy", "boss": {"id": 1}},
      {"id": 1, "name": "Ada", "car": {"plate": "A 1", "address": {"city": "Bern"}, "drivers": [1, 2]},
       "phones": [{"number": "11"}, {"number": "22"}], "boss": {"id": 2, "name": "Bo", "boss": {"id": 1}}}
    ]
    """#

  private static let ada =
    #"{"id":1,"name":"Ada","car":{"plate":"A 1","address":{"city":"Bern"},"drivers":[1,2]},"#
    + #""phones":[{"number":"11"},{"number":"22"}],"boss":{"id":2}}"#

  private func store() throws -> Workspace { try Workspace(holding: Self.people) }

  @Test func getPrintsTheObjectThroughTheMapping() throws {
    let run = try store().getting("1")
    run.expect(0, complaints: [])
    #expect(run.output == Self.ada + "\n")
  }

  @Test func getOfAStringKeyTakesItAsItIs() throws {
    let run = try store().getting("A 1", as: "Car")
    #expect(run.output == #"{"plate":"A 1","address":{"city":"Bern"},"drivers":[1,2]}\#n"#)
  }

  @Test func getWithADepthNestsThatManyLevels() throws {
    let workspace = try store()
    #expect(
      try workspace.getting("3", as: "Person", "--depth", "1").output
        == #"{"id":3,"name":"Cy","boss":{"id":1,"name":"Ada","car":{"plate":"A 1"},"#
        + #""phones":[{"number":"11"},{"number":"22"}],"boss":{"id":2}}}\#n"#)
  }

  /// A line is one object; a root path that is asked for applies to each.
  @Test func anExportImportsAsItIsWithAnyRootPath() throws {
    let workspace = try Workspace(holding: #"{"result":{"notes":[{"text":"a"}]}}"#, as: "Note")
    let export = try workspace.exporting("Note").output
    #expect(export == "{\"text\":\"a\"}\n")
    try workspace.write(export, to: "notes.ndjson")
    func copy(_ options: String...) throws -> Program.Run {
      try workspace.run(
        [FastMapTool.path, "import", "--store", "copy.db", "--mappings", "mappings.json", "--as", "Note"]
          + options)
    }
    #expect(try copy("notes.ndjson").status == 0)
    #expect(try copy("--root-path", "", "notes.ndjson").status == 0)
    #expect(try copy("--root-path", "result.notes", "notes.ndjson").status == 1)
  }

  /// Q-14: 9 KB of repeats took 1000 × 1000 × 1000 leaves
  @Test func theOutputOfOneObjectIsLinearAndHasALimit() throws {
    let workspace = try Workspace()
    let mappings = #"""
      {"fastmap": 1, "mappings": {
        "A": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"bs": {"mapping": "B", "toMany": true}}},
        "B": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"cs": {"mapping": "C", "toMany": true}}},
        "C": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"ds": {"mapping": "D", "toMany": true}}},
        "D": {"primaryKey": "id", "attributes": {"id": "integer"}}}}
      """#
    try workspace.write(mappings, to: "repeats.json")
    func list(_ key: Int) -> String {
      Array(repeating: "\(key)", count: TestSize.count(small: 150, whole: 1000)).joined(separator: ",")
    }
    let json = #"{"id":1,"bs":[{"id":2,"cs":[{"id":3,"ds":[\#(list(4))]},\#(list(3))]},\#(list(2))]}"#
    try workspace.write(json, to: "a.json")
    let shared = ["--store", "a.db", "--mappings", "repeats.json", "--as", "A"]
    let imported = try workspace.run([FastMapTool.path, "import"] + shared + ["a.json"])
    #expect(imported.status == 0)
    let run = try workspace.run([FastMapTool.path, "get"] + shared + ["1"])
    #expect(run.status == 0)
    #expect(run.output.utf8.count < TestSize.count(small: 550, whole: 3100) * 10)
    let limit = TestSize.count(small: 100_000, whole: 3_000_000)
    let limited = try workspace.run(
      [FastMapTool.path, "get"] + shared + ["--depth", "5", "--max-object-bytes", "\(limit)", "1"])
    #expect(limited.status == 1)
    #expect(limited.output.utf8.count < limit)
    #expect(limited.errors.contains("the text of A 1 has more than \(limit) bytes"))
  }

  @Test func aKeyThatIsNotThereIsNamed() throws {
    let workspace = try store()
    let integer = try workspace.getting("7")
    #expect((integer.status, integer.output, integer.complaints) == (1, "", ["no Person with the key 7"]))
    #expect(try workspace.getting("B 2", as: "Car").complaints == [#"no Car with the key "B 2""#])
  }

  @Test func exportPrintsTheObjectsInTheOrderOfTheirKeys() throws {
    let run = try store().exporting()
    run.expect(0, complaints: [])
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        Self.ada, #"{"id":2,"name":"Bo","boss":{"id":1}}"#, #"{"id":3,"name":"Cy","boss":{"id":1}}"#,
      ])
  }

  @Test func anObjectThatCannotBeWrittenIsNamed() throws {
    let workspace = try Workspace()
    let event = { (format: String) in
      #"{"primaryKey": "id", "missingPrimaryKey": "insert", "attributes": {"id": "integer", "#
        + #""when": {"type": "date", "format": "\#(format)", "keyPath": "at.when"}}}"#
    }
    try workspace.write(#"{"fastmap": 1, "mappings": {"Event": \#(event("epoch"))}}"#, to: "mappings.json")
    try workspace.importing(
      #"[{"id": 1}, {"id": 7, "at": {"when": 253402300800}}, {"at": {"when": 253402300800}}]"#, as: "Event")
    try workspace.write(#"{"fastmap": 1, "mappings": {"Event": \#(event("iso8601"))}}"#, to: "mappings.json")
    let reason =
      "$.at.when: the date 253402300800 seconds from 1970 cannot be written as ISO 8601, which has the years 0 to 9999"
    let run = try workspace.exporting("Event")
    run.expect(1, complaints: ["\(reason) (Event 7)"])
    try workspace.write(#"{"fastmap": 1, "mappings": {"Event": \#(event("epoch"))}}"#, to: "mappings.json")
    try workspace.importing(#"{"id": 7, "at": {"when": 0}}"#, as: "Event")
    try workspace.write(#"{"fastmap": 1, "mappings": {"Event": \#(event("iso8601"))}}"#, to: "mappings.json")
    #expect(try workspace.exporting("Event").complaints == ["\(reason) (Event without a key)"])
    #expect(try workspace.exporting("Event", "--to", "7").status == 0)
  }

  @Test func exportKeepsToItsBoundsAndItsLimit() throws {
    let workspace = try Workspace()
    try workspace.importing("[" + (1...9).map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]")
    func keys(_ options: String...) throws -> [Int] {
      let call = [
        FastMapTool.path, "export", "--store", "people.db", "--mappings", "mappings.json", "--as",
        "PersonRef",
      ]
      let run = try workspace.run(call + options)
      #expect(run.status == 0)
      return run.output.split(separator: "\n").compactMap { Int($0) }
    }
    #expect(try keys() == Array(1...9))
    #expect(try keys("--from", "4") == Array(4...9))
    #expect(try keys("--to", "4") == Array(1...4))
    #expect(try keys("--from", "3", "--to", "5") == [3, 4, 5])
    #expect(try keys("--from", "5", "--to", "3") == [])
    #expect(try keys("--limit", "2") == [1, 2])
    #expect(try keys("--from", "8", "--limit", "5") == [8, 9])
    #expect(try keys("--limit", "0") == [])
  }

  @Test func anImportOfAnExportGivesTheSameStore() throws {
    let workspace = try store()
    let first = try workspace.exporting().output
    try workspace.write(first, to: "export.ndjson")
    let copy = ["--store", "copy.db", "--mappings", "mappings.json", "--as", "Person"]
    #expect(try workspace.run([FastMapTool.path, "import"] + copy + ["export.ndjson"]).status == 0)
    #expect(try workspace.run([FastMapTool.path, "export"] + copy).output == first)
  }

  @Test func anExportEndsQuietlyWhenItsPipeCloses() throws {
    let workspace = try Workspace()
    try workspace.importing(
      "[" + (1...20_000).map { #"{"id": \#($0), "name": "somebody"}"# }.joined(separator: ",") + "]")
    let run = try workspace.shell(
      "{ fastmap export --store people.db --mappings mappings.json --as Person; echo \"status $?\" >&2; } | head -n 1"
    )
    #expect((run.output, run.errors) == (#"{"id":1,"name":"somebody"}\#n"#, "status 0\n"))
  }

  @Test func statsCountTheObjectsOfEachEntity() throws {
    let workspace = try store()
    let people = try workspace.fastmap("stats", "--store", "people.db")
    people.expect(0, complaints: [])
    #expect(people.output.contains(#/Person +3 +3 /#))
    #expect(people.output.contains(#/Phone +2 +0 /#))
    #expect(people.output.contains(#/Car +1 +1 /#))

    let scripts = try workspace.fastmap("stats", "--store", "people.db", "--json")
    #expect(scripts.status == 0)
    #expect(scripts.output.contains(#""Person": {"objects": 3, "keyed": 3, "bytes": "#))
    #expect(scripts.output.contains(#""Phone": {"objects": 2, "keyed": 0, "bytes": "#))
    #expect(scripts.output.contains(#""fileSize": "#))
  }

  @Test func theSizesOfStatsAndDescribeAddUpToTheFile() throws {
    let workspace = try store()
    let table = try workspace.fastmap("stats", "--store", "people.db").output
    #expect(table.contains(#/objects +with a key +records +keys +links +indexes +size/#))
    #expect(table.contains(#/file .+ of entities, .+ of layouts and headers, .+ free to use again/#))
    for command in ["stats", "describe"] {
      let run = try workspace.fastmap(command, "--store", "people.db", "--json")
      let document = try JSONDocument(parsing: Array(run.output.utf8))
      let sizes = try #require(
        document.withParsedJSON { root -> (sum: Int64, file: Int64)? in
          let listed = root["entities"]?.elements ?? root["entities"]?.members?.map(\.value) ?? []
          var sum: Int64 = 0
          // A mapping of the kept file without objects has no sizes.
          for entity in listed where entity["bytes"] != nil {
            let parts = ["recordBytes", "keyBytes", "linkBytes", "indexBytes"].map {
              entity[$0]?.integer ?? -1
            }
            #expect(parts.reduce(0, +) == entity["bytes"]?.integer)
            sum += entity["bytes"]?.integer ?? 0
          }
          for name in ["layoutBytes", "freeBytes"] { sum += root[name]?.integer ?? 0 }
          return root["fileSize"]?.integer.map { (sum, $0) }
        } ?? nil)
      #expect(sizes.sum == sizes.file, "\(command)")
    }
  }

  @Test func checkOfASoundStoreSaysSo() throws {
    let run = try store().fastmap("check", "--store", "people.db")
    run.expect(0, complaints: [])
    #expect(run.output == "no problems: 6 objects, 4 keys, 8 links\n")
  }
}
