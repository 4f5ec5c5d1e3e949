import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects that have a kind and nothing else: their key alone would be read as a reference, which has none.
@Suite struct KindExportTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Any": {"entity": "E", "primaryKey": "id", "kinds": {"keyPath": "m.type", "values": {"a": "A"}, "otherwise": "O"}},
          "A": {"entity": "E", "primaryKey": "id", "attributes": {"id": "integer", "x": "integer"}},
          "O": {
            "entity": "E", "primaryKey": "id", "attributes": {"id": "integer", "note": "string", "r": {"type": "rest"}},
            "relationships": {"list": {"mapping": "Any", "toMany": true}}},
          "U": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"any": {"mapping": "Any"}, "all": {"mapping": "Any", "toMany": true}}}}}
        """#)
  }

  private static func world(_ kind: StoreKind) throws -> World {
    let file = try file.get()
    return try World(kind, file.plan(for: "Any"), file.plan(for: "U"), file.plan(for: "O"))
  }

  static let cases: [(mapping: String, json: String, export: String)] = [
    ("Any", #"[{"id":1,"note":null}]"#, #"[{"id":1,"m":{"type":null}}]"#),
    ("Any", #"[{"id":1,"m":{"type":"a"}}]"#, #"[{"id":1,"m":{"type":"a"}}]"#),
    ("Any", #"[{"id":1,"note":"n"}]"#, #"[{"id":1,"note":"n"}]"#),
    ("Any", #"[{"id":1,"q":[2]}]"#, #"[{"q":[2],"id":1}]"#),
    ("Any", #"[{"id":1}]"#, #"[{"id":1}]"#),
    ("Any", #"[{"id":1,"list":[]}]"#, #"[{"id":1,"m":{"type":null}}]"#),
    (
      "U", #"[{"id":1,"any":{"id":2,"note":null},"all":[{"id":3,"note":null},{"id":4,"m":{"type":"a"}},5]}]"#,
      #"[{"id":1,"any":{"id":2,"m":{"type":null}},"all":[{"id":3,"m":{"type":null}},{"id":4,"m":{"type":"a"}},{"id":5}]}]"#
    ),
  ]

  @Test(arguments: StoreKind.allCases)
  func anExportGivesEachObjectItsKind(_ kind: StoreKind) throws {
    for test in Self.cases {
      let world = try Self.world(kind)
      try world.load(test.json, as: test.mapping)
      let export = try world.export(test.mapping)
      #expect(export == test.export)
      let other = try Self.world(kind)
      try other.load(export, as: test.mapping)
      try #expect(other.dump(as: test.mapping) == world.dump(as: test.mapping))
      try #expect(world.load(export, as: test.mapping).contains("~") == false)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func nullsAndPrettyTextsHaveTheMemberOnce(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(#"{"id":1,"note":null}"#, as: "O")
    try #expect(world.export("O") == #"[{"id":1,"m":{"type":null}}]"#)
    let options = SerializerOptions.with { $0.includesNulls = true }
    let text = try world.export("Any", options)
    #expect(text.split(separator: #""type""#, omittingEmptySubsequences: false).count == 2)
  }
}
