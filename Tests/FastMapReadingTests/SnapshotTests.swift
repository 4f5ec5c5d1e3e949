import FastMapCore
import Synchronization
import TestSupport
import Testing

/// Names in a snapshot, of reads and of imports.
@Suite struct SnapshotTests {
  private static let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }
  private static let book = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("title", .string)
    ToMany("tags", tag)
  }

  private final class Person {
    var id = 0

    static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() }) {
      Attribute("id", \.id)
    }
  }

  private func message(_ body: () throws -> Void) -> String? {
    do { try body() } catch {
      return (error as? UnknownNameError)?.description ?? (error as? FilterError)?.description
        ?? "another error: \(error)"
    }
    return nil
  }

  @Test(arguments: StoreKind.allCases)
  func aNameThatThePlanDoesNotKnowIsAnErrorThatSuggestsOne(_ kind: StoreKind) throws {
    let store = try kind.make()
    let plan = try Plan(Self.book)
    _ = try Mapper(store).importJSON(#"{"id": 1, "title": "Dune", "tags": [{"id": 2}]}"#, as: plan)
    let entity = #"no entity named "Bok"; did you mean "Book"?"#
    try store.read(plan) { snapshot in
      let found = [
        message { _ = try snapshot.record("Bok", key: 1) },
        message { _ = try snapshot.records(plan.query(of: "Bok").keys(1...2)) },
        message { _ = try snapshot.count(of: "Bok") },
        message { _ = try snapshot.find(1, of: "Bok") },
        message { try snapshot.forEachRow(plan.query(of: "Bok")) { _, _ in true } },
      ]
      #expect(found == Array(repeating: entity, count: 5))
      let book = try #require(try snapshot.record("Book", key: 1))
      let relationship = message { _ = try snapshot.records("tag", of: book) }
      #expect(relationship == #"Book has no relationship named "tag"; did you mean "tags"?"#)
      let field = message { try snapshot.forEachRow(plan) { row, _ in try row["titel"].string != nil } }
      #expect(field == #"Book has no field named "titel"; did you mean "title"?"#)
    }
    #expect(message { _ = try store.delete(plan.query(of: "Bok").keys(1...2)) } == entity)
    #expect(
      message { _ = try store.read { try $0.record("Book", key: 1) } }
        == #"no entity named "Book"; the read was begun without a plan"#)
  }

  @Test(arguments: StoreKind.allCases)
  func soItIsInTheMiddleOfAnImport(_ kind: StoreKind) throws {
    let seen = Mutex<String?>(nil)
    let book = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany(
        "tags", Self.tag,
        policy: .custom { change in
          do { _ = try change.store.find(1, of: "Tga") } catch { seen.withLock { $0 = "\(error)" } }
          return change.new
        })
    }
    _ = try Mapper(kind.make()).importJSON(#"{"id": 1, "tags": [{"id": 2}]}"#, as: book)
    #expect(seen.withLock { $0 } == #"no entity named "Tga"; did you mean "Tag"?"#)
  }

  @Test(arguments: StoreKind.allCases)
  func namesFollowThePlanBesideInstancesOfAnother(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id": 1, "title": "Dune"}"#, as: Self.book)
    _ = try Mapper(store).importJSON(#"{"id": 7}"#, as: Person.mapping)
    try store.read(Plan(Self.book)) { snapshot in
      let person = try snapshot.object(Person.mapping, key: 7, depth: .max)
      let book = try snapshot.record("Book", key: 1)
      let none = try snapshot.object(Person.mapping, key: 1, depth: .max)
      var title: String?
      try snapshot.forEachRow(Plan(Self.book)) { row, _ in
        title = try row["title"].string
        return true
      }
      #expect(person?.id == 7 && none == nil)
      #expect(book?["title"] == .string("Dune") && title == "Dune")
    }
  }
}
