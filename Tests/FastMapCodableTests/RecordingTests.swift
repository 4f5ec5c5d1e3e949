import FastMapCore
import Testing

/// The mappings of types.
@Suite struct RecordingTests {
  /// The entity, the key, the fields: `Order(id): id string, items [Order.Item]`.
  private func summary(_ definition: MappingDefinition) throws -> String {
    let plan = try Plan(Mapping<Record>(recorded: definition))
    let fields = plan.schema.entities[0].fields.map { field in
      switch field.kind {
      case .attribute(let kind): "\(field.name) \(kind)"
      case .toOne(let target, let isOwned):
        "\(field.name) \(isOwned ? "own " : "")\(plan.schema.entities[target].name)"
      case .toMany(let target, let isOwned):
        "\(field.name) [\(isOwned ? "own " : "")\(plan.schema.entities[target].name)]"
      }
    }
    return "\(definition.entity)(\(definition.primaryKey ?? "")): " + fields.joined(separator: ", ")
  }

  @Test func aTypeIsRecordedWithAllThatItNeeds() throws {
    let customer = try summary(Customer.mapping.definition)
    #expect(
      customer
        == "Customer(id): id integer, name string, level string, tags json, scores json, user_email string, "
        + "address own Address, orders [Order], friends [Customer]")
    try #expect(
      summary(Mapping(Order.self).definition)
        == "Order(id): id string, total number, isPaid boolean, state integer, event json, items [own Order.Item]"
    )
    try #expect(summary(Node.mapping.definition) == "Node(id): id integer, parent Node, children [Node]")
  }

  // MARK: A table of types

  struct Keyless: Codable { var a: Int }
  struct Word: Codable, Identifiable {
    var id: String, n: UInt64?, f: Float, b: [UInt8], s: Set<Int>, o: [Int?]
  }
  struct Code: RawRepresentable, Codable, Hashable { var rawValue: String }
  struct Wrapped: Codable, Identifiable { var id: Code, other: Code?, list: [Code] }
  struct Nested: Codable, Identifiable {
    var id: Int, matrix: [[Int]], maps: [[String: Int]], empty: Empty, pairs: [Int: Keyless]
  }
  struct Empty: Codable {}
  struct Page<Element: Codable>: Codable { var elements: [Element] }
  struct Choice: Codable, Identifiable {
    var id: Int, one: Letter, many: [Letter], payload: Payload, only: Only
  }
  enum Letter: String, Codable { case a, b }
  enum Only: String, Codable { case one }
  enum Payload: Codable { case a(text: String), b }
  struct Deep: Codable, Identifiable { var id: Int, deep: [Deep?], box: Box? }
  final class Box: Codable { var inner: Deep? }

  /// As written by hand: another shape, and a default.
  struct ByHand: Decodable, Identifiable {
    var id: Int
    var name: String
    var city: String?

    enum Keys: String, CodingKey { case id, name, address }
    enum AddressKeys: String, CodingKey { case city }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      id = try container.decode(Int.self, forKey: .id)
      name = try container.decodeIfPresent(String.self, forKey: .name) ?? "none"
      let address = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      city = try address.decodeIfPresent(String.self, forKey: .city)
    }
  }

  @Test(arguments: [
    (Mapping(Keyless.self, key: nil).definition, "RecordingTests.Keyless(): a integer"),
    (Mapping(Keyless.self, key: \.a, named: "Other").definition, "Other(a): a integer"),
    (
      Mapping(Word.self).definition,
      "RecordingTests.Word(id): id string, n integer, f number, b json, s json, o json"
    ),
    (Mapping(Wrapped.self).definition, "RecordingTests.Wrapped(id): id string, other string, list json"),
    (
      Mapping(Nested.self).definition,
      "RecordingTests.Nested(id): id integer, matrix json, maps json, empty json, pairs json"
    ),
    (
      Mapping(Page<Keyless>.self, key: nil, named: "Page").definition,
      "Page(): elements [own RecordingTests.Keyless]"
    ),
    (
      Mapping(Choice.self).definition,
      "RecordingTests.Choice(id): id integer, one string, many json, payload json, only string"
    ),
    (
      Mapping(Deep.self).definition,
      "RecordingTests.Deep(id): id integer, deep json, box own RecordingTests.Box"
    ),
    (Mapping(Choosy.self, key: nil).definition, "RecordingTests.Choosy(): mail string, count integer"),
    (Mapping(ByHand.self).definition, "RecordingTests.ByHand(id): id integer, name string, address json"),
  ])
  func aTypeHasTheFieldsThatItAsksFor(_ definition: MappingDefinition, _ expected: String) throws {
    try #expect(summary(definition) == expected)
  }

  // MARK: Refusals

  struct Computed: Codable, Identifiable {
    var email: String
    var id: String { email }
  }
  struct BadKey: Codable, Identifiable { var id: Double }
  struct AnyNames: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: RecordingTests.ByHand.Keys.self).allKeys
    }
  }
  struct Strict: Decodable {
    struct TooSmall: Error, CustomStringConvertible { var description: String { "expected more" } }
    enum Keys: CodingKey { case count, least }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      let count = try container.decode(Int.self, forKey: .count)
      if try container.decode(Int.self, forKey: .least) >= count { throw TooSmall() }
    }
  }

  /// Takes no zero and no empty text.
  struct Choosy: Decodable {
    struct Refusal: Error {}
    enum Keys: CodingKey { case mail, count }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      let mail = try container.decode(String.self, forKey: .mail)
      if try container.decode(Int.self, forKey: .count) < 1 || !mail.contains("@") { throw Refusal() }
    }
  }
  struct Clash: Codable, Identifiable { var id: Int, a: Inner, b: [Outer.Clash] }
  struct Inner: Codable { var a: Int }
  enum Outer { struct Clash: Codable { var c: Int } }

  @Test(arguments: [
    (
      Mapping(Computed.self).definition,
      "the key Computed.id is no stored property that is decoded; name one: Mapping(Computed.self, key: …)"
    ),
    (Mapping(BadKey.self).definition, "the key BadKey.id is neither an integer nor a string"),
    (
      Mapping(Page<Int>.self, key: nil).definition,
      "Page<Int> is generic, so its entity needs a name: Mapping(Page<Int>.self, named: …)"
    ),
    (
      Mapping(AnyNames.self, key: nil).definition,
      "the fields of AnyNames cannot be recorded: it asks for the names of all members"
    ),
    (
      Mapping(Strict.self, key: nil).definition, "the fields of Strict cannot be recorded: expected more"
    ),
    (Mapping(Letter.self, key: nil).definition, "Letter has no members, so it is no object"),
    (
      Mapping(Keyless.self, key: \.a) { Attribute("a", .integer).default(1) }.definition,
      #"the primary key "a" has a default; each object has a key of its own"#
    ),
    (
      Mapping(Clash.self) { ToMany("a", .mapping(Mapping(Inner.self, key: nil))) }.definition,
      #""a" is one object; use ToOne"#
    ),
    (
      Mapping(Customer.self) { Attribute("email", .string) }.definition,
      #""email" is a property; its field is "user_email""#
    ),
  ])
  func aTypeThatIsNoMappingSaysWhy(_ definition: MappingDefinition, _ reason: String) {
    let error = #expect(throws: MappingDefinitionError.self) {
      try Plan(Mapping<Record>(recorded: definition))
    }
    #expect(error?.faults.map(\.reason).contains(reason) ?? false, "\(error?.description ?? "")")
  }

  @Test func twoTypesOfOneNameAreRefused() {
    let error = #expect(throws: MappingDefinitionError.self) {
      try Mapping(Clash.self, named: "RecordingTests.Inner").plan()
    }
    let reasons = error?.faults.map(\.reason) ?? []
    #expect(
      reasons.contains("two types are named RecordingTests.Inner; give one a mapping of its own, with named:")
    )
  }

  @Test func aLineOfTheBuilderReplacesTheFieldOfItsName() throws {
    let mapping = Mapping(Customer.self) {
      Attribute("user_email", .string, at: "contact.email").default("none")
      ToMany("orders", .mapping(Mapping(Order.self)), policy: .merge)
      Index("name")
    }
    let plan = try mapping.plan()
    #expect(plan.schema.entities[0].indexes.count == 1)
    try #expect(summary(mapping.definition).contains("user_email string"))
  }
}
