import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Forms of mappings that meet: keys of several parts, scoped keys and kinds.
@Suite struct CombinedFormTests {
  private func world(_ kind: StoreKind, _ mappings: String, _ names: String...) throws -> World {
    let file = try MappingSet(file: #"{"fastmap": 1, "mappings": {\#(mappings)}}"#)
    return try World(kind, file.plan(for: names[0]), file.plan(for: names[1]))
  }

  private static let paths = #"""
    "E": {"entity": "E", "primaryKey": "id", "kinds": {"keyPath": "type", "values": {"a": "A", "b": "B"}}},
    "A": {
      "entity": "E", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": "a.id"}, "x": "string"},
      "relationships": {"see": {"mapping": "E", "toMany": true}}},
    "B": {
      "entity": "E", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": "b.id"}, "x": "string"}}
    """#

  @Test(arguments: StoreKind.allCases)
  func kindsMayHaveTheirKeysInDifferentPlaces(_ kind: StoreKind) throws {
    let world = try world(kind, Self.paths, "E", "A")
    try world.load(#"[{"type":"a","a":{"id":1},"see":[2]},{"type":"b","b":{"id":2},"x":"X"}]"#)
    let text = try world.export()
    #expect(text == #"[{"a":{"id":1},"type":"a","see":[2]},{"b":{"id":2},"x":"X","type":"b"}]"#)
    let copy = try self.world(kind, Self.paths, "E", "A")
    try copy.load(text)
    try #expect(copy.export() == text)
  }

  private static let scoped = #"""
    "E": {"entity": "Ev", "primaryKey": "id", "kinds": {"keyPath": "type", "values": {"a": "A", "c": "A", "b": "B"}}},
    "A": {
      "entity": "Ev", "primaryKey": "id", "attributes": {"id": "integer"},
      "relationships": {"l": {"mapping": "L", "toMany": true}}},
    "B": {"entity": "Ev", "primaryKey": "id", "attributes": {"id": "integer", "z": "string"}},
    "L": {"primaryKey": "no", "keyScope": "parent", "attributes": {"no": "integer", "t": "string"}}
    """#

  @Test(arguments: StoreKind.allCases)
  func aChangeOfKindDeletesScopedObjects(_ kind: StoreKind) throws {
    let world = try world(kind, Self.scoped, "E", "A")
    try world.load(#"{"id":1,"type":"a","l":[{"no":1,"t":"g"}]}"#)
    try #expect(world.load(#"{"id":1,"type":"b"}"#) == "Ev ~1, L -1")
    try #expect(world.load(#"{"id":1,"type":"c","l":[{"no":1}]}"#) == "Ev ~1, L +1")
    try #expect(world.export() == #"[{"id":1,"type":"c","l":[{"no":1}]}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportThroughAKindStoresAValueOfIt(_ kind: StoreKind) throws {
    let world = try world(kind, Self.scoped, "E", "A")
    try world.load(#"{"id":1,"l":[]}"#, as: "A")
    let text = try world.export()
    #expect(text == #"[{"id":1,"type":"a"}]"#)
    try #expect(world.load(text) == "Ev =1")
  }

  @Test(arguments: StoreKind.allCases)
  func scopedObjectsMayHaveKinds(_ kind: StoreKind) throws {
    let mappings = #"""
      "O": {
        "primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"s": {"mapping": "S", "toMany": true}}},
      "S": {"entity": "Sc", "primaryKey": "k", "keyScope": "parent", "kinds": {"keyPath": "t", "values": {"1": "S1", "2": "S2"}}},
      "S1": {"entity": "Sc", "primaryKey": "k", "keyScope": "parent", "attributes": {"k": "integer", "x": "string"}},
      "S2": {"entity": "Sc", "primaryKey": "k", "keyScope": "parent", "attributes": {"k": "integer", "y": "string"}}
      """#
    let world = try world(kind, mappings, "O", "O")
    let json =
      #"[{"id":1,"s":[{"k":1,"x":"a","t":"1"},{"k":2,"y":"b","t":"2"}]},{"id":2,"s":[{"k":1,"y":"c","t":"2"}]}]"#
    try #expect(world.load(json) == "O +2, Sc +3")
    try #expect(world.load(json) == "O =2, Sc =3")
    try #expect(world.export() == json)
  }
}
