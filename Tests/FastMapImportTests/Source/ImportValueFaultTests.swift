import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Values that follow the grammar of JSON and cannot be read: faults of their objects, if anything reads them.
@Suite struct ImportValueFaultTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id",
            "attributes": {"id": "integer", "s": "string", "n": "number", "j": "json", "z": {"type": "string", "keyPath": "z.z"}},
            "relationships": {"b": {"mapping": "B", "toMany": true}, "k": {"mapping": "K", "toMany": true, "keyedBy": "id"}}},
          "B": {"primaryKey": "id", "attributes": {"id": "integer", "s": "string"}},
          "K": {"primaryKey": "id", "keyedBy": "id", "attributes": {"id": "string", "s": "string"}},
          "R": {"primaryKey": "id", "attributes": {"id": "integer", "r": {"type": "rest"}}}}}
        """#)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var mapping = "A"
    var json: String
    /// The errors under `skip`. The first one ends an import under `abort`.
    var errors: [String] = []
    /// What is stored under `skip`.
    var dump: String
    var format = JSONFormat.json
    var rootPath: String?
    var maxDepth = 512
    var testDescription: String { json }
  }

  static let half = "expected a string of whole characters, found half of a surrogate pair"
  static func tooDeep(_ limit: Int) -> String {
    "expected at most \(limit) levels of arrays and objects, found more"
  }

  static let cases = [
    // Halves of surrogate pairs
    Case(
      json: #"[{"id":1,"s":"a"},{"id":2,"s":"b\ud800"},{"id":3,"s":"c"}]"#,
      errors: ["$[1].s: \(half) (line 1, column 33)"], dump: "A 1 s=\"a\"\nA 3 s=\"c\""),
    Case(json: #"[{"id":1,"x":"\udc00","y":{"\ud800":["\ud800"]},"\ud8001":5}]"#, dump: "A 1"),
    Case(
      json: #"[{"id":1,"z":{"\ud800":1,"z":"\ud83d\ude00"}},{"id":2,"z":{"z":"\ud83d\u0041"}}]"#,
      errors: ["$[1].z.z: \(half) (line 1, column 65)"], dump: "A 1 z=\"😀\""),
    Case(
      json: #"[{"id":1,"b":[{"id":1},{"id":2,"s":"\ud800"}]},{"id":2,"b":[3]}]"#,
      errors: ["$[0].b[1].s: \(half) (line 1, column 37)"], dump: "A 2 b=[3]\nB 3"),
    Case(
      json: #"[{"id":1,"j":{"a":[1,"\ud800"]}},{"id":2,"j":{"\ud800":1}}]"#,
      errors: ["$[0].j.a[1]: \(half) (line 1, column 23)", "$[1].j: \(half) (line 1, column 48)"], dump: ""),
    Case(
      json: #"[{"id":1,"k":{"\ud800":{}}},{"id":2,"k":{"y":{}}}]"#,
      errors: ["$[0].k: \(half) (line 1, column 16)"], dump: "A 2 k=[\"y\"]\nK \"y\""),
    Case(
      mapping: "R", json: #"[{"id":1,"x":{"y":"\ud800"}},{"id":2,"\ud800":1},{"id":3}]"#,
      errors: ["$[0].x.y: \(half) (line 1, column 20)", "$[1]: \(half) (line 1, column 39)"], dump: "R 3"),
    Case(
      mapping: "K", json: #"{"a":{"s":"x"},"\ud800":{"s":"y"},"c":{"s":"\ud800"}}"#,
      errors: ["$: \(half) (line 1, column 17)", "$.c.s: \(half) (line 1, column 45)"],
      dump: "K \"a\" s=\"x\""),
    Case(json: #" {"id":1,"s":"\ud800"} "#, errors: ["$.s: \(half) (line 1, column 15)"], dump: ""),
    Case(
      json: #"{"q":"\ud800","x":{"\ud800":1,"y":{"id":1,"s":"\ud800"}}}"#,
      errors: ["$.x.y.s: \(half) (line 1, column 48)"], dump: "", rootPath: "x.y"),
    Case(
      json: #"{"q":"\ud800","x":[{"id":1,"s":"\ud800"},{"id":2}],"y":"\ud800"}"#,
      errors: ["$.x[0].s: \(half) (line 1, column 33)"], dump: "A 2", rootPath: "x"),
    Case(
      json: #"{"q":[{"x":[{"id":1}]},{"x":{"id":2,"s":"\ud800"}},{"x":[{"id":3,"s":"\ud800"},{"id":4}]}]}"#,
      errors: ["$.q[1].x.s: \(half) (line 1, column 42)", "$.q[2].x[0].s: \(half) (line 1, column 71)"],
      dump: "A 1\nA 4", rootPath: "q[].x"),
    Case(
      json: "{\"id\":1}\n{\"id\":2,\"s\":\"\\ud800\"}\n{\"id\":3,\"x\":\"\\ud800\"}",
      errors: ["$[1].s: \(half) (line 2, column 14)"], dump: "A 1\nA 3", format: .ndjson),
    // Numbers
    Case(
      json: #"[{"id":1,"n":1e400},{"id":2,"x":-1e400,"j":[1E400]},{"id":3,"s":1e400}]"#,
      errors: [
        "$[0].n: expected a number that a Double can hold, found the number 1e400 (line 1, column 14)",
        "$[2].s: expected a string, found the number 1e400 (line 1, column 65)",
      ], dump: "A 2 j=[1E400]"),
    Case(
      json: "{\"id\":1e400}\n{\"id\":2,\"x\":1e400}",
      errors: ["$[0].id: expected an integer, found the number 1e400 (line 1, column 7)"], dump: "A 2",
      format: .ndjson),
    Case(mapping: "R", json: #"[{"id":1,"x":1e400,"y":-0}]"#, dump: #"R 1 r={"x":1e400,"y":-0}"#),
    // Depth
    Case(
      json: #"[{"id":1},{"id":2,"x":{"y":{"z":{}}}},{"id":3,"j":[[]]}]"#,
      errors: ["$[1].x.y.z: \(tooDeep(3)) (line 1, column 33)"], dump: "A 1\nA 3 j=[[]]", maxDepth: 3),
    Case(
      json: #"{"id":1,"x":[[[]]]}"#, errors: ["$.x[0][0]: \(tooDeep(3)) (line 1, column 15)"], dump: "",
      maxDepth: 3),
    Case(
      json: #"{"x":{"y":[{"id":1,"x":[[]]},{"id":2,"x":[]}]},"z":1}"#,
      errors: ["$.x.y[0].x[0]: \(tooDeep(5)) (line 1, column 25)"], dump: "A 2", rootPath: "x.y", maxDepth: 5),
    Case(
      json: "{\"id\":1,\"x\":[[]]}\n{\"id\":2,\"x\":[]}",
      errors: ["$[0].x[0]: \(tooDeep(2)) (line 1, column 14)"], dump: "A 2", format: .ndjson, maxDepth: 2),
    // A character like any other
    Case(
      json: #"[{"id":1,"\u0000":1,"s":"\u0000","j":{"\u0000":1}}]"#, dump: "A 1 s=\"\u{0}\" j={\"\\u0000\":1}"
    ),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 3))
  func aValueThatCannotBeReadIsAFaultOfItsObject(_ kind: StoreKind, _ test: Case) throws {
    for size in [nil, 1, 7] as [Int?] {
      let plan = try Self.file.get().plan(for: test.mapping)
      var options = ImportOptions(
        format: test.format, rootPath: test.rootPath.map { JSONKeyPath($0) }, faults: .skip,
        maxDepth: test.maxDepth)
      let world = try World(kind, plan)
      let report = try world.report(test.json, inChunksOf: size, options: options)
      #expect(report.errors.map { "\($0)" } == test.errors)
      #expect(report.errorCount == test.errors.count)
      try #expect(world.dump() == test.dump)
      options.faults = .abort
      let failure = try World(kind, plan).failure(of: test.json, inChunksOf: size, options: options)
      #expect(failure == test.errors.first)
    }
  }

  @Test func anObjectThatCannotBeReadIsMetByAReplacement() throws {
    let world = try World(.memory, Self.file.get().plan(for: "A"), holding: #"[{"id":1},{"id":2}]"#)
    let options = ImportOptions(faults: .skip, replaces: .all)
    let report = try world.report(#"[{"id":1},{"id":2,"s":"\ud800"}]"#, options: options)
    #expect(report.errorCount == 1)
    try #expect(world.dump() == "A 1\nA 2")
  }

  final class Item {
    var id = 0
    var s: String?
    var n: Double?

    static let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: { Item() }) {
      Attribute("id", \.id)
      Attribute("s", \.s)
      Attribute("n", \.n)
    }
  }

  @Test func instancesWithoutAStoreAreLeftOutToo() throws {
    let json = #"[{"id":1,"n":1e400},{"id":2,"s":"\ud800"},{"id":3,"x":"\ud800","y":1e400}]"#
    var options = ImportOptions(faults: .skip)
    let found = Collector<String>()
    options.onError = { found.add("\($0)") }
    try #expect(Item.mapping.objects(from: json, options: options).map(\.id) == [3])
    #expect(
      found.all == [
        "$[0].n: expected a number that a Double can hold, found the number 1e400 (line 1, column 14)",
        "$[1].s: \(Self.half) (line 1, column 34)",
      ])
    let item = Item()
    #expect(
      message { try Item.mapping.fill(item, from: #"{"s":"\ud800"}"#) }
        == "$.s: \(Self.half) (line 1, column 7)")
  }
}
