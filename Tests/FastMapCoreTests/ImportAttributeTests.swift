import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Semantics 1 and 4: missing is not null, and an equal value is not written.
@Suite struct ImportAttributeTests {
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("upper", .string, at: "name")
    Attribute("city", .string, at: "address.city")
    Attribute("street", .string, at: "address.lines.first")
    Attribute("dotted", .integer, at: JSONKeyPath(components: ["a.b"]))
    Attribute("nameless", .integer, at: "")
    Attribute("at", .integer, at: "@id")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: String
    let payload: String
    let report: String
    let dump: String
  }

  static let cases: [Case] = [
    // FEM-01, FEM-02, FEM-10, WAM-11, WAM-22
    Case(
      testDescription: "one member feeds two attributes", start: "[]", payload: #"{"id":1,"name":"A"}"#,
      report: "Person +1", dump: #"Person 1 name="A" upper="A""#),
    // FEM-03
    Case(
      testDescription: "a dotted path goes through objects", start: "[]",
      payload: #"{"id":1,"address":{"city":"C","lines":{"first":"S"}}}"#,
      report: "Person +1", dump: #"Person 1 city="C" street="S""#),
    // FEM-04, WAM-16
    Case(
      testDescription: "missing in the middle is missing", start: #"{"id":1,"address":{"city":"C"}}"#,
      payload: #"{"id":1,"address":{}}"#, report: "Person =1", dump: #"Person 1 city="C""#),
    // FEM-15, WAM-13
    Case(
      testDescription: "missing keeps", start: #"{"id":1,"name":"A"}"#, payload: #"{"id":1}"#,
      report: "Person =1", dump: #"Person 1 name="A" upper="A""#),
    // FEM-16, WAM-14
    Case(
      testDescription: "null clears", start: #"{"id":1,"name":"A","address":{"city":"C"}}"#,
      payload: #"{"id":1,"name":null}"#, report: "Person ~1", dump: #"Person 1 city="C""#),
    // WAM-15, Q-06, BUG-01
    Case(
      testDescription: "null in the middle clears",
      start: #"{"id":1,"address":{"city":"C","lines":{"first":"S"}}}"#,
      payload: #"{"id":1,"address":null}"#, report: "Person ~1", dump: "Person 1"),
    Case(
      testDescription: "null deeper in the middle clears only what is inside",
      start: #"{"id":1,"address":{"city":"C","lines":{"first":"S"}}}"#,
      payload: #"{"id":1,"address":{"lines":null}}"#, report: "Person ~1", dump: #"Person 1 city="C""#),
    // Q-09
    Case(
      testDescription: "null over nothing changes nothing", start: #"{"id":1}"#,
      payload: #"{"id":1,"name":null}"#, report: "Person =1", dump: "Person 1"),
    // FEM-22, WAM-21, Q-09
    Case(
      testDescription: "an equal value changes nothing", start: #"{"id":1,"name":"A"}"#,
      payload: #"{"id":1,"name":"\u0041"}"#, report: "Person =1", dump: #"Person 1 name="A" upper="A""#),
    // FEM-09
    Case(
      testDescription: "members without an attribute are ignored", start: "[]",
      payload: #"{"id":1,"x":[{"deep":null}],"names":"A"}"#, report: "Person +1", dump: "Person 1"),
    // FEM-07, WAM-24, BUG-04
    Case(
      testDescription: "odd names are names", start: "[]",
      payload: #"{"id":1,"a.b":2,"":3,"@id":4,"a":{"b":9}}"#,
      report: "Person +1", dump: "Person 1 dotted=2 nameless=3 at=4"),
    // Q-28
    Case(
      testDescription: "a string may hold NUL", start: "[]", payload: #"{"id":1,"name":"a\u0000b"}"#,
      report: "Person +1", dump: "Person 1 name=\"a\0b\" upper=\"a\0b\""),
    Case(
      testDescription: "the last of members with one name counts", start: "[]",
      payload: #"{"id":1,"name":"A","name":"B"}"#, report: "Person +1", dump: #"Person 1 name="B" upper="B""#),
    Case(
      testDescription: "the same letters in another spelling are another value",
      start: #"{"id":1,"name":"\u00e9"}"#, payload: #"{"id":1,"name":"e\u0301"}"#, report: "Person ~1",
      dump: "Person 1 name=\"e\u{301}\" upper=\"e\u{301}\""),
  ]

  // BUG-02
  @Test(arguments: TestSize.onStores(cases, others: 2))
  func attributesFollowTheirPaths(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.person, holding: test.start)
    try #expect(world.load(test.payload) == test.report)
    let dump = try world.dump()
    #expect(dump.utf8.elementsEqual(test.dump.utf8), "\(dump)")
    let again = try world.load(test.payload)
    #expect(again == "Person =1", "imported again")
  }

  // FEM-44…FEM-66, FEM-217 in the types that an attribute may have
  @Test(arguments: StoreKind.allCases)
  func everyTypeIsStored(_ kind: StoreKind) throws {
    let typed = Mapping("Typed", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("boolean", .boolean)
      Attribute("least", .integer)
      Attribute("greatest", .integer)
      Attribute("number", .number)
      Attribute("whole", .number)
      Attribute("string", .string)
      Attribute("day", .date(.pattern("%Y-%m-%d")))
      Attribute("moment", .date(.iso8601))
      Attribute("epoch", .date(.epoch))
      Attribute("millis", .date(.epochMilliseconds))
      Attribute("data", .data)
      Attribute("json", .json)
    }
    let payload = """
      {"id": "x", "boolean": false, "least": -9223372036854775808, "greatest": 9223372036854775807,
       "number": 12.25, "whole": 3, "string": "", "day": "2012-07-01", "moment": "1969-12-31T23:59:59.5Z",
       "epoch": 1.25, "millis": -1, "data": "AP8=", "json": {"b": [1, null], "a": "é"}}
      """
    let world = try World(kind, typed)
    try #expect(world.load(payload) == "Typed +1")
    try #expect(
      world.dump() == """
        Typed "x" boolean=false least=-9223372036854775808 greatest=9223372036854775807 number=12.25 whole=3.0 \
        string="" day=@1341100800 moment=@-1+500000000ns epoch=@1+250000000ns millis=@-1+999000000ns \
        data=[0, 255] json={"b":[1,null],"a":"é"}
        """)
    try #expect(world.load(payload) == "Typed =1")
    let cleared = """
      {"id": "x", "boolean": null, "least": null, "greatest": null, "number": null, "whole": null, "string": null,
       "day": null, "moment": null, "epoch": null, "millis": null, "data": null, "json": null}
      """
    try #expect(world.load(cleared) == "Typed ~1")
    try #expect(world.dump() == #"Typed "x""#)
  }

  @Test(arguments: StoreKind.allCases)
  func anAttributeMayReadItsWholeRepresentation(_ kind: StoreKind) throws {
    // FEM-05, FEM-06
    let world = try World(
      kind,
      Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("source", .json, at: .wholeValue)
      })
    try #expect(world.load(#"[{"id":1,"x":[2]}]"#) == "Item +1")
    try #expect(world.dump() == #"Item 1 source={"id":1,"x":[2]}"#)
  }

  // FEM-11, WAM-25: a name with a dot is a name, in a record and in the store
  @Test(arguments: StoreKind.allCases)
  func anAttributesNameIsNoPath(_ kind: StoreKind) throws {
    let mapping = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("a.b", .json, at: "langs")
      Attribute("a", .integer, at: "x.y")
    }
    let world = try World(kind, mapping)
    try #expect(world.load(#"{"id":1,"langs":["fr",null],"x":{"y":2}}"#) == "Item +1")
    try #expect(world.dump() == #"Item 1 a.b=["fr",null] a=2"#)
    try #expect(world.export() == #"[{"id":1,"langs":["fr",null],"x":{"y":2}}]"#)
  }
}
