// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

@Suite("Mappings.md: mappings, records and a store", .printing)
struct StoredMappingsTests {
  @Test func mappingFilesAreRead() throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "Book": {
          "rootPath": "catalogue.books",
          "primaryKey": "id",
          "attributes": {
            "id": "string",
            "title": "string",
            "published": {"type": "date", "format": "%Y-%m-%d"},
            "height": {"type": "number", "keyPath": "dimensions.height"}
          },
          "relationships": {
            "authors": {"mapping": "Author", "toMany": true, "policy": "merge"}
          }
        },
        "Author": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"}}
      }}
      """#
    let mappings = try MappingSet(file: Array(file.utf8))
    let books = try mappings.plan(for: "Book")

    #expect(books.root.relationships.first?.policy == .merge)
  }

  @Test func twoMappingsShareAnEntity() throws {
    let author = Mapping("Author", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
    }
    let authorKey = Mapping("AuthorKey", entity: "Author", primaryKey: "id") {
      Attribute("id", .integer, at: .wholeValue)     // the representation itself: 7
    }

    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"{"id": 7, "name": "Frank"}"#, as: author)
    let report = try Mapper(store).importJSON(Array("7".utf8), as: authorKey)
    #expect(report["Author"] == .init(unchanged: 1))
  }

  @Test func indexesAreBuiltByImportsAndDroppedByName() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let order = Mapping("Order", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("status", .string)
          Attribute("createdAt", .date(.iso8601))
          Attribute("invoice", .string)
          Index("status", "-createdAt")
          Index("invoice", isUnique: true)
        }

        let orders = try LMDBStore(at: "orders.db")
        _ = try Mapper(orders).importJSON(#"[{"id": 1, "status": "open"}]"#, as: order)
        try orders.dropIndex("status,-createdAt", of: "Order")

        let names = try orders.read(order.plan().schema) { $0.indexes(of: 0).map(\.name) }
        #expect(names == ["invoice"])
      }
    }
  }

  @Test func aNewFieldIsFilledFromAnOldOne() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let old = Mapping("Person", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("height", .number)
        }
        let store = try LMDBStore(at: "people.db")
        _ = try Mapper(store).importJSON(#"[{"id": 1, "height": 1.65}, {"id": 2}]"#, as: Plan(old))

        let person = Mapping("Person", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("height", .number)            // in metres
          Attribute("centimetres", .integer)      // new
        }
        let context = try ObjectContext(store, for: person.plan())
        defer { context.end() }
        for person in try context.records(person.plan()) {
          guard case .number(let metres)? = person["height"] else { continue }
          person["centimetres"] = .integer(Int64((metres * 100).rounded()))
        }
        try context.save()
        let new = Mapping("Person", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("centimetres", .integer)
        }
        let people = try store.read(Plan(new)) { try $0.records("Person") }
        #expect(people.map { $0["centimetres"] } == [.integer(165), nil])
      }
    }
  }

  @Test func theFirstImportChangesTypesAndNames() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let old = Mapping("Client", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("mail", .string)
          Attribute("balance", .integer)
        }
        let store = try LMDBStore(at: "people.db")
        _ = try Mapper(store).importJSON(#"{"id": 1, "mail": "ada@example.org", "balance": 3}"#, as: old.plan())

        let customer = Mapping("Customer", primaryKey: "id", was: "Client") {
          Attribute("id", .integer)
          Attribute("email", .string, was: "mail")
          Attribute("balance", .decimal)          // was .integer
        }
        let report = try Mapper(store).importJSON(#"{"id": 2, "balance": 3.50}"#, as: customer.plan())
        #expect(report.notes.count == 3)
        let ada = try store.read(customer.plan()) { try $0.record("Customer", key: 1) }
        #expect(ada?["email"] == .string("ada@example.org"))
        #expect(ada?["balance"] == .decimal(3))
      }
    }
  }

  private enum Tier: String, AttributeValue { case bronze, silver }

  private final class Member {
    var id = 0
    var tier = Tier.bronze
    var visits: Int8 = 0

    static let mapping = Mapping(Member.self, "Member", primaryKey: "id", make: { Member() }) {
      Attribute("id", \.id)
      Attribute("tier", \.tier)
      Attribute("visits", \.visits)
    }
  }

  @Test func aStoreKeepsValuesThatAPropertyCannotHold() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let old = Mapping("Member", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("tier", .string)
          Attribute("visits", .integer)
        }
        let json = #"[{"id": 1, "tier": "silver", "visits": 300}, {"id": 2, "tier": "gold"}, {"id": 3}]"#
        let store = try LMDBStore(at: "members.db")
        _ = try Mapper(store).importJSON(json, as: Plan(old))
        let unreadable = UnreadableObjects()
        let members = try store.read { try $0.objects(Member.mapping, unreadable: .skip(unreadable)) }
        for error in unreadable.errors { print(error) }
        // Member 1.visits: expected a value of Int8, found 300 in the store
        #expect(members.map(\.id) == [3])
        #expect(
          unreadable.errors.map(\.description) == [
            "Member 1.visits: expected a value of Int8, found 300 in the store",
            #"Member 2.tier: expected a value of Tier, found "gold" in the store"#,
          ])
        let records = try ObjectContext(store, for: old.plan())
        defer { records.end() }
        for member in try records.records(old.plan()) {
          if member["tier"] == .string("gold") { member["tier"] = "silver" }
          if case .integer(let visits)? = member["visits"] { member["visits"] = .integer(min(visits, 127)) }
        }
        try records.save()
        let found = try store.read { try $0.objects(Member.mapping) }
        #expect(found.map(\.tier) == [.silver, .silver, .bronze])
        #expect(found.map(\.visits) == [127, 0, 0])
      }
    }
  }

  @Test func aStoreKeepsItsMappingFile() throws {
    let directory = Scratch()
    let store = try LMDBStore(at: directory.path("kept.db"))
    let bytes = Array(#"{"fastmap": 1, "mappings": {"Order": {"primaryKey": "id", "attributes": {"id": "integer"}}}}"#.utf8)
    let orders = try MappingSet(file: bytes).plan(for: "Order")
    let options = ImportOptions(mappingFile: bytes)
    let report = try Mapper(store).importJSON(#"[{"id": 7}]"#, as: orders, options: options)
    let kept = try store.mappings()?.plan(for: "Order")
    #expect(report["Order"]?.inserted == 1)
    #expect(kept?.root.name == "Order")
    // The store in memory keeps none.
    let memory = MemoryStore()
    _ = try Mapper(memory).importJSON(#"[{"id": 7}]"#, as: orders, options: options)
    #expect(try memory.mappings() == nil)
  }
}
