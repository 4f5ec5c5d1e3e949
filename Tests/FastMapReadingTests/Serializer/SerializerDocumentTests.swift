import FastMapCore
import TestSupport
import Testing

@Suite struct SerializerDocumentTests {
  private static let shelved: Mapping<Record> = Mapping("Author", rootPath: "result.people", primaryKey: "id")
  {
    Attribute("id", .integer)
    ToOne("other", shelved)
  }

  /// FEM-133, FEM-134, FEM-193, BUG-56, BUG-63, WAM-117, WAM-121
  @Test func documentsAreWrappedAtTheRootPath() throws {
    let plan = try Plan(Self.shelved)
    var reader = try GraphReader(
      Graph {
        $0.add(1, "Author", ["id": 1], one: ["other": 2])
        $0.add(2, "Author", ["id": 2], one: ["other": 1])
      }, plan.schema)
    let serializer = Serializer(plan, options: SerializerOptions.with { $0.cycles = .repeatAsKey })
    var output = JSONWriter()
    func text() -> String {
      defer { output = JSONWriter() }
      return String(decoding: output.bytes, as: UTF8.self)
    }
    // WAM-115: root objects are written in full; an object that one root wrote is a repeat in the next
    try serializer.writeDocument([reader[1], reader[9], reader[2]], from: &reader, to: &output)
    #expect(
      text()
        == #"{"result":{"people":[{"id":1,"other":{"id":2,"other":{"id":1}}},{"id":2,"other":{"id":1}}]}}"#)
    try serializer.writeDocument([], from: &reader, to: &output)
    #expect(text() == #"{"result":{"people":[]}}"#)
    #expect(try serializer.writeDocument(reader[2], from: &reader, to: &output))
    #expect(text() == #"{"result":{"people":{"id":2,"other":{"id":1,"other":{"id":2}}}}}"#)
    #expect(try !serializer.writeDocument(reader[9], from: &reader, to: &output))
    #expect(text() == "")
    #expect(try !serializer.write(reader[9], from: &reader, to: &output))
    #expect(text() == "")
  }

  @Test func objectsCanBeElementsOfAnyText() throws {
    let plan = try Plan(Graph.author)
    var reader = try GraphReader(Graph { $0.add(1, "Author", ["id": 1]) }, plan.schema)
    let serializer = Serializer(plan)
    var output = JSONWriter(isPretty: true)
    output.beginArray()
    for _ in 0..<2 { try serializer.write(reader[1], from: &reader, to: &output) }
    output.endArray()
    #expect(output.bytes == Array("[\n  {\n    \"id\": 1\n  },\n  {\n    \"id\": 1\n  }\n]".utf8))
  }

  // MARK: Faults

  @Test(arguments: [
    (AttributeType.DateFormat.iso8601, "as ISO 8601, which has the years 0 to 9999"),
    (.pattern("%y"), #"with the pattern "%y""#),
  ])
  func aDateThatHasNoFormIsAnError(_ format: AttributeType.DateFormat, _ reason: String) throws {
    let inner = Mapping("I") { Attribute("at", .date(format), at: "when.at") }
    let plan = try Plan(Mapping("O") { ToMany("list", inner, at: "a.list") })
    var reader = try GraphReader(
      Graph {
        $0.add(1, "O", many: ["list": [3, 2]])
        $0.add(2, "I", ["at": .init(.date(Timestamp(seconds: 253_402_300_800)))])
        $0.add(3, "I", ["at": .init(.date(Timestamp(seconds: 0)))])
      }, plan.schema)
    var output = JSONWriter()
    output.beginArray()
    let error = #expect(throws: MappingError.self) {
      try Serializer(plan).write(reader[1], from: &reader, to: &output)
    }
    #expect(
      error?.description
        == "$.a.list[1].when.at: the date 253402300800 seconds from 1970 cannot be written \(reason)")
    output.endArray()
    #expect(output.bytes == Array("[]".utf8))
  }

  @Test func aFailingReadLeavesTheOutputAsItWas() throws {
    let plan = try Plan(Graph.club)
    let serializer = Serializer(plan)
    var output = JSONWriter()
    for read in 1...7 {
      var reader = try GraphReader(Graph.clubs, plan.schema)
      reader.failingRead = read
      #expect(throws: Graph.Failure.self) { try serializer.write(reader[1], from: &reader, to: &output) }
      #expect(output.bytes.isEmpty)
    }
    var reader = try GraphReader(Graph.clubs, plan.schema)
    #expect(try serializer.write(reader[1], from: &reader, to: &output))
  }
}
