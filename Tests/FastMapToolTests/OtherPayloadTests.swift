import FastMapSystem
import TestSupport
import Testing

/// Payloads of another kind: than the mapping that an import chooses itself, than other inputs, and than the kept file.
@Suite struct OtherPayloadTests {
  private static let customers = #"[{"id":1,"name":"Ann","mail":"a@x","city":"Bern"},{"id":2,"name":"Bob"}]"#
  private static let orders =
    #"[{"id":10,"total":5,"status":"open","lines":[{"sku":"a"}]},{"id":11,"total":7}]"#

  private func kept(_ place: KeptMappingTests.Place) throws {
    try place.work.write(Self.customers, to: "customers.json")
    try place.work.write(Self.orders, to: "orders.json")
    #expect(try place.run("import", "customers.json").status == 0)
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func anImportWithoutAMappingRefusesTheObjectsOfAnotherFile(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      try kept(place)
      let before = try place.run("export", "Customer").output
      let run = try place.run("import", "orders.json")
      #expect(run.status == 1)
      let lines = run.errorLines
      #expect(
        lines[0]
          == #"orders.json: expected objects of "Customer", found objects with 3 of 4 members that it does not read ("#
          + #""lines", "status" and "total") and without 3 of its 4 fields; nothing is stored"#)
      #expect(lines[1].hasPrefix("as objects of their own: fastmap import "))
      #expect(lines[1].hasSuffix(" orders.json --as Order"))
      #expect(lines[2].hasSuffix(" orders.json --as Customer"))
      #expect(try place.run("import", "-", input: Self.orders).status == 1)
      #expect(try place.run("export", "Customer").output == before)
      #expect(try place.run("import", "orders.json", "--as", "Order").status == 0)
      #expect(try place.run("query", "Order", "--count").output == "2\n")
    }
  }

  /// Payloads that an import of `Customer` takes without a word.
  @Test(arguments: [
    #"[{"id":3,"name":"Cid"}]"#, #"[{"id":3,"mail":"c@x","a":1,"b":2,"c":3,"city":"Ulm"}]"#,
    #"{"id":3,"name":"Cid","age":4}"#, "{\"id\":3}\n{\"id\":4}", "[]", #"[{"id":3,"total":5}]"#,
  ])
  func anImportTakesObjectsWithHalfOfTheMembersOrFields(_ json: String) throws {
    let place = KeptMappingTests.Place(work: try Workspace(), store: "s.db")
    try kept(place)
    let run = try place.run("import", "-", input: json)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func ignoredMembersAndTheFieldsOfKindsCountAsKnown() throws {
    let place = KeptMappingTests.Place(work: try Workspace(), store: "s.db")
    let mappings = #"""
      {"Item": {"primaryKey": "id", "attributes": {"id": "integer", "a": "integer", "b": "integer", "c": "integer"},
        "ignores": ["x", "y", "z.w"]}}
      """#
    #expect(try place.importing(#"{"id":1,"a":1}"#, mappings, "--as", "Item").status == 0)
    #expect(try place.run("import", "-", input: #"{"id":2,"x":1,"y":2,"z":{"w":3}}"#).status == 0)
    #expect(try place.run("import", "-", input: #"{"id":3,"u":1,"v":2,"w":3}"#).status == 1)
  }

  @Test func inputsOfSeveralKindsAreRefusedWithACommandForEach() throws {
    let place = KeptMappingTests.Place(work: try Workspace(), store: "s.db")
    place.work.makeDirectory("feed")
    try place.work.write(Self.customers, to: "feed/customers.json")
    try place.work.write(Self.orders, to: "feed/orders.json")
    try place.work.write(#"{"page":2,"orders":[{"id":12,"total":1}]}"#, to: "feed/page.json")
    try place.work.write(#"{"page":3,"orders":[]}"#, to: "feed/page2.json")
    let run = try place.run("import", "feed")
    #expect(run.status == 2)
    #expect(
      run.errorLines.prefix(4) == [
        "fastmap: expected inputs of one kind, found 3 kinds; import each by itself",
        "fastmap import s.db feed/customers.json --as Customer",
        "fastmap import s.db feed/orders.json --as Order",
        "fastmap import s.db feed/page.json feed/page2.json --as OtherOrder",
      ])
    #expect(try place.run("mappings").status == 1)
    #expect(try place.run("import", "feed/customers.json", "feed/customers.json").status == 0)
  }

  @Test(arguments: [
    ("{\"page\":1,\"data\":[{\"id\":1}]}\n{\"page\":2,\"data\":[{\"id\":2}]}\n", "data", "Data"),
    (#"{"a":{"things":[{"id":1},{"id":2}]},"b":{"others":[{"k":1},{"k":2},{"k":3}]}}"#, "a.things", "Thing"),
    (#"{"pages":[{"items":[{"id":1}]},{"items":[{"id":2}]}]}"#, "pages[].items", "Item"),
    (#"{"data":{"id":1}}"# + "\n" + #"{"data":{"id":2}}"#, "data", "Data"),
  ])
  func aFirstImportInfersTheObjectsAtTheRootPath(_ json: String, _ path: String, _ name: String) throws {
    let place = KeptMappingTests.Place(work: try Workspace(), store: "s.db")
    let run = try place.run("import", "-", "--root-path", path, input: json)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try place.run("query", name).lines == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(try place.kept.contains("\"rootPath\": \"\(path)\""))
    #expect(try place.run("import", "-", "--root-path", path, input: json).status == 0)
    #expect(try place.run("query", name, "--count").output == "2\n")
    let other = KeptMappingTests.Place(work: try Workspace(), store: "s.db")
    #expect(try other.run("import", "-", "--root-path", "nowhere", input: json).status == 1)
  }

  @Test(arguments: KeptMappingTests.Kind.here)
  func inferWithAStoreKeepsItsDecisionsAndListsTheDifferences(_ kind: KeptMappingTests.Kind) throws {
    try kind.run { place in
      let mappings = #"""
        {"Person": {"primaryKey": "id", "attributes": {"id": "integer", "label": {"type": "string", "keyPath": "name"},
          "size": "integer"}, "relationships": {"friend": {"mapping": "Pal"}}, "ignores": ["noise"]},
         "Pal": {"primaryKey": "id", "attributes": {"id": "integer"}}}
        """#
      #expect(try place.importing(#"[{"id":1,"name":"a"}]"#, mappings, "--as", "Person").status == 0)
      try place.work.write(
        #"[{"id":2,"name":"b","size":2.5,"noise":1,"age":3,"friend":{"id":3,"nick":"x"},"tags":["t"]}]"#,
        to: "people.json")
      let run = try place.work.run([FastMapTool.path, "infer", "--store", place.store, "people.json"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.errorLines.dropLast() == [
          "Pal.nick: new, string", "Person.size: integer becomes number", "Person.age: new, integer",
          "Person.tags: new, a list of string",
        ])
      try place.work.write(run.output, to: "new.json")
      let again = try place.work.run(
        [FastMapTool.path, "import", place.store, "people.json", "--mappings", "new.json", "--as", "Person"])
      #expect(again.status == 0, "\(again.errors)")
      #expect(
        try place.run("get", "Person", "2").output
          == #"{"id":2,"name":"b","size":2.5,"age":3,"tags":["t"],"friend":{"id":3,"nick":"x"}}"# + "\n")
    }
  }
}

extension Program.Run {
  fileprivate var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}
