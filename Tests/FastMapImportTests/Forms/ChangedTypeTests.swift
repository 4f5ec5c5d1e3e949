import FastMapCore
import TestSupport
import Testing

/// Types of attributes that a later mapping changes, on every store.
@Suite struct ChangedTypeTests {
  /// Two mappings of one entity, with different types of one attribute.
  private static func world(
    _ kind: StoreKind, _ old: AttributeType, _ new: AttributeType, indexed: Bool = false, _ json: String
  ) throws -> World {
    let sources = [("Old", old), ("New", new)].map { name, type in
      Mapping(name, entity: "Order", primaryKey: "id", missingPrimaryKey: .insert) {
        Attribute("id", .integer)
        Attribute("value", type)
        if indexed && type != .json { Index("value") }
      }
    }
    return try World(kind, sources[0], sources[1], holding: json)
  }

  struct Widening: Sendable {
    let old: AttributeType
    let new: AttributeType
    let values: [(String, String)]
  }

  static let widenings: [Widening] = [
    Widening(old: .integer, new: .number, values: [("3", "3"), ("-9007199254740991", "-9007199254740991")]),
    Widening(
      old: .integer, new: .decimal,
      values: [("3", "3"), ("9223372036854775807", "9223372036854775807"), ("0", "0")]),
    Widening(old: .number, new: .decimal, values: [("0.1", "0.1"), ("1e300", "1e300"), ("-2", "-2")]),
    Widening(old: .string, new: .json, values: [(#""a\u0000\n""#, #""a\u0000\n""#), (#""5""#, #""5""#)]),
    Widening(old: .integer, new: .json, values: [("12", "12")]),
    Widening(old: .decimal, new: .json, values: [("0.10", "0.10")]),
    Widening(old: .boolean, new: .json, values: [("true", "true")]),
    Widening(old: .data, new: .json, values: [(#""AQI=""#, #""AQI=""#)]),
    Widening(
      old: .date(.iso8601), new: .json,
      values: [(#""2024-01-02T03:04:05Z""#, #""2024-01-02T03:04:05Z""#)]),
    Widening(old: .string, new: .list(.string), values: [(#""a""#, #"["a"]"#), (#""""#, #"[""]"#)]),
    Widening(old: .integer, new: .list(.integer), values: [("1", "[1]")]),
    Widening(old: .decimal, new: .list(.decimal), values: [("0.10", "[0.10]")]),
    Widening(old: .date(.epoch), new: .list(.date(.epoch)), values: [("86400", "[86400]")]),
  ]

  @Test(arguments: StoreKind.allCases, widenings.indices)
  func theFirstImportConvertsEachValueIntoTheWiderType(_ kind: StoreKind, _ number: Int) throws {
    let change = Self.widenings[number]
    let objects = change.values.enumerated().map { #"{"id":\#($0),"value":\#($1.0)}"# } + [#"{"id":99}"#]
    let world = try Self.world(kind, change.old, change.new, "[\(objects.joined(separator: ","))]")
    // Until then the new type is refused, and the old one stays.
    #expect(
      message { _ = try world.export("New") }?.contains("the first import with this mapping changes it")
        ?? false)
    let report = try world.report("[]", as: "New")
    #expect(report.notes.contains { $0.hasPrefix(#"Order: "value" was "#) }, "\(report.notes)")
    let expected = change.values.enumerated().map { #"{"id":\#($0),"value":\#($1.1)}"# } + [#"{"id":99}"#]
    #expect(try world.export("New") == "[\(expected.joined(separator: ","))]")
    #expect(message { _ = try world.export("Old") } != nil)
    // The same values are unchanged, and the change is made once.
    let again = try world.report("[\(expected.joined(separator: ","))]", as: "New")
    #expect(again.isUnchanged && again.changes.isEmpty, "\(summary(again)) \(again.notes)")
    #expect(try world.store.checkProblems() == [])
  }

  @Test(arguments: StoreKind.allCases)
  func manyObjectsWithAndWithoutAKeyAreConverted(_ kind: StoreKind) throws {
    let objects = (0..<700).map { $0 % 3 == 0 ? #"{"value":\#($0)}"# : #"{"id":\#($0),"value":\#($0)}"# }
    let world = try Self.world(kind, .integer, .decimal, indexed: true, "[\(objects.joined(separator: ","))]")
    _ = try world.report("[]", as: "New")
    let plan = world.plan("New")
    let filter = try Filter("@.value >= 100.5")
    try #expect(world.store.read(plan) { try $0.count(plan.where(filter)) } == 599)
    #expect(try world.store.checkProblems() == [])
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      (AttributeType.string, AttributeType.integer, #""1""#), (.number, .integer, "1.5"),
      (.decimal, .number, "1"), (.json, .string, #""a""#), (.string, .list(.integer), #""a""#),
      (.integer, .number, "9007199254740993"),
    ])
  func anyOtherTypeNeedsAFieldWithoutValues(
    _ kind: StoreKind, _ change: (old: AttributeType, new: AttributeType, value: String)
  ) throws {
    let objects = (1...5).map { #"{"id":\#($0),"value":\#(change.value)}"# } + [#"{"id":6}"#]
    let world = try Self.world(kind, change.old, change.new, "[\(objects.joined(separator: ","))]")
    let before = try world.export("Old")
    let failure = world.failure(of: #"{"id":7}"#, as: "New")
    #expect(failure?.contains(#"entity Order: "value" is stored as"#) ?? false, "\(failure ?? "")")
    #expect(
      failure?.hasSuffix("; 5 objects have values that do not fit: 1, 2, 3, …") ?? false, "\(failure ?? "")")
    #expect(try world.export("Old") == before)
    // Without values, it takes any type.
    try world.load("[\((1...5).map { #"{"id":\#($0),"value":null}"# }.joined(separator: ","))]", as: "Old")
    #expect(try world.report(#"{"id":7}"#, as: "New").changes.count == 1)
    #expect(try world.export("New").contains(#"{"id":7}"#))
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyKeepsItsType(_ kind: StoreKind) throws {
    let old = Mapping("Old", entity: "Order", primaryKey: "id") { Attribute("id", .integer) }
    let new = Mapping("New", entity: "Order", primaryKey: "id") { Attribute("id", .string) }
    let world = try World(kind, old, new, holding: #"{"id":1}"#)
    #expect(
      world.failure(of: "[]", as: "New")
        == "entity Order: the primary key is stored as an integer, the mapping says a string")
  }

  @Test(arguments: StoreKind.allCases)
  func anIndexThatTheNewTypeCannotHaveIsAnError(_ kind: StoreKind) throws {
    let world = try Self.world(kind, .integer, .json, indexed: true, #"{"id":1,"value":2}"#)
    #expect(world.failure(of: "[]", as: "New")?.contains(#"the index "value" has it"#) ?? false)
    try world.store.dropIndex("value", of: "Order")
    _ = try world.report("[]", as: "New")
    #expect(try world.export("New") == #"[{"id":1,"value":2}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aFailedImportAndADryRunChangeNoType(_ kind: StoreKind) throws {
    let world = try Self.world(kind, .integer, .decimal, #"{"id":1,"value":2}"#)
    let options = ImportOptions.dry
    let payload = #"{"id":1,"value":2.5}"#
    if kind == .postgres {
      // The change would make readers wait. A real import prepares before it begins.
      let refusal = world.failure(of: payload, as: "New", options: options)
      #expect(
        refusal?.contains(#"prepare would: Order: "value" was an integer"#) ?? false, "\(refusal ?? "")")
    } else {
      #expect(try world.report(payload, as: "New", options: options).changes.count == 1)
      #expect(world.failure(of: #"{"id":1,"value":"x"}"#, as: "New") != nil)
    }
    #expect(try world.export("Old") == #"[{"id":1,"value":2}]"#)
  }
}

/// Earlier names of what is stored, on every store.
@Suite struct EarlierNameTests {
  private static let old = MappingSet([
    Mapping("Client", primaryKey: "no") {
      Attribute("no", .integer)
      Attribute("mail", .string)
      ToOne("boss", .named("Client"))
      ToMany("peers", .named("Client"))
      Index("-mail", isUnique: true)
    }
  ])
  private static let new = MappingSet([
    Mapping("Customer", primaryKey: "id", was: "Client") {
      Attribute("id", .integer, was: "no")
      Attribute("email", .json, was: "mail2")
      Attribute("address", .string, was: "mail")
      ToOne("lead", .named("Customer"), was: "boss")
      ToMany("others", .named("Customer"), was: "peers")
      Index("-address", isUnique: true)
    }
  ])

  @Test(arguments: StoreKind.allCases)
  func theFirstImportRenamesWithTheIndexes(_ kind: StoreKind) throws {
    let world = try World(
      kind, Self.old.plan(for: "Client"), Self.new.plan(for: "Customer"),
      holding: #"[{"no":1,"mail":"a"},{"no":2,"mail":"b","boss":1,"peers":[2,1]}]"#)
    let refusal = message { _ = try world.export("Customer") }
    #expect(refusal?.contains("the first import with this mapping renames them") ?? false, "\(refusal ?? "")")
    let report = try world.report(#"[{"id":3,"address":"c","lead":2}]"#, as: "Customer")
    #expect(summary(report).hasPrefix("Customer +1"))
    #expect(
      report.changes == [
        #"the entity "Client" is now "Customer""#, #"Customer: "no" is now "id""#,
        #"Customer: "mail" is now "address""#, #"Customer: "boss" is now "lead""#,
        #"Customer: "peers" is now "others""#,
      ])
    try #expect(
      world.dump(as: "Customer") == """
        Customer 1 address="a"
        Customer 2 address="b" lead=1 others=[2 1]
        Customer 3 address="c" lead=2
        """)
    // The index keeps its rule under the new name.
    #expect(world.failure(of: #"{"id":4,"address":"a"}"#, as: "Customer")?.contains("-address") ?? false)
    try world.store.dropIndex("-address", of: "Customer")
    #expect(try world.report("[]", as: "Customer").changes.isEmpty)
    #expect(try world.store.checkProblems() == [])
  }

  @Test(arguments: StoreKind.allCases)
  func aRenameAndAnotherTypeAreOneChange(_ kind: StoreKind) throws {
    let old = Mapping("Old", entity: "Order", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("sum", .integer)
    }
    let new = Mapping("New", entity: "Order", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("total", .number, was: "sum")
    }
    let world = try World(kind, old, new, holding: #"{"id":1,"sum":2}"#)
    #expect(message { _ = try world.export("New") }?.contains(#""total" is stored as "sum""#) ?? false)
    try world.load(#"{"id":2,"total":2.5}"#, as: "New")
    #expect(try world.export("New") == #"[{"id":1,"total":2},{"id":2,"total":2.5}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aNameActsOnlyWhileTheOldOneExistsAndTheNewOneDoesNot(_ kind: StoreKind) throws {
    let both = Mapping("Both", entity: "Order", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("sum", .integer)
      Attribute("total", .integer)
    }
    let named = Mapping("Named", entity: "Order", primaryKey: "id", was: "Nothing") {
      Attribute("id", .integer)
      Attribute("total", .integer, was: "sum")
      Attribute("other", .integer, was: "never")
    }
    let world = try World(kind, both, named, holding: #"{"id":1,"sum":2,"total":3}"#)
    let report = try world.report(#"{"id":2,"total":4}"#, as: "Named")
    #expect(report.changes.isEmpty)
    try #expect(world.dump(as: "Both") == "Order 1 sum=2 total=3\nOrder 2 total=4")
  }

  @Test(arguments: StoreKind.allCases)
  func namesThatLookAlikeAreTold(_ kind: StoreKind) throws {
    let (decomposed, composed) = ("e\u{301}", "\u{e9}")
    let old = Mapping("Old", entity: "Order", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute(decomposed, .string)
    }
    let new = Mapping("New", entity: "Order", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute(composed, .string, was: decomposed)
    }
    let world = try World(kind, old, new, holding: #"{"id":1,"\#(decomposed)":"x"}"#)
    #expect(try world.report("[]", as: "New").changes.count == 1)
    #expect(Array(try world.export("New").utf8) == Array(#"[{"id":1,"\#(composed)":"x"}]"#.utf8))
  }

  @Test(arguments: StoreKind.allCases)
  func aPartOfAKeyIsRenamedWithTheKey(_ kind: StoreKind) throws {
    let old = Mapping("Old", entity: "Line", primaryKey: ["order", "no"]) {
      Attribute("order", .integer)
      Attribute("no", .integer)
    }
    let new = Mapping("New", entity: "Line", primaryKey: ["order", "line"]) {
      Attribute("order", .integer)
      Attribute("line", .integer, was: "no")
    }
    let world = try World(kind, old, new, holding: #"{"order":1,"no":2}"#)
    try #expect(world.load(#"[{"order":1,"line":2},{"order":1,"line":3}]"#, as: "New") == "Line +1 =1")
    #expect(try world.export("New") == #"[{"order":1,"line":2},{"order":1,"line":3}]"#)
  }

  @Test(arguments: ["mappings", "attribute", "relationship"])
  func aFileDeclaresEarlierNames(_ place: String) throws {
    let file = #"""
      {"fastmap": 1, "mappings": {"A": {"was": "B", "primaryKey": "id", "attributes": {"id": "integer",
        "x": {"type": "string", "was": "y"}}, "relationships": {"r": {"mapping": "A", "was": "s"}}}}}
      """#
    let set = try MappingSet(file: Array(file.utf8))
    let mapping = try #require(set["A"])
    switch place {
    case "mappings": #expect(mapping.was == "B")
    case "attribute": #expect(mapping.attributes.map(\.was) == [nil, "y"])
    default: #expect(mapping.relationships.map(\.was) == ["s"])
    }
  }
}

extension ImportReport {
  /// The notes about other types and names.
  fileprivate var changes: [String] { notes.filter { $0.contains("is now ") } }
}

extension Store {
  /// What a check finds, of a store that has one.
  fileprivate func checkProblems() throws -> [String] {
    try (self as? any PersistentStore)?.check().problems.map { "\($0)" } ?? []
  }
}
