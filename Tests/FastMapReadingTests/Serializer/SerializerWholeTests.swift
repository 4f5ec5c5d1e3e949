import FastMapCore
import Testing

@Suite struct SerializerWholeTests {
  /// FEM-190, BUG-57; the keeper's key stands where the book's own does, which is written first
  @Test func aRelationshipWithoutKeyPathIsWrittenIntoItsOwner() throws {
    let library = Graph {
      $0.add(1, "Book", ["id": 1, "year": 1965], one: ["shelf": 2, "author": 3])
      $0.add(2, "Shelf", ["id": 20, "room": "B"], one: ["keeper": 4], many: ["books": [1, 5]])
      $0.add(3, "Author", ["id": 3])
      $0.add(4, "Author", ["id": 4, "name": "Kim"])
      $0.add(5, "Book", ["id": 5], one: ["shelf": 2])
    }
    #expect(
      try serialized(Graph.shelvedBook, library) { $0.cycles = .ancestorAsKey }
        == #"{"id":1,"info":{"year":1965,"room":"B","books":[{"id":1},{"id":5,"shelf_id":20}]},"#
        + #""shelf_id":20,"n":"Kim","author":{"id":3}}"#)
    #expect(
      try serialized(Graph.shelvedBook, library)
        == #"{"id":1,"info":{"year":1965,"room":"B","books":[{"id":1},{"id":5}]},"#
        + #""shelf_id":20,"n":"Kim","author":{"id":3}}"#)
    #expect(try serialized(Graph.shelvedBook, Graph { $0.add(1, "Book", ["id": 1]) }) == #"{"id":1}"#)
  }

  @Test func anAbbreviatedObjectInItsOwnerIsWrittenAsItsKeyMember() throws {
    let boss = Mapping("Boss", entity: "Person", primaryKey: "id") {
      Attribute("id", .integer, at: "boss.id")
      Attribute("name", .string, at: "boss.name")
    }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToOne("boss", boss, at: .wholeValue)
    }
    var people = Graph {
      $0.add(1, "Person", ["id": 1, "name": "A"], one: ["boss": 2])
      $0.add(2, "Person", ["id": 2])
    }
    let full = #"{"id":1,"name":"A","boss":{"id":2}}"#
    func all(_ nulls: Bool = false) throws -> String {
      try serialized(person, people) {
        $0.cycles = .ancestorAsKey; $0.includesNulls = nulls
      }
    }
    #expect(try all() == full)
    #expect(try all(true) == #"{"id":1,"name":"A","boss":{"id":2,"name":null}}"#)
    people.objects[2]?.values["name"] = "B"
    #expect(try all() == #"{"id":1,"name":"A","boss":{"id":2,"name":"B"}}"#)
    for nulls in [false, true] {
      let text = try serialized(person, people) {
        $0.cycles = .entityAsKey; $0.includesNulls = nulls
      }
      #expect(text == full)
    }
    people.objects[1]?.one["boss"] = 1
    #expect(
      try serialized(person, people) { $0.cycles = .entityAsKey }
        == #"{"id":1,"name":"A","boss":{"id":1,"name":"A"}}"#)
  }
}
