import FastMapCore
import TestSupport
import Testing

/// Semantics 6: every error names the path, what was expected and what was found, and a policy says what then.
@Suite struct ImportErrorTests {
  private static let car = Mapping("Car", primaryKey: "vin") {
    Attribute("vin", .string)
    Attribute("doors", .integer)
    Attribute("bought", .date(.pattern("%Y-%m-%d")), at: "deal.day")
    ToOne("maker", maker)
    ToOne("seller", maker, at: "deal.by.seller")
    ToMany("parts", part)
    ToMany("marks", mark)
  }
  private static let maker = Mapping("Maker", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }
  private static let part = Mapping("PartRef", entity: "Part", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }
  private static let mark = Mapping("Mark") { Attribute("x", .number) }

  struct Case: Sendable, CustomTestStringConvertible {
    let ids: String
    let json: String
    let expected: String
    var testDescription: String { "\(ids) \(json)" }
  }

  static let cases: [Case] = [
    // BUG-16, BUG-17, BUG-18, Q-26, Q-27
    Case(
      ids: "BUG-16", json: #"{"vin":7}"#,
      expected: "$.vin: expected a string, found the number 7 (line 1, column 8)"),
    Case(
      ids: "BUG-17", json: #"[{"vin":"a"},{"vin":"b","doors":"4"}]"#,
      expected: #"$[1].doors: expected an integer, found the string "4" (line 1, column 33)"#),
    Case(
      ids: "BUG-18", json: #"{"vin":"a","doors":4.5}"#,
      expected: "$.doors: expected an integer, found the number 4.5 (line 1, column 20)"),
    Case(
      ids: "BUG-18", json: #"{"vin":"a","doors":4.0}"#,
      expected: "$.doors: expected an integer, found the number 4.0 (line 1, column 20)"),
    Case(
      ids: "Q-27", json: #"{"vin":"a","doors":true}"#,
      expected: "$.doors: expected an integer, found true (line 1, column 20)"),
    Case(
      ids: "kinds", json: #"{"vin":"a","doors":[1]}"#,
      expected: "$.doors: expected an integer, found an array (line 1, column 20)"),
    Case(
      ids: "kinds", json: #"{"vin":"a","doors":{}}"#,
      expected: "$.doors: expected an integer, found an object (line 1, column 20)"),
    // Q-03, BUG-22, FEM-39
    Case(
      ids: "BUG-22", json: "{\"vin\":\"a\",\n \"deal\": {\"day\": \"2012-13-01\"}}",
      expected: #"$.deal.day: expected a date (%Y-%m-%d), found the string "2012-13-01" (line 2, column 18)"#),
    Case(
      ids: "FEM-38", json: #"{"vin":"a","deal":{"day":10}}"#,
      expected: "$.deal.day: expected a date (%Y-%m-%d), found the number 10 (line 1, column 26)"),
    // BUG-02, BUG-03
    Case(
      ids: "BUG-02", json: #"{"vin":"a","deal":"cash"}"#,
      expected: #"$.deal: expected an object, found the string "cash" (line 1, column 19)"#),
    Case(
      ids: "BUG-03", json: #"{"vin":"a","deal":[{"day":1}]}"#,
      expected: "$.deal: expected an object, found an array (line 1, column 19)"),
    Case(
      ids: "BUG-02", json: #"{"vin":"a","deal":{"by":5}}"#,
      expected: "$.deal.by: expected an object, found the number 5 (line 1, column 25)"),
    // BUG-07, WAM-52
    Case(
      ids: "BUG-07", json: #"{"vin":"a","maker":[{"id":1}]}"#,
      expected: "$.maker: expected one object or integer, found an array (line 1, column 20)"),
    Case(
      ids: "BUG-07", json: #"{"vin":"a","deal":{"by":{"seller":[]}}}"#,
      expected: "$.deal.by.seller: expected one object or integer, found an array (line 1, column 35)"),
    // BUG-06, BUG-08
    Case(
      ids: "BUG-08", json: #"{"vin":"a","maker":"x"}"#,
      expected: #"$.maker: expected an object or an integer, found the string "x" (line 1, column 20)"#),
    Case(
      ids: "BUG-08", json: #"{"vin":"a","maker":true}"#,
      expected: "$.maker: expected an object or an integer, found true (line 1, column 20)"),
    Case(
      ids: "BUG-06", json: #"{"vin":"a","parts":[1,"2"]}"#,
      expected: #"$.parts[1]: expected an integer, found the string "2" (line 1, column 23)"#),
    Case(
      ids: "BUG-06", json: #"{"vin":"a","parts":[[1]]}"#,
      expected: "$.parts[0]: expected an integer, found an array (line 1, column 21)"),
    Case(
      ids: "BUG-06", json: #"{"vin":"a","marks":[{"x":1},2]}"#,
      expected: "$.marks[1]: expected an object, found the number 2 (line 1, column 29)"),
    Case(
      ids: "index counts nulls", json: #"{"vin":"a","marks":[null,{"x":"y"}]}"#,
      expected: #"$.marks[1].x: expected a number, found the string "y" (line 1, column 31)"#),
    // Q-20, BUG-28
    Case(
      ids: "BUG-28", json: #"{"vin":"a","maker":{"name":"M"}}"#,
      expected: "$.maker.id: expected an integer, the primary key of Maker, found nothing (line 1, column 20)"
    ),
    Case(
      ids: "BUG-28", json: #"{"doors":3}"#,
      expected: "$.vin: expected a string, the primary key of Car, found nothing (line 1, column 1)"),
    // BUG-09, BUG-12, WAM-07
    Case(
      ids: "BUG-09", json: #"[{"vin":"a"},null]"#,
      expected: "$[1]: expected an object, found null (line 1, column 14)"),
    Case(
      ids: "BUG-12", json: "null",
      expected: "$: expected an object or an array of objects, found null (line 1, column 1)"),
    Case(
      ids: "root", json: "true", expected: "$: expected an object, found true (line 1, column 1)"),
    Case(
      ids: "root", json: "[[]]",
      expected: "$[0]: expected an object, found an array (line 1, column 2)"),
    // Places
    Case(
      ids: "columns count scalars", json: "[{\"vin\":\"é😀\"},\n{\"vin\":\"ü\",\"doors\":\"x\"}]",
      expected: #"$[1].doors: expected an integer, found the string "x" (line 2, column 20)"#),
    Case(
      ids: "a long string is cut", json: #"{"vin":"a","doors":"\#(String(repeating: "x", count: 50))"}"#,
      expected:
        "$.doors: expected an integer, found the string \"\(String(repeating: "x", count: 40))…\" (line 1, column 20)"
    ),
    Case(
      ids: "the last member of a name", json: #"{"vin":"a","doors":1,"doors":"x"}"#,
      expected: #"$.doors: expected an integer, found the string "x" (line 1, column 30)"#),
    // Text that is not JSON
    Case(
      ids: "syntax", json: "", expected: "line 1, column 1: expected a value, found the end of the input"
    ),
  ]

  // BUG-50, WAM-06, WAM-50, WAM-68, WAM-87, WAM-89, BUG-14, Q-11: nothing is kept
  @Test(arguments: StoreKind.allCases, cases)
  func anErrorNamesPathAndPlaceAndLeavesTheStoreAsItWas(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.car)
    try world.load(#"{"vin":"old"}"#)
    #expect(world.failure(of: test.json) == test.expected)
    try #expect(world.dump() == #"Car "old""#)
  }

  @Test(arguments: StoreKind.allCases)
  func theFirstFaultAborts(_ kind: StoreKind) throws {
    let many = (0..<500).map { #"{"vin":"\#($0)"}"# }.joined(separator: ",")
    let world = try World(kind, Self.car)
    #expect(
      world.failure(of: "[\(many),{\"vin\":\"x\",\"doors\":1.5},{\"vin\":0}]")
        == "$[500].doors: expected an integer, found the number 1.5 (line 1, column 6911)")
    try #expect(world.dump() == "")
  }

  // Root paths: BUG-11, FEM-178
  @Test(
    arguments: StoreKind.allCases,
    [
      Case(
        ids: "missing", json: #"{"result":{"x":1}}"#,
        expected:
          "$.result.items: expected the objects to map at this root path, found nothing (line 1, column 11)"),
      Case(
        ids: "missing", json: "{}",
        expected: "$.result: expected the objects to map at this root path, found nothing (line 1, column 1)"),
      Case(
        ids: "null", json: #"{"result":{"items":null}}"#,
        expected: "$.result.items: expected an object or an array of objects, found null (line 1, column 20)"),
      Case(
        ids: "null on the way", json: #"{"result":null}"#,
        expected: "$.result: expected an object, found null (line 1, column 11)"),
      Case(
        ids: "not an object", json: "[1]",
        expected: "$: expected an object, found an array (line 1, column 1)"),
      Case(
        ids: "fault inside", json: #"{"result":{"items":[{"id":1},{"id":"x"}]}}"#,
        expected: "$.result.items[1].id: expected an integer, found the string \"x\" (line 1, column 36)"),
      Case(
        ids: "fault inside of one", json: #"{"result":{"items":{"id":"x"}}}"#,
        expected: "$.result.items.id: expected an integer, found the string \"x\" (line 1, column 26)"),
    ])
  func aRootPathThatLeadsNowhereIsAnError(_ kind: StoreKind, _ test: Case) throws {
    let item = Mapping("Item", rootPath: "result.items", primaryKey: "id") { Attribute("id", .integer) }
    #expect(try World(kind, item).failure(of: test.json) == test.expected)
  }

  // FEM-129, FEM-130, FEM-131, FEM-132
  @Test(arguments: StoreKind.allCases)
  func aRootPathLeadsToAnObjectOrAnArray(_ kind: StoreKind) throws {
    let item = Mapping("Item", rootPath: "result.items", primaryKey: "id") { Attribute("id", .integer) }
    let world = try World(kind, item)
    try #expect(world.load(#"{"result":{"items":{"id":1}}}"#) == "Item +1")
    try #expect(world.load(#"{"result":{"items":[{"id":1},{"id":2}]}}"#) == "Item +1 =1")
    var options = ImportOptions()
    options.rootPath = "elsewhere"
    try #expect(world.load(#"{"elsewhere":[{"id":3}]}"#, options: options) == "Item +1")
  }
}
