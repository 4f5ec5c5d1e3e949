import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects that are the members of an object: `keyedBy`.
@Suite struct KeyedByTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Site": {
            "primaryKey": "id", "attributes": {"id": "integer", "title": "string"},
            "relationships": {
              "plugins": {"mapping": "Plugin", "toMany": true, "keyedBy": "name", "keyPath": "all.plugins", "policy": "replace"},
              "ports": {"mapping": "Port", "toMany": true, "keyedBy": "number", "policy": "merge", "lenient": true},
              "main": {"mapping": "Plugin"}}},
          "Plugin": {
            "primaryKey": "name", "keyedBy": "name", "rootPath": "update.plugins",
            "attributes": {"name": "string", "version": "string"},
            "relationships": {"needs": {"mapping": "Plugin", "toMany": true, "keyedBy": "name"}}},
          "Port": {
            "primaryKey": "number",
            "attributes": {"number": "integer", "use": {"type": "string", "keyPath": null}}},
          "Label": {
            "primaryKey": "code", "keyedBy": "code",
            "attributes": {"code": {"type": "string", "keyPath": null}, "text": "string"}}}}
        """#)
  }

  private func makeWorld(_ kind: StoreKind) throws -> World {
    let file = try Self.file.get()
    return try World(kind, file.plan(for: "Site"), file.plan(for: "Plugin"), file.plan(for: "Label"))
  }

  private static let site = #"""
    {"id":1,"all":{"plugins":{"git":{"version":"1"},"maven":{"version":"2","needs":{"git":{}}}}},\#
    "ports":{"80":"http","443":"https"},"main":{"name":"git"}}
    """#

  @Test(arguments: StoreKind.allCases)
  func membersAreObjectsWithTheirNamesAsKeys(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try #expect(world.load(Self.site) == "Site +1, Plugin +2, Port +2")
    try #expect(
      world.dump() == #"""
        Site 1 plugins=["git" "maven"] ports=[80 443] main="git"
        Plugin "git" version="1"
        Plugin "maven" version="2" needs=["git"]
        Port 80 use="http"
        Port 443 use="https"
        """#)
    try #expect(world.load(Self.site) == "Site =1, Plugin =2, Port =2")
    let text = try world.export()
    #expect(
      text == #"""
        [{"id":1,"all":{"plugins":{"git":{"version":"1"},"maven":{"version":"2","needs":{"git":{}}}}},\#
        "ports":{"80":"http","443":"https"},"main":{"name":"git"}}]
        """#)
    let copy = try makeWorld(kind)
    try copy.load(text)
    try #expect((copy.export(), copy.dump()) == (text, world.dump()))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var json: String
    var report: String
    var site: String
    var testDescription: String { json }
  }

  static let cases = [
    Case(
      json: #"{"id":1,"all":{"plugins":{"maven":{}}}}"#, report: "Site ~1, Plugin =1",
      site: #"plugins=["maven"] ports=[80 443] main="git""#),
    Case(
      json: #"{"id":1,"all":{"plugins":{"b":{},"a":{},"maven":{"version":"3"}}}}"#,
      report: "Site ~1, Plugin +2 ~1", site: #"plugins=["b" "a" "maven"] ports=[80 443] main="git""#),
    Case(
      json: #"{"id":1,"all":{"plugins":{}}}"#, report: "Site ~1, Plugin -1",
      site: #"ports=[80 443] main="git""#),
    Case(
      json: #"{"id":1,"all":{"plugins":null}}"#, report: "Site ~1, Plugin -1",
      site: #"ports=[80 443] main="git""#
    ),
    Case(
      json: #"{"id":1,"all":{}}"#, report: "Site =1",
      site: #"plugins=["git" "maven"] ports=[80 443] main="git""#),
    // A null member is skipped.
    Case(
      json: #"{"id":1,"all":{"plugins":{"git":null,"maven":{}}}}"#, report: "Site ~1, Plugin =1",
      site: #"plugins=["maven"] ports=[80 443] main="git""#),
    // The name counts, and not a member of the object.
    Case(
      json: #"{"id":1,"all":{"plugins":{"git":{"name":5},"maven":{"name":"x"}}}}"#,
      report: "Site =1, Plugin =2", site: #"plugins=["git" "maven"] ports=[80 443] main="git""#),
    Case(
      json: #"{"id":1,"ports":{"22":"ssh","80":"http"}}"#, report: "Site ~1, Port +1 =1",
      site: #"plugins=["git" "maven"] ports=[80 443 22] main="git""#),
    Case(
      json: #"{"id":1,"ports":[]}"#, report: "Site =1",
      site: #"plugins=["git" "maven"] ports=[80 443] main="git""#),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 3))
  func listsFollowTheirPolicy(_ kind: StoreKind, _ example: Case) throws {
    let world = try makeWorld(kind)
    try world.load(Self.site)
    try #expect(world.load(example.json) == example.report)
    try #expect(world.dump(of: "Site 1") == "Site 1 " + example.site)
  }

  @Test(arguments: StoreKind.allCases)
  func aTargetWithoutAValueIsWritten(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    let json = #"[{"id":1,"ports":{"80":{},"443":"https"}}]"#
    try world.load(json)
    try #expect(world.export() == json)
  }

  /// The name is kept with the value until the object is made.
  @Test(arguments: StoreKind.allCases)
  func weakMembersAreMetLate(_ kind: StoreKind) throws {
    let plugin = Mapping("Plugin", primaryKey: "name") {
      Attribute("name", .string)
      Attribute("version", .string)
    }
    let site = Mapping("Site", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("plugins", plugin, isWeak: true, keyedBy: "name")
      ToOne("main", plugin)
    }
    for batch in [nil, 1] as [Int?] {
      let world = try World(kind, site)
      try world.load(
        #"[{"id":1,"plugins":{"git":{"version":"1"},"x":{}}},{"id":2,"main":{"name":"git"}}]"#,
        options: ImportOptions(batchSize: batch))
      try #expect(
        world.dump() == """
          Site 1 plugins=["git"]
          Site 2 main="git"
          Plugin "git" version="1"
          """)
    }
  }

  enum Slot: Int, AttributeValue { case first = 1, second }

  final class Rack {
    var id = 0
    var cards: [Card] = []
    static let mapping = Mapping(Rack.self, "Rack", primaryKey: "id", make: Rack.init) {
      Attribute("id", \.id)
      ToMany("cards", \.cards, Card.mapping, keyedBy: "slot")
    }
  }

  final class Card {
    var slot = Slot.first
    var name = ""
    static let mapping = Mapping(Card.self, "Card", primaryKey: "slot", make: Card.init) {
      Attribute("slot", \.slot)
      Attribute("name", \.name)
    }
  }

  @Test func namesAreReadAsThePropertyIs() throws {
    let rack = try #require(
      try Rack.mapping.object(from: #"{"id":1,"cards":{"2":{"name":"b"},"1":{"name":"a"}}}"#))
    #expect(rack.cards.map(\.slot) == [.second, .first])
    for name in ["3", "01", "1.0", "", "x", " 1", "-0", "99999999999999999999"] {
      #expect(throws: MappingError.self, "\(name)") {
        try Rack.mapping.object(from: #"{"id":1,"cards":{"\#(name)":{}}}"#)
      }
    }
  }

  @Test(arguments: [nil, 1, 7] as [Int?])
  func rootObjectsAreTheMembersOfAnObject(_ chunk: Int?) throws {
    let json = #"""
      {"update":{"x":[1],"plugins" : { "git" : {"version":"1"} , "maven":{"needs":{"git":{}}},"é":{"version":"é"}},"y":{}}}
      """#
    for interval in [nil, 1] as [Int?] {
      let world = try makeWorld(.memory)
      let options = ImportOptions(commitInterval: interval)
      let report = try world.report(json, as: "Plugin", inChunksOf: chunk, options: options)
      #expect(summary(report) == "Plugin +3")
      #expect((report.rootObjects, report.unseen) == (3, []))
      let text = try world.export("Plugin")
      #expect(
        text
          == #"{"update":{"plugins":{"git":{"version":"1"},"maven":{"needs":{"git":{}}},"é":{"version":"é"}}}}"#
      )
      let twin = try makeWorld(.memory)
      try twin.load(text, as: "Plugin")
      try #expect(twin.export("Plugin") == text)
      // Lines are the objects themselves.
      let lines = try world.store.exported(world.plan("Plugin"), as: .ndjson)
      let copy = try makeWorld(.memory)
      try copy.load(lines, as: "Plugin", options: .ndjson)
      try #expect(copy.export("Plugin") == world.export("Plugin"))
    }
  }

  @Test func aTreeIsReadAsItsText() throws {
    let world = try makeWorld(.memory)
    let json = Array(#"{"update":{"plugins":{"git":{"version":"1"},"b":{}}}}"#.utf8)
    try json.withUnsafeBytes { bytes in
      let document = try JSONDocument(parsing: bytes)
      let report = try Mapper(world.store).importJSON(document, as: world.plan("Plugin"))
      #expect(summary(report) == "Plugin +2")
    }
    try #expect(world.load(#"{"a":{"text":"x"},"b":{}}"#, as: "Label") == "Label +2")
    try #expect(world.export("Label") == #"{"a":{"text":"x"},"b":{}}"#)
    // A line has no name beside the bare value.
    let label = world.plan("Label")
    #expect(
      message { _ = try world.store.exported(label, as: .ndjson) }?.contains(
        #"the mapping "Label" is keyed by "code", and an object alone has no member"#) == true)
  }

  static let faults = [
    (
      #"{"update":{"plugins":{"git":null}}}"#,
      "$.update.plugins.git: expected an object, found null (line 1, column 29)"
    ),
    (
      #"{"update":{"plugins":{"git":5}}}"#,
      "$.update.plugins.git: expected an object, found the number 5 (line 1, column 29)"
    ),
    (
      #"{"update":{"plugins":{"git":{"version":5}}}}"#,
      "$.update.plugins.git.version: expected a string, found the number 5 (line 1, column 40)"
    ),
    (
      #"{"update":{"plugins":{"a":{},"git":{"needs":{"x":{"version":5}}}}}}"#,
      "$.update.plugins.git.needs.x.version: expected a string, found the number 5 (line 1, column 61)"
    ),
    (
      #"{"update":{"plugins":{"git":{"needs":[]}}}}"#,
      "$.update.plugins.git.needs: expected an object with a member for each target, found an array (line 1, column 38)"
    ),
    (
      #"{"update":{"plugins":[]}}"#,
      "$.update.plugins: expected an object with a member for each root object, found an array (line 1, column 22)"
    ),
    (#"{"update":{"plugins":{"git" {}}}}"#, "line 1, column 29: expected a colon"),
    (#"{"update":{"plugins":{5:{}}}}"#, "line 1, column 23: expected a name in quotes or '}'"),
    (#"{"update":{"plugins":{"a":{},}}}"#, "line 1, column 30: expected a name in quotes"),
    (#"{"update":{"plugins":{"a":{}]}}"#, "line 1, column 29: expected a comma or '}'"),
  ]

  @Test(arguments: faults, [nil, 3] as [Int?])
  func errorsNameTheMember(_ example: (json: String, error: String), _ chunk: Int?) throws {
    let world = try makeWorld(.memory)
    #expect(world.failure(of: example.json, as: "Plugin", inChunksOf: chunk) == example.error)
  }

  @Test func aNameThatIsNoKeyIsAFaultOfItsObject() throws {
    let world = try makeWorld(.memory)
    let json = #"{"id":1,"ports":{"80":"http","x":"y"}}"#
    #expect(
      world.failure(of: json)
        == #"$.ports.x: expected a member name that is an integer, found the string "x" (line 1, column 34)"#)
    let report = try world.report(json, options: .skipping)
    #expect(summary(report) == "Site +1, Port +1 !1")
    try #expect(world.dump(of: "Site 1") == "Site 1 ports=[80]")
  }

  @Test func faultsOfMappingsNameTheirPlace() throws {
    func fault(_ change: String, _ more: String = "") -> String? {
      message {
        _ = try MappingSet(
          file: #"""
            {"fastmap":1,"mappings":{"A":{"primaryKey":"id","attributes":{"id":"integer"},"relationships":{
            "b":{"mapping":"B",\#(change)}}\#(more)},"B":{"primaryKey":"k","attributes":{"k":"string","v":"string"}}}}
            """#)
      }
    }
    #expect(fault(#""toMany":true,"keyedBy":"k""#) == nil)
    // A fault of the targets' mapping is one fault.
    #expect(
      fault(#""toMany":true,"keyedBy":"k"},"c":{"mapping":"B","toMany":true,"keyPath":"x[70000]""#)
        == "$.mappings.A.relationships.c.keyPath: expected an index from 0 to 65535, found 70000")
    #expect(
      fault(#""toMany":true,"keyedBy":"v""#)
        == #"$.mappings.A.relationships.b.keyedBy: expected the primary key, or a part of it, of the mapping "B", found "v""#
    )
    #expect(
      fault(#""toMany":true,"keyedBy":"w""#)?.hasPrefix(
        #"$.mappings.A.relationships.b.keyedBy: no attribute named "w""#) == true)
    #expect(
      fault(#""keyedBy":"k""#)
        == "$.mappings.A.relationships.b.keyedBy: an object with a member for each target needs a to-many relationship; this one is to-one"
    )
    #expect(
      fault(#""toMany":true,"keyedBy":"k","keyPath":"x[]""#)
        == #"$.mappings.A.relationships.b.keyedBy: expected a key path to one object, as its members are the targets, found "x[]""#
    )
    #expect(
      fault(#""toMany":true"#, #","keyedBy":"id","rootPath":"x[]""#)
        == #"$.mappings.A.keyedBy: expected a root path to one object, as its members are the root objects, found "x[]""#
    )
  }

  // MARK: Classes

  final class Shop {
    var id = 0
    var goods: [Good] = []
    static let mapping = Mapping(Shop.self, "Shop", primaryKey: "id", make: Shop.init) {
      Attribute("id", \.id)
      ToMany("goods", \.goods, Good.mapping, keyedBy: "code")
    }
  }

  final class Good {
    var code = ""
    var price = 0
    static let mapping = Mapping(Good.self, "Good", primaryKey: "code", keyedBy: "code", make: Good.init) {
      Attribute("code", \.code)
      Attribute("price", \.price)
    }
  }

  @Test func classesAreKeyedToo() throws {
    let json = #"{"id":1,"goods":{"b":{"price":2},"a":{"price":1}}}"#
    let shop = try #require(try Shop.mapping.object(from: json))
    #expect((shop.goods.map(\.code), shop.goods.map(\.price)) == (["b", "a"], [2, 1]))
    let goods = try Good.mapping.objects(from: #"{"x":{"price":7},"y":{}}"#)
    #expect(goods.map(\.code) == ["x", "y"])
    let serializer = try Serializer(Good.mapping)
    try #expect(serializer.json(of: Array(goods)) == #"{"x":{"price":7},"y":{"price":0}}"#)
    try #expect(serializer.json(of: goods[0]) == #"{"x":{"price":7}}"#)
    try #expect(Serializer(Shop.mapping).json(of: shop) == json)
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(json, as: Shop.mapping)
    try #expect(store.exported(Shop.mapping) == "[\(json)]")
  }
}
