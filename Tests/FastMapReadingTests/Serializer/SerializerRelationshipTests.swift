import FastMapCore
import TestSupport
import Testing

@Suite struct SerializerRelationshipTests {
  @Test func anObjectThatHasNothingToShowIsLeftOut() throws {
    let stored = Graph {
      $0.add(1, "Book", ["id": 1], many: ["tags": [4, 5, 6]])
      $0.add(4, "Tag", ["text": "b"])
      $0.add(5, "Tag")
      $0.add(6, "Tag", ["text": "a"])
    }
    #expect(try serialized(Graph.book, stored) == #"{"id":1,"tags":["b","a"]}"#)
  }

  /// No store of ours keeps links to missing objects.
  @Test func targetsThatAreGoneAreLeftOut() throws {
    let stored = Graph {
      $0.add(1, "Book", ["id": 1], one: ["author": 8], many: ["editors": [9], "tags": [7]])
      $0.add(7, "Tag", ["text": "a"])
      $0.add(8, "Author", ["id": 8])
      $0.add(9, "Author", ["id": 9])
    }
    let plan = try Plan(Graph.book)
    var reader = try GraphReader(stored, plan.schema)
    reader.lost = [7, 8, 9]
    var output = JSONWriter()
    try Serializer(plan).write(reader[1], from: &reader, to: &output)
    #expect(output.bytes == Array(#"{"id":1}"#.utf8))
  }

  /// Q-15, FEM-191, WAM-116, BUG-64: objects that are read from bare values are written as bare values
  @Test func bareKeysAreWrittenAsBareKeys() throws {
    let reference = Mapping("AuthorRef", entity: "Author", primaryKey: "id") {
      Attribute("id", .integer, at: .wholeValue)
    }
    let mapping = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("author", reference, at: "by_id")
      ToMany("editors", reference, at: "ids.editors")
    }
    let stored = Graph {
      $0.add(1, "Book", ["id": 1], one: ["author": 2], many: ["editors": [3, 4, 2]])
      $0.add(2, "Author", ["id": 2, "name": "Frank"])
      $0.add(3, "Author", ["id": 3])
      $0.add(4, "Author", ["name": "no key"])
    }
    #expect(try serialized(mapping, stored) == #"{"id":1,"by_id":2,"ids":{"editors":[3,2]}}"#)
    #expect(try serialized(reference, stored, 2) == "2")
    #expect(try serialized(reference, stored, 4) == "null")
  }

  /// Q-15, FEM-191, WAM-116
  @Test func bareKeysCanBeWrittenAsObjects() throws {
    let reference = Mapping("PersonRef", entity: "Person", primaryKey: "id") {
      Attribute("id", .integer, at: .wholeValue)
    }
    let short = Mapping("Short", entity: "Person", primaryKey: "id") { Attribute("id", .integer) }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToOne("boss", reference)
    }
    let tag = Mapping("TagRef", entity: "Tag", primaryKey: "id") {
      Attribute("id", .integer, at: .wholeValue)
    }
    let team = Mapping("Team", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("members", reference)
      ToOne("first", short)
      ToOne("head", person)
      ToOne("tag", tag)
    }
    let stored = Graph {
      $0.add(1, "Team", ["id": 1], one: ["first": 2, "head": 3, "tag": 4], many: ["members": [2, 3]])
      $0.add(2, "Person", ["id": 2, "name": "Ada"], one: ["boss": 3])
      $0.add(3, "Person", ["id": 3, "name": "Kim"], one: ["boss": 3])
      $0.add(4, "Tag", ["id": 4])
    }
    #expect(
      try serialized(team, stored)
        == #"{"id":1,"members":[2,3],"first":{"id":2},"head":{"id":3,"name":"Kim","boss":3},"tag":4}"#)
    // Nothing is known of a tag but its key; `first` is read as a key in an object, and stays one.
    #expect(
      try serialized(team, stored) {
        $0.expandsKeys = true; $0.cycles = .ancestorAsKey
      }
        == #"{"id":1,"members":[{"id":2,"name":"Ada","boss":{"id":3,"name":"Kim","boss":{"id":3}}},"#
        + #"{"id":3,"name":"Kim","boss":{"id":3}}],"first":{"id":2},"#
        + #""head":{"id":3,"name":"Kim","boss":{"id":3}},"tag":4}"#)
  }

  // BUG-57
  @Test func aWholeRepresentationStandsForTheObject() throws {
    let mapping = Mapping("E", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("raw", .json, at: .wholeValue)
    }
    let stored = Graph {
      $0.add(1, "E", ["id": 1, "raw": .init(.json(#"{"id":1,"more":[]}"#))])
      $0.add(2, "E", ["id": 2])
    }
    #expect(try serialized(mapping, stored) == #"{"id":1,"more":[]}"#)
    #expect(try serialized(mapping, stored, 2) == #"{"id":2}"#)
  }

  // WAM-111: absent, not null
  @Test(arguments: StoreKind.allCases)
  func aFilterLeavesRelationshipsOut(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(), holding: #"{"id":1,"a":{"id":2},"tags":[{"id":3}]}"#)
    var options = SerializerOptions()
    options.includesNulls = true
    options.shouldWrite = { mapping, relationship in mapping.name == "Book" && relationship.name == "tags" }
    try #expect(world.export(nil, options) == #"[{"id":1,"t":null,"y":null,"tags":[{"id":3,"t":null}]}]"#)
  }
}
