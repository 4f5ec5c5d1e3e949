import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Attributes with a default that are new to a store.
@Suite struct NewDefaultTests {
  static let old = plan("Old", #""name": "string""#, card: #""number": "integer""#)

  static let new = plan(
    "New",
    #"""
    "name": "string", "isActive": {"type": "boolean", "default": true}, "rank": {"type": "integer", "default": 7},
    "score": {"type": "number", "default": 1.5}, "role": {"type": "string", "default": "guest"},
    "born": {"type": "date", "default": "1970-01-01T00:00:00.000000005Z"}, "key": {"type": "data", "default": "AQI="},
    "tags": {"type": "json", "default": [1.0]}
    """#, card: #""number": "integer", "kind": {"type": "string", "default": "plain"}"#,
    indexes: #"["role"], ["rank", "-name"]"#)

  /// The same attributes without defaults show the stored values.
  static let stored = plan(
    "Stored",
    #"""
    "name": "string", "isActive": "boolean", "rank": "integer", "score": "number", "role": "string", "born": "date",
    "key": "data", "tags": "json"
    """#, card: #""number": "integer", "kind": "string""#)

  /// The plan of a user with cards, which have no key.
  private static func plan(
    _ name: String, _ attributes: String, card: String, indexes: String = ""
  ) -> Result<Plan, any Error> {
    Result {
      try MappingSet(
        file: #"""
          {"fastmap": 1, "mappings": {
            "\#(name)": {
              "entity": "User", "primaryKey": "id", "attributes": {"id": "integer", \#(attributes)},
              "relationships": {"cards": {"mapping": "Card", "toMany": true}}, "indexes": [\#(indexes)]},
            "Card": {"attributes": {\#(card)}}}}
          """#
      ).plan(for: name)
    }
  }

  private static let first = #"[{"id":1,"name":"a","cards":[{"number":1}]},{"id":2,"name":"b"},{"id":3}]"#
  private static let defaults =
    #""isActive":true,"rank":7,"score":1.5,"role":"guest","born":"1970-01-01T00:00:00.000000005Z","key":"AQI=","tags":[1.0]"#
  private static let shown = #"""
    [{"id":1,"name":"a",\#(defaults),"cards":[{"number":1,"kind":"plain"}]},\#
    {"id":2,"name":"b",\#(defaults)},{"id":3,\#(defaults)}]
    """#

  private func makeWorld(_ kind: StoreKind) throws -> World {
    let world = try World(kind, Self.old.get(), Self.new.get(), Self.stored.get())
    try #expect(world.load(Self.first) == "User +3, Card +1")
    return world
  }

  private func expectDefaults(_ world: World) throws {
    let new = world.plan("New")
    try #expect(world.store.exported(new) == Self.shown)
    try world.store.read(new) { snapshot in
      let filters = [
        (#"@.role == "guest""#, 3), (#"@.role != "guest""#, 0), ("@.rank >= 7 && @.rank < 8", 3),
        ("@.rank > 7", 0), ("@.isActive == true", 3), ("@.isActive == false", 0), ("@.score == 1.5", 3),
        (#"match(@.role, "gu.*")"#, 3), ("@.role == null", 0), ("@.tags", 3), ("!@.born", 0),
        (#"@.cards[?@.kind == "plain"]"#, 1), (#"@.born < "1970-01-01T00:00:01Z""#, 3),
        (#"@.key == "AQI=""#, 3),
        (#"@.role == "guest" && @.name == "b""#, 1),
      ]
      for (text, count) in filters {
        try #expect(snapshot.count(new.where(Filter(text))) == count, "\(text)")
      }
      let sorted = new.sorted(by: "rank", descending: true).sorted(by: "name", descending: true)
      try #expect(snapshot.records(sorted).map { $0["id"] } == [2, 1, 3])
      try #expect(snapshot.records(sorted.after(key: 2).limit(1)).map { $0["id"] } == [1])
      try #expect(snapshot.record("User", key: 3)?["rank"] == 7)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func everyKindOfWriteStoresThemEvenIfItChangesNothingElse(_ kind: StoreKind) throws {
    let plain = Mapping("Plain", entity: "User", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("role", .string).default("guest")
    }
    for write in ["import", "deletion", "save"] {
      let world = try World(kind, Self.old.get(), plain, Self.stored.get(), holding: Self.first)
      switch write {
      case "import": try #expect(world.load(#"{"id":1}"#, as: "Plain") == "User =1")
      case "deletion": try #expect(world.store.delete(plain.where(Filter(#"@.role == "x""#))).total == 0)
      default:
        let context = try ObjectContext(world.store, for: world.plan("Plain"))
        try context.record("User", key: 1)?["role"] = "admin"
        try context.save()
        context.end()
      }
      let user = try world.store.read(world.plan("Stored")) { try $0.record("User", key: 3) }
      // A deletion adds no columns to a table.
      let isRead = kind == .postgres && write == "deletion"
      #expect(user?["role"] == (isRead ? nil : "guest"), "\(write)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDryRunCountsAsTheImportDoesAndStoresNone(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    let json = #"""
      [{"id":1,"rank":7},{"id":1},{"id":2,"role":"admin"},{"id":3,"tags":null},{"id":4},\#
      {"id":1,"cards":[{"number":1,"kind":"plain"}]}]
      """#
    let dryRun = ImportOptions(isDryRun: true)
    if kind == .postgres {
      #expect(throws: (any Error).self) { try world.load(json, as: "New", options: dryRun) }
      _ = try world.store.prepare(world.plan("New").schema)
    }
    let dry = try world.load(json, as: "New", options: dryRun)
    try #expect(world.store.exported(world.plan("Stored")).contains("guest") == false)
    try expectDefaults(world)
    try #expect(world.load(json, as: "New") == dry)
    #expect(dry == "User +1 ~2 =1, Card =1")
    try world.store.read(world.plan("Stored")) { snapshot in
      let user = try snapshot.record("User", key: 3)
      #expect(user != nil && user?["tags"] == nil)
      #expect(user?["role"] == "guest")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletionStoresThemToo(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    let query = world.plan("New").where(try Filter(#"@.role == "guest" && @.id == 1"#))
    try #expect(world.store.delete(query).total == 2)
    // A deletion adds no columns to a table.
    try #expect(
      world.store.exported(world.plan(kind == .postgres ? "New" : "Stored"))
        == #"[{"id":2,"name":"b",\#(Self.defaults)},{"id":3,\#(Self.defaults)}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func anAttributeThatTheStoreKnowsKeepsItsValues(_ kind: StoreKind) throws {
    let world = try World(kind, Self.stored.get(), Self.new.get())
    try world.load(#"[{"id":1},{"id":2,"role":"admin"}]"#)
    try #expect(world.load(#"{"id":2,"rank":1}"#, as: "New") == "User ~1")
    try #expect(
      world.store.exported(world.plan("Stored")) == #"[{"id":1},{"id":2,"rank":1,"role":"admin"}]"#)
  }

  private static let unique = Mapping("Unique", entity: "User", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("role", .string).default("guest")
    Index("role", isUnique: true)
  }

  @Test(arguments: StoreKind.allCases)
  func aUniqueIndexOverOneRefusesTheWriteAndNothingIsStored(_ kind: StoreKind) throws {
    let world = try World(kind, Self.old.get(), Self.unique, Self.stored.get(), holding: Self.first)
    #expect(world.failure(of: #"{"id":9,"role":"x"}"#, as: "Unique")?.contains("guest") == true)
    try #expect(
      world.store.exported(world.plan("Stored"))
        == #"[{"id":1,"name":"a","cards":[{"number":1}]},{"id":2,"name":"b"},{"id":3}]"#)
  }

  private func expectSound(_ store: any Store) throws {
    if let store = store as? any PersistentStore { #expect(try store.check().problems.isEmpty) }
  }

  /// The second occurrence restores the first object, so the store compares with the values before the write.
  @Test(arguments: StoreKind.allCases)
  func afterARefusedWriteTheNextOneStoresThemAndCountsNothing(_ kind: StoreKind) throws {
    let world = try World(kind, Self.old.get(), Self.new.get(), Self.unique, Self.stored.get())
    try world.load(Self.first)
    for _ in 0..<2 { #expect(world.failure(of: #"{"id":9,"role":"x"}"#, as: "Unique") != nil) }
    try expectDefaults(world)
    try expectSound(world.store)
    let restored = #"[{"id":1,"name":"x"},{"id":1,"name":"a"},{"id":2,"role":"y"},{"id":2,"role":"guest"}]"#
    try #expect(world.load(restored, as: "New") == "User =2")
    try #expect(world.store.exported(world.plan("Stored")) == Self.shown)
    try expectDefaults(world)
    try #expect(world.load(Self.first, as: "New") == "User =3, Card =1")
  }

  @Test(arguments: StoreKind.allCases)
  func afterARefusedWriteAPayloadThatRepairsItIsImported(_ kind: StoreKind) throws {
    let world = try World(kind, Self.old.get(), Self.unique, Self.stored.get(), holding: Self.first)
    #expect(world.failure(of: #"{"id":9,"role":"x"}"#, as: "Unique") != nil)
    try #expect(world.load(#"[{"id":1,"role":"a"},{"id":3,"role":"c"}]"#, as: "Unique") == "User ~2")
    try world.store.read(world.plan("Stored")) { snapshot in
      let roles = try (1...3).map { try snapshot.record("User", key: $0)?["role"] }
      #expect(roles == ["a", "guest", "c"])
    }
    #expect(world.failure(of: #"{"id":9,"role":"guest"}"#, as: "Unique")?.contains("guest") == true)
    try expectSound(world.store)
  }

  @Test(arguments: StoreKind.allCases)
  func afterARefusedWriteAnAttributeWithoutADefaultHasNoValues(_ kind: StoreKind) throws {
    let world = try World(kind, Self.old.get(), Self.unique, Self.new.get(), Self.stored.get())
    try world.load(Self.first)
    #expect(world.failure(of: #"{"id":9,"role":"x"}"#, as: "Unique") != nil)
    try #expect(world.load(#"{"id":1,"role":"a"}"#, as: "Stored") == "User ~1")
    // The store knows the attribute by now, so its default is for new objects alone.
    try #expect(world.load(#"[{"id":2,"rank":7},{"id":4}]"#, as: "New") == "User +1 ~1")
    try world.store.read(world.plan("Stored")) { snapshot in
      let roles = try (1...4).map { try snapshot.record("User", key: $0)?["role"] }
      #expect(roles == ["a", nil, nil, "guest"])
    }
  }

  /// More objects than a page has, with records on several pages of the file.
  @Test(arguments: StoreKind.allCases)
  func allObjectsGetThem(_ kind: StoreKind) throws {
    let count = TestSize.rounds(small: 5000, whole: 20_000)
    let world = try World(kind, Self.old.get(), Self.new.get(), Self.stored.get())
    try world.load("[" + (1...count).map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: ",") + "]")
    try world.load("[]", as: "New")
    let query = world.plan("Stored").where(try Filter(#"@.role == "guest" && @.rank == 7"#))
    try #expect(world.store.read { try $0.count(query) } == count)
    let indexed = world.plan("New").where(try Filter("@.rank == 7")).sorted(
      by: "name", descending: true
    ).limit(1)
    let greatest = (1...count).map { "n\($0)" }.max() ?? ""
    try #expect(world.store.read { try $0.records(indexed).map { $0["name"] } } == [.string(greatest)])
  }
}
