// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapQueries

import FastMapLMDB
import TestSupport
import Testing

@Suite("AskingTheStore.md", PrintingTrait())
struct AskingTests {
  final class Person {
    var id = 0
    var name: String?
    var age: Int?
    var boss: Person?

    static let mapping: Mapping<Person> = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("age", \.age)
      ToOne("boss", \.boss, Person.mapping)
    }
  }

  @Test func aStoreIsAsked() throws {
    let store = try ScratchStore()
    let json = #"[{"id": 314, "name": "Ada", "age": 36}, {"id": 7, "age": 40, "boss": {"id": 314}}, {"id": 8, "age": 9, "boss": {"id": 314}}]"#
    _ = try Mapper(store).importJSON(json, as: Person.mapping)

    let adults = try Person.mapping.where(Filter("@.age >= 18 && @.boss.name == \"Ada\""))
    let people = try store.read { try $0.objects(adults) }
    let count = try store.read { try $0.count(adults) }
    #expect(people.map(\.id) == [7])
    #expect(count == 1)

    let named = Person.mapping.where { $0.age >= 18 && $0.boss.name == "Ada" }.sorted(by: \.name)
    let unnamed = Person.mapping.where { $0.name == nil || !($0.boss != nil) }
    try #expect(store.read { try $0.objects(named) }.map(\.id) == [7])
    try #expect(store.read { try $0.objects(unnamed) }.map(\.id) == [7, 8, 314])

    let page = try store.read { try $0.page(adults.limit(20)) }
    let following = adults.after(page.position).limit(20)
    let next = try store.read { try $0.page(following) }
    #expect(page.elements.map(\.id) == [7])
    #expect(next.elements.isEmpty && next.position == page.position)

    let text = next.position?.description ?? ""
    let later = try store.read { try $0.page(adults.after(Position(text)).limit(20)) }
    #expect(later.elements.isEmpty && later.position == page.position)

    let rows = try store.read { try $0.groups(adults, by: ["boss.name"], [.count, .average("age")]) }
    print(rows)     // [[FastMapStoreKit.Value.string("Ada"), FastMapStoreKit.Value.integer(1), FastMapStoreKit.Value.number(40.0)]]
    #expect(Printed.takeLines() == [#"[[FastMapStoreKit.Value.string("Ada"), FastMapStoreKit.Value.integer(1), FastMapStoreKit.Value.number(40.0)]]"#])

    let explanation = try store.read { try $0.explain(adults) }
    print(explanation)     // scan of Person: 3 objects looked at, 1 found
    #expect(Printed.takeLines() == ["scan of Person: 3 objects looked at, 1 found"])
  }

  @Test func anIndexIsUsed() throws {
    let order = Mapping("Order", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("status", .string)
      Attribute("createdAt", .date(.iso8601))
      Index("status", "-createdAt")
    }
    let store = try ScratchStore()
    let json = (0..<100).map { #"{"id": \#($0), "status": "\#($0 % 10 == 0 ? "open" : "done")", "createdAt": "2024-01-\#(10 + $0 % 20)"}"# }
    _ = try Mapper(store).importJSON("[\(json.joined(separator: ","))]", as: order)

    let newest = try order.where(Filter("@.status == \"open\"")).sorted(by: "createdAt", descending: true).limit(2)
    print(try store.read(order) { try $0.explain(newest) })     // Order, index "status,-createdAt": 2 objects looked at, 2 found
    #expect(Printed.takeLines() == [#"Order, index "status,-createdAt": 2 objects looked at, 2 found"#])

    // The page's table.
    for (text, lookedAt) in [
      (#"@.status == "open""#, 10), (#"@.status == "open" && @.createdAt >= "2024-01-20""#, 5),
      (#"length(@.status) > 1 && @.status == "open""#, 10), (#"@.createdAt >= "2024-01-29""#, 100),
      (#"@.status == "open" || @.createdAt > "2024-01-28""#, 100),
    ] {
      let explanation = try store.read(order) { try $0.explain(order.where(Filter(text))) }
      #expect(explanation.lookedAt == lookedAt, "\(text): \(explanation)")
    }
  }
}
