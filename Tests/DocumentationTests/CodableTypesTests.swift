// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import FastMapQueries
import Testing

@Suite("CodableTypes.md", .printing)
struct CodableTypesTests {
struct User: Codable, Identifiable {
  var id: Int
  var name: String
  var email: String?
  var address: Address?
  var orders: [Order]

  static let mapping = Mapping(User.self)
}

struct Address: Codable {
  var city: String
}

struct Order: Codable, Identifiable {
  var id: String
  var total: Double
}

  @Test func valuesAreStoredAndRead() throws {
    let store = MemoryStore()
    let ada = User(
      id: 1, name: "Ada", email: nil, address: Address(city: "London"), orders: [Order(id: "a", total: 12.5)])
    try store.upsert([ada], as: User.mapping)

    let report = try Mapper(store).importJSON(#"[{"id": 2, "name": "Charles", "orders": []}]"#, as: User.mapping)

    let users = try store.read { try $0.values(User.mapping) }
    print(report.rootObjects, users.map(\.name))                                        // 1 ["Ada", "Charles"]
    let london = User.mapping.where { $0.address.city == "London" && $0.orders.count > 0 }.sorted(by: \.name)
    print(try store.read { try $0.values(london.limit(10)) }.count) // 1

    #expect(Printed.takeLines() == [#"1 ["Ada", "Charles"]"#, "1"])
  }

  @Test func aBuilderAddsTheOtherParts() throws {
    let mapping = Mapping(User.self) {
      Attribute("email", .string, at: "contact.email")
      ToMany("orders", .mapping(Mapping(Order.self)), policy: .merge)
      Index("name")
    }

    #expect(try mapping.plan().schema.entities.count == 3)
  }

  @Test func valuesAreReadWithoutAStore() throws {
    let parsed = try User.mapping.values(from: #"{"id": 3, "name": "Grace", "orders": []}"#)
    let document = try FastMapEncoder().encode(parsed)
    let again = try FastMapDecoder().decode([User].self, from: document)
    print(again.map(\.name))                                        // ["Grace"]

    #expect(Printed.takeLines() == [#"["Grace"]"#])
  }
}
