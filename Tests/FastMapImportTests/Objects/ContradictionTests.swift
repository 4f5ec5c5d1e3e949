import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Fields that one payload gives different values: the contradictions of a report.
@Suite struct ContradictionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var json: String
    var found: [String]
    var name = "Person"
    var testDescription: String { json }
  }

  private static let file = #"""
    {"fastmap": 1, "mappings": {
      "Person": {"primaryKey": "id",
        "attributes": {"id": "integer", "name": "string", "age": "integer", "size": "number", "born": "date",
          "tags": ["string"], "note": "json"},
        "relationships": {
          "boss": {"mapping": "Person"}, "team": {"mapping": "Team", "policy": "merge"},
          "friends": {"mapping": "Person", "toMany": true}, "home": {"mapping": "Place"}}},
      "Team": {"primaryKey": "code", "attributes": {"code": "string"}},
      "Place": {"attributes": {"city": "string"}},
      "Issue": {"primaryKey": "id", "newerBy": "at", "deletedBy": "gone",
        "attributes": {"id": "integer", "at": "integer", "title": "string", "gone": "boolean"}},
      "Loose": {"primaryKey": "id", "attributes": {"id": "integer", "rest": "rest", "a": "integer"}},
      "Animal": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"cat": "Cat", "dog": "Dog"}}},
      "Cat": {"entity": "Animal", "primaryKey": "id", "attributes": {"id": "integer", "lives": "integer"}},
      "Dog": {"entity": "Animal", "primaryKey": "id", "attributes": {"id": "integer", "legs": "integer"}}}}
    """#

  private static let cases = [
    Case(json: #"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":1,"name":"a"}]"#, found: []),
    Case(json: #"[{"id":1,"name":"a"},{"id":1,"name":"b"}]"#, found: ["Person 1 name $[0] $[1]"]),
    // A bare reference and a missing member set nothing, null does.
    Case(json: #"[{"id":1,"name":"a"},{"id":1},{"id":1,"age":3},{"id":2,"boss":1}]"#, found: []),
    Case(json: #"[{"id":1,"name":"a"},{"id":1,"name":null}]"#, found: ["Person 1 name $[0] $[1]"]),
    Case(json: #"[{"id":1,"name":null},{"id":1,"name":null}]"#, found: []),
    // The first and the last occurrence, in any place.
    Case(
      json: #"[{"id":1,"age":1},{"id":2,"boss":{"id":1,"age":2}},{"id":3},{"id":1,"age":3}]"#,
      found: ["Person 1 age $[0] $[3]"]),
    Case(
      json: #"[{"id":1,"age":1},{"id":1,"name":"a"},{"id":1,"name":"b"}]"#, found: ["Person 1 name $[1] $[2]"]
    ),
    // Values of all types.
    Case(
      json:
        #"[{"id":1,"age":1,"size":1,"born":"2020-01-01T00:00:00Z","tags":["a"],"note":{"a":1}},{"id":1,"age":1,"size":1.0,"born":"2020-01-01T01:00:00+01:00","tags":["a"],"note":{"a":1}}]"#,
      found: []),
    Case(
      json:
        #"[{"id":1,"size":1,"born":"2020-01-01T00:00:00Z","tags":["a"],"note":{"a":1}},{"id":1,"size":2,"born":"2021-01-01T00:00:00Z","tags":["b"],"note":{"a":2}}]"#,
      found: [
        "Person 1 size $[0] $[1]", "Person 1 born $[0] $[1]", "Person 1 tags $[0] $[1]",
        "Person 1 note $[0] $[1]",
      ]),
    // Relationships to one, and not to many; null says nothing under merge; an object without a key is no value.
    Case(json: #"[{"id":1,"boss":2},{"id":1,"boss":{"id":2}}]"#, found: []),
    Case(json: #"[{"id":1,"boss":2},{"id":1,"boss":3}]"#, found: ["Person 1 boss $[0] $[1]"]),
    Case(json: #"[{"id":1,"boss":2},{"id":1,"boss":null}]"#, found: ["Person 1 boss $[0] $[1]"]),
    Case(json: #"[{"id":1,"team":"x"},{"id":1,"team":null}]"#, found: []),
    Case(json: #"[{"id":1,"team":"x"},{"id":1,"team":"y"}]"#, found: ["Person 1 team $[0] $[1]"]),
    Case(json: #"[{"id":1,"friends":[2]},{"id":1,"friends":[3]}]"#, found: []),
    Case(json: #"[{"id":1,"home":{"city":"a"}},{"id":1,"home":{"city":"b"}}]"#, found: []),
    // An age that rose between them.
    Case(json: #"[{"id":1,"at":1,"title":"a"},{"id":1,"at":2,"title":"b"}]"#, found: [], name: "Issue"),
    Case(json: #"[{"id":1,"at":2,"title":"a"},{"id":1,"at":1,"title":"b"}]"#, found: [], name: "Issue"),
    Case(
      json: #"[{"id":1,"at":2,"title":"a"},{"id":1,"at":2,"title":"b"}]"#, found: ["Issue 1 title $[0] $[1]"],
      name: "Issue"),
    Case(
      json: #"[{"id":1,"at":2,"title":"a"},{"id":1,"title":"b"}]"#, found: ["Issue 1 title $[0] $[1]"],
      name: "Issue"),
    // A deletion between them.
    Case(
      json: #"[{"id":1,"title":"a"},{"id":1,"gone":true},{"id":1,"title":"b"}]"#, found: [], name: "Issue"),
    // A rest grows; a kind has no values for the fields of others.
    Case(json: #"[{"id":1,"x":1},{"id":1,"y":2}]"#, found: [], name: "Loose"),
    Case(
      json: #"[{"id":1,"type":"cat","lives":9},{"id":1,"type":"cat","lives":9}]"#, found: [], name: "Animal"),
    Case(
      json: #"[{"id":1,"type":"cat","lives":9},{"id":1,"type":"dog","legs":4}]"#,
      found: ["Animal 1 type $[0] $[1]"],
      name: "Animal"),
  ]

  private static func lines(_ report: ImportReport) -> [String] {
    report.contradictions.map {
      "\($0.place[0]) \($0.key ?? 0) \($0.place[1]) \($0.paths.map(\.description).joined(separator: " "))"
    }
  }

  @Test(arguments: StoreKind.allCases, cases)
  func aFieldWithTwoValuesIsReportedWithItsPlaces(_ kind: StoreKind, test: Case) throws {
    let world = try World(kind, try MappingSet(file: Self.file).plan(for: test.name))
    let report = try world.report(test.json)
    #expect(Self.lines(report) == test.found)
    #expect(report.moreContradictions == 0)
    #expect(Self.lines(try world.report(test.json)) == test.found, "over the stored objects")
  }

  @Test(arguments: StoreKind.allCases)
  func theFirstTenAreReportedAndTheOthersCounted(_ kind: StoreKind) throws {
    let world = try World(kind, try MappingSet(file: Self.file).plan(for: "Person"))
    let rows = (0..<30).map { #"{"id":\#($0 % 15),"name":"\#($0)"}"# }
    let report = try world.report("[" + rows.joined(separator: ",") + "]")
    #expect(Self.lines(report) == (0..<10).map { "Person \($0) name $[\($0)] $[\($0 + 15)]" })
    #expect(report.moreContradictions == 5)
  }

  @Test func anObjectThatIsLeftOutContradictsNothing() throws {
    let world = try World(.memory, try MappingSet(file: Self.file).plan(for: "Person"))
    let report = try world.report(
      #"[{"id":1,"name":"a"},{"id":1,"name":"b","age":"x"}]"#, options: ImportOptions(faults: .skip))
    #expect((report.errorCount, Self.lines(report)) == (1, []))
  }

  /// Occurrences in different batches are not compared.
  @Test func onlyOccurrencesOfABatchAreCompared() throws {
    let plan = try MappingSet(file: Self.file).plan(for: "Person")
    let json = #"[{"id":1,"name":"a"},{"id":1,"name":"b"}]"#
    #expect(try World(.memory, plan).report(json, options: ImportOptions(batchSize: 1)).contradictions == [])
  }
}
