import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The collection kinds that a to-many property may have.
@Suite struct CollectionPropertyTests {
  private final class Shelf {
    var id = 0
    var array: [TypedFixture.Tag] = []
    var set: Set<TypedFixture.Tag> = []
    var unique: OrderedObjectSet<TypedFixture.Tag> = []
    var maybeArray: [TypedFixture.Tag]?
    var maybeSet: Set<TypedFixture.Tag>?
    var maybeUnique: OrderedObjectSet<TypedFixture.Tag>?
    var one: TypedFixture.Tag?

    static func mapping(_ policy: RelationshipPolicy = .assign) -> Mapping<Shelf> {
      Mapping(Shelf.self, "Shelf", primaryKey: "id", make: Shelf.init) {
        Attribute("id", \.id)
        ToMany("array", \.array, TypedFixture.Tag.mapping, policy: policy)
        ToMany("set", \.set, TypedFixture.Tag.mapping, policy: policy)
        ToMany("unique", \.unique, TypedFixture.Tag.mapping, policy: policy)
        ToMany("maybeArray", \.maybeArray, TypedFixture.Tag.mapping, policy: policy)
        ToMany("maybeSet", \.maybeSet, TypedFixture.Tag.mapping, policy: policy)
        ToMany("maybeUnique", \.maybeUnique, TypedFixture.Tag.mapping, policy: policy)
        ToOne("one", \.one, TypedFixture.Tag.mapping, policy: policy)
      }
    }

    /// The value of a property as text: `[1 2]` in its order, `{1 2}` for a set, `nil`.
    func show(_ property: String) -> String {
      func text(_ tags: some Sequence<TypedFixture.Tag>) -> String {
        "[\(tags.map { "\($0.tagID)" }.joined(separator: " "))]"
      }
      func text(_ tags: Set<TypedFixture.Tag>) -> String {
        "{\(tags.map(\.tagID).sorted().map { "\($0)" }.joined(separator: " "))}"
      }
      return switch property {
      case "array": text(array)
      case "set": text(set)
      case "unique": text(unique)
      case "maybeArray": maybeArray.map { text($0) } ?? "nil"
      case "maybeSet": maybeSet.map { text($0) } ?? "nil"
      case "maybeUnique": maybeUnique.map { text($0) } ?? "nil"
      default: one.map { "\($0.tagID)" } ?? "nil"
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let property: String
    let json: String
    let expected: String
    var testDescription: String { "\(property) \(json)" }
  }

  private static func row(_ json: String, _ cells: (String, String)...) -> [Case] {
    cells.map { Case(property: $0.0, json: json, expected: $0.1) }
  }

  // FEM-88…FEM-93, FEM-95, WAM-51, WAM-53, WAM-81…WAM-88, Q-11, Q-12: every value in every kind of property
  static let cases: [Case] =
    row(
      "[4,2,3,1]", ("array", "[4 2 3 1]"), ("set", "{1 2 3 4}"), ("unique", "[4 2 3 1]"),
      ("maybeArray", "[4 2 3 1]"), ("maybeSet", "{1 2 3 4}"), ("maybeUnique", "[4 2 3 1]"))
    + row(
      "[1,4,2,1]", ("array", "[1 4 2 1]"), ("set", "{1 2 4}"), ("unique", "[1 4 2]"),
      ("maybeArray", "[1 4 2 1]"), ("maybeSet", "{1 2 4}"), ("maybeUnique", "[1 4 2]"))
    + row(
      "1", ("array", "[1]"), ("set", "{1}"), ("unique", "[1]"), ("maybeArray", "[1]"), ("maybeSet", "{1}"),
      ("maybeUnique", "[1]"), ("one", "1"))
    + row(
      #"{"id":1}"#, ("array", "[1]"), ("set", "{1}"), ("unique", "[1]"), ("maybeArray", "[1]"),
      ("maybeSet", "{1}"), ("maybeUnique", "[1]"), ("one", "1"))
    + row("[]", ("array", "[]"), ("set", "{}"), ("unique", "[]"))
    + row(
      "null", ("array", "[]"), ("set", "{}"), ("unique", "[]"), ("maybeArray", "nil"), ("maybeSet", "nil"),
      ("maybeUnique", "nil"), ("one", "nil"))
    + row("[null,1]", ("array", "[1]"), ("set", "{1}"), ("unique", "[1]"), ("maybeArray", "[1]"))

  // FEM-21, WAM-90, BUG-05
  @Test(arguments: TestSize.onStores(cases, others: 2))
  func aValueBecomesTheKindOfTheProperty(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Shelf.mapping(), holding: #"{"id":1,"\#(test.property)":9}"#)
    let payload = #"{"id":1,"\#(test.property)":\#(test.json)}"#
    try world.load(payload)
    let shelf = try #require(try world.instance(Shelf.mapping(), 1))
    #expect(shelf.show(test.property) == test.expected)
    try #expect(world.report(payload).isUnchanged)
  }

  struct Policy: Sendable, CustomTestStringConvertible {
    let policy: RelationshipPolicy
    let json: String
    let array: String
    let set: String
    let unique: String
    let stored: String
    var testDescription: String { "\(policy) \(json)" }
  }

  // FEM-115…FEM-121, WAM-75…WAM-77, WAM-79, BUG-34, BUG-46, Q-02: the old value is [1 2]
  @Test(
    arguments: StoreKind.allCases,
    [
      Policy(
        policy: .assign, json: "[2,3]", array: "[2 3]", set: "{2 3}", unique: "[2 3]", stored: "1 2 3"),
      Policy(
        policy: .merge, json: "[3,2,3]", array: "[1 2 3]", set: "{1 2 3}", unique: "[1 2 3]",
        stored: "1 2 3"),
      Policy(
        policy: .merge, json: "[9,8]", array: "[1 2 9 8]", set: "{1 2 8 9}", unique: "[1 2 9 8]",
        stored: "1 2 8 9"),
      Policy(policy: .merge, json: "[]", array: "[1 2]", set: "{1 2}", unique: "[1 2]", stored: "1 2"),
      Policy(policy: .merge, json: "null", array: "[1 2]", set: "{1 2}", unique: "[1 2]", stored: "1 2"),
      Policy(policy: .replace, json: "[2,3]", array: "[2 3]", set: "{2 3}", unique: "[2 3]", stored: "2 3"),
      Policy(policy: .replace, json: "[]", array: "[]", set: "{}", unique: "[]", stored: ""),
      Policy(policy: .replace, json: "null", array: "[]", set: "{}", unique: "[]", stored: ""),
    ])
  func everyKindFollowsThePolicies(_ kind: StoreKind, _ test: Policy) throws {
    let mapping = Shelf.mapping(test.policy)
    for (property, expected) in [("array", test.array), ("set", test.set), ("unique", test.unique)] {
      let world = try World(kind, mapping, holding: #"{"id":1,"\#(property)":[1,2]}"#)
      let payload = #"{"id":1,"\#(property)":\#(test.json)}"#
      try world.load(payload)
      let shelf = try #require(try world.instance(mapping, 1))
      #expect(shelf.show(property) == expected, "\(property)")
      try #expect(world.keys(of: "Tag") == test.stored, "\(property)")
      try #expect(world.report(payload).isUnchanged, "\(property), imported again")
    }
  }

  // WAM-77, FEM-118: with nothing before, the kind is the property's
  @Test(arguments: StoreKind.allCases)
  func mergingIntoNothingGivesTheNewOnesInJSONOrder(_ kind: StoreKind) throws {
    let mapping = Shelf.mapping(.merge)
    let world = try World(kind, mapping)
    try world.load(#"{"id":1,"array":[9,8,9],"set":[9,8],"unique":[9,8,9],"maybeArray":[5,4]}"#)
    let shelf = try #require(try world.instance(mapping, 1))
    let found = ["array", "set", "unique", "maybeArray", "maybeSet"].map { shelf.show($0) }
    #expect(found == ["[9 8]", "{8 9}", "[9 8]", "[5 4]", "nil"])
  }
}
