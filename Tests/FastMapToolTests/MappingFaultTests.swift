import TestSupport
import Testing

/// A mapping file with faults, and the tool's messages.
struct MappingFaultCase: CustomTestStringConvertible, Sendable {
  let name: String
  let mappings: String
  let complaints: [String]

  init(_ name: String, _ mappings: String, _ complaints: String...) {
    (self.name, self.mappings, self.complaints) = (name, mappings, complaints)
  }

  var testDescription: String { name }
}

@Suite struct MappingFaultTests {
  static let cases = [
    MappingFaultCase(
      "unknown type", #"{"Person": {"attributes": {"id": "int"}}}"#,
      #"$.mappings.Person.attributes.id: no type named "int"; did you mean "integer"?"#),
    MappingFaultCase(
      "unknown mapping",
      #"{"Person": {"relationships": {"car": {"mapping": "Car"}}}, "Cars": {"attributes": {"plate": "string"}}}"#,
      #"$.mappings.Person.relationships.car.mapping: no mapping named "Car"; did you mean "Cars"?"#),
    MappingFaultCase(
      "primary key that is no attribute",
      #"{"Person": {"primaryKey": "ident", "attributes": {"id": "integer"}}}"#,
      #"$.mappings.Person.primaryKey: no attribute named "ident"; there is "id""#),
    MappingFaultCase(
      "cycle of whole-representation relationships",
      #"{"Person": {"relationships": {"me": {"mapping": "Person", "keyPath": null}}}}"#,
      "$.mappings.Person.relationships.me.keyPath: a cycle of relationships that read the same representation "
        + "would never end: Person → Person"),
    MappingFaultCase(
      "unknown policy",
      #"{"Person": {"relationships": {"me": {"mapping": "Person", "policy": "merged"}}}}"#,
      #"$.mappings.Person.relationships.me.policy: no policy named "merged"; did you mean "merge"?"#),
    MappingFaultCase(
      "two faults, one of them in a mapping that is not imported",
      #"{"Person": {"primarykey": "id", "attributes": {"id": "integer"}}, "Car": {"attributes": {"id": 1}}}"#,
      #"$.mappings.Person.primarykey: a mapping has no member named "primarykey"; did you mean "primaryKey"?"#,
      "$.mappings.Car.attributes.id: expected a type or an object, found the number 1"),
  ]

  @Test(arguments: cases)
  func everyFaultIsALineThatNamesItsPlaceAndNothingIsChanged(_ test: MappingFaultCase) throws {
    let workspace = try Workspace()
    try workspace.write(#"{"fastmap": 1, "mappings": \#(test.mappings)}"#, to: "faulty.json")
    try workspace.write(#"[{"id": 1}]"#, to: "people.json")
    let call = ["--store", "people.db", "--mappings", "faulty.json", "--as", "Person"]
    for words in [["import"] + call + ["people.json"], ["get"] + call + ["1"], ["export"] + call] {
      let run = try workspace.run([FastMapTool.path] + words)
      #expect((run.status, run.output) == (1, ""))
      #expect(run.complaints == test.complaints.map { $0 + " (faulty.json)" })
      #expect(workspace.names() == ["faulty.json", "mappings.json", "people.json"])
    }
  }

  @Test func aMissingMappingFileIsNamed() throws {
    let workspace = try Workspace()
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "mapings.json", "--as", "Person")
    run.expect(1, complaints: ["mapings.json: No such file or directory"])
    #expect(workspace.names() == ["mappings.json"])
  }

  @Test func aMappingFileThatIsNoJSONSaysWhere() throws {
    let workspace = try Workspace()
    try workspace.write("{\n  \"fastmap\": 1,\n  mappings\n}", to: "faulty.json")
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "faulty.json", "--as", "Person")
    #expect((run.status, run.complaints.count) == (1, 1))
    #expect(run.errors.hasPrefix("faulty.json: line 3, column "))
    #expect(workspace.names() == ["faulty.json", "mappings.json"])
  }

  @Test func aPayloadInPlaceOfTheMappingFileIsRecognised() throws {
    let workspace = try Workspace()
    try workspace.write(#"[{"id": 1}]"#, to: "people.json")
    let run = try workspace.fastmap(
      "import", "--store", "people.db", "--mappings", "people.json", "--as", "Person", "mappings.json")
    run.expect(
      1,
      complaints: [
        #"$: expected a mapping file, an object with "fastmap" and "mappings", found an array (people.json)"#
      ])
  }
}
