import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Values from outside of an object: `context`, `@parent` and `@root`.
@Suite struct OuterValueTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Event": {
            "primaryKey": ["match", "nr"], "rootPath": "data.events",
            "attributes": {
              "nr": "integer",
              "season": {"type": "integer", "keyPath": "@root.meta.seasons[1]"},
              "day": {"type": "date", "format": "%Y-%m-%d", "context": "day"}},
            "relationships": {
              "match": {"mapping": "MatchRef", "context": "match"},
              "city": {"mapping": "City", "keyPath": "@root.meta.city"},
              "players": {"mapping": "Player", "toMany": true}}},
          "MatchRef": {"entity": "Match", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}},
          "City": {"primaryKey": "id", "attributes": {"id": "string", "name": "string"}},
          "Player": {
            "primaryKey": ["event", "name"],
            "attributes": {
              "name": "string", "event": {"type": "integer", "keyPath": "@parent.nr"},
              "side": {"type": "string", "keyPath": "@parent.team.side"}},
            "relationships": {"shots": {"mapping": "Shot", "toMany": true}}},
          "Shot": {"attributes": {"x": "integer", "nr": {"type": "integer", "keyPath": "@parent.@parent.nr"}}}}}
        """#)
  }

  private func makeWorld(_ kind: StoreKind) throws -> World {
    try World(kind, Self.file.get().plan(for: "Event"))
  }

  static let given = ImportOptions(context: ["match": 7, "day": "2026-01-31"])

  static let payload = #"""
    {"meta": {"seasons": [1, 2020], "city": {"id": "P", "name": "Paris"}, "other": [1]},
     "data": {"events": [
       {"nr": 1, "team": {"side": "home"}, "players": [{"name": "a", "shots": [{"x": 1}, {"x": 2}]}, {"name": "b"}]},
       {"nr": 2, "players": [{"name": "a", "side": "own"}]}]}}
    """#

  static let lines = #"""
    {"nr":1,"season":2020,"day":"2026-01-31","match":7,"city":{"id":"P","name":"Paris"},"players":[\#
    {"name":"a","event":1,"side":"home","shots":[{"x":1,"nr":1},{"x":2,"nr":1}]},{"name":"b","event":1,"side":"home"}]}
    {"nr":2,"season":2020,"day":"2026-01-31","match":7,"city":{"id":"P"},"players":[{"name":"a","event":2,"side":"own"}]}

    """#

  @Test(arguments: StoreKind.allCases, [nil, 1, 7, 4096])
  func objectsTakeValuesOfOwnersDocumentsAndTheCaller(_ kind: StoreKind, chunk: Int?) throws {
    let world = try makeWorld(kind)
    let report = try world.report(Self.payload, inChunksOf: chunk, options: Self.given)
    #expect(summary(report) == "Event +2, Player +3, Match +1, City +1, Shot +2")
    #expect(report.unseen == [])
    let again = try world.report(Self.payload, inChunksOf: chunk, options: Self.given)
    #expect(summary(again) == "Event =2, Player =3, Match =1, City =1, Shot =2")
    let lines = try world.store.exported(world.plan(), as: .ndjson)
    #expect(
      lines == Self.lines.replacing(#","city":{"id":"P"},"#, with: #","city":{"id":"P","name":"Paris"},"#))
    let copy = try makeWorld(kind)
    try copy.load(lines, options: ImportOptions(format: .ndjson))
    try #expect(copy.store.exported(copy.plan(), as: .ndjson) == lines)
  }

  @Test func aTreeGivesTheSame() throws {
    let (text, tree) = (try makeWorld(.memory), try makeWorld(.memory))
    try text.load(Self.payload, options: Self.given)
    let document = try JSONDocument(parsing: Self.payload)
    _ = try Mapper(tree.store).importJSON(document, as: tree.plan(), options: Self.given)
    try #expect(text.dump() == tree.dump())
  }

  @Test func objectsOnPagesTakeValuesBesideThemOfATextInMemory() throws {
    let mapping = Mapping("Item", rootPath: "pages[].items", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string, at: "@root.names[1]")
      Attribute("year", .integer, at: "@root.meta.year")
    }
    let world = try World(.memory, mapping)
    try world.load(
      #"{"meta":{"year":2020},"pages":[{"items":[{"id":1}]},{"items":{"id":2}}],"names":["a","b"]}"#)
    try #expect(world.dump() == #"Item 1 name="b" year=2020"# + "\n" + #"Item 2 name="b" year=2020"#)
  }

  @Test func aLineIsADocument() throws {
    let world = try makeWorld(.memory)
    let json = #"""
      {"nr": 1, "meta": {"seasons": [0, 5], "city": {"id": "A"}}}
      {"nr": 2, "meta": {"seasons": [0, 6]}}
      """#
    var options = Self.given
    options.format = .ndjson
    try world.load(json, options: options)
    try #expect(
      world.store.exported(world.plan(), as: .ndjson) == #"""
        {"nr":1,"season":5,"day":"2026-01-31","match":7,"city":{"id":"A"}}
        {"nr":2,"season":6,"day":"2026-01-31","match":7}

        """#)
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    var json = OuterValueTests.payload
    var context: [String: Value] = ["match": 7, "day": "2026-01-31"]
    var chunk: Int?
    var message: String
    var testDescription: String { message }
  }

  static let faults = [
    Fault(
      context: ["match": 7],
      message:
        #"$.data.events[0].day: expected the context value "day" to be given to the import, or in the object"#
    ),
    Fault(
      context: ["match": 7, "day": "soon"],
      message: #"context value "day": expected a date (%Y-%m-%d), found the string "soon""#),
    Fault(
      context: ["match": "x"], message: #"context value "match": expected an integer, found the string "x""#),
    Fault(
      context: ["match": 7, "days": "x"],
      message: #"no field reads a context value named "days"; did you mean "day"?"#),
    Fault(
      json: #"{"meta": {"seasons": [1, "x"]}, "data": {"events": [{"nr": 1}]}}"#,
      message: #"$.meta.seasons[1]: expected an integer, found the string "x""#),
    Fault(
      json: #"{"meta": {"seasons": {}}, "data": {"events": [{"nr": 1}]}}"#,
      message: "$.meta.seasons: expected an array, found an object"),
    Fault(
      json: #"{"meta": {"city": {"id": 5}}, "data": {"events": [{"nr": 1}]}}"#,
      message: "$.meta.city.id: expected a string, found the number 5"),
    Fault(
      json: #"{"data": {"events": [{"nr": 1, "team": {"side": 5}, "players": [{"name": "a"}]}]}}"#,
      message: "$.data.events[0].team.side: expected a string, found the number 5 (line 1, column 49)"),
    Fault(
      json: #"{"data": {"events": [{"nr": 1, "players": [{"name": "a", "side": 5}]}]}}"#,
      message: "$.data.events[0].players[0].side: expected a string, found the number 5 (line 1, column 66)"),
    Fault(
      json: #"{"data": {"events": [{"nr": 1}]}, "meta": {}}"#, chunk: 8,
      message:
        "$.meta: expected this member before the objects, which read it by a key path with @root: this input cannot be read twice (line 1, column 35)"
    ),
  ]

  @Test(arguments: faults)
  func aFaultNamesThePlaceOutside(_ fault: Fault) throws {
    let world = try makeWorld(.memory)
    let options = ImportOptions(context: fault.context)
    #expect(world.failure(of: fault.json, inChunksOf: fault.chunk, options: options) == fault.message)
    try #expect(world.dump() == "")
  }

  @Test func aMissingContextEndsAnImportThatSkipsFaults() throws {
    let world = try makeWorld(.memory)
    let options = ImportOptions(faults: .skip, context: ["day": "2026-01-31"])
    #expect(throws: ContextValueError.self) { try world.load(Self.payload, options: options) }
    try #expect(world.dump() == "")
  }

  @Test func aReferenceNeedsNoContext() throws {
    let file = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer", "day": {"type": "string", "context": "day"}},
          "relationships": {"next": {"mapping": "A"}}}}}
        """#)
    let world = try World(.memory, file.plan(for: "A"))
    try world.load(#"[{"id": 1, "day": "x", "next": {"id": 2}}, {"id": 3, "day": "y", "next": 1}]"#)
    try #expect(world.dump() == "A 1 day=\"x\" next=2\nA 2\nA 3 day=\"y\" next=1")
    try world.load(#"[{"id": 1, "day": "x"}, {"id": 2}]"#, options: ImportOptions(context: ["day": "z"]))
    try #expect(world.dump() == "A 1 day=\"z\" next=2\nA 2 day=\"z\"\nA 3 day=\"y\" next=1")
  }

  @Test(arguments: StoreKind.allCases)
  func aValueOfTheOwnerOrOfTheCallerChoosesTheKind(_ kind: StoreKind) throws {
    let file = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Box": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"items": {"mapping": "Item", "toMany": true}}},
          "Item": {"kinds": {"keyPath": "@parent.type", "values": {"a": "A", "b": "B"}}},
          "A": {"entity": "Item", "primaryKey": "id", "attributes": {"id": "integer", "x": "integer"}},
          "B": {"entity": "Item", "primaryKey": "id", "attributes": {"id": "integer", "y": "integer"}},
          "Day": {"kinds": {"context": "form", "values": {"c": "C", "d": "D"}}},
          "C": {"entity": "Day", "primaryKey": "id", "attributes": {"id": "integer", "x": "integer"}},
          "D": {"entity": "Day", "primaryKey": "id", "attributes": {"id": "integer", "y": "integer"}}}}
        """#)
    let world = try World(kind, file.plan(for: "Box"), file.plan(for: "Day"))
    try world.load(
      #"[{"id": 1, "type": "a", "items": [{"id": 1, "x": 1, "y": 2}]}, {"id": 2, "type": "b", "items": [{"id": 2, "x": 1, "y": 2}]}]"#
    )
    let text = try world.export("Box")
    #expect(
      text
        == #"[{"id":1,"items":[{"id":1,"x":1,"type":"a"}]},{"id":2,"items":[{"id":2,"y":2,"type":"b"}]}]"#)
    let copy = try World(kind, file.plan(for: "Box"), file.plan(for: "Day"), holding: text)
    try #expect(copy.export("Box") == text)
    try world.load(#"{"id": 1, "x": 1, "y": 2}"#, as: "Day", options: ImportOptions(context: ["form": "d"]))
    try #expect(world.export("Day") == #"[{"id":1,"y":2,"form":"d"}]"#)
  }

  @Test(arguments: [
    (
      #""attributes": {"id": "integer", "x": {"type": "json", "keyPath": "@parent"}}"#,
      #"$.mappings.A.attributes.x.keyPath: expected a key path into the owner, found "@parent""#
    ),
    (
      #""attributes": {"id": "integer", "x": {"type": "json", "keyPath": "@root"}}"#,
      #"$.mappings.A.attributes.x.keyPath: expected a key path into the document, found "@root""#
    ),
    (
      #""attributes": {"id": "integer", "x": {"type": "string", "keyPath": "x", "context": "y"}}"#,
      #"$.mappings.A.attributes.x.keyPath: "keyPath" is refused beside "context": both name the place of the value"#
    ),
    (
      #""attributes": {"id": "integer"}, "relationships": {"a": {"mapping": "A", "keyPath": "@parent.a"}}"#,
      #"$.mappings.A.relationships.a.keyPath: expected a mapping without relationships, found "A": its objects are outside of "A", which they could contain"#
    ),
    (
      #""attributes": {"id": "integer", "x": {"type": "string", "keyPath": "@parent.x"}}, "relationships": {"a": {"mapping": "A", "weak": true}}"#,
      #"$.mappings.A.relationships.a.weak: the objects of "A" read values of their owners, and a weak relationship owns none"#
    ),
    (
      #""attributes": {"id": "integer"}, "relationships": {"a": {"mapping": "A", "toMany": true, "context": "a"}}"#,
      #"$.mappings.A.relationships.a.context: a context value is the key of one object"#
    ),
    (
      #""rootPath": "@root.x", "attributes": {"id": "integer"}"#,
      #"$.mappings.A.rootPath: expected a path from the root, found "@root.x""#
    ),
  ])
  func aMappingThatCannotReadOutsideIsRefused(_ fields: String, _ message: String) {
    let found = TestSupport.message {
      _ = try MappingSet(file: #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", \#(fields)}}}"#)
    }
    #expect(found == message)
  }

  @Test func aBackslashMakesTheWordsAName() throws {
    let file = try MappingSet(
      file:
        #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer", "x": {"type": "string", "keyPath": "\\@parent.y"}, "z": {"type": "string", "keyPath": "@parents"}}}}}"#
    )
    let world = try World(.memory, file.plan(for: "A"))
    let json = #"[{"id":1,"@parent":{"y":"a"},"@parents":"b"}]"#
    try world.load(json)
    try #expect(world.export() == json)
    #expect(JSONKeyPath(#"\@parent.y"#).description == #"\@parent.y"#)
    #expect(JSONKeyPath("@parent.@parent.a[1]").description == "@parent.@parent.a[1]")
    #expect(JSONKeyPath("@root[0].a").description == "@root[0].a")
  }

  @Test(arguments: StoreKind.allCases)
  func oneOfSeveralValuesIsKeptWhereTheObjectHasIt(_ kind: StoreKind) throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "Delivery": {"primaryKey": ["event", "id"], "kinds": {"context": "event", "values": {"create": "Ref", "delete": "Ref"}}},
        "Ref": {
          "entity": "Delivery", "primaryKey": ["event", "id"],
          "attributes": {"id": "integer", "event": {"type": "string", "context": "event"}}},
        "Item": {"primaryKey": "id", "kinds": {"keyPath": "@parent.event", "values": {"create": "One", "delete": "One"}}},
        "One": {"entity": "Item", "primaryKey": "id", "attributes": {"id": "integer"}}}}
      """#
    let set = try MappingSet(file: file)
    let deliveries = try World(kind, set.plan(for: "Delivery"))
    let json = #"[{"id":1,"event":"create"},{"id":1,"event":"delete"}]"#
    try #expect(deliveries.load(json) == "Delivery +2")
    try #expect(deliveries.export() == json)
    let items = try World(kind, set.plan(for: "Item"))
    try items.load(json.replacing(#"1,"event":"delete""#, with: #"2,"event":"delete""#))
    try #expect(items.export() == #"[{"id":1,"event":"create"},{"id":2,"event":"delete"}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportReadsAnOwnTargetInFullBesideItsKeyOutside(_ kind: StoreKind) throws {
    let file = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Event": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {
            "commits": {"mapping": "Commit", "toMany": true},
            "repo": {"mapping": "Repo"}, "tags": {"mapping": "Tag", "toMany": true}}},
          "Commit": {"primaryKey": "sha", "attributes": {"sha": "string"}, "relationships": {
            "of": {"mapping": "Repo", "keyPath": "@parent.repo"},
            "tags": {"mapping": "Tag", "keyPath": "@root.tags", "toMany": true}}},
          "Repo": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"}},
          "Tag": {"primaryKey": ["id", "kind"], "attributes": {"id": "integer", "kind": "string", "name": "string"}}}}
        """#)
    let world = try World(kind, file.plan(for: "Event"), file.plan(for: "Commit"))
    try world.load(
      #"{"id":1,"commits":[{"sha":"a"},{"sha":"b"}],"repo":{"id":5,"name":"r"},"tags":[{"id":7,"kind":"k","name":"t"}]}"#,
      options: ImportOptions(format: .ndjson))
    let line =
      #"{"id":1,"commits":[{"sha":"a","of":{"id":5,"name":"r"},"tags":[{"id":7,"kind":"k","name":"t"}]},"#
      + #"{"sha":"b","of":{"id":5},"tags":[{"id":7,"kind":"k"}]}],"repo":{"id":5},"tags":[{"id":7,"kind":"k"}]}"#
      + "\n"
    try #expect(world.store.exported(world.plan(), as: .ndjson) == line)
    let copy = try World(kind, file.plan(for: "Event"), file.plan(for: "Commit"))
    try copy.load(line, options: ImportOptions(format: .ndjson))
    try #expect(copy.dump() == world.dump())
  }

  @Test(arguments: StoreKind.allCases, [nil, 3])
  func numbersOfTheDocumentKeepTheirText(_ kind: StoreKind, chunk: Int?) throws {
    let file = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id", "rootPath": "x",
            "attributes": {
              "id": "integer", "j": {"type": "json", "keyPath": "@root.j"}, "d": {"type": "decimal", "keyPath": "@root.d"},
              "l": {"type": ["decimal"], "keyPath": "@root.l"}},
            "relationships": {"r": {"mapping": "R", "keyPath": "@root.r"}}},
          "R": {"primaryKey": "id", "attributes": {"id": "integer", "more": "rest"}}}}
        """#)
    let world = try World(kind, file.plan(for: "A"))
    let members = #""j":[0.10,1E400],"d":12345678901234567890.1234567890,"l":[1.50],"r":{"e":0.10,"id":1}"#
    _ = try world.report(#"{\#(members),"x":[{"id":1}]}"#, inChunksOf: chunk)
    try #expect(world.store.exported(world.plan(), as: .ndjson) == #"{"id":1,\#(members)}"# + "\n")
  }

  @Test(arguments: StoreKind.allCases, [nil, 3])
  func anArrayHasNoMembers(_ kind: StoreKind, chunk: Int?) throws {
    let file = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id", "attributes": {"id": "integer", "n": {"type": "integer", "keyPath": "@root.n"}},
            "relationships": {"r": {"mapping": "R", "keyPath": "@root.r"}}},
          "R": {"primaryKey": "id", "attributes": {"id": "integer"}}}}
        """#)
    let world = try World(kind, file.plan(for: "A"))
    let json = #"[{"id":1,"n":2,"r":{"id":1}},{"id":2}]"#
    _ = try world.report(json, inChunksOf: chunk)
    try #expect(world.export() == json)
  }
}
