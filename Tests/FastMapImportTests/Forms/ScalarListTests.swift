import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Lists of scalars: `"tags": ["string"]`.
@Suite struct ScalarListTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {"A": {
          "primaryKey": "id",
          "attributes": {
            "id": "integer", "tags": ["string"], "sizes": {"type": ["integer"], "lenient": true},
            "days": {"type": ["date"], "format": "%Y-%m-%d"}, "flags": {"type": ["boolean"], "default": [true]},
            "names": {"type": ["string"], "keyPath": "people[].name"}, "ratios": ["number"], "blobs": ["data"]}}}}
        """#)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var json: String
    /// The export after the import; nil where it is the payload.
    var export: String?
    var failure: String?
    var testDescription: String { json }
  }

  static let cases = [
    Case(
      json:
        #"{"id":1,"tags":["b","a","b",""],"sizes":[3,1],"days":["2026-01-31"],"flags":[],"ratios":[1.5,2],"blobs":["AQI="]}"#
    ),
    Case(json: #"{"id":1,"tags":[],"flags":[true,false]}"#),
    Case(json: #"{"id":1,"tags":null}"#, export: #"{"id":1,"flags":[true]}"#),
    Case(json: #"{"id":1,"flags":null}"#),
    Case(json: #"{"id":1,"sizes":["3",4.0]}"#, export: #"{"id":1,"sizes":[3,4],"flags":[true]}"#),
    Case(
      json: #"{"id":1,"flags":[true],"people":[{"name":"a"},{},{"name":null},{"name":"b"}]}"#,
      export: #"{"id":1,"flags":[true],"people":[{"name":"a"},null,null,{"name":"b"}]}"#),
    Case(
      json: #"{"id":1,"tags":"a"}"#,
      failure: #"$[0].tags: expected an array, found the string "a" (line 1, column 17)"#),
    Case(
      json: #"{"id":1,"tags":["a",1]}"#,
      failure: "$[0].tags[1]: expected a string, found the number 1 (line 1, column 22)"),
    Case(
      json: #"{"id":1,"tags":["a",null]}"#,
      failure: "$[0].tags[1]: expected a string, found null (line 1, column 22)"),
    Case(
      json: #"{"id":1,"tags":[["a"]]}"#,
      failure: "$[0].tags[0]: expected a string, found an array (line 1, column 18)"),
    Case(
      json: #"{"id":1,"sizes":[1,"x"]}"#,
      failure: #"$[0].sizes[1]: expected an integer, found the string "x" (line 1, column 21)"#),
    Case(
      json: #"{"id":1,"days":["31.1.2026"]}"#,
      failure: #"$[0].days[0]: expected a date (%Y-%m-%d), found the string "31.1.2026" (line 1, column 18)"#),
    Case(
      json: #"{"id":1,"people":[{"name":"a"},{"name":2}]}"#,
      failure: "$[0].people[1].name: expected a string, found the number 2 (line 1, column 41)"),
    Case(
      json: #"{"id":1,"blobs":["?"]}"#,
      failure: #"$[0].blobs[0]: expected base64 data, found the string "?" (line 1, column 19)"#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aListHasValuesOfOneType(_ kind: StoreKind, _ example: Case) throws {
    let plan = try Self.file.get().plan(for: "A")
    let world = try World(kind, plan)
    if let failure = example.failure {
      #expect(world.failure(of: "[\(example.json)]") == failure)
      return
    }
    try #expect(world.load(example.json) == "A +1")
    try #expect(world.load(example.json) == "A =1")
    let text = try world.export()
    #expect(text == "[\(example.export ?? example.json)]")
    let copy = try World(kind, plan, holding: text)
    try #expect(copy.export() == text)
  }

  @Test(arguments: StoreKind.allCases)
  func aFilterFindsElements(_ kind: StoreKind) throws {
    let plan = try Self.file.get().plan(for: "A")
    let world = try World(kind, plan)
    try world.load(#"[{"id":1,"tags":["x","y"]},{"id":2,"tags":["y"]},{"id":3},{"id":4,"sizes":[9]}]"#)
    for (filter, keys) in [
      (#"@.tags[?@ == "x"]"#, [1]), (#"@.tags[?@ == "y"]"#, [1, 2]), ("@.sizes[?@ > 8]", [4]),
      ("!@.tags", [3, 4]), ("length(@.tags) == 2", [1]),
    ] {
      let found = try world.store.read { try $0.keys(plan.where(Filter(filter))) }
      #expect(found == keys.map { .integer(Int64($0)) }, "\(filter)")
    }
  }

  @Test(arguments: [
    (#"["string", "integer"]"#, #"expected a list of one type, such as ["string"], found 2 elements"#),
    ("[]", #"expected a list of one type, such as ["string"], found 0 elements"#),
    (#"["strin"]"#, #"no type named "strin"; did you mean "string"?"#),
    (
      #"["json"]"#,
      #"expected a list of scalars, found a list of JSON; an attribute of type "json" keeps any array"#
    ),
    (#"{"type": ["integer"], "default": ["x"]}"#, #"expected an array, found an array"#),
    (
      #"{"type": ["string"], "format": "epoch"}"#,
      #"only an attribute of type "date" has a format, "tags" is a JSON value"#
    ),
  ])
  func aListOfSomethingElseIsRefused(_ type: String, _ reason: String) {
    let found = message {
      _ = try MappingSet(
        file:
          #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer", "tags": \#(type)}}}}"#
      )
    }
    #expect(found?.contains(reason) == true, "\(found ?? "no fault")")
  }
}
