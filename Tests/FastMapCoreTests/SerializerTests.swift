import Testing

@testable import FastMapCore

// MARK: A store

/// Objects in a dictionary, by the names of their fields.
private struct Graph: Sendable {
  /// A value that a literal can be.
  struct Content: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(integerLiteral value: Int64) { self.value = .integer(value) }
    init(stringLiteral value: String) { self.value = .string(value) }
    static let null = Content(.null)
  }

  struct Object: Sendable {
    var entity: String
    var values: [String: Content] = [:]
    var one: [String: ObjectID] = [:]
    var many: [String: [ObjectID]] = [:]
  }

  var objects: [ObjectID: Object] = [:]

  mutating func add(
    _ id: ObjectID, _ entity: String, _ values: [String: Content] = [:], one: [String: ObjectID] = [:],
    many: [String: [ObjectID]] = [:]
  ) {
    objects[id] = Object(entity: entity, values: values, one: one, many: many)
  }
}

private struct GraphReader: StoreReader {
  let graph: Graph
  let schema: Schema
  var reads = 0

  struct Failure: Error {}
  var failingRead: Int?

  init(_ graph: Graph, _ schema: Schema) {
    self.graph = graph
    self.schema = schema
  }

  mutating func use(_ schema: Schema) {}
  mutating func find(_ key: PrimaryKey, of entity: Int) -> ObjectID? { nil }

  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    reads += 1
    if reads == failingRead { throw Failure() }
    guard let object = graph.objects[id], object.entity == schema.entities[entity].name else { return false }
    let fields = schema.entities[entity].fields
    buffer.reset(count: fields.count)
    for (index, field) in fields.enumerated() {
      switch field.kind {
      case .attribute: if let content = object.values[field.name] { buffer.set(content.value, at: index) }
      case .toOne: if let target = object.one[field.name] { buffer.setTarget(target, at: index) }
      case .toMany: break
      }
    }
    return true
  }

  mutating func targets(of owners: [ObjectID], entity: Int, field: Int) -> [[ObjectID]] {
    owners.map { graph.objects[$0]?.many[schema.entities[entity].fields[field].name] ?? [] }
  }

  mutating func forEach(
    of entity: Int, keys: ClosedKeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) {}

  mutating func count(of entity: Int) -> Int { 0 }
}

// MARK: Mappings

private let author = Mapping("Author", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("name", .string, at: "n")
}

private let tag = Mapping("Tag") { Attribute("text", .string, at: nil) }

private let book = Mapping("Book", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("title", .string, at: "t")
  Attribute("year", .integer, at: "info.year")
  Attribute("pages", .integer, at: "info.print.pages")
  ToOne("author", author, at: "info.by")
  ToMany("editors", author)
  ToMany("tags", tag)
}

/// A key that is no plain member.
private let club = Mapping("Club", primaryKey: "id") {
  Attribute("id", .integer, at: "meta.id")
  Attribute("name", .string)
  ToMany("members", member, at: "meta.members")
}

private let member: Mapping<Record> = Mapping("Member", primaryKey: "id") {
  Attribute("id", .string)
  ToOne("club", club)
  ToOne("friend", member)
}

/// No key, and itself inside of it.
private let part: Mapping<Record> = Mapping("Part") {
  Attribute("n", .integer)
  ToOne("inner", part)
  ToMany("parts", part)
}

private let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
  Attribute("id", .integer)
  ToOne("child", node)
  ToOne("tail", Mapping("NodeRef", entity: "Node", primaryKey: "id") { Attribute("id", .integer, at: nil) })
}

private func write(
  _ mapping: Mapping<Record>, _ graph: Graph, _ id: ObjectID = 1,
  _ change: (inout SerializerOptions) -> Void = { _ in }
) throws -> String {
  var options = SerializerOptions()
  change(&options)
  let plan = try Plan(mapping)
  var reader = GraphReader(graph, plan.schema)
  var output = JSONWriter()
  #expect(try Serializer(plan, options: options).write(id, from: &reader, to: &output))
  return String(decoding: output.bytes, as: UTF8.self)
}

private func graph(_ fill: (inout Graph) -> Void) -> Graph {
  var graph = Graph()
  fill(&graph)
  return graph
}

@Suite struct SerializerTests {
  // MARK: Attributes

  struct AttributeCase: Sendable {
    var type: AttributeType
    var value: Value
    var expected: String

    init(_ type: AttributeType, _ value: Value, _ expected: String) {
      self.type = type
      self.value = value
      self.expected = expected
    }
  }

  /// FEM-179, FEM-186, WAM-107, WAM-108
  @Test(arguments: [
    AttributeCase(.boolean, .boolean(false), "false"),
    AttributeCase(.boolean, .boolean(true), "true"),
    AttributeCase(.integer, .integer(0), "0"),
    AttributeCase(.integer, .integer(.min), "-9223372036854775808"),
    AttributeCase(.integer, .unsigned(.max), "18446744073709551615"),
    AttributeCase(.number, .number(5), "5"),
    AttributeCase(.number, .number(-0.0), "-0.0"),
    AttributeCase(.string, .string(""), #""""#),
    AttributeCase(.string, .string("a\"\0ł"), #""a\"\u0000ł""#),
    AttributeCase(.data, .data([]), #""""#),
    AttributeCase(.data, .data([0, 255, 16, 9]), #""AP8QCQ==""#),
    AttributeCase(.json, .json(#"{"b":[1.0,null],"a":"x"}"#), #"{"b":[1.0,null],"a":"x"}"#),
    AttributeCase(.date(.iso8601), .date(Instant(seconds: 0)), #""1970-01-01T00:00:00Z""#),
    AttributeCase(
      .date(.iso8601), .date(Instant(seconds: -1, nanoseconds: 500_000_000)), #""1969-12-31T23:59:59.5Z""#),
    AttributeCase(.date(.epoch), .date(Instant(seconds: -7)), "-7"),
    AttributeCase(.date(.epoch), .date(Instant(seconds: 7, nanoseconds: 500_000_000)), "7.5"),
    AttributeCase(.date(.epochMilliseconds), .date(Instant(seconds: 7, nanoseconds: 250_000_000)), "7250"),
    AttributeCase(.date(.epochMilliseconds), .date(Instant(seconds: 7, nanoseconds: 500_000)), "7000.5"),
    AttributeCase(.date(.epochMilliseconds), .date(Instant(seconds: -1, nanoseconds: 999_000_000)), "-1"),
    AttributeCase(
      .date(.epochMilliseconds), .date(Instant(seconds: .max)), "9.223372036854776e+21"),
    AttributeCase(.date(.pattern("%Y-%m-%d")), .date(Instant(seconds: 194_313_600)), #""1976-02-28""#),
    AttributeCase(.date(.pattern("%s\"")), .date(Instant(seconds: .min)), #""-9223372036854775808\"""#),
  ])
  func attributesHaveTheFormOfTheirType(_ test: AttributeCase) throws {
    let mapping = Mapping("E") { Attribute("a", test.type) }
    #expect(
      try write(mapping, graph { $0.add(1, "E", ["a": .init(test.value)]) }) == #"{"a":\#(test.expected)}"#)
  }

  /// FEM-181, FEM-189: left out, and with them the objects that only they are in
  @Test func missingAndNullValuesAreLeftOut() throws {
    let stored = graph { $0.add(1, "Book", ["id": 1, "title": .null, "year": .null]) }
    #expect(try write(book, stored) == #"{"id":1}"#)
    #expect(try write(book, graph { $0.add(1, "Book") }) == "{}")
    let notANumber = Mapping("E") { Attribute("a", .number) }
    #expect(try write(notANumber, graph { $0.add(1, "E", ["a": .init(.number(.nan))]) }) == "{}")
  }

  /// FEM-182, WAM-106; the list that is not there cannot be told from the empty one
  @Test func nullsAreWrittenOnDemand() throws {
    let stored = graph { $0.add(1, "Book", ["id": 1]) }
    #expect(
      try write(book, stored) { $0.includesNulls = true }
        == #"{"id":1,"t":null,"info":{"year":null,"print":{"pages":null},"by":null},"editors":[],"tags":[]}"#)
  }

  /// FEM-180, WAM-105, WAM-118, Q-16: relationships (FEM-192, BUG-56) share nested objects with attributes
  @Test func keyPathsNestInTheOrderDeclared() throws {
    let stored = graph {
      $0.add(1, "Book", ["id": 1, "title": "Dune", "year": 1965, "pages": 412], one: ["author": 2])
      $0.add(2, "Author", ["id": 2, "name": "Frank"])
    }
    #expect(
      try write(book, stored)
        == #"{"id":1,"t":"Dune","info":{"year":1965,"print":{"pages":412},"by":{"id":2,"n":"Frank"}}}"#)
  }

  @Test func namesAreEscaped() throws {
    let mapping = Mapping("E") {
      Attribute("a", .integer, at: JSONKeyPath(components: ["a.b", "\"\n"]))
      Attribute("b", .integer, at: "")
    }
    #expect(
      try write(mapping, graph { $0.add(1, "E", ["a": 1, "b": 2]) }) == #"{"a.b":{"\"\n":1},"":2}"#)
  }

  @Test func ofTwoFieldsAtOneKeyPathTheFirstWithAValueIsWritten() throws {
    let mapping = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("authorID", .integer, at: "by")
      Attribute("authorText", .json, at: "by")
      ToOne("author", author, at: "by")
    }
    var stored = graph {
      $0.add(1, "Book", ["authorID": 2, "authorText": .init(.json("2"))], one: ["author": 2])
      $0.add(2, "Author", ["id": 2])
    }
    #expect(try write(mapping, stored) == #"{"by":2}"#)
    stored.objects[1]?.values["authorID"] = .null
    #expect(try write(mapping, stored) == #"{"by":2}"#)
    stored.objects[1]?.values = [:]
    #expect(try write(mapping, stored) == #"{"by":{"id":2}}"#)
    stored.objects[1]?.one = [:]
    #expect(try write(mapping, stored) == "{}")
    #expect(try write(mapping, stored) { $0.includesNulls = true } == #"{"id":null,"by":null}"#)
  }

  // MARK: Relationships

  /// FEM-187, FEM-188, WAM-109, WAM-110
  @Test func relatedObjectsAreNestedInTheirOrder() throws {
    let stored = graph {
      $0.add(1, "Book", ["id": 1], many: ["editors": [3, 2, 9], "tags": [4, 5, 6]])
      $0.add(2, "Author", ["id": 2])
      $0.add(3, "Author", ["id": 3, "name": "Ed"])
      $0.add(4, "Tag", ["text": "b"])
      $0.add(5, "Tag")
      $0.add(6, "Tag", ["text": "a"])
    }
    // 9 is not stored any more; 5 has nothing to show
    #expect(
      try write(book, stored) == #"{"id":1,"editors":[{"id":3,"n":"Ed"},{"id":2}],"tags":["b","a"]}"#)
  }

  @Test func targetsThatAreGoneAreLeftOut() throws {
    let stored = graph {
      $0.add(1, "Book", ["id": 1], one: ["author": 8], many: ["editors": [9], "tags": [7]])
    }
    #expect(try write(book, stored) == #"{"id":1}"#)
  }

  /// Q-15, FEM-191, WAM-116, BUG-64: what is read from bare values is written as bare values
  @Test func bareKeysAreWrittenAsBareKeys() throws {
    let reference = Mapping("AuthorRef", entity: "Author", primaryKey: "id") {
      Attribute("id", .integer, at: nil)
    }
    let mapping = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("author", reference, at: "by_id")
      ToMany("editors", reference, at: "ids.editors")
    }
    let stored = graph {
      $0.add(1, "Book", ["id": 1], one: ["author": 2], many: ["editors": [3, 4, 2]])
      $0.add(2, "Author", ["id": 2, "name": "Frank"])
      $0.add(3, "Author", ["id": 3])
      $0.add(4, "Author", ["name": "no key"])
    }
    #expect(try write(mapping, stored) == #"{"id":1,"by_id":2,"ids":{"editors":[3,2]}}"#)
    #expect(try write(reference, stored, 2) == "2")
    #expect(try write(reference, stored, 4) == "null")
  }

  @Test func aWholeRepresentationStandsForTheObject() throws {
    let mapping = Mapping("E", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("raw", .json, at: nil)
    }
    let stored = graph {
      $0.add(1, "E", ["id": 1, "raw": .init(.json(#"{"id":1,"more":[]}"#))])
      $0.add(2, "E", ["id": 2])
    }
    #expect(try write(mapping, stored) == #"{"id":1,"more":[]}"#)
    #expect(try write(mapping, stored, 2) == #"{"id":2}"#)
  }

  /// WAM-111: absent, not null
  @Test func relationshipsCanBeLeftOut() throws {
    let stored = graph {
      $0.add(1, "Book", ["id": 1], one: ["author": 2], many: ["editors": [2]])
      $0.add(2, "Author", ["id": 2])
    }
    let text = try write(book, stored) {
      $0.includesNulls = true
      $0.shouldWrite = { mapping, relationship in mapping.name == "Book" && relationship.name == "tags" }
    }
    #expect(text == #"{"id":1,"t":null,"info":{"year":null,"print":{"pages":null}},"tags":[]}"#)
  }

  // MARK: Relationships that are written into their owner

  private static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer, at: "shelf_id")
    Attribute("room", .string, at: "info.room")
    ToMany("books", stored, at: "info.books")
    ToOne("keeper", author, at: nil)
  }

  private static let stored: Mapping<Record> = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("year", .integer, at: "info.year")
    ToOne("shelf", shelf, at: nil)
    ToOne("author", author)
  }

  /// FEM-190, BUG-57; the keeper's key stands where the book's own does, which is written first
  @Test func aRelationshipWithoutKeyPathIsWrittenIntoItsOwner() throws {
    let library = graph {
      $0.add(1, "Book", ["id": 1, "year": 1965], one: ["shelf": 2, "author": 3])
      $0.add(2, "Shelf", ["id": 20, "room": "B"], one: ["keeper": 4], many: ["books": [1, 5]])
      $0.add(3, "Author", ["id": 3])
      $0.add(4, "Author", ["id": 4, "name": "Kim"])
      $0.add(5, "Book", ["id": 5], one: ["shelf": 2])
    }
    #expect(
      try write(Self.stored, library)
        == #"{"id":1,"info":{"year":1965,"room":"B","books":[{"id":1},{"id":5,"shelf_id":20}]},"#
        + #""shelf_id":20,"n":"Kim","author":{"id":3}}"#)
    #expect(
      try write(Self.stored, library) { $0.cycles = .entityAsKey }
        == #"{"id":1,"info":{"year":1965,"room":"B","books":[{"id":1},{"id":5}]},"#
        + #""shelf_id":20,"n":"Kim","author":{"id":3}}"#)
    #expect(try write(Self.stored, graph { $0.add(1, "Book", ["id": 1]) }) == #"{"id":1}"#)
  }

  @Test func anAbbreviatedObjectInItsOwnerIsWrittenAsItsKeyMember() throws {
    let boss = Mapping("Boss", entity: "Person", primaryKey: "id") {
      Attribute("id", .integer, at: "boss.id")
      Attribute("name", .string, at: "boss.name")
    }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToOne("boss", boss, at: nil)
    }
    var people = graph {
      $0.add(1, "Person", ["id": 1, "name": "A"], one: ["boss": 2])
      $0.add(2, "Person", ["id": 2])
    }
    let full = #"{"id":1,"name":"A","boss":{"id":2}}"#
    #expect(try write(person, people) == full)
    #expect(
      try write(person, people) { $0.includesNulls = true }
        == #"{"id":1,"name":"A","boss":{"id":2,"name":null}}"#)
    people.objects[2]?.values["name"] = "B"
    #expect(try write(person, people) == #"{"id":1,"name":"A","boss":{"id":2,"name":"B"}}"#)
    for nulls in [false, true] {
      let text = try write(person, people) {
        $0.cycles = .entityAsKey; $0.includesNulls = nulls
      }
      #expect(text == full)
    }
    people.objects[1]?.one["boss"] = 1
    #expect(
      try write(person, people) { $0.cycles = .entityAsKey }
        == #"{"id":1,"name":"A","boss":{"id":1,"name":"A"}}"#)
  }

  // MARK: Cycles

  private static let clubs = graph {
    $0.add(1, "Club", ["id": 1, "name": "C"], many: ["members": [2, 3]])
    $0.add(2, "Member", ["id": "a"], one: ["club": 1, "friend": 3])
    $0.add(3, "Member", ["id": "b"], one: ["club": 1, "friend": 2])
  }

  /// FEM-194, WAM-112, WAM-114, BUG-55, BUG-61, Q-14
  @Test(arguments: [
    (
      SerializerOptions.Cycles.ancestorAsKey,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b","#
        + #""club":{"meta":{"id":1}},"friend":{"id":"a"}}},{"id":"b","club":{"meta":{"id":1}},"#
        + #""friend":{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b"}}}]},"name":"C"}"#
    ),
    (
      .entityAsKey,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b"}},"#
        + #"{"id":"b","club":{"meta":{"id":1}},"friend":{"id":"a"}}]},"name":"C"}"#
    ),
    (
      .repeatAsKey,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b","#
        + #""club":{"meta":{"id":1}},"friend":{"id":"a"}}},{"id":"b"}]},"name":"C"}"#
    ),
  ])
  func cyclesEndInKeys(_ cycles: SerializerOptions.Cycles, _ expected: String) throws {
    #expect(try write(club, Self.clubs) { $0.cycles = cycles } == expected)
  }

  @Test(arguments: [
    (0, #"{"meta":{"id":1,"members":[{"id":"a"},{"id":"b"}]},"name":"C"}"#),
    (
      1,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b"}},"#
        + #"{"id":"b","club":{"meta":{"id":1}},"friend":{"id":"a"}}]},"name":"C"}"#
    ),
  ])
  func depthIsCountedInRelationships(_ depth: Int, _ expected: String) throws {
    #expect(try write(club, Self.clubs) { $0.depth = depth } == expected)
  }

  @Test func objectsWithoutAKeyAreNestedWhateverTheDepth() throws {
    let stored = graph {
      $0.add(1, "Part", ["n": 1], one: ["inner": 2])
      $0.add(2, "Part", ["n": 2], many: ["parts": [3, 4]])
      $0.add(3, "Part")
      $0.add(4, "Part", ["n": 4])
    }
    for cycles in SerializerOptions.Cycles.allCases {
      let text = try write(part, stored) {
        $0.depth = 0; $0.cycles = cycles
      }
      #expect(text == #"{"n":1,"inner":{"n":2,"parts":[{},{"n":4}]}}"#)
    }
  }

  /// WAM-113, WAM-120, BUG-59: it has no short form
  @Test func anObjectWithoutAKeyIsLeftOutInsideOfItself() throws {
    let parts = graph {
      $0.add(1, "Part", ["n": 1], one: ["inner": 2], many: ["parts": [1]])
      $0.add(2, "Part", ["n": 2], one: ["inner": 1], many: ["parts": [1, 2, 3]])
      $0.add(3, "Part", ["n": 3])
    }
    // its mapping has a key, and it has none
    let members = graph {
      $0.add(1, "Member", one: ["friend": 2])
      $0.add(2, "Member", ["id": "x"], one: ["friend": 1])
    }
    for cycles in SerializerOptions.Cycles.allCases {
      #expect(
        try write(part, parts) { $0.cycles = cycles } == #"{"n":1,"inner":{"n":2,"parts":[{"n":3}]}}"#)
      #expect(try write(member, members) { $0.cycles = cycles } == #"{"friend":{"id":"x"}}"#)
    }
  }

  /// BUG-60: another kind of object is another object, whatever its key
  @Test func objectsOfDifferentEntitiesAreNotMistaken() throws {
    let inner = Mapping("A", primaryKey: "id") {
      Attribute("id", .integer); Attribute("x", .integer)
    }
    let mapping = Mapping("A1", primaryKey: "id") {
      Attribute("id", .integer); ToOne("inner", inner)
    }
    let stored = graph {
      $0.add(1, "A1", ["id": 2], one: ["inner": 2])
      $0.add(2, "A", ["id": 12, "x": 1])
    }
    for cycles in SerializerOptions.Cycles.allCases {
      #expect(try write(mapping, stored) { $0.cycles = cycles } == #"{"id":2,"inner":{"id":12,"x":1}}"#)
    }
  }

  // MARK: Documents

  private static let shelved: Mapping<Record> = Mapping("Author", rootPath: "result.people", primaryKey: "id")
  {
    Attribute("id", .integer)
    ToOne("other", shelved)
  }

  /// FEM-133, FEM-134, FEM-193, BUG-56, BUG-63, WAM-117, WAM-121
  @Test func documentsAreWrappedAtTheRootPath() throws {
    let plan = try Plan(Self.shelved)
    var reader = GraphReader(
      graph {
        $0.add(1, "Author", ["id": 1], one: ["other": 2])
        $0.add(2, "Author", ["id": 2], one: ["other": 1])
      }, plan.schema)
    var options = SerializerOptions()
    options.cycles = .repeatAsKey
    let serializer = Serializer(plan, options: options)
    var output = JSONWriter()
    func text() -> String {
      defer { output.removeAll() }
      return String(decoding: output.bytes, as: UTF8.self)
    }
    // WAM-115: root objects are written in full; what one root wrote is a repeat in the next
    try serializer.writeDocument([1, 9, 2], from: &reader, to: &output)
    #expect(
      text()
        == #"{"result":{"people":[{"id":1,"other":{"id":2,"other":{"id":1}}},{"id":2,"other":{"id":1}}]}}"#)
    try serializer.writeDocument([], from: &reader, to: &output)
    #expect(text() == #"{"result":{"people":[]}}"#)
    #expect(try serializer.writeDocument(2, from: &reader, to: &output))
    #expect(text() == #"{"result":{"people":{"id":2,"other":{"id":1,"other":{"id":2}}}}}"#)
    #expect(try !serializer.writeDocument(9, from: &reader, to: &output))
    #expect(text() == "")
    #expect(try !serializer.write(9, from: &reader, to: &output))
    #expect(text() == "")
  }

  @Test func objectsCanBeElementsOfWhateverTheCallerWrites() throws {
    let plan = try Plan(author)
    var reader = GraphReader(graph { $0.add(1, "Author", ["id": 1]) }, plan.schema)
    let serializer = Serializer(plan)
    var output = JSONWriter(isPretty: true)
    output.beginArray()
    for _ in 0..<2 { try serializer.write(1, from: &reader, to: &output) }
    output.endArray()
    #expect(
      output.bytes == Array("[\n  {\n    \"id\": 1\n  },\n  {\n    \"id\": 1\n  }\n]".utf8))
  }

  // MARK: Faults

  @Test(arguments: [
    (AttributeType.DateFormat.iso8601, "as ISO 8601, which has the years 0 to 9999"),
    (.pattern("%y"), #"with the pattern "%y""#),
  ])
  func aDateThatHasNoFormIsAnError(_ format: AttributeType.DateFormat, _ reason: String) throws {
    let inner = Mapping("I") { Attribute("at", .date(format), at: "when.at") }
    let plan = try Plan(Mapping("O") { ToMany("list", inner, at: "a.list") })
    var reader = GraphReader(
      graph {
        $0.add(1, "O", many: ["list": [3, 2]])
        $0.add(2, "I", ["at": .init(.date(Instant(seconds: 253_402_300_800)))])
        $0.add(3, "I", ["at": .init(.date(Instant(seconds: 0)))])
      }, plan.schema)
    var output = JSONWriter()
    output.beginArray()
    let error = #expect(throws: MappingError.self) {
      try Serializer(plan).write(1, from: &reader, to: &output)
    }
    #expect(
      error?.description
        == "$.a.list[1].when.at: the date 253402300800 seconds from 1970 cannot be written \(reason)")
    output.endArray()
    #expect(output.bytes == Array("[]".utf8))
  }

  @Test func aFailingReadLeavesTheOutputAsItWas() throws {
    let plan = try Plan(club)
    let serializer = Serializer(plan)
    var output = JSONWriter()
    for read in 1...7 {
      var reader = GraphReader(Self.clubs, plan.schema)
      reader.failingRead = read
      #expect(throws: GraphReader.Failure.self) { try serializer.write(1, from: &reader, to: &output) }
      #expect(output.bytes.isEmpty)
    }
    var reader = GraphReader(Self.clubs, plan.schema)
    #expect(try serializer.write(1, from: &reader, to: &output))
  }

  // MARK: Depth and size

  @Test func deepObjectsNeedNoStack() throws {
    let depth: ObjectID = 100_000
    var deep = Graph()
    for id in 1...depth { deep.add(id, "Part", one: id < depth ? ["inner": id + 1] : [:]) }
    let text = try write(part, deep)
    let levels = Int(depth) - 1
    #expect(
      text == String(repeating: #"{"inner":"#, count: levels) + "{}" + String(repeating: "}", count: levels))

    var friends = Graph()
    for id in 1...depth { friends.add(id, "Member", ["id": "m"], one: ["friend": id % depth + 1]) }
    #expect(try write(member, friends).utf8.count == Int(depth) * 20 + 10)
  }

  /// Rows give way to those of deeper objects, and are read again.
  @Test func fieldsAfterADeepRelationshipAreWritten() throws {
    let depth: ObjectID = 100
    var deep = Graph()
    for id in 1...depth {
      deep.add(
        id, "Node", ["id": .init(.integer(Int64(id)))], one: ["child": id + 1, "tail": depth + 1 - id])
    }
    let expected = (1...depth).reversed().reduce("") { inner, id in
      let child = inner.isEmpty ? "" : #""child":\#(inner),"#
      return #"{"id":\#(id),\#(child)"tail":\#(depth + 1 - id)}"#
    }
    #expect(try write(node, deep) == expected)
  }

  /// BUG-55, BUG-62: whatever refers to whatever. No member is written twice, or the copy would lose it.
  @Test(arguments: SerializerOptions.Cycles.allCases)
  func writingEndsForAnyGraph(_ cycles: SerializerOptions.Cycles) throws {
    var random = SplitMix(state: 42)
    let root = Mapping("Root") {
      ToOne("member", member)
      ToMany("parts", part)
      ToOne("book", Self.stored, at: nil)
    }
    for round in 0..<300 {
      let count = ObjectID.random(in: 2...7, using: &random)
      var stored = Graph()
      func some() -> ObjectID { .random(in: 1...count + 1, using: &random) }
      func key() -> [String: Graph.Content] { Bool.random(using: &random) ? ["id": 7] : [:] }
      stored.add(1, "Root", one: ["member": some(), "book": some()], many: ["parts": [some()]])
      for id in 2...count {
        switch ObjectID.random(in: 0..<5, using: &random) {
        case 0: stored.add(id, "Part", ["n": 1], one: ["inner": some()], many: ["parts": [some(), some()]])
        case 1: stored.add(id, "Member", key(), one: ["club": some(), "friend": some()])
        case 2: stored.add(id, "Club", key(), many: ["members": [some(), some()]])
        case 3: stored.add(id, "Book", key(), one: ["shelf": some(), "author": some()])
        default: stored.add(id, "Shelf", key(), one: ["keeper": some()], many: ["books": [some(), some()]])
        }
      }
      let text = try write(root, stored) {
        $0.cycles = cycles
        $0.includesNulls = round % 2 == 0
        $0.depth = round % 3 == 0 ? 2 : nil
      }
      var copy = JSONWriter()
      let bytes = Array(text.utf8)
      try bytes.withUnsafeBytes { try JSONDocument(parsing: $0).withRoot { copy.append($0) } }
      #expect(copy.bytes == bytes)
    }
  }
}

/// The same numbers every time.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
