import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Members whose values have several kinds, each of them for another field.
@Suite struct SharedMemberTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Package": {
            "primaryKey": "name",
            "attributes": {
              "name": "string", "authorName": {"type": "string", "keyPath": "author"},
              "license": "string", "source": {"type": "string", "keyPath": "repository"},
              "manual": {"type": "string", "keyPath": "man"}, "manuals": {"type": ["string"], "keyPath": "man"},
              "bugs": "string", "bugsURL": {"type": "string", "keyPath": "bugs.url"},
              "bugsMail": {"type": "string", "keyPath": "bugs.mail"},
              "size": "integer", "isSized": {"type": "boolean", "keyPath": "size"},
              "isFirst": {"type": "boolean", "keyPath": "deep.a"}, "c": {"type": "number", "keyPath": "deep.a.b.c"}},
            "relationships": {
              "author": {"mapping": "Person"}, "repository": {"mapping": "Repository"},
              "terms": {"mapping": "License", "keyPath": "license"},
              "licenses": {"mapping": "License", "toMany": true, "keyPath": "license"}}},
          "Person": {"primaryKey": "name", "attributes": {"name": "string", "url": "string"}},
          "Repository": {"attributes": {"type": "string", "url": "string"}},
          "License": {"attributes": {"type": "string", "url": "string"}},
          "Edit": {
            "entity": "Package", "primaryKey": "name",
            "attributes": {"name": "string", "authorName": "string", "license": "string", "bugs": "string", "bugsURL": "string"},
            "relationships": {
              "author": {"mapping": "Person"}, "terms": {"mapping": "License"},
              "licenses": {"mapping": "License", "toMany": true}}}}}
        """#)
  }

  private static func makeWorld(_ kind: StoreKind) throws -> World {
    try World(kind, file.get().plan(for: "Package"), file.get().plan(for: "Edit"))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var stored: [String] = []
    var json: String
    /// The members of the export beside the name; nil where it is the payload.
    var export: String?
    var failure: String?
    var testDescription: String { (stored + [json]).joined(separator: " · ") }
  }

  static let cases = [
    Case(json: ""),
    Case(json: #""author":null,"license":null,"bugs":null,"man":null,"size":null"#, export: ""),
    Case(
      json: #""author":"Ann","license":"MIT","repository":"a/b","man":"m","bugs":"b","size":3"#,
      export: #""author":"Ann","license":"MIT","repository":"a/b","man":"m","bugs":"b","size":3"#),
    Case(json: #""author":{"name":"Ann","url":"u"}"#),
    Case(json: #""license":{"type":"MIT","url":"u"}"#),
    Case(json: #""license":[{"type":"MIT"},{"type":"BSD","url":"u"}]"#),
    Case(json: #""repository":{"type":"git","url":"u"}"#),
    Case(json: #""man":["a","b"]"#),
    Case(json: #""man":[]"#),
    Case(json: #""bugs":{"url":"u","mail":"m"}"#),
    Case(json: #""bugs":{"mail":"m"}"#),
    Case(json: #""size":true"#),
    Case(json: #""size":false"#),
    Case(json: #""deep":{"a":true}"#),
    Case(json: #""deep":{"a":{"b":{"c":1.5}}}"#),
    Case(stored: [#""author":{"name":"Ann"}"#], json: #""author":"Bob""#),
    Case(stored: [#""author":"Bob""#], json: #""author":{"name":"Ann","url":"u"}"#),
    Case(stored: [#""author":"Bob""#], json: #""license":"MIT""#, export: #""author":"Bob","license":"MIT""#),
    Case(stored: [#""author":"Bob""#], json: #""author":null"#, export: ""),
    Case(stored: [#""author":{"name":"Ann"}"#], json: #""author":null"#, export: ""),
    Case(
      stored: [#""license":"MIT""#, #""license":{"type":"BSD"}"#, #""license":[{"type":"A"},{"type":"B"}]"#],
      json: #""license":{"type":"C","url":"u"}"#),
    Case(stored: [#""license":[{"type":"A"}]"#], json: #""license":"MIT""#),
    Case(stored: [#""man":"m""#], json: #""man":["n"]"#),
    Case(stored: [#""man":["n"]"#], json: #""man":"m""#),
    Case(stored: [#""bugs":"b""#], json: #""bugs":{"mail":"m"}"#),
    Case(stored: [#""bugs":{"url":"u","mail":"m"}"#], json: #""bugs":"b""#),
    Case(
      stored: [#""bugs":{"url":"u"}"#], json: #""bugs":{"mail":"m"}"#,
      export: #""bugs":{"url":"u","mail":"m"}"#),
    Case(stored: [#""size":1"#], json: #""size":true"#),
    Case(stored: [#""deep":{"a":{"b":{"c":1.5}}}"#], json: #""deep":{"a":false}"#),
    Case(stored: [#""deep":{"a":{"b":{"c":1.5}}}"#], json: #""deep":null"#, export: ""),
    Case(json: #""author":5"#, failure: #"author: expected a string or an object, found the number 5"#),
    Case(json: #""author":["Ann"]"#, failure: #"author: expected a string or an object, found an array"#),
    Case(
      json: #""license":true"#, failure: #"license: expected a string, an object or an array, found true"#),
    Case(json: #""man":{}"#, failure: #"man: expected a string or an array, found an object"#),
    Case(json: #""bugs":1"#, failure: #"bugs: expected a string or an object, found the number 1"#),
    Case(json: #""size":"1""#, failure: #"size: expected an integer or a boolean, found the string "1""#),
    Case(json: #""size":1.5"#, failure: #"size: expected an integer, found the number 1.5"#),
    Case(json: #""man":["a",1]"#, failure: #"man[1]: expected a string, found the number 1"#),
    Case(
      json: #""deep":{"a":"x"}"#, failure: #"deep.a: expected a boolean or an object, found the string "x""#),
    Case(
      json: #""author":{"url":"u"}"#,
      failure: #"author.name: expected a string, the primary key of Person, found nothing"#),
  ]

  private func object(_ members: String) -> String {
    #"{"name":"p"\#(members.isEmpty ? "" : ",")\#(members)}"#
  }

  @Test(arguments: StoreKind.allCases, cases)
  func aValueGoesToTheFieldThatTakesItsKind(_ kind: StoreKind, _ example: Case) throws {
    let world = try Self.makeWorld(kind)
    for stored in example.stored { try world.load("[\(object(stored))]") }
    if let failure = example.failure {
      let found = world.failure(of: "[\(object(example.json))]") ?? "nothing"
      #expect(found.hasPrefix("$[0].\(failure) ("), "\(found)")
      return
    }
    try world.load(object(example.json))
    try #expect(world.load(object(example.json)).contains("Package =1"))
    let text = try world.export()
    #expect(text == "[\(object(example.export ?? example.json))]")
    let copy = try Self.makeWorld(kind)
    try copy.load(text)
    try #expect(copy.export() == text)
    try #expect(copy.load(text).contains("Package =1"))
    // All at once, and object by object.
    for size in [1, 100] {
      let options = ImportOptions(batchSize: size)
      let batches = try Self.makeWorld(kind)
      try batches.load(
        "[" + (example.stored + [example.json]).map(object).joined(separator: ",") + "]", options: options)
      try #expect(batches.export() == text)
    }
  }

  static let conflicts = [
    (
      #"{"name":"p","authorName":"A","author":{"name":"B"}}"#,
      #"$.author: "authorName" and "author" of Package "p" both have values for "author": only one of them could be written"#
    ),
    (
      #"{"name":"p","terms":{"type":"A"},"licenses":[{"type":"B"}]}"#,
      #"$.license: "terms" and "licenses" of Package "p" both have values for "license": only one of them could be written"#
    ),
    (
      #"{"name":"p","bugs":"A","bugsURL":"B"}"#,
      #"$.bugs: "bugs" and "bugsURL" of Package "p" both have values for "bugs": only one of them could be written"#
    ),
  ]

  @Test(arguments: StoreKind.allCases, conflicts)
  func anExportOfTwoValuesForOneMemberFails(_ kind: StoreKind, _ conflict: (json: String, reason: String))
    throws
  {
    let world = try Self.makeWorld(kind)
    try world.load(conflict.json, as: "Edit")
    #expect(message { _ = try world.export() } == conflict.reason + #" (Package "p")"#)
    try #expect(world.export("Edit") == "[\(conflict.json)]")
  }

  // MARK: JSON beside key paths into it

  static let items = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Item": {
            "primaryKey": "id",
            "attributes": {
              "english": {"type": "string", "keyPath": "labels.en.value"}, "id": "string", "labels": "json",
              "aliases": "json", "german": {"type": "string", "keyPath": "labels.de.value"},
              "first": {"type": "integer", "keyPath": "list[0]"}, "list": "json"}},
          "Edit": {
            "entity": "Item", "primaryKey": "id",
            "attributes": {"id": "string", "labels": "json", "english": "string", "german": "string"}}}}
        """#)
  }

  struct Labels: Sendable, CustomTestStringConvertible {
    var stored: String?
    var json: String
    var dump: String
    var testDescription: String { "\(json) over \(stored ?? "nothing")" }
  }

  static let labels = [
    Labels(
      json: #""labels":{"en":{"value":"a"},"fr":{"value":"b"}}"#,
      dump: #"english="a" labels={"en":{"value":"a"},"fr":{"value":"b"}}"#),
    Labels(
      stored: #""labels":{"en":{"value":"a"},"de":{"value":"c"}}"#, json: #""labels":{"de":{"value":"d"}}"#,
      dump: #"labels={"de":{"value":"d"}} german="d""#),
    Labels(stored: #""labels":{"en":{"value":"a"}}"#, json: #""labels":["x"]"#, dump: #"labels=["x"]"#),
    Labels(stored: #""labels":{"en":{"value":"a"}}"#, json: #""labels":"x""#, dump: #"labels="x""#),
    Labels(json: #""labels":{"en":null}"#, dump: #"labels={"en":null}"#),
    Labels(json: #""list":[1,2]"#, dump: #"first=1 list=[1,2]"#),
    Labels(stored: #""list":[1,2]"#, json: #""list":[]"#, dump: #"list=[]"#),
    Labels(stored: #""list":[1,2]"#, json: #""list":{"a":0.10}"#, dump: #"list={"a":0.10}"#),
  ]

  @Test(arguments: StoreKind.allCases, labels)
  func keyPathsReadTheirPartOfJSONThatIsKept(_ kind: StoreKind, _ example: Labels) throws {
    let world = try World(kind, Self.items.get().plan(for: "Item"))
    if let stored = example.stored { try world.load(#"{"id":"Q1",\#(stored)}"#) }
    let json = #"{"id":"Q1",\#(example.json)}"#
    try world.load(json)
    try #expect(world.load(json) == "Item =1")
    let export = try world.export()
    let copy = try World(kind, Self.items.get().plan(for: "Item"), holding: export)
    try #expect(copy.export() == export)
    let (dump, copied) = (try world.dump(of: #"Item "Q1""#), try copy.dump(of: #"Item "Q1""#))
    #expect(dump == copied)
    #expect(dump == #"Item "Q1" "# + example.dump)
  }

  @Test(arguments: StoreKind.allCases)
  func anEditOfAPartOfJSONIsNotLostByAnExport(_ kind: StoreKind) throws {
    let world = try World(kind, Self.items.get().plan(for: "Item"), Self.items.get().plan(for: "Edit"))
    try world.load(#"{"id":"Q1","labels":{"en":{"value":"a"}}}"#)
    try world.load(#"{"id":"Q1","english":"b"}"#, as: "Edit")
    #expect(
      message { _ = try world.export() }
        == #"$.labels: "labels" and "english" of Item "Q1" have different values for "labels.en.value": only one of them could be written (Item "Q1")"#
    )
    try world.load(#"{"id":"Q1","english":"b","labels":null}"#, as: "Edit")
    try #expect(world.export() == #"[{"labels":{"en":{"value":"b"}},"id":"Q1"}]"#)
  }

  // MARK: Classes, rows and numbers

  final class Owner {
    var id = 0
    var name: String?
    var pet: Pet?
    var pets: [Pet] = []

    static let mapping = Mapping(Owner.self, "Owner", primaryKey: "id", make: Owner.init) {
      Attribute("id", \.id)
      Attribute("name", \.name, at: "pet")
      ToOne("pet", \.pet, Pet.mapping)
      ToMany("pets", \.pets, Pet.mapping, at: "pet")
    }
  }

  final class Pet {
    var name = ""
    static let mapping = Mapping(Pet.self, "Pet", make: Pet.init) { Attribute("name", \.name) }
  }

  @Test func instancesReadAndWriteAValueByItsKind() throws {
    let json = #"[{"id":1,"pet":"a"},{"id":2,"pet":{"name":"b"}},{"id":3,"pet":[{"name":"c"}]}]"#
    let owners = try Owner.mapping.objects(from: json)
    #expect((owners.map(\.name), owners.map(\.pet?.name)) == (["a", nil, nil], [nil, "b", nil]))
    #expect(owners.map { $0.pets.map(\.name) } == [[], [], ["c"]])
    let serializer = try Serializer(Owner.mapping)
    try #expect(
      owners.map { try serializer.json(of: $0) }.joined(separator: ",") == json.dropFirst().dropLast())
    try Owner.mapping.fill(owners[0], from: #"{"id":1,"pet":{"name":"d"}}"#)
    #expect(owners[0].name == nil && owners[0].pet?.name == "d")
    owners[0].name = "e"
    #expect(
      message { _ = try serializer.json(of: owners[0]) }
        == #"$.pet: "name" and "pet" of Owner 1 both have values for "pet": only one of them could be written"#
    )
  }

  @Test func aPropertyThatIsAlwaysThereIsRefused() {
    let mapping = Mapping(Owner.self, "Owner", primaryKey: "id", make: Owner.init) {
      Attribute("id", \.id)
      Attribute("name", \.name, at: "pet.name")
      Attribute("pet", \.id, at: "pet")
    }
    #expect(
      message { _ = try Plan(mapping) }?.contains(
        #"leads through "pet", which is the value of "pet": the property of "pet" must be optional, as either of them may be without a value"#
      ) == true)
  }

  @Test(arguments: StoreKind.allCases)
  func elementsOfRowsMayHaveSeveralKinds(_ kind: StoreKind) throws {
    let row = Mapping("Row", primaryKey: "id") {
      Attribute("id", .integer, at: "[0]")
      Attribute("text", .string, at: "[1]")
      Attribute("x", .number, at: "[1].x")
      Attribute("sizes", .list(.integer), at: "[2]")
      Attribute("size", .integer, at: "[2]")
    }
    let world = try World(kind, row)
    let json = #"[[1,"a",[1,2]],[2,{"x":1.5},3],[3,null,4]]"#
    try world.load(json)
    try #expect(world.export() == json)
    try world.load(#"[[1,{"x":2},5],[2,"b",[]]]"#)
    try #expect(world.export() == #"[[1,{"x":2},5],[2,"b",[]],[3,null,4]]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyGoesToBoth(_ kind: StoreKind) throws {
    let user = Mapping("User", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
    }
    let note = Mapping("Note", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("userID", .integer, at: "user")
      ToOne("user", user)
    }
    let edit = Mapping("Edit", entity: "Note", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("user", user)
    }
    let world = try World(kind, note, edit)
    let json = #"[{"id":1,"user":7},{"id":2,"user":{"id":8,"name":"b"}}]"#
    try world.load(json)
    try #expect(world.dump(of: "Note 1") == "Note 1 userID=7 user=7")
    try #expect((world.dump(of: "Note 2"), world.export()) == ("Note 2 user=8", json))
    try world.load(#"{"id":1,"user":8}"#, as: "Edit")
    #expect(
      message { _ = try world.export() }
        == #"$.user: "userID" and "user" of Note 1 both have values for "user": only one of them could be written (Note 1)"#
    )
  }

  /// The attribute is always there, so an object is a fault of it.
  @Test(arguments: StoreKind.allCases)
  func anAttributeThatIsAlwaysThereIsReadWithTheKeyAlone(_ kind: StoreKind) throws {
    let user = Mapping("User", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("name", .string)
    }
    for policy in [RelationshipPolicy.assign, .merge] {
      let profile = Mapping("Profile", primaryKey: "userID") {
        Attribute("userID", .string, at: "user")
        ToOne("user", user, policy: policy)
      }
      let world = try World(kind, profile)
      let json = #"[{"user":"a"},{"user":"b"}]"#
      try world.load(json)
      try #expect(world.dump(of: #"Profile "a""#) == #"Profile "a" user="a""#)
      try #expect(world.load(json).contains("Profile =2"))
      #expect(world.failure(of: #"{"user":{"id":"c"}}"#)?.hasPrefix("$.user: expected a string") == true)
    }
  }
}
