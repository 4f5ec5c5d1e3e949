import FastMapCore
import Testing

@Suite struct SerializerAttributeTests {
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
    AttributeCase(.date(.iso8601), .date(Timestamp(seconds: 0)), #""1970-01-01T00:00:00Z""#),
    AttributeCase(
      .date(.iso8601), .date(Timestamp(seconds: -1, nanoseconds: 500_000_000)), #""1969-12-31T23:59:59.5Z""#),
    AttributeCase(.date(.epoch), .date(Timestamp(seconds: -7)), "-7"),
    AttributeCase(.date(.epoch), .date(Timestamp(seconds: 7, nanoseconds: 500_000_000)), "7.5"),
    AttributeCase(.date(.epochMilliseconds), .date(Timestamp(seconds: 7, nanoseconds: 250_000_000)), "7250"),
    AttributeCase(.date(.epochMilliseconds), .date(Timestamp(seconds: 7, nanoseconds: 500_000)), "7000.5"),
    AttributeCase(.date(.epochMilliseconds), .date(Timestamp(seconds: -1, nanoseconds: 999_000_000)), "-1"),
    AttributeCase(.date(.epochMilliseconds), .date(Timestamp(seconds: .max)), "9.223372036854776e+21"),
    AttributeCase(.date(.pattern("%Y-%m-%d")), .date(Timestamp(seconds: 194_313_600)), #""1976-02-28""#),
    AttributeCase(.date(.pattern("%s\"")), .date(Timestamp(seconds: .min)), #""-9223372036854775808\"""#),
  ])
  func attributesHaveTheFormOfTheirType(_ test: AttributeCase) throws {
    let mapping = Mapping("E") { Attribute("a", test.type) }
    #expect(
      try serialized(mapping, Graph { $0.add(1, "E", ["a": .init(test.value)]) })
        == #"{"a":\#(test.expected)}"#)
  }

  /// FEM-181, FEM-189: left out, and with them the objects that only they are in
  @Test func missingAndNullValuesAreLeftOut() throws {
    let stored = Graph { $0.add(1, "Book", ["id": 1, "title": .null, "year": .null]) }
    #expect(try serialized(Graph.book, stored) == #"{"id":1}"#)
    #expect(try serialized(Graph.book, Graph { $0.add(1, "Book") }) == "{}")
    let notANumber = Mapping("E") { Attribute("a", .number) }
    #expect(try serialized(notANumber, Graph { $0.add(1, "E", ["a": .init(.number(.nan))]) }) == "{}")
  }

  /// FEM-182, WAM-106, Q-13; the list that is not there cannot be told from the empty one
  @Test func nullsAreWrittenOnDemand() throws {
    let stored = Graph { $0.add(1, "Book", ["id": 1]) }
    #expect(
      try serialized(Graph.book, stored) { $0.includesNulls = true }
        == #"{"id":1,"t":null,"info":{"year":null,"print":{"pages":null},"by":null},"editors":[],"tags":[]}"#)
  }

  /// FEM-180, WAM-105, WAM-118, Q-16, BUG-36: relationships (FEM-192, BUG-56) share nested objects with attributes
  @Test func keyPathsNestInTheOrderDeclared() throws {
    let stored = Graph {
      $0.add(1, "Book", ["id": 1, "title": "Dune", "year": 1965, "pages": 412], one: ["author": 2])
      $0.add(2, "Author", ["id": 2, "name": "Frank"])
    }
    #expect(
      try serialized(Graph.book, stored)
        == #"{"id":1,"t":"Dune","info":{"year":1965,"print":{"pages":412},"by":{"id":2,"n":"Frank"}}}"#)
  }

  @Test func namesAreEscaped() throws {
    let mapping = Mapping("E") {
      Attribute("a", .integer, at: JSONKeyPath(components: ["a.b", "\"\n"]))
      Attribute("b", .integer, at: "")
    }
    #expect(
      try serialized(mapping, Graph { $0.add(1, "E", ["a": 1, "b": 2]) }) == #"{"a.b":{"\"\n":1},"":2}"#)
  }

  @Test func ofTwoFieldsAtOneKeyPathTheFirstWithAValueIsWritten() throws {
    let mapping = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("authorID", .integer, at: "by")
      Attribute("authorText", .json, at: "by")
      ToOne("author", Graph.author, at: "by")
    }
    var stored = Graph {
      $0.add(1, "Book", ["authorID": 2, "authorText": .init(.json("2"))], one: ["author": 2])
      $0.add(2, "Author", ["id": 2])
    }
    #expect(try serialized(mapping, stored) == #"{"by":2}"#)
    stored.objects[1]?.values["authorID"] = .null
    #expect(try serialized(mapping, stored) == #"{"by":2}"#)
    stored.objects[1]?.values = [:]
    #expect(try serialized(mapping, stored) == #"{"by":{"id":2}}"#)
    stored.objects[1]?.one = [:]
    #expect(try serialized(mapping, stored) == "{}")
    #expect(try serialized(mapping, stored) { $0.includesNulls = true } == #"{"id":null,"by":null}"#)
  }

  /// FEM-185: a null that is a value, and not the lack of one
  @Test(arguments: [false, true])
  func aNullThatIsJSONIsWritten(_ includesNulls: Bool) throws {
    let mapping = Mapping("E") { Attribute("a", .json) }
    let stored = Graph { $0.add(1, "E", ["a": .init(.json("null"))]) }
    #expect(try serialized(mapping, stored) { $0.includesNulls = includesNulls } == #"{"a":null}"#)
  }

  /// BUG-58
  @Test func aKeyPathThroughAValueIsRefusedBeforeAnythingIsWritten() {
    let mapping = Mapping("E", primaryKey: "a") {
      Attribute("a", .integer)
      Attribute("b", .integer, at: "a.b")
    }
    let error = #expect(throws: MappingDefinitionError.self) { try Serializer(mapping) }
    #expect(
      error?.description
        == #"$.mappings.E.attributes.b.keyPath: leads through "a", which is the value of "a": a primary key has a member for itself"#
    )
  }
}
