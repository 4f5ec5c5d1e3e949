import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Members of `rest` that a later occurrence of the same payload removes with null.
@Suite struct RemovedRestTests {
  private static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {
            "primaryKey": "id",
            "attributes": {"id": "integer", "city": {"type": "string", "keyPath": "address.city"}, "other": "rest"}}}}
        """#)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var stored = "[]"
    var json: [String]
    var export: String
    var testDescription: String { "\(json.joined(separator: ", ")) over \(stored)" }
  }

  static let cases = [
    Case(json: [#""a":1"#, #""a":null"#], export: ""),
    Case(json: [#""a":1,"b":2"#, #""a":null"#], export: #""b":2"#),
    Case(json: [#""a":null"#, #""a":1"#], export: #""a":1"#),
    Case(json: [#""a":1"#, #""a":null"#, #""a":2"#], export: #""a":2"#),
    Case(json: [#""a":1"#, #""b":2"#, #""a":null"#, #""b":null"#], export: ""),
    Case(stored: #"{"id":1,"a":0}"#, json: [#""a":1"#, #""a":null"#], export: ""),
    Case(stored: #"{"id":1,"a":0,"b":0}"#, json: [#""a":null"#, #""b":1"#], export: #""b":1"#),
    // Members of an object that a key path leads through.
    Case(json: [#""address":{"zip":1}"#, #""address":{"zip":null}"#], export: ""),
    Case(
      json: [#""address":{"zip":1,"nr":2}"#, #""address":{"zip":null}"#], export: #""address":{"nr":2}"#),
    Case(json: [#""address":{"zip":1}"#, #""address":null"#], export: ""),
    Case(json: [#""address":{"zip":1,"city":"C"}"#, #""address":null"#], export: ""),
    Case(
      json: [#""b":1,"address":{"zip":1}"#, #""address":null"#, #""address":{"nr":3}"#],
      export: #""address":{"nr":3},"b":1"#),
    Case(
      stored: #"{"id":1,"address":{"zip":1}}"#, json: [#""address":null"#, #""address":{"nr":3}"#],
      export: #""address":{"nr":3}"#),
    Case(
      stored: #"{"id":1,"address":{"zip":1}}"#, json: [#""address":{"nr":3}"#, #""address":null"#],
      export: ""),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aLaterNullRemovesAnEarlierValue(_ kind: StoreKind, _ test: Case) throws {
    let json = "[" + test.json.map { #"{"id":1,\#($0)}"# }.joined(separator: ",") + "]"
    // In the order of their names, "address", "a" and "b" come before "id".
    let expected = test.export.isEmpty ? #"[{"id":1}]"# : #"[{\#(test.export),"id":1}]"#
    for batch in [nil, 1] as [Int?] {
      let world = try World(kind, Self.file.get().plan(for: "A"), holding: test.stored)
      try world.load(json, options: ImportOptions(batchSize: batch))
      try #expect(world.export() == expected, "batches of \(batch.map(String.init) ?? "any size")")
      try #expect(world.load(json).contains("A =1"))
      try #expect(world.export() == expected)
    }
  }
}
