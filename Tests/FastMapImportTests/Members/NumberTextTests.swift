import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Numbers in `json` attributes keep their text.
@Suite struct NumberTextTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Thing": {
            "primaryKey": "id",
            "attributes": {
              "id": "integer", "extra": "json", "number": "number", "inner": {"type": "json", "keyPath": "a.b"}},
            "relationships": {
              "parts": {"mapping": "Part", "toMany": true, "keyedBy": "name"}, "whole": {"mapping": "Whole", "keyPath": "w"}}},
          "Part": {
            "primaryKey": "name", "attributes": {"name": "string", "json": "json", "number": "number"}},
          "Whole": {"attributes": {"all": {"type": "json", "keyPath": null}}}}}
        """#)
  }

  static func world(_ kind: StoreKind) throws -> World { try World(kind, file.get().plan(for: "Thing")) }

  static let numbers = [
    "0.10", "-0.0", "1E400", "-1e+400", "1e-400", "123456789012345678901234567890",
    "0.1000000000000000055511151",
    "1.0", "10e0", "98765432109876543210.0123456789", "1e999999999999", "7", "-0.00E-7", "-0", "0",
  ]

  static var object: String {
    let list = "[" + numbers.joined(separator: ",") + "]"
    return #"""
      {"id":1,"extra":{"n":\#(list),"o":{"x":[0.10,{"y":1E400}]}},"number":1.5,"a":{"b":1.50},"parts":{"p":{"json":2.50,"number":3.5}},"w":{"k":4.00}}
      """#
  }

  @Test(arguments: StoreKind.allCases)
  func numbersKeepTheirTextOnTheWayInAndOut(_ kind: StoreKind) throws {
    let objects = "[\(Self.object)]"
    for size in [nil, 1, 7, 1000] as [Int?] {
      let world = try Self.world(kind)
      try #expect(world.report(objects, inChunksOf: size).entities.first?.counts.inserted == 1)
      try #expect(world.export() == objects, "in chunks of \(size ?? 0)")
      try #expect(world.load(objects) == "Thing =1, Part =1, Whole =1")
      let other = try Self.world(kind)
      try other.load(world.export())
      try #expect(other.export() == objects)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func linesAndRootPathsKeepTextsToo(_ kind: StoreKind) throws {
    for size in [nil, 5] as [Int?] {
      let world = try Self.world(kind)
      var options = ImportOptions(format: .ndjson)
      _ = try world.report(Self.object + "\n", inChunksOf: size, options: options)
      try #expect(world.export() == "[\(Self.object)]")
      let other = try Self.world(kind)
      options.format = .json
      options.rootPath = "data.things"
      _ = try other.report(
        #"{"skipped":1E400,"data":{"things":[\#(Self.object)]},"more":-1e999}"#, inChunksOf: size,
        options: options)
      try #expect(other.export() == "[\(Self.object)]")
    }
  }

  @Test func aNumberBeyondDoubleIsAFaultWhereNoTextIsKept() throws {
    let cases = [
      (
        #"{"id":1,"number":1E400}"#,
        "$[0].number: expected a number that a Double can hold, found the number 1E400"
      ),
      (
        #"{"id":1,"parts":{"p":{"number":-1E400}}}"#,
        "$[0].parts.p.number: expected a number that a Double can hold, found the number -1E400"
      ),
    ]
    for (json, failure) in cases {
      let world = try Self.world(.memory)
      let found = world.failure(of: json, options: ImportOptions(format: .ndjson))
      #expect(found?.hasPrefix(failure) == true, "\(found ?? "none")")
    }
    let plain = try World(
      .memory,
      MappingSet(file: #"{"fastmap":1,"mappings":{"A":{"attributes":{"n":"number"}}}}"#).plan(for: "A"))
    for size in [nil, 1] as [Int?] {
      #expect(
        plain.failure(of: #"[{"n":1E400}]"#, inChunksOf: size)
          == "$[0].n: expected a number that a Double can hold, found the number 1E400 (line 1, column 7)")
      try #expect(plain.report(#"[{"m":1E400}]"#, inChunksOf: size).errorCount == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func filtersCompareTheNumbersInJSON(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(
      #"[{"id":1,"extra":{"x":0.10}},{"id":2,"extra":{"x":1E400}},{"id":3,"extra":{"x":9007199254740993}}]"#)
    for (filter, keys) in [
      ("@.extra.x == 0.1", [1]), ("@.extra.x > 1e300", [2]), ("@.extra.x == 9007199254740993", [3]),
      ("@.extra.x == 9007199254740992", []),
    ] as [(String, [PrimaryKey])] {
      try #expect(world.store.read { try $0.keys(world.plan().where(Filter(filter))) } == keys, "\(filter)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDefaultAndALenientTextKeepTheirDigits(_ kind: StoreKind) throws {
    let set = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {
          "id": "integer", "j": {"type": "json", "default": [0.10, 1E400]}, "s": {"type": "string", "lenient": true}}}}}
        """#)
    let world = try World(kind, set.plan(for: "A"), holding: #"[{"id":1,"s":2.50},{"id":2,"j":3.00,"s":-0}]"#)
    try #expect(world.export() == #"[{"id":1,"j":[0.10,1E400],"s":"2.50"},{"id":2,"j":3.00,"s":"-0"}]"#)
  }
}
