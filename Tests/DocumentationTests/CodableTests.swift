// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapFoundation
import FastMapMemory
import Foundation
import Testing

@Suite("ComingFromCodable.md")
struct CodableTests {
  struct PersonDTO: Codable {
    var id: Int
    var fullName: String?
    var born: Date?
    var city: String?
    var friends: [PersonDTO]

    enum CodingKeys: String, CodingKey { case id, fullName, born, address, friends }
    enum AddressKeys: String, CodingKey { case city }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      fullName = try container.decodeIfPresent(String.self, forKey: .fullName)
      born = try container.decodeIfPresent(Date.self, forKey: .born)
      let address = try? container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      city = try address?.decodeIfPresent(String.self, forKey: .city)
      friends = try container.decodeIfPresent([PersonDTO].self, forKey: .friends) ?? []
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encodeIfPresent(fullName, forKey: .fullName)
      try container.encodeIfPresent(born, forKey: .born)
      var address = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      try address.encodeIfPresent(city, forKey: .city)
      try container.encode(friends, forKey: .friends)
    }
  }

  final class Person {
    var id = 0
    var fullName: String?
    var born: Date?
    var city: String?
    var friends: [Person] = []

    static let mapping: Mapping<Person> = Mapping(
      Person.self, "Person", primaryKey: "id", keys: .snakeCase, make: Person.init
    ) {
      Attribute("id", \.id)
      Attribute("fullName", \.fullName)
      Attribute("born", \.born)
      Attribute("city", \.city, at: "address.city")
      ToMany("friends", \.friends, Person.mapping)
    }
  }

  @Test func theSamePayloadTwiceFollowsThePage() throws {
    let data = Data(
      #"""
      [{"id": 1, "full_name": "Ada", "born": "1815-12-10T00:00:00Z", "address": {"city": "London"},
        "friends": [{"id": 3, "full_name": "Charles"}]},
       {"id": 2, "friends": [{"id": 3}]}]
      """#.utf8)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    let decoded = try decoder.decode([PersonDTO].self, from: data)

    let people = try Person.mapping.objects(from: Array(data))

    #expect(people.map(\.id) == decoded.map(\.id))
    #expect(people[0].fullName == decoded[0].fullName)
    #expect(people[0].born == decoded[0].born)
    #expect(people[0].city == decoded[0].city)
    #expect(people[0].friends[0] === people[1].friends[0])
    #expect(people[1].friends[0].fullName == "Charles")
    #expect(decoded[1].friends[0].fullName == nil)
  }

  final class Required: ImportDelegate {
    struct NameIsMissing: Error {}

    func willMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      if object.entity == "Person", representation["full_name"]?.string == nil { throw NameIsMissing() }
    }
  }

  @Test func membersThatMustBeThereAreChecked() throws {
    var options = ImportOptions()
    options.delegate = Required()
    let mapper = Mapper(MemoryStore())
    #expect(throws: Required.NameIsMissing.self) {
      try mapper.importJSON(#"{"id": 1}"#, as: Person.mapping, options: options)
    }
    _ = try mapper.importJSON(#"{"id": 1, "full_name": "A"}"#, as: Person.mapping, options: options)
  }

  enum Role: String, AttributeValue { case admin, guest }

  enum Status: String, AttributeValueWithFallback {
    case active, closed, unknown
    static let fallback = Status.unknown
  }

  final class Account {
    var id = 0
    var role = Role.guest
    var status: Status?
    var scores: [Double] = []

    static let mapping = Mapping(Account.self, "Account", primaryKey: "id", make: Account.init) {
      Attribute("id", \.id)
      Attribute("role", \.role)
      Attribute("status", \.status)
      Attribute("scores", \.scores)
    }
  }

  @Test func enumsAndArraysAreMapped() throws {
    func load(_ json: String) throws -> Account? {
      try Account.mapping.object(from: json)
    }
    let account = try load(#"{"id": 1, "role": "admin", "status": "frozen", "scores": [1, 2.5]}"#)
    #expect(account?.role == .admin)
    #expect(account?.status == .unknown)
    #expect(account?.scores == [1, 2.5])
    #expect(throws: MappingError.self) { try load(#"{"id": 1, "role": "king"}"#) }
    #expect(throws: MappingError.self) { try load(#"{"id": 1, "scores": [1, "x"]}"#) }
  }

  struct Coded<Value: Codable & Sendable>: AttributeValue {
    var value: Value

    init(_ value: Value) { self.value = value }

    static var attributeType: AttributeType { .json }

    static var expectation: (@Sendable (JSONValue) -> String?)? {
      { json in
        (try? JSONDecoder().decode(Value.self, from: Data(json.text.utf8))) == nil ? "a \(Value.self)" : nil
      }
    }

    init?(_ field: Field) {
      guard let bytes = field.bytes, let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
        return nil
      }
      self.value = value
    }

    func write(to field: inout FieldWriter) {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      guard let data = try? encoder.encode(value) else { return field.setNull() }
      data.withUnsafeBytes { field.set(json: $0) }
    }
  }

  final class Product {
    var id = 0
    var labels = Coded<[String: String]>([:])

    static let mapping = Mapping(Product.self, "Product", primaryKey: "id", make: Product.init) {
      Attribute("id", \.id)
      Attribute("labels", \.labels)     // {"id": 1, "labels": {"fr": "chaise", "en": "chair"}}
    }
  }

  @Test func codableValuesAreAttributes() throws {
    let mapper = Mapper(MemoryStore())
    let json = Array(#"{"id": 1, "labels": {"fr": "chaise", "en": "chair"}}"#.utf8)
    let product = try Product.mapping.object(from: json)
    #expect(product?.labels.value == ["fr": "chaise", "en": "chair"])
    _ = try mapper.importJSON(json, as: Product.mapping)
    #expect(try mapper.importJSON(json, as: Product.mapping)["Product"] == .init(unchanged: 1))
    if let product {
      #expect(
        try Serializer(Product.mapping).json(of: product) == #"{"id":1,"labels":{"en":"chair","fr":"chaise"}}"#)
    }
    do {
      _ = try mapper.importJSON(#"{"id": 1, "labels": {"fr": 7}}"#, as: Product.mapping)
      Issue.record("a number was taken")
    } catch {
      #expect("\(error)".contains("Dictionary<String, String>"))
    }
  }
}
