import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// The values of new objects whose payloads lack members.
@Suite struct DefaultValueTests {
  final class User {
    var id = 0
    var isActive = true
    var role = "guest"
    var score: Double? = 1.5
    var note: String?
    var tags = ["new"]
    var rank = Int.random(in: 0 ... .max)
    var friend: User?
    var cards: [Card] = []
    static let mapping: Mapping<User> = Mapping(User.self, "User", primaryKey: "id", make: User.init) {
      Attribute("id", \.id)
      Attribute("isActive", \.isActive)
      Attribute("role", \.role)
      Attribute("score", \.score)
      Attribute("note", \.note)
      Attribute("tags", \.tags)
      Attribute("rank", \.rank).default(7)
      ToOne("friend", \.friend, User.mapping)
      ToMany("cards", \.cards, Card.mapping)
    }
  }

  final class Card {
    var kind = "plain"
    var number: Int?
    static let mapping = Mapping(Card.self, "Card", make: Card.init) {
      Attribute("kind", \.kind)
      Attribute("number", \.number)
    }
  }

  static let file = #"""
    {"fastmap": 1, "mappings": {
      "User": {
        "primaryKey": "id",
        "attributes": {
          "id": "integer",
          "isActive": {"type": "boolean", "default": true},
          "role": {"type": "string", "default": "guest"},
          "score": {"type": "number", "default": 1.5},
          "note": "string",
          "tags": {"type": "json", "default": ["new"]},
          "rank": {"type": "integer", "default": 7}
        },
        "relationships": {"friend": {"mapping": "User"}, "cards": {"mapping": "Card", "toMany": true}},
        "indexes": [["role"], ["rank"]]
      },
      "Card": {
        "attributes": {"kind": {"type": "string", "default": "plain"}, "number": "integer"}
      }
    }}
    """#

  static func plans() throws -> [Plan] {
    [try User.mapping.plan(), try MappingSet(file: file).plan(for: "User")]
  }

  @Test(arguments: StoreKind.allCases, [0, 1])
  func aNewObjectHasDefaultsForMissingMembers(_ kind: StoreKind, _ number: Int) throws {
    let plan = try Self.plans()[number]
    let world = try World(kind, plan)
    let json = #"[{"id":1,"friend":{"id":2,"role":"admin"}},{"id":3,"isActive":false,"rank":0,"tags":[]}]"#
    try #expect(world.load(json) == "User +3")
    try #expect(world.load(json) == "User =3")
    try #expect(
      world.store.exported(plan) == #"""
        [{"id":1,"isActive":true,"role":"guest","score":1.5,"tags":["new"],"rank":7,\#
        "friend":{"id":2}},\#
        {"id":2,"isActive":true,"role":"admin","score":1.5,"tags":["new"],"rank":7},\#
        {"id":3,"isActive":false,"role":"guest","score":1.5,"tags":[],"rank":0}]
        """#)
  }

  @Test(arguments: StoreKind.allCases, [0, 1])
  func anObjectMadeByItsKeyHasDefaultsToo(_ kind: StoreKind, _ number: Int) throws {
    let plan = try Self.plans()[number]
    let world = try World(kind, plan, holding: #"{"id":1,"friend":{"id":2}}"#)
    try #expect(world.store.read(plan) { try $0.record("User", key: 2)?["role"] } == "guest")
    try world.load(#"{"id":2,"role":"admin"}"#)
    try #expect(world.store.read(plan) { try $0.record("User", key: 2)?["role"] } == "admin")
  }

  @Test(arguments: StoreKind.allCases)
  func nullIsNoValueAndAnExportSaysSo(_ kind: StoreKind) throws {
    let plan = try Self.plans()[1]
    let (world, other) = (try World(kind, plan), try World(kind, plan))
    try world.load(#"{"id":1,"role":null,"score":null,"tags":null,"cards":[{"kind":null},{}]}"#)
    let text = try world.store.exported(plan)
    #expect(
      text
        == #"[{"id":1,"isActive":true,"role":null,"score":null,"tags":null,"rank":7,"cards":[{"kind":null},{"kind":"plain"}]}]"#
    )
    try other.load(text)
    try #expect(other.store.exported(plan) == text)
    try #expect(world.load(text) == "User =1, Card =2")
  }

  @Test(arguments: StoreKind.allCases)
  func nullLeavesAPropertyThatIsNotOptionalAsMissingDoes(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id":1,"role":null,"score":null}"#, as: User.mapping)
    let user = try #require(try store.read { try $0.object(User.mapping, key: 1) })
    #expect(user.role == "guest")
    #expect(user.score == nil)
    try #expect(
      store.exported(User.mapping)
        == #"[{"id":1,"isActive":true,"role":"guest","score":null,"tags":["new"],"rank":7}]"#)
  }

  @Test(arguments: StoreKind.allCases, [0, 1])
  func elementsAreEqualWithTheirDefaults(_ kind: StoreKind, _ number: Int) throws {
    let plan = try Self.plans()[number]
    let world = try World(kind, plan, holding: #"{"id":1,"cards":[{"kind":"plain"},{"number":4}]}"#)
    try #expect(world.load(#"{"id":1,"cards":[{"number":4,"kind":"plain"},{}]}"#) == "User ~1, Card =2")
  }

  @Test(arguments: StoreKind.allCases)
  func aUniqueIndexSeesDefaults(_ kind: StoreKind) throws {
    let mapping = Mapping("Seat", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("row", .integer).default(1)
      Index("row", isUnique: true)
    }
    let world = try World(kind, mapping)
    #expect(world.failure(of: #"[{"id":1},{"id":2,"row":1}]"#)?.contains("row") == true)
    try #expect(world.load(#"[{"id":1},{"id":2,"row":2}]"#) == "Seat +2")
  }

  @Test func aRecordOfAContextAndAnInstanceWithoutAStoreHaveThem() throws {
    let store = try StoreKind.memory.make()
    let plan = try Self.plans()[1]
    let context = try ObjectContext(store, for: plan)
    let record = try context.insert("User", ["id": 1, "role": "admin"])
    #expect(record["rank"] == 7)
    try context.save()
    context.end()
    try #expect(store.read(plan) { try $0.record("User", key: 1)?["isActive"] } == true)
    let user = try User.mapping.object(from: #"{"id":1}"#)
    #expect(user?.rank == 7)
  }

  @Test func aDefaultThatDoesNotFitIsAFaultOfTheMapping() throws {
    func fault(_ attributes: String) -> String? {
      message {
        _ = try MappingSet(
          file: #"{"fastmap":1,"mappings":{"A":{"primaryKey":"id","attributes":{"id":\#(attributes)}}}}"#)
      }
    }
    #expect(
      fault(#""integer","x":{"type":"integer","default":"a"}"#)?
        .contains(#"mappings.A.attributes.x.default: expected an integer, found the string "a""#) == true)
    #expect(fault(#""integer","x":{"type":"integer","default":null}"#)?.contains("found null") == true)
    #expect(
      fault(#"{"type":"integer","default":1}"#)?.contains(#"the primary key "id" has a default"#) == true)
    #expect(fault(#""integer","x":{"type":"date","default":"2020-01-01T00:00:00Z"}"#) == nil)
    let wrong = Mapping("A", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("x", .string).default(1)
    }
    #expect(
      message { _ = try wrong.plan() }?.contains("expected a string as the default, found the number 1")
        == true)
  }

  @Test func aDefaultThatItsPropertyCannotHoldIsAFaultOfTheMapping() throws {
    final class Small {
      var id = 0
      var size: Int8?
    }
    let mapping = Mapping(Small.self, "Small", primaryKey: "id", make: Small.init) {
      Attribute("id", \.id)
      Attribute("size", \.size).default(300)
    }
    #expect(
      message { _ = try mapping.plan() }?
        .contains("expected an integer from -128 to 127 as the default, found the number 300") == true)
  }

  /// One mapping's key is an attribute of another.
  @Test func aKeyOfAnotherMappingHasNoDefaultEither() throws {
    let keyed = Mapping("Keyed", entity: "A", primaryKey: "id") { Attribute("id", .integer) }
    let keyless = Mapping("Keyless", entity: "A") { Attribute("id", .integer).default(1) }
    let root = Mapping("Root", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("keyed", keyed)
      ToOne("keyless", keyless)
    }
    #expect(
      message { _ = try root.plan() }
        == #"$.mappings.Keyless.attributes.id: the primary key "id" has a default; each object has a key of its own"#
    )
  }

  @Test func aPropertyThatDiffersInNewInstancesNeedsADefault() throws {
    final class Event {
      var id = 0
      var code = Int.random(in: 0 ... .max)
    }
    let mapping = Mapping(Event.self, "Event", primaryKey: "id", make: Event.init) {
      Attribute("id", \.id)
      Attribute("code", \.code)
    }
    #expect(
      message { _ = try mapping.plan() }
        == #"$.mappings.Event.attributes.code: two new instances of Event differ in "code", so it has no default; make it optional, or name one with .default(…)"#
    )
  }
}
