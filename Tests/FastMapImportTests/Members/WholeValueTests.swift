import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects whose representation has several kinds: a text here, an object there.
@Suite struct WholeValueTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Package": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {
              "files": {"mapping": "File", "toMany": true}, "main": {"mapping": "File"},
              "bin": {"mapping": "Program", "toMany": true, "keyedBy": "name"}}},
          "File": {
            "attributes": {
              "path": {"type": "string", "keyPath": null}, "parts": {"type": ["string"], "keyPath": null},
              "name": "string", "size": {"type": "integer", "keyPath": "info.size"},
              "of": {"type": "integer", "keyPath": "@parent.id"}},
            "relationships": {"owner": {"mapping": "Person"}}},
          "Program": {
            "primaryKey": "name",
            "attributes": {
              "name": "string",
              "command": {"type": "string", "keyPath": null}, "run": "string"}},
          "Person": {"primaryKey": "id", "attributes": {"id": "integer"}},
          "Edit": {"entity": "File", "attributes": {"path": "string", "name": "string"}}}}
        """#)
  }

  private static func makeWorld(_ kind: StoreKind) throws -> World {
    try World(kind, file.get().plan(for: "Package"), file.get().plan(for: "Edit"))
  }

  @Test(arguments: StoreKind.allCases)
  func eachElementGoesToTheFieldsThatTakeItsKind(_ kind: StoreKind) throws {
    let world = try Self.makeWorld(kind)
    let json =
      #"[{"id":1,"files":["a",{"name":"b","info":{"size":3},"of":1,"owner":{"id":7}},["c","d"],{"name":"e","of":1}],"main":"a","#
      + #""bin":{"x":"x.js","y":{"run":"y.js"}}}]"#
    try #expect(world.load(json) == "Package +1, File +5, Program +2, Person +1")
    try #expect(world.export() == json)
    try #expect(world.load(json) == "Package =1, File =5, Program =2, Person =1")
    let copy = try Self.makeWorld(kind)
    try copy.load(world.export())
    try #expect(copy.dump() == world.dump())
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      (#""a""#, #"{"name":"b","of":1,"owner":{"id":1}}"#),
      (#"{"name":"b","info":{"size":1},"of":1,"owner":{"id":1}}"#, #""a""#),
    ])
  func aValueOfAnotherKindTakesThePlace(_ kind: StoreKind, _ values: (String, String)) throws {
    let world = try Self.makeWorld(kind)
    try world.load(#"[{"id":1,"files":[],"main":\#(values.0)}]"#)
    try world.load(#"[{"id":1,"files":[],"main":\#(values.1)}]"#)
    try #expect(world.export() == #"[{"id":1,"main":\#(values.1)}]"#)
  }

  @Test func aValueThatNoFieldTakesIsAFault() throws {
    let world = try Self.makeWorld(.memory)
    #expect(
      world.failure(of: #"[{"id":1,"files":["a",5]}]"#)
        == "$[0].files[1]: expected a string, an array or an object, found the number 5 (line 1, column 23)")
  }

  @Test func twoValuesFailTheExport() throws {
    let world = try Self.makeWorld(.memory)
    try world.load(#"{"path":"a","name":"b"}"#, as: "Edit")
    let file = try Self.file.get().plan(for: "File")
    let found = message { _ = try world.store.exported(file, as: .ndjson) }
    #expect(
      found
        == #"$: "path" of File is written in place of the object, and "name" has a value too: only one of them could be written (File without a key)"#
    )
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyIsWrittenOrTheExportFails(_ kind: StoreKind) throws {
    let file = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"all": {"mapping": "P", "toMany": true, "keyedBy": "name"}, "one": {"mapping": "P"}}},
          "P": {"primaryKey": "name", "attributes": {"name": "string", "n": "integer", "text": {"type": "string", "keyPath": null}}}}}
        """#)
    let world = try World(kind, file.plan(for: "A"), file.plan(for: "P"))
    try world.load(#"[{"id":1,"all":{"a":"x","b":{"n":1}},"one":"a"}]"#)
    try #expect(world.export() == #"[{"id":1,"all":{"a":"x","b":{"n":1}},"one":{"name":"a"}}]"#)
    let found = message { _ = try world.export("P") }
    #expect(
      found
        == #"$: "text" of P is written in place of the object, which leaves no place for its primary key; only a collection that is keyed by it can have such objects (P "a")"#
    )
  }
}
