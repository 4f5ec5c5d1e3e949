import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Members of one object with one name: the last one counts, whatever reads it.
@Suite struct RepeatedMemberTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id",
            "attributes": {
              "id": "integer", "s": "string", "j": "json", "z": {"type": "string", "keyPath": "o.z"}, "r": {"type": "rest"}},
            "relationships": {
              "b": {"mapping": "B"}, "c": {"mapping": "B", "toMany": true},
              "k": {"mapping": "K", "toMany": true, "keyedBy": "name"}}},
          "B": {"primaryKey": "id", "attributes": {"id": "integer", "s": "string"}},
          "K": {"primaryKey": "name", "keyedBy": "name", "attributes": {"name": "string", "x": "integer", "y": "integer"}}}}
        """#)
  }

  static let cases = [
    (#"{"id":1,"s":"a","s":"b"}"#, #"A 1 s="b""#),
    (#"{"id":1,"s":5,"s":"b"}"#, #"A 1 s="b""#),
    (#"{"id":1,"s":"a","s":null}"#, "A 1"),
    (#"{"id":1,"s":"a","\u0073":"b"}"#, #"A 1 s="b""#),
    (#"{"id":1,"id":2}"#, "A 2"),
    (#"{"id":1,"o":{"z":"a"},"o":{}}"#, "A 1"),
    (#"{"id":1,"o":{"z":"a"},"o":{"z":"b","z":"c"}}"#, #"A 1 z="c""#),
    (#"{"id":1,"j":{"a":1,"b":2,"a":3}}"#, #"A 1 j={"a":3,"b":2}"#),
    (#"{"id":1,"x":1,"y":2,"x":3}"#, #"A 1 r={"x":3,"y":2}"#),
    (#"{"id":1,"o":{"x":1},"o":{"y":2}}"#, #"A 1 r={"o":{"y":2}}"#),
    (#"{"id":1,"b":{"id":1},"b":{"id":2}}"#, "A 1 b=2\nB 2"),
    (#"{"id":1,"b":{"id":1},"b":null}"#, "A 1"),
    (#"{"id":1,"c":[{"id":1}],"c":[2]}"#, "A 1 c=[2]\nB 2"),
    (#"{"id":1,"k":{"n":{"x":1},"m":{},"n":{"y":2}}}"#, "A 1 k=[\"n\" \"m\"]\nK \"m\"\nK \"n\" y=2"),
  ]

  @Test(arguments: StoreKind.allCases)
  func theLastMemberOfANameCounts(_ kind: StoreKind) throws {
    let plan = try Self.file.get().plan(for: "A")
    for (json, dump) in cases(kind) {
      for size in [nil, 3] as [Int?] {
        for text in [json, "[\(json)]"] {
          let world = try World(kind, plan)
          _ = try world.report(text, inChunksOf: size)
          try #expect(world.dump() == dump, "\(text)")
        }
        var options = ImportOptions.ndjson
        options.maxDepth = 1000  // beyond 512 the reader replaces members in another way
        let world = try World(kind, plan)
        _ = try world.report(json + "\n", inChunksOf: size, options: options)
        try #expect(world.dump() == dump, "\(json) as a line")
      }
      let world = try World(kind, plan)
      let document = try JSONDocument(parsing: json)
      _ = try Mapper(world.store).importJSON(document, as: plan)
      try #expect(world.dump() == dump, "\(json) as a tree")
    }
  }

  private func cases(_ kind: StoreKind) -> [(String, String)] {
    kind == .memory ? Self.cases : TestSize.cases(Self.cases, small: 4)
  }

  /// The members are the root objects, and each is read alone.
  @Test func twoRootObjectsOfOneNameAreOneObjectMetTwice() throws {
    let world = try World(.memory, Self.file.get().plan(for: "K"))
    try #expect(world.load(#"{"n":{"x":1},"n":{"y":2}}"#) == "K +1")
    try #expect(world.dump() == "K \"n\" x=1 y=2")
  }
}
