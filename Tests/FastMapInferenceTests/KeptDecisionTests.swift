import FastMapCore
import FastMapInference
import TestSupport
import Testing

/// Decisions of an earlier mapping file, which a later payload keeps as far as it allows.
@Suite struct KeptDecisionTests {
  private func infer(_ payload: String, keeping mappings: String, roots: [String] = []) throws
    -> Inference.Result
  {
    var inference = Inference()
    try inference.add(text: payload, file: "orders.json")
    let file = try JSONTree(parsing: Array(#"{"fastmap": 1, "mappings": \#(mappings)}"#.utf8))
    return try inference.result(keeping: (file, roots))
  }

  /// The type that `x` of `Order` has after a payload: the kept type, values of `x`, and the new type.
  @Test(arguments: [
    ("integer", "[1,2]", "integer"), ("integer", "[1.5]", "number"),
    ("integer", "[0.10,12345678901234567890.5]", "decimal"), ("integer", "[\"a\"]", "json"),
    ("integer", "[[1],[2]]", "[\"integer\"]"), ("integer", "[null]", "integer"),
    ("integer", "[{\"a\":1}]", "json"),
    ("number", "[1]", "number"), ("number", "[12345678901234567890.5]", "decimal"),
    ("number", "[true]", "json"),
    ("decimal", "[1,2.5]", "decimal"), ("boolean", "[true,false]", "boolean"), ("boolean", "[1]", "json"),
    ("string", "[\"2024-01-01\"]", "string"), ("string", "[\"a\",1]", "json"),
    ("string", "[[\"a\"]]", "[\"string\"]"),
    ("date", "[\"2024-01-01T00:00:00Z\"]", "date"), ("date", "[\"soon\"]", "json"), ("json", "[1]", "json"),
  ])
  func aTypeWidensWhereAPayloadNeedsIt(_ type: String, _ values: String, _ wider: String) throws {
    let values = try JSONTree(parsing: Array(values.utf8))
    guard case .list(let all) = values else { return }
    let rows = all.enumerated().map { #"{"id":\#($0),"x":\#($1.line)}"# }
    let result = try infer(
      "[" + rows.joined(separator: ",") + "]",
      keeping: #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer", "x": "\#(type)"}}}"#)
    let text = wider.hasPrefix("[") ? wider : "\"\(wider)\""
    #expect(result.file["mappings"]?["Order"]?["attributes"]?["x"]?.line == text)
    #expect(result.notes.count == (type == wider ? 0 : 1), "\(result.notes)")
  }

  private static let person = #"""
    {"Bill": {"entity": "Invoice", "primaryKey": "id", "ignores": ["etag"],
      "attributes": {"id": "integer", "sum": {"type": "number", "keyPath": "total"}, "more": "rest"},
      "relationships": {"by": {"mapping": "Client", "keyPath": "customer"}}},
     "Client": {"primaryKey": "id", "attributes": {"id": "integer"}}}
    """#

  @Test func namesOfAPersonStayAndNewFieldsAreAddedAtTheirPlaces() throws {
    let result = try infer(
      #"[{"id":1,"total":2,"etag":"x","note":"n","customer":{"id":3,"mail":"m"},"lines":[{"sku":"a"}]}]"#,
      keeping: Self.person)
    #expect(
      result.notes == [
        "Client.mail: new, string", "Bill.note: new, string", "Bill.lines: new, objects of Line",
        "Line: a new mapping",
      ])
    #expect(result.roots == ["Bill"])
    let bill = result.file["mappings"]?["Bill"]
    #expect(bill?["attributes"]?.members.map(\.name) == ["id", "sum", "note", "more"])
    #expect(bill?["entity"] == .string("Invoice"))
    #expect(result.file["inferred"] == nil)
  }

  @Test func anotherRootIsAddedBesideTheKeptOnes() throws {
    let result = try infer(#"[{"id":1,"a":2,"b":3,"Client":{"id":4}}]"#, keeping: Self.person)
    #expect(result.roots == ["Order"])
    #expect(result.file["mappings"]?.members.map(\.name) == ["Bill", "Client", "Order"])
    #expect(result.notes == ["Order: a new mapping"])
  }

  @Test func aKeyKeepsItsType() throws {
    let result = try infer(
      #"[{"id":"a"},{"id":"b"}]"#,
      keeping: #"{"Order": {"primaryKey": "id", "attributes": {"id": "integer"}}}"#)
    #expect(result.file["mappings"]?["Order"]?["attributes"]?["id"] == .string("integer"))
    #expect(result.notes == ["Order.id: a key keeps its type; integer becomes json in the payload"])
  }

  @Test func aNewKindIsAddedToTheKinds() throws {
    let kinds = #"""
      {"Event": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"push": "Push", "pull": "Pull"}}},
       "Push": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "type": "string", "size": "integer"}},
       "Pull": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "type": "string", "title": "string"}}}
      """#
    let payload = (0..<60).map { number in
      let rest = [#""type":"push","size":1"#, #""type":"pull","title":"t""#, #""type":"fork","base":"b""#][
        number % 3]
      return #"{"id":\#(number),\#(rest)}"#
    }
    let result = try infer("[" + payload.joined(separator: ",") + "]", keeping: kinds, roots: ["Event"])
    let values = result.file["mappings"]?["Event"]?["kinds"]?["values"]?.members.map(\.name)
    #expect(values == ["push", "pull", "fork"], "\(result.notes)")
  }

  @Test func theSameFileHasNoDifferences() throws {
    let payload = #"[{"id":1,"total":2.5,"tags":["a"],"customer":{"id":3,"mail":"m"},"lines":[{"sku":"a"}]}]"#
    var inference = Inference()
    try inference.add(text: payload, file: "orders.json")
    let first = try inference.result()
    let again = try inference.result(keeping: (first.file, first.roots))
    #expect((again.file.fileText, again.notes) == (first.file.fileText, []))
  }
}
