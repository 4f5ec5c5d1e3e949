import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// An attribute with all members that no field reads: the type `rest`.
@Suite struct RestTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id",
            "attributes": {"id": "integer", "city": {"type": "string", "keyPath": "address.city"}, "other": "rest"},
            "relationships": {
              "items": {"mapping": "Item", "toMany": true}, "box": {"mapping": "Item"}, "next": {"mapping": "A"},
              "size": {"mapping": "Size", "keyPath": null}}},
          "Item": {"attributes": {"n": "integer", "more": {"type": "rest"}}},
          "Size": {"attributes": {"width": "integer"}}}}
        """#)
  }

  private func makeWorld(_ kind: StoreKind) throws -> World {
    try World(kind, Self.file.get().plan(for: "A"))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var stored: String?
    var json: String
    var export: String
    var testDescription: String { "\(json) over \(stored ?? "nothing")" }
  }

  static let cases = [
    Case(json: #"{"id":1}"#, export: #"{"id":1}"#),
    Case(json: #"{"id":1,"x":[1,{"y":null}],"z":null}"#, export: #"{"x":[1,{"y":null}],"id":1}"#),
    Case(
      json: #"{"id":1,"address":{"city":"C","zip":"Z"},"width":3}"#,
      export: #"{"address":{"zip":"Z","city":"C"},"id":1,"width":3}"#),
    Case(
      json: #"{"id":1,"a":0.10,"b":{"c":[1E400]},"d":12345678901234567890123456789.50}"#,
      export: #"{"a":0.10,"b":{"c":[1E400]},"d":12345678901234567890123456789.50,"id":1}"#),
    Case(
      stored: #"{"id":1,"a":0.10,"b":2}"#, json: #"{"id":1,"b":3.00,"address":{"x":1E400}}"#,
      export: #"{"a":0.10,"address":{"x":1E400},"b":3.00,"id":1}"#),
    Case(json: #"{"id":1,"address":{"zip":"Z"}}"#, export: #"{"address":{"zip":"Z"},"id":1}"#),
    Case(json: #"{"id":1,"address":{"city":"C"}}"#, export: #"{"id":1,"address":{"city":"C"}}"#),
    Case(
      stored: #"{"id":1,"a":1,"b":{"c":1,"d":2},"address":{"zip":1,"street":2}}"#,
      json: #"{"id":1,"b":{"c":3},"e":4,"address":{"zip":null,"nr":5}}"#,
      export: #"{"a":1,"address":{"nr":5,"street":2},"b":{"c":3},"e":4,"id":1}"#),
    Case(
      stored: #"{"id":1,"a":1,"address":{"zip":1,"city":"C"}}"#, json: #"{"id":1,"address":null}"#,
      export: #"{"a":1,"id":1}"#),
    Case(stored: #"{"id":1,"a":1}"#, json: #"{"id":1,"a":null}"#, export: #"{"id":1}"#),
    Case(stored: #"{"id":1,"a":1}"#, json: #"{"id":1}"#, export: #"{"a":1,"id":1}"#),
    Case(json: #"[{"id":1,"a":1,"b":1},{"id":1,"a":null,"c":2}]"#, export: #"{"b":1,"c":2,"id":1}"#),
    Case(
      json: #"{"id":1,"items":[{"n":1,"x":1},{"n":1,"x":null,"y":2}],"box":{"x":1}}"#,
      export: #"{"id":1,"items":[{"x":1,"n":1},{"y":2,"n":1}],"box":{"x":1}}"#),
    Case(
      stored: #"{"id":1,"items":[{"n":1,"x":1}],"box":{"x":1,"y":1}}"#,
      json: #"{"id":1,"items":[{"n":1,"y":1}],"box":{"y":null,"z":1}}"#,
      export: #"{"id":1,"items":[{"y":1,"n":1}],"box":{"x":1,"z":1}}"#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func membersThatNoFieldReadsAreKeptAndMerged(_ kind: StoreKind, _ example: Case) throws {
    let world = try makeWorld(kind)
    if let stored = example.stored { try world.load(stored) }
    try world.load(example.json)
    let text = try world.export()
    #expect(text == "[\(example.export)]")
    let copy = try makeWorld(kind)
    try copy.load(text)
    try #expect(copy.export() == text)
    try #expect(copy.load(text).contains("A =1"))
  }

  @Test(arguments: StoreKind.allCases)
  func theOrderOfPayloadsDoesNotMatter(_ kind: StoreKind) throws {
    let pages = [
      #"{"id":1,"b":1,"address":{"zip":2},"items":[{"y":1,"x":{"d":1,"c":2}}]}"#,
      #"{"id":1,"a":{"d":1,"c":2},"address":{"nr":3}}"#,
    ]
    let (forwards, backwards) = (try makeWorld(kind), try makeWorld(kind))
    for page in pages { try forwards.load(page) }
    for page in pages.reversed() { try backwards.load(page) }
    let text = try forwards.export()
    #expect(
      text
        == #"[{"a":{"d":1,"c":2},"address":{"nr":3,"zip":2},"b":1,"id":1,"items":[{"x":{"d":1,"c":2},"y":1}]}]"#
    )
    try #expect(backwards.export() == text)
  }

  @Test(arguments: StoreKind.allCases)
  func aMemberThatComesAndGoesChangesNothingTheSecondTime(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    let json = #"[{"id":1,"a":null,"c":1},{"id":1,"b":1,"a":1}]"#
    try world.load(json)
    let text = try world.export()
    try #expect(world.load(json).contains("A =1"))
    try #expect(world.export() == text)
  }

  @Test(arguments: StoreKind.allCases)
  func aRootObjectThatRepeatsItsNameHasItOnce(_ kind: StoreKind) throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "Item": {
          "rootPath": "items", "keyedBy": "id", "primaryKey": "id",
          "attributes": {"id": {"type": "string", "keyPath": "meta.id"}, "n": "integer", "other": "rest"},
          "relationships": {"names": {"mapping": "Name", "toMany": true, "keyedBy": "language"}}},
        "Name": {
          "primaryKey": "language", "keyScope": "parent", "attributes": {"language": "string", "other": "rest"}}}}
      """#
    let plan = try MappingSet(file: file).plan(for: "Item")
    let (world, copy) = (try World(kind, plan), try World(kind, plan))
    try world.load(
      #"{"items":{"a":{"meta":{"id":"a","y":2},"x":1,"n":3,"names":{"en":{"language":"en","value":"A"}}},"b":{"meta":{"id":"b"}}}}"#
    )
    let text = try world.store.exported(plan, as: .ndjson)
    #expect(
      text == #"""
        {"meta":{"y":2,"id":"a"},"x":1,"n":3,"names":{"en":{"language":"en","value":"A"}}}
        {"meta":{"id":"b"}}

        """#)
    try copy.load(text, options: .ndjson)
    try #expect(copy.store.exported(plan, as: .ndjson) == text)
  }

  @Test(arguments: StoreKind.allCases)
  func batchesAndTheirOrderDoNotMatter(_ kind: StoreKind) throws {
    let json = (0..<40).map { #"{"id":\#($0 % 4),"m\#($0 % 5)":\#($0 % 3 == 0 ? "null" : "\($0)")}"# }
    let text = "[\(json.joined(separator: ","))]"
    let (whole, single) = (try makeWorld(kind), try makeWorld(kind))
    try whole.load(text)
    try single.load(text, options: ImportOptions(batchSize: 1))
    try #expect(whole.export() == single.export())
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectThatDoesNotSayItsKindKeepsTheRestOfItsKind(_ kind: StoreKind) throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "Any": {"entity": "E", "primaryKey": "id", "kinds": {"keyPath": "t", "values": {"a": "A"}, "otherwise": "O"}},
        "A": {"entity": "E", "primaryKey": "id", "attributes": {"id": "string", "x": "decimal", "more": "rest"}},
        "O": {"entity": "E", "primaryKey": "id", "attributes": {"id": "string", "more": "rest"}},
        "Owner": {
          "primaryKey": "id", "attributes": {"id": "string"}, "relationships": {"parts": {"mapping": "Part", "toMany": true}}},
        "Part": {"entity": "P", "kinds": {"keyPath": "t", "values": {"a": "PA"}, "otherwise": "PO"}},
        "PA": {"entity": "P", "attributes": {"x": "decimal"}},
        "PO": {"entity": "P", "attributes": {"more": "rest"}}}}
      """#
    let set = try MappingSet(file: file)
    let world = try World(kind, set.plan(for: "Any"))
    try world.load(
      #"[{"id":"1","x":1.0,"z":1},{"id":"2","t":"c","x":1.0,"z":1},{"id":"3","t":"a","x":1.0,"z":1}]"#)
    try #expect(
      world.export()
        == #"[{"x":1.0,"z":1,"id":"1"},{"x":1.0,"z":1,"id":"2","t":"c"},{"z":1,"id":"3","x":1.0,"t":"a"}]"#)
    try world.load(#"[{"id":"1","x":5},{"id":"2","x":5,"z":2},{"id":"3","x":5,"z":null,"y":{"b":1}}]"#)
    try #expect(
      world.export()
        == #"[{"x":5,"z":1,"id":"1"},{"x":5,"z":2,"id":"2","t":"c"},{"y":{"b":1},"id":"3","x":5,"t":"a"}]"#)
    let owners = try World(kind, set.plan(for: "Owner"))
    let json = #"[{"id":"1","parts":[{"w":1,"x":5},{"x":2,"t":"a"}]}]"#
    try owners.load(json)
    try #expect(owners.export() == json)
  }

  @Test(arguments: StoreKind.allCases)
  func aFilterLooksIntoTheRest(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try world.load(#"[{"id":1,"a":1},{"id":2,"a":2},{"id":3}]"#)
    let keys = try world.store.read { try $0.keys(world.plan().where(Filter("@.other.a > 1 || !@.other"))) }
    #expect(keys == [2, 3])
  }

  @Test(arguments: [
    (
      #""id": "integer", "x": "rest", "y": "rest""#,
      #"$.mappings.A.attributes.y: expected one attribute with the rest, found "x" too"#
    ),
    (
      #""id": "integer", "x": "rest", "y": {"type": "json", "keyPath": null}"#,
      #"$.mappings.A.attributes.x: "y" reads the whole object, and leaves no rest"#
    ),
    (
      #""id": "integer", "x": "rest", "y": {"type": "string", "keyPath": "a[0]"}"#,
      #"$.mappings.A.attributes.x: the key path "a[0]" leads into an array, whose other values would be lost: map the array as JSON"#
    ),
    (
      #""id": "integer", "x": {"type": "rest", "keyPath": "a"}"#,
      #"$.mappings.A.attributes.x.keyPath: "keyPath" is refused beside the type "rest", which has the members that no field reads"#
    ),
  ])
  func aRestThatCannotBeKeptIsRefused(_ attributes: String, _ reason: String) {
    let found = message {
      _ = try MappingSet(
        file: #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {\#(attributes)}}}}"#)
    }
    #expect(found == reason)
  }
}
